"""The statements as data: the loader refuses a bad entry, and the ids and values are those of the shared facts."""

import math
from pathlib import Path
from typing import Any

import pytest
import yaml

import presets
from model.verify import verify

GOOD = """
[chapter]
name = "1 Rooflines"
source = "https://example.org/"
edition = "first"

[probe]
section = "Somewhere"
text = "a number"
quantity = "matmul_time"
settings = { matmul_batch = 8, kv_in_max = "outside" }
stated = 1.5
digits = 2
unit = "s"
verdict = "agrees"
lab = "roofline"
"""


SCALES = {"GB": 1e9, "GiB": 1e9, "MiB": 2**20, "tokens/ms": 1e3}
"""Units of the shared facts that the graph has not; the book writes GiB for 1e9 bytes."""


@pytest.fixture(scope="module")
def facts(shared: Path) -> dict[str, dict[str, Any]]:
    listed = yaml.safe_load((shared / "book" / "statements.yaml").read_text())["statements"]
    return {entry["id"]: entry for entry in listed}


def test_a_good_statement_is_read_as_written() -> None:
    (statement,) = presets.parse_statements(GOOD, "probe.toml").values()
    assert (statement.chapter, statement.stated, statement.digits, statement.unit) == ("1 Rooflines", 1.5, 2, "s")
    assert statement.settings == {"matmul_batch": 8.0, "kv_in_max": "outside"}
    assert (statement.source, statement.edition, statement.reason) == ("https://example.org/", "first", "")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('verdict = "agrees"', 'verdict = "fine"', "probe.toml, probe.verdict: 'fine' is none of"),
        ('verdict = "agrees"', 'verdict = "differs"', "probe.toml, probe: differs needs a reason"),
        ("stated = 1.5", "stated = 1.55", "probe.toml, probe.stated: 1.55 has more than 2 significant digits"),
        ("stated = 1.5", 'stated = "1.5"', "probe.toml, probe.stated: expected a number"),
        ("stated = 1.5\n", "", "probe.toml, probe: missing key 'stated'"),
        ("digits = 2", "digits = 0", "probe.toml, probe.digits: 0 is outside"),
        ('lab = "roofline"', 'colour = "red"', "probe.toml, probe: unknown key 'colour'"),
        ('quantity = "matmul_time"', "", "probe.toml, probe: give a quantity"),
        ("[chapter]", "[part]", "probe.toml: missing table 'chapter'"),
        ("[probe]", "[a probe]", "probe.toml: not valid TOML"),
    ],
)
def test_a_bad_statement_is_refused_with_one_line(old: str, new: str, line: str) -> None:
    with pytest.raises(presets.PresetError) as fault:
        presets.parse_statements(GOOD.replace(old, new), "probe.toml")
    assert str(fault.value).startswith(line)
    assert "\n" not in str(fault.value)


@pytest.mark.shared
def test_ids_values_and_digits_are_those_of_the_shared_facts(facts: dict[str, dict[str, Any]]) -> None:
    ours = {name: row for name, row in presets.statements().items() if not name.startswith("published-")}
    assert set(ours) == set(facts)
    assert len(ours) == 542
    for name, row in ours.items():
        fact = facts[name]
        assert row.section == fact["section"], name
        assert row.lab == fact["lab"], name
        assert row.text != fact["statement"], name
        if not row.quantity or fact["printed_value"] is None:
            continue
        if "stated is " in row.note:  # A printed formula at sample numbers; the facts give a ratio or its coefficient.
            assert fact["unit"] == "1" or fact["agrees"] == "no" or set(fact["inputs"].values()) == {1}, name
        else:
            assert row.stated == pytest.approx(fact["printed_value"] * SCALES.get(fact["unit"], 1), rel=1e-11), name
            assert row.digits >= fact["printed_sigfigs"], name


@pytest.mark.shared
def test_what_we_recompute_is_what_the_shared_facts_recomputed_on_their_own(
    facts: dict[str, dict[str, Any]],
) -> None:
    """Equal where both start from the same numbers; elsewhere one of the two starts from a rounded one."""
    equal, near = [], []
    for row in verify().rows:
        statement, fact = row.statement, facts.get(row.statement.id)
        if fact is None or not statement.quantity or "stated is " in statement.note:
            continue
        own = [fact["computed_value"] * SCALES.get(fact["unit"], 1), fact.get("book_value")]
        gap = min(
            abs(ours / theirs - 1)
            for ours in (row.recomputed, row.from_rounded)
            for theirs in own
            if not math.isnan(ours) and isinstance(theirs, int | float)
        )
        (equal if gap < 1e-9 else near).append(statement.id)
        # The facts compare with another matrix there, and we with the batch without activations.
        assert gap < 0.05 or statement.id == "roofline-q3-ratio-1024", statement.id
    assert len(equal) > 400
    assert len(near) < 90

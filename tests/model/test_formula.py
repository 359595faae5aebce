"""A formula shown is the formula run: its tree, and its printed HTML read back, give the graph's own values."""

import math
import random
import re
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from model.errors import BadInput
from model.evaluate import evaluate
from model.formula import UnreadableNode, formula, html, html_with_numbers, text, text_with_numbers, value
from model.formula.source import read_function
from model.formula.tree import Name
from model.graph import quantities
from model.knobs import KNOBS
from model.point import Point, resolve


def _random_numbers(seed: int) -> dict[str, float]:
    """Knobs drawn over their whole range, some at their ends, where shards are 1 and cases change."""
    draw = random.Random(seed)
    drawn: dict[str, float] = {}
    for name, knob in KNOBS.items():
        low, high = knob.bounds
        if knob.kind == "choice":
            drawn[name] = draw.choice(list(knob.numbers.values()))
        elif draw.random() < 0.2:
            drawn[name] = low
        else:
            drawn[name] = math.exp(draw.uniform(math.log(max(low, 1e-3)), math.log(high)))
            if knob.integer:
                drawn[name] = float(round(drawn[name]))
    return drawn


def _point(numbers: dict[str, float]) -> Point:
    option = {name: {number: word for word, number in knob.numbers.items()} for name, knob in KNOBS.items()}
    return Point("tpu-v5p", "llama-3-70b", {name: option[name].get(number, number) for name, number in numbers.items()})


NUMBERS = [_random_numbers(seed) for seed in range(12)]
EVALUATIONS = [evaluate(_point(numbers), gate=False) for numbers in NUMBERS]
KNOWN = [{**numbers, **evaluation.bounds} for numbers, evaluation in zip(NUMBERS, EVALUATIONS, strict=True)]


@pytest.mark.parametrize("known", KNOWN, ids=range(len(KNOWN)))
def test_the_tree_has_the_graphs_value(known: dict[str, float]) -> None:
    for name in EVALUATIONS[0].bounds:
        if known[name] != -math.inf:  # A branch that this configuration has not.
            found = value(formula(name).expression, known)
            np.testing.assert_allclose(found, known[name], rtol=1e-12, err_msg=name)


FUNCTIONS = {"sqrt": math.sqrt, "nan": math.nan, "max": max, "min": min, "ceil": np.ceil, "log2": np.log2}


class _Wellformed(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _cases_read_back(cases: str) -> str:
    """Turn `a if b, c if d, e` into a chain of conditional expressions."""
    *chosen, last = re.split(r", (?![^(]*\))", cases)
    pairs = (case.split(" if ") for case in chosen)
    return "(" + "".join(f"({value})~if~({condition})~else~" for value, condition in pairs) + f"({last}))"


def _options_read_back(match: re.Match[str]) -> str:
    numbers = (f"{KNOBS[match[1]].numbers[option]}," for option in match[2].split(" or "))
    return f"(v['{match[1]}']~in~({''.join(numbers)}))"


def _read_back(shown: str) -> str:
    """Turn the printed right-hand side into Python on `v`, the values by name."""
    shown = shown.partition(" = ")[2]
    shown = re.sub(r'<span class="name" data-name="(\w+)">.*?</span>', r"v['\1']", shown)
    shown = re.sub(r"<sup>(.*?)</sup>", r"**(\1)", shown)
    shown = re.sub(r"(\d),(\d{3})", r"\1\2", re.sub(r"<[^>]+>", "", shown))
    shown = (
        unescape(shown)
        .replace("−", "-")
        .replace("√", "sqrt")
        .replace("no value", "nan")
        .replace("≤", "<=")
        .replace("≥", ">=")
    )
    shown = re.sub(r"v\['(\w+)'\] is ([\w.]+(?: or [\w.]+)*)", _options_read_back, shown)
    shown = re.sub(r"v\['(\w+)'\] = (\d)", r"v['\1'] == \2", shown)
    inner = r"\{([^{}]*) otherwise\}"
    while "{" in shown:
        shown, found = re.subn(inner, lambda match: _cases_read_back(match[1]), shown)
        assert found, shown
    if shown.endswith(" otherwise"):
        shown = _cases_read_back(shown.removesuffix(" otherwise"))
    shown = shown.replace(" and ", "~and~")
    return re.sub(r"(?<=[\w\])]) (?=[\w(])", " * ", shown).replace("~", " ")


@pytest.mark.parametrize("name", quantities())
def test_what_is_printed_computes_the_same(name: str) -> None:
    """Read the HTML back as arithmetic: brackets, fractions, constants and cases are all where they should be."""
    for evaluation, known in zip(EVALUATIONS, KNOWN, strict=True):
        shown = html(formula(name), evaluation)
        page = _Wellformed()
        page.feed(shown + html_with_numbers(formula(name), evaluation))
        assert not page.open
        code = _read_back(shown)
        found = eval(
            code,
            {
                "v": known,
                "nan": math.nan,
                "max": max,
                "min": min,
                "sqrt": math.sqrt,
                "ceil": math.ceil,
                "log2": math.log2,
            },
        )
        if isinstance(found, complex):  # Python's power of a negative number, where IEEE has none.
            found = math.nan
        np.testing.assert_allclose(found, known[name], rtol=1e-12, err_msg=f"{name}: {code}")


def test_formulas_read_like_the_book() -> None:
    assert text(formula("step_time")) == "T_step = L T_layer + T_head"
    assert text(formula("train_days")) == "T_train = T/(86,400 R_train)"
    assert text(formula("matmul_critical_batch")) == "B_crit = I_hbm b_weight/2"
    assert text(formula("forward_tensor_time")) == "T_tp,fwd = 2 n_b b_a B D/(X W_ici) if Y > 1, 0 otherwise"
    assert text(formula("forward_time:wire")) == "T_fwd,wire = T_fsdp,fwd + T_tp,fwd"
    assert formula("step_time").inputs == ("n_layers", "layer_time", "head_time")


def test_numbers_mark_what_binds_and_leave_out_what_is_absent() -> None:
    torus = evaluate(resolve(settings={"matmul_efficiency": 0.4}))
    shown = text_with_numbers(formula("forward_time"), torus).replace("\u2009", " ")
    assert shown == "max(4.53 ms [binds], 594 μs, 1.36 ms) = 4.53 ms"
    switch = evaluate(resolve("h100", settings={"batch_tokens": 65536, "data_shards": 512}), gate=False)
    assert "[binds]" in text(formula("forward_time"), switch)
    assert text(formula("forward_time"), switch).count(",") == 4  # One comma parts compute from the wire.
    assert text_with_numbers(formula("fsdp_axes"), torus) == "3 − 1 = 2"


def test_a_node_that_cannot_be_shown_is_refused_by_name() -> None:
    def looped(batch_tokens: float) -> float:
        total = 0.0
        for _ in range(3):
            total += batch_tokens
        return total

    with pytest.raises(UnreadableNode, match="looped: no formula for `for _ in range"):
        read_function(looped, [Name("batch_tokens")])


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("step_tim", "step_tim: no such quantity; did you mean step_time"),
        ("forward_time:hbm", "forward_time:hbm: forward_time has no such branch; it has math, fsdp, tp, wire"),
        ("chips:tp", "chips:tp: chips has no such branch; it has none"),
    ],
)
def test_a_name_without_formula_is_bad_input(name: str, line: str) -> None:
    with pytest.raises(BadInput, match=re.escape(line)):
        formula(name)

"""The loader: a bad file is refused with one line that names file, entry and key; a wrong slug with near matches."""

import dataclasses

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import presets

CHIP = """
[tpu-v9]
name = "TPU v9"
edition = "mid 2026"
peak_flops.bf16 = { value = 1e15, printed = "1e15", source = "tpus.md, TPU Specs" }
hbm_capacity = { value = 96e9, printed = "96GB", source = "tpus.md, TPU Specs", note = "decimal" }
ici_axes = { value = 3, printed = "3D", source = "tpus.md, TPU Networking" }
"""
MODEL = """
[tiny]
name = "Tiny"
source = "nobody/tiny"
n_layers = 2
d_model = 64
d_ff = 256
n_heads = 4
n_kv_heads = 2
d_head = 16
vocab_size = 1000
mlp_matrices = 3
tied_embeddings = true
parallel_block = false
published_params = 286_000
published_source = "nobody"
"""


def test_a_good_chip_is_read_as_written() -> None:
    (chip,) = presets.parse_chips(CHIP).values()
    assert (chip.slug, chip.name, chip.edition, chip.note) == ("tpu-v9", "TPU v9", "mid 2026", "")
    assert chip.peak_flops == {"bf16": presets.Figure(1e15, "1e15", "tpus.md, TPU Specs")}
    assert chip.figures["hbm_capacity"] == presets.Figure(96e9, "96GB", "tpus.md, TPU Specs", "decimal")
    assert set(chip.figures) == {"hbm_capacity", "ici_axes"}


def test_a_good_model_is_read_as_written() -> None:
    (model,) = presets.parse_models(MODEL).values()
    assert (model.slug, model.name, model.source) == ("tiny", "Tiny", "nobody/tiny")
    assert (model.published_params, model.published_source) == (286_000, "nobody")
    assert list(model.dimensions) == list(presets.DIMENSIONS)
    assert model.dimensions["n_kv_heads"] == 2
    assert model.dimensions["tied_embeddings"] is True


@pytest.mark.parametrize(
    ("good", "bad", "line"),
    [
        ('name = "TPU v9"\n', "", "chips.toml, tpu-v9: missing key 'name'"),
        ('name = "TPU v9"', 'nome = "TPU v9"', "chips.toml, tpu-v9: unknown key 'nome'; permitted: name, edition, "),
        ('"TPU v9"', '" "', "chips.toml, tpu-v9.name: expected one line of text, got ' '"),
        ('"TPU v9"', '"TPU\\nv9"', "chips.toml, tpu-v9.name: expected one line of text, got 'TPU\\nv9'"),
        ('"TPU v9"', '"TPU\\u2028v9"', "chips.toml, tpu-v9.name: expected one line of text, got 'TPU\\u2028v9'"),
        ('"TPU v9"', "9", "chips.toml, tpu-v9.name: expected one line of text, got 9"),
        ("96e9", "96", "chips.toml, tpu-v9.hbm_capacity.value: 96 is outside 1e+09 to 1e+13 B; check the unit"),
        ("96e9", "-96e9", "chips.toml, tpu-v9.hbm_capacity.value: -96000000000.0 is outside "),
        ("96e9", "nan", "chips.toml, tpu-v9.hbm_capacity.value: nan is outside "),
        ("96e9", "inf", "chips.toml, tpu-v9.hbm_capacity.value: inf is outside "),
        ("96e9", "true", "chips.toml, tpu-v9.hbm_capacity.value: expected a number in B, got True"),
        ("96e9", '"96GB"', "chips.toml, tpu-v9.hbm_capacity.value: expected a number in B, got '96GB'"),
        ("1e15", "1e15 # FLOP/s", "chips.toml: not valid TOML: "),
        ("value = 1e15", "value = 1e3", "chips.toml, tpu-v9.peak_flops.bf16.value: 1000.0 is outside "),
        ("value = 1e15, ", "", "chips.toml, tpu-v9.peak_flops.bf16: missing key 'value'"),
        ('printed = "96GB", ', "", "chips.toml, tpu-v9.hbm_capacity: missing key 'printed'"),
        (', source = "tpus.md, TPU Specs", note', ", note", "chips.toml, tpu-v9.hbm_capacity: missing key 'source'"),
        ("note = ", "notes = ", "chips.toml, tpu-v9.hbm_capacity: unknown key 'notes'; permitted: value, printed, "),
        (
            "flops.bf16",
            "flops.fp16",
            "chips.toml, tpu-v9.peak_flops: unknown key 'fp16'; permitted: bf16, int8, fp8, fp4",
        ),
        ("value = 3,", "value = 2.5,", "chips.toml, tpu-v9.ici_axes.value: expected a whole number of axes, got 2.5"),
        ("[tpu-v9]", "[TPU_v9]", "chips.toml: bad slug 'TPU_v9'; use lower-case letters, "),
        ("[tpu-v9]\n", "tpu-v8 = 8\n[tpu-v9]\n", "chips.toml, tpu-v8: expected a table, got 8"),
    ],
)
def test_a_bad_chip_is_refused_in_one_line(good: str, bad: str, line: str) -> None:
    assert CHIP.count(good) >= 1
    with pytest.raises(presets.PresetError) as fault:
        presets.parse_chips(CHIP.replace(good, bad, 1))
    assert str(fault.value).startswith(line)
    assert "\n" not in str(fault.value)


@pytest.mark.parametrize(
    ("good", "bad", "line"),
    [
        ("d_ff = 256\n", "", "models.toml, tiny: missing key 'd_ff'"),
        ("d_ff = 256", "d_ff = 256\nexperts = 8", "models.toml, tiny: unknown key 'experts'; permitted: name, "),
        ("d_ff = 256", "d_ff = 256\nn_experts = 8", "models.toml, tiny.n_experts: goes together with active_experts"),
        ("d_ff = 256", "d_ff = 0", "models.toml, tiny.d_ff: 0 is outside 1 to 1e+07 elements; check the unit"),
        ("d_ff = 256", "d_ff = 256.5", "models.toml, tiny.d_ff: expected a whole number of elements, got 256.5"),
        ("d_ff = 256", "d_ff = true", "models.toml, tiny.d_ff: expected a number in elements, got True"),
        (
            "matrices = 3",
            "matrices = 4",
            "models.toml, tiny.mlp_matrices: 4 is outside 2 to 3 matrices; check the unit",
        ),
        ("= true", "= 1", "models.toml, tiny.tied_embeddings: expected true or false, got 1"),
        ("kv_heads = 2", "kv_heads = 3", "models.toml, tiny.n_kv_heads: 3 does not divide n_heads 4"),
        ("286_000", "7", "models.toml, tiny.published_params: 7 is outside "),
        (
            'published_source = "nobody"\n',
            "",
            "models.toml, tiny: published_params and published_source go together; give both or neither",
        ),
        ('source = "nobody/tiny"\n', "", "models.toml, tiny: missing key 'source'"),
        ("[tiny]", "[tiny]\n[tiny]", "models.toml: not valid TOML: "),
    ],
)
def test_a_bad_model_is_refused_in_one_line(good: str, bad: str, line: str) -> None:
    assert MODEL.count(good) >= 1
    with pytest.raises(presets.PresetError) as fault:
        presets.parse_models(MODEL.replace(good, bad, 1))
    assert str(fault.value).startswith(line)
    assert "\n" not in str(fault.value)


@given(st.integers(0, len(CHIP)), st.integers(0, 40), st.text(max_size=12))
@example(0, 0, '"a\\nb" = 1\n')
@example(0, len(CHIP), "")
def test_no_damage_escapes_as_another_error(start: int, length: int, text: str) -> None:
    """A file with a piece replaced by anything is read, or refused in one line."""
    refusals: list[str] = []
    try:
        presets.parse_chips(CHIP[:start] + text + CHIP[start + length :], file="mine.toml")
    except presets.PresetError as fault:
        refusals.append(str(fault))
    for line in refusals:
        assert line.startswith("mine.toml")
        assert len(line.splitlines()) == 1


@pytest.mark.parametrize(
    ("slug", "line"),
    [
        ("tpu-v5", "no chip 'tpu-v5'; did you mean tpu-v5e, tpu-v5p?"),
        ("H100", "no chip 'H100'; did you mean h100, h100-superpod?"),
        ("tpu-v7x", "no chip 'tpu-v7x'; did you mean tpu7x, "),
        ("", "no chip ''; known: tpu-v2, tpu-v3, "),
        ("epyc", "no chip 'epyc'; known: tpu-v2, tpu-v3, "),
    ],
)
def test_an_unknown_chip_is_refused_with_near_matches(slug: str, line: str) -> None:
    with pytest.raises(presets.PresetError) as fault:
        presets.chip(slug)
    assert str(fault.value).startswith(line)


def test_an_unknown_model_is_refused_with_near_matches() -> None:
    with pytest.raises(presets.PresetError, match=r"no model 'llama3-70b'; did you mean llama-3-70b, "):
        presets.model("llama3-70b")


def test_presets_are_read_once_and_can_not_be_changed() -> None:
    assert presets.chips() is presets.chips()
    assert presets.models() is presets.models()
    assert presets.chip("tpu-v5p") is presets.chips()["tpu-v5p"]
    assert presets.model("llama-3-70b") is presets.models()["llama-3-70b"]
    for mapping in (presets.chips(), presets.chip("h100").figures, presets.model("gpt2").dimensions):
        assert not hasattr(mapping, "__setitem__")
    figure = presets.chip("h100").figures["hbm_capacity"]
    for field in dataclasses.fields(figure):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(figure, field.name, None)

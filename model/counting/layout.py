"""Which layer is of which kind: full or windowed attention, linear attention, dense or sparse feed-forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from model.counting.errors import shown
from model.counting.section import Section

Kind = Literal["full", "window", "linear", "conv"]
KindRule = Callable[[Section, int], list[Kind]]
SparseRule = Callable[[Section, int], list[bool]]

LAYER_TYPES: dict[str, Kind] = {
    "full_attention": "full",
    "attention": "full",
    "indexed_attention": "full",
    "sliding_attention": "window",
    "chunked_attention": "window",
    "linear_attention": "linear",
    "conv": "conv",
}
WINDOW_KEYS = ("sliding_window", "attention_chunk_size")


def declared(section: Section, n_layers: int) -> list[Kind] | None:
    """The kinds spelled out layer by layer (`layer_types`), or None."""
    names = section.array("layer_types", length=n_layers)
    if names is None:
        return None
    kinds: list[Kind] = []
    for name in names:
        kind = LAYER_TYPES.get(name) if isinstance(name, str) else None
        if kind is None:
            section.refuse("layer_types", f"holds {shown(name)}, a kind of layer that is not known", "correct it")
        kinds.append(kind)
    return kinds


def all_full(section: Section, n_layers: int) -> list[Kind]:
    """Every layer attends to everything; a `layer_types` that says so too is fine."""
    full: list[Kind] = ["full"] * n_layers
    kinds = declared(section, n_layers) or full
    if set(kinds) != {"full"}:
        section.refuse("layer_types", f"has other layers than a {section.family} has", "correct the model_type")
    return kinds


def all_windowed(section: Section, n_layers: int) -> list[Kind]:
    """Every layer slides over `sliding_window` tokens, none does where that is null."""
    return declared(section, n_layers) or ["window" if _window(section) else "full"] * n_layers


def switched_window(section: Section, n_layers: int) -> list[Kind]:
    """Qwen: `use_sliding_window` turns the window on for layers from `max_window_layers` on."""
    kinds = declared(section, n_layers)
    first = section.optional_size("max_window_layers", low=0)
    if kinds is not None:
        return kinds
    if not section.flag("use_sliding_window") or not _window(section):
        section.ignore(*WINDOW_KEYS)
        return ["full"] * n_layers
    if first is None:
        section.refuse("max_window_layers", "is missing while use_sliding_window is true", "add it")
    return ["window" if i >= first else "full" for i in range(n_layers)]


def alternate(section: Section, n_layers: int) -> list[Kind]:
    """Every other layer slides, the first one too (Gemma 2, gpt-oss)."""
    return declared(section, n_layers) or ["full" if i % 2 else "window" for i in range(n_layers)]


def every_nth(key: str, *, rest: Kind = "window", first: bool = False) -> KindRule:
    """One layer in n attends to everything, the others slide (or are linear); n is the value of `key`.

    `first`: the full layer opens each run of n instead of closing it.
    """

    def rule(section: Section, n_layers: int) -> list[Kind]:
        kinds = declared(section, n_layers)
        period = section.optional_size(key)
        if kinds is not None:
            return kinds
        if period is None:
            section.refuse(key, f"is missing, and so is layer_types; {section.family} needs one of them", "add one")
        return ["full" if (i if first else i + 1) % period == 0 else rest for i in range(n_layers)]

    return rule


def lettered(section: Section, n_layers: int) -> list[Kind]:
    """EXAONE: a period, or a run of L (local) and G (global); full attention everywhere without a window."""
    kinds = declared(section, n_layers)
    key, pattern = section.value("sliding_window_pattern")
    if kinds is not None:
        return kinds
    if not _window(section) or pattern is None or pattern == 0:
        return ["full"] * n_layers
    if isinstance(pattern, str) and pattern and set(pattern) <= {"L", "G"}:
        return ["full" if pattern[i % len(pattern)] == "G" else "window" for i in range(n_layers)]
    period = section.whole(key, pattern, low=1)
    return ["window" if (i + 1) % period else "full" for i in range(n_layers)]


def indexed(section: Section, n_layers: int) -> list[Kind]:
    """LFM2: `layer_types`, or the list `full_attn_idxs` among convolutions."""
    kinds = declared(section, n_layers)
    places = section.array("full_attn_idxs")
    if kinds is not None:
        return kinds
    if places is None:
        section.refuse("layer_types", "is missing, and so is full_attn_idxs", "add one of them")
    full = {section.whole("full_attn_idxs", place, high=n_layers - 1) for place in places}
    return ["full" if i in full else "conv" for i in range(n_layers)]


def must_be_declared(section: Section, n_layers: int) -> list[Kind]:
    """Layers that only the list tells apart."""
    kinds = declared(section, n_layers)
    if kinds is None:
        section.refuse("layer_types", f"is missing, and {section.family} needs it", "add the list")
    return kinds


def chunked(section: Section, n_layers: int) -> list[Kind]:
    """Llama 4: layers with rotary positions attend within a chunk, every 4th one (no positions) to everything."""
    kinds = declared(section, n_layers)
    ropes = section.array("no_rope_layers", length=n_layers) if section.values.get("no_rope_layers") else None
    period = section.optional_size("no_rope_layer_interval") or 4
    if kinds is not None:
        return kinds
    if ropes is not None:
        return ["window" if bool(r) else "full" for r in ropes]
    return ["full" if (i + 1) % period == 0 else "window" for i in range(n_layers)]


def patterned(key: str) -> KindRule:
    """A list of 0 (full) and 1 (windowed), one entry a layer (MiMo-V2)."""

    def rule(section: Section, n_layers: int) -> list[Kind]:
        kinds = declared(section, n_layers)
        pattern = section.array(key, length=n_layers)
        if kinds is not None:
            return kinds
        if pattern is None:
            section.refuse(key, f"is missing, and {section.family} needs it", "add the list")
        return ["window" if section.whole(key, p, high=1) else "full" for p in pattern]

    return rule


def _window(section: Section) -> int | None:
    return section.optional_size("sliding_window", low=0)


def all_sparse(section: Section, n_layers: int) -> list[bool]:
    """Experts in every layer."""
    return [True] * n_layers


def after_dense(section: Section, n_layers: int) -> list[bool]:
    """DeepSeek: `first_k_dense_replace` dense layers, then experts every `moe_layer_freq` layers.

    `mlp_layer_types`, where given, says it layer by layer and wins; `moe_layer_freq` may be a list of 0 and 1.
    """
    types = section.array("mlp_layer_types", length=n_layers)
    first = section.optional_size("first_k_dense_replace", low=0)
    key, frequency = section.raw("moe_layer_freq")
    if types is not None:
        if any(t not in ("dense", "sparse") for t in types):
            section.refuse("mlp_layer_types", "holds something else than dense and sparse", "correct it")
        return [t == "sparse" for t in types]
    if isinstance(frequency, list):
        if len(frequency) != n_layers:
            section.refuse(key, f"has {len(frequency)} entries but num_hidden_layers is {n_layers}", "make them agree")
        return [bool(section.whole(key, f, high=1)) for f in frequency]
    if first is None:
        section.refuse("first_k_dense_replace", f"is missing, and {section.family} needs it", "add it")
    step = 1 if frequency is None else section.whole(key, frequency, low=1)
    return [i >= first and i % step == 0 for i in range(n_layers)]


def stepped(section: Section, n_layers: int) -> list[bool]:
    """Qwen: experts every `decoder_sparse_step` layers, except in `mlp_only_layers`."""
    step = section.optional_size("decoder_sparse_step") or 1
    dense = section.array("mlp_only_layers") or []
    places = {section.whole("mlp_only_layers", i, high=n_layers - 1) for i in dense}
    return [i not in places and (i + 1) % step == 0 for i in range(n_layers)]


def interleaved(section: Section, n_layers: int) -> list[bool]:
    """Llama 4: experts in every `interleave_moe_layer_step`-th layer, or in the listed `moe_layers`."""
    listed = section.array("moe_layers")
    step = section.optional_size("interleave_moe_layer_step")
    if listed:
        places = {section.whole("moe_layers", i, high=n_layers - 1) for i in listed}
        return [i in places for i in range(n_layers)]
    if step is None:
        section.refuse("interleave_moe_layer_step", "is missing, and so is moe_layers", "add one of them")
    return [(i + 1) % step == 0 for i in range(n_layers)]


def ranged(section: Section, n_layers: int) -> list[bool]:
    """ERNIE: experts from `moe_layer_start_index` to `moe_layer_end_index`, every `moe_layer_interval` layers."""
    start = section.size("first_k_dense_replace", low=0)
    _, end_value = section.raw("moe_layer_end_index")
    end = n_layers - 1 if end_value in (None, -1) else section.whole("moe_layer_end_index", end_value)
    step = section.optional_size("moe_layer_interval") or 1
    return [(i + 1) % step == 0 and start <= i <= end for i in range(n_layers)]

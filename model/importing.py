"""From a counted architecture to the graph's knobs, with what the graph leaves out told in words and parameters.

The graph averages layers, so it can hold windows of one length, one kind of attention and one mixture beside dense
layers. Anything else is refused with the reason: an approximation would look like any other number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NoReturn

import presets
from model.counting import Architecture, Count
from model.counting.architecture import Attention, Experts, LatentAttention, Mixer, Mlp
from model.errors import BadInput
from model.evaluate import evaluate
from model.knobs import KNOBS, KnobValue
from model.left_out import TOWER, LeftOut, parts_left_out
from model.point import DEFAULT_CHIP, preset_values, resolve

SHAPE_GROUPS = ("Transformer", "Architecture")
SHAPE_KNOBS = frozenset(name for name, knob in KNOBS.items() if knob.group in SHAPE_GROUPS)
"""The knobs that a model's configuration decides: all of them are written at an import."""

MOST_LEFT_OUT = 0.05
"""Share of the language model's parameters that may lack in the graph: more would bend every time and byte."""

_MIXERS = {
    "DeltaNet": "linear attention with a fixed state",
    "KimiDelta": "linear attention with a fixed state",
    "ShortConvolution": "short convolutions",
}


@dataclass(frozen=True, slots=True)
class Imported:
    """A model of the graph.

    Attributes:
        settings: every knob of the model's shape.
        left_out: what the file has and the graph has not; the graph's total and these add up to the exact total.
        remarks: what else a reader should know of the translation, each one line.
    """

    settings: Mapping[str, KnobValue]
    left_out: tuple[LeftOut, ...]
    remarks: tuple[str, ...]

    @property
    def differs(self) -> tuple[str, ...]:
        """What the graph leaves out, each one line with its parameters, and the remarks."""
        return (*(f"{part.words}: {part.params:,} parameters left out" for part in self.left_out), *self.remarks)


def transformer_knobs(count: Count) -> Imported:
    """Translate a counted model into the graph's knobs.

    Args:
        count: of one configuration.

    Returns:
        Every Transformer and Architecture knob, and what is left out: `total_params` of the graph and the parts left
        out add up to the exact total, active parameters likewise, and the cache is the same inside and beyond the
        window.

    Raises:
        BadInput: one line; the graph cannot hold the layers, or a size is outside its knob.
    """
    arch = count.architecture
    settings: dict[str, KnobValue] = {name: KNOBS[name].default for name in SHAPE_KNOBS}
    settings |= {
        "n_layers": float(arch.n_layers),
        "d_model": float(arch.d_model),
        "vocab_size": float(arch.vocab_size),
        "tied_embeddings": "tied" if arch.tied else "untied",
        "parallel_block": "parallel" if arch.parallel else "sequential",
    }
    if arch.embedding_width != arch.d_model:
        _refuse(f"the embedding is {arch.embedding_width} wide and the layers {arch.d_model}")
    mixer = _one_mixer(arch)
    settings |= _attention(mixer) if isinstance(mixer, Attention) else _latent_attention(mixer)
    settings |= _windows(arch)
    feed_forward, remarks = _feed_forward(arch)
    settings |= feed_forward
    left_out = tuple(parts_left_out(arch))
    _check_share(count, left_out)
    point = resolve(settings=settings)
    _check_sums(count, evaluate(point, gate=False).bounds, left_out)
    return Imported({name: point.values[name] for name in KNOBS if name in SHAPE_KNOBS}, left_out, tuple(remarks))


def _refuse(reason: str) -> NoReturn:
    raise BadInput([f"layers: {reason}; the graph has no knob for that, so the model is counted but not loaded"])


def _one_mixer(arch: Architecture) -> Attention | LatentAttention:
    """The attention that all layers share, windows and the learned vectors of norms aside."""
    found: dict[Mixer, int] = {}
    for group in arch.groups:
        mixer = _shape(group.block.mixer)
        found[mixer] = found.get(mixer, 0) + group.count
    for mixer, layers in found.items():
        if type(mixer).__name__ in _MIXERS:
            _refuse(f"{layers} of {arch.n_layers} are {_MIXERS[type(mixer).__name__]}")
    if len(found) > 1:
        counts = " and ".join(f"{layers} {_heads(mixer)}" for mixer, layers in found.items())
        _refuse(f"attention differs from layer to layer ({counts})")
    (mixer,) = found
    if isinstance(mixer, LatentAttention):
        if mixer.indexer:
            _refuse(f"sparse attention reads only the {mixer.indexer.top_k} keys that an indexer picks")
        if mixer.copies > 1:
            _refuse(f"each has {mixer.copies} attentions")
        return mixer
    assert isinstance(mixer, Attention)
    if mixer.reuses_cache or not mixer.value_projection:
        _refuse("some take keys or values from elsewhere instead of projecting their own")
    if mixer.qk_dim != mixer.v_dim:
        _refuse(f"key heads are {mixer.qk_dim} wide and value heads {mixer.v_dim}")
    return mixer


def _shape(mixer: Mixer) -> Mixer:
    """The mixer without its window and the vectors that the graph leaves out."""
    match mixer:
        case Attention():
            return replace(mixer, window=None, query_norm=0, key_norm=0, output_norm=0, sinks=0)
        case LatentAttention():
            return replace(mixer, window=None)
        case _:
            return mixer


def _heads(mixer: Mixer) -> str:
    if isinstance(mixer, Attention):
        shared = ", values are keys" * (not mixer.value_projection) + ", cache reused" * mixer.reuses_cache
        return f"with {mixer.heads} query and {mixer.kv_heads} KV heads of {mixer.qk_dim}{shared}"
    return f"of {type(mixer).__name__}"


def _attention(mixer: Attention) -> dict[str, KnobValue]:
    return {
        "attention_kind": "grouped",
        "n_heads": float(mixer.heads),
        "n_kv_heads": float(mixer.kv_heads),
        "d_head": float(mixer.qk_dim),
    }


def _latent_attention(mixer: LatentAttention) -> dict[str, KnobValue]:
    return {
        "attention_kind": "latent",
        "n_heads": float(mixer.heads),
        "n_kv_heads": float(mixer.heads),
        "d_head": float(mixer.nope_dim),
        "rope_dim": float(mixer.rope_dim),
        "d_value": float(mixer.v_dim),
        "kv_rank": float(mixer.kv_rank),
        "q_rank": float(mixer.query_rank or 0),
    }


def _windows(arch: Architecture) -> dict[str, KnobValue]:
    layers: dict[int, int] = {}
    for group in arch.groups:
        mixer = group.block.mixer
        window = mixer.window if isinstance(mixer, Attention | LatentAttention) else None
        if window is not None:
            layers[window] = layers.get(window, 0) + group.count
    if len(layers) > 1:
        _refuse(f"windows differ ({' and '.join(map(str, layers))} tokens)")
    knobs: dict[str, KnobValue] = {"window_layers": float(sum(layers.values()))}
    if layers:
        knobs["window"] = float(*layers)
    return knobs


def _feed_forward(arch: Architecture) -> tuple[dict[str, KnobValue], list[str]]:
    """The knobs of dense layers and of the mixture, and remarks on what they stand for."""
    dense: dict[tuple[int, bool], int] = {}
    mixtures: dict[tuple[int, int, int, int, bool], int] = {}
    for group in arch.groups:
        mlp = group.block.mlp
        if isinstance(mlp, Mlp):
            key = (mlp.copies * mlp.width, mlp.gated)
            dense[key] = dense.get(key, 0) + group.count
        else:
            shape = (mlp.count, mlp.active, mlp.width, _shared_width(mlp), mlp.gated)
            mixtures[shape] = mixtures.get(shape, 0) + group.count
    if len(dense) > 1:
        _refuse(f"dense widths differ ({' and '.join(str(width) for width, _ in dense)})")
    if len(mixtures) > 1:
        _refuse(f"mixtures differ ({' and '.join(f'{count} experts of {width}' for count, _, width, *_ in mixtures)})")
    gates = {gated for *_, gated in (*dense, *mixtures)}
    if len(gates) > 1:
        _refuse("some feed-forward blocks are gated and some are not")
    knobs: dict[str, KnobValue] = {"mlp_matrices": "3" if gates.pop() else "2"}
    if dense:
        ((width, _),) = dense
        knobs["d_ff"] = float(width)
    if not mixtures:
        return knobs, []
    ((experts, active, width, shared, _),) = mixtures
    if experts == 1:
        _refuse("the mixture has one expert only")
    knobs |= {
        "n_experts": float(experts),
        "active_experts": float(active),
        "d_expert": float(width),
        "shared_experts": shared / width,
        "dense_layers": float(sum(dense.values())),
    }
    if dense:
        return knobs, []
    knobs["d_ff"] = float(active * width + shared)
    return knobs, [f"no layer is dense: FFN width is the {knobs['d_ff']:,.0f} that a token uses of the experts"]


def _shared_width(mlp: Experts) -> int:
    """Width that every token uses beside the routed experts."""
    if mlp.zero_experts:
        _refuse(f"the router may pick one of {mlp.zero_experts} experts that do nothing, so tokens differ in work")
    if mlp.beside and mlp.beside.gated != mlp.gated:
        _refuse("a block beside the experts is gated otherwise than they are")
    return mlp.shared_width + (mlp.beside.copies * mlp.beside.width if mlp.beside else 0)


def _check_share(count: Count, left_out: Iterable[LeftOut]) -> None:
    """Refuse a model that the graph would hold in part only; the tower of images never runs for text and is told."""
    parts = [part for part in left_out if part.words != TOWER]
    for whole, lost in (
        (count.text_only_params, sum(part.params for part in parts)),
        (count.active_params, sum(part.active_params for part in parts)),
    ):
        if lost > MOST_LEFT_OUT * whole:
            largest = max(parts, key=lambda part: part.params)
            _refuse(f"{lost / whole:.0%} of the parameters would be left out, most of them {largest.words}")


def _check_sums(count: Count, values: Mapping[str, float], left_out: Iterable[LeftOut]) -> None:
    """Refuse a translation that does not add up: it would be a plausible wrong number."""
    parts = tuple(left_out)
    for name, whole, made in (
        ("total parameters", count.total_params, values["total_params"] + sum(part.params for part in parts)),
        ("active parameters", count.active_params, values["active_params"] + sum(p.active_params for p in parts)),
        ("cache bytes a token", count.kv_bytes_per_token, values["kv_bytes_per_token"]),
        (
            "cache bytes a token beyond the window",
            count.kv_bytes_per_token_beyond_window,
            values["kv_bytes_per_token_beyond_window"],
        ),
    ):
        if round(made) != whole:
            _refuse(f"{name} would be {made:,.0f} instead of {whole:,}")


def nearest_preset(settings: Mapping[str, object]) -> str:
    """Return the slug of the preset that shares most knobs of the shape, the first of several."""
    found = {slug: preset_values(DEFAULT_CHIP, slug, "bf16") for slug in presets.models()}
    return max(found, key=lambda slug: sum(found[slug][name] == value for name, value in settings.items()))

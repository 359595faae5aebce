"""Scalegrad: which constraint binds at your exact operating point, and what a change is worth.

The functions here mirror the command line and return plain dictionaries and DataFrames. A point is given by a chip, a
model and settings: `scalegrad.values("tpu-v5p", "llama-3-70b", {"data_shards": 512, "tensor_shards": 8})`.

What can't be used raises `BadInput`, whose `faults` are one line each. A value that can't be had is None with a reason
beside it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# A `model.py` in the caller's folder must not stand in for our `model`: our own root goes first while we import.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from model.counting import (
    ATTENTION_CONVENTIONS,
    ConfigRefused,
    Source,
    forward_flops_per_token,
    kv_replication,
    training_flops_per_token,
)
from model.counting import count as _count
from model.errors import BadInput as BadInput
from model.evaluate import Evaluation, evaluate, require_value
from model.evaluate import gradient as _gradient
from model.graph import quantities
from model.importing import transformer_knobs
from model.picture import TENSOR_SHARDS
from model.point import resolve
from model.regime import regime
from model.verify import verify as _verify

sys.path.pop(0)

Settings = Mapping[str, object]
Answer = dict[str, Any]


def _evaluation(chip: str | None, model: str | None, settings: Settings | None, gate: bool) -> Evaluation:
    return evaluate(resolve(chip, model, settings), gate=gate)


def finite(number: float) -> float | None:
    """Return `number`, or None where JSON has no word for it."""
    return number if math.isfinite(number) else None


def values(
    chip: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    of: Sequence[str] = (),
    *,
    gate: bool = True,
) -> Answer:
    """Return every quantity (or those named in `of`) at a point.

    Args:
        chip: slug of a chip; the TPU v5p when None.
        model: slug of a model; LLaMA-3 70B when None.
        settings: knobs, and `chips` or `batch_seqs`, by name; text like `4M` is read.
        of: quantities or `quantity:branch` names.
        gate: refuse what does not fit or divide; False shows the bound anyway.

    Returns:
        `{"chip", "model", "knobs": {name: value}, "values": {name: {"value", "unit", "reason"}}}`, SI units.

    Raises:
        BadInput: an unknown name or an unusable value.
    """
    evaluation = _evaluation(chip, model, settings, gate)
    point = evaluation.point
    shown: Answer = {}
    for name in of or quantities():
        owner = require_value(name, evaluation)
        reason = evaluation.reasons.get(owner, "")
        value = None if reason else finite(evaluation.bounds[name])
        if value is None and not reason:
            reason = f"{name} is absent here"
        shown[name] = {"value": value, "unit": quantities()[owner].unit, "reason": reason}
    return {"chip": point.chip, "model": point.model, "knobs": dict(point.values), "values": shown}


def gradient(
    of: str,
    chip: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    *,
    gate: bool = True,
) -> Answer:
    """Return the elasticity of one value to every knob, what binds, and how far each knob can move until that changes.

    Args:
        of: a quantity, or a branch of a maximum (`forward_time:fsdp`).
        chip: slug of a chip.
        model: slug of a model.
        settings: knobs by name.
        gate: refuse what does not fit or divide.

    Returns:
        `{"of", "value", "unit", "reason", "elasticities": {knob: e}, "binding": ["quantity:branch"],
        "regime": [{"knob", "factor", "from", "to"}]}`; an elasticity is (x/y) dy/dx, exactly 0 on slack branches.

    Raises:
        BadInput: an unknown name or an unusable value.
    """
    evaluation = _evaluation(chip, model, settings, gate)
    found = _gradient(evaluation, of)
    binding = [f"{name}:{branch}" for name, branches in evaluation.binding(of).items() for branch in branches]
    return {
        "of": of,
        "value": finite(found.value),
        "unit": quantities()[of.partition(":")[0]].unit,
        "reason": found.reason,
        "elasticities": {knob: finite(elasticity) for knob, elasticity in found.elasticities.items()},
        "binding": binding,
        "regime": [
            {
                "knob": reach.knob,
                "factor": finite(reach.factor),
                "from": reach.before,
                "to": reach.words if reach.kind == "knob ends" else reach.after,
            }
            for reach in regime(evaluation, of)
        ],
    }


def verify() -> Answer:
    """Recompute every stated number at its printed specs, the feasibility gate off.

    Returns:
        `{"rows": [{"id", "chapter", "statement", "quantity", "stated", "recomputed", "rounded", "from_rounded",
        "difference", "verdict", "recorded", "unit", "printed", "via", "settings", "source", "reason"}],
        "counts": {verdict: rows}, "changed": [id]}`; `rounded` are intermediates as the source rounds them,
        `from_rounded` what follows from them; `changed` names the rows whose verdict is not the recorded one.
    """
    found = _verify()
    rows = [
        {
            "id": row.statement.id,
            "chapter": row.statement.chapter,
            "statement": row.statement.text,
            "quantity": row.statement.quantity,
            "stated": row.statement.stated,
            "recomputed": finite(row.recomputed),
            "rounded": dict(row.statement.rounded),
            "from_rounded": finite(row.from_rounded),
            "difference": finite(row.difference),
            "verdict": row.verdict,
            "recorded": row.statement.verdict,
            "unit": row.statement.unit,
            "printed": row.statement.printed,
            "via": list(row.via),
            "settings": {"chip": row.statement.chip, "model": row.statement.model, **row.statement.settings},
            "source": row.statement.source,
            "reason": row.statement.reason,
        }
        for row in found.rows
    ]
    return {"rows": rows, "counts": found.counts, "changed": [row.statement.id for row in found.changed]}


def count(config: Source, *, seq_len: int = 4096) -> Answer:
    """Count a model exactly from its Hugging Face `config.json`, and translate it into knobs where the graph can.

    Args:
        config: a `Path`, JSON text or bytes, or a parsed mapping; a plain string is JSON text, never a file name.
        seq_len: tokens over which attention's share of the FLOPs is averaged.

    Returns:
        `{"total_params", "active_params", "active_params_without_input_embedding", "kv_bytes_per_token",
        "kv_bytes_per_token_beyond_window", ...}` (bf16 cache, decimal bytes, parts of the model, notes), and
        `"kv_replication"`: bytes on all chips of a tensor-parallel group over those of one copy, by shards;
        `"flops_by_convention"`: FLOPs a token, forward and training, by how attention is counted;
        `"graph"`: `{"settings": {knob: value}, "differs": [line], "reason"}`, settings None where the graph can't hold
        the layers.

    Raises:
        BadInput: the configuration can't be counted exactly, or `seq_len` is no positive whole number.
    """
    if isinstance(seq_len, bool) or not isinstance(seq_len, int) or seq_len < 1:
        raise BadInput([f"seq_len={seq_len!r}: use a whole number of tokens, 1 or more"])
    try:
        made = _count(config)
    except ConfigRefused as error:
        raise BadInput([str(error)]) from None
    arch = made.architecture
    answer = made.as_dict()
    answer["kv_replication"] = {str(shards): finite(kv_replication(arch, shards)) for shards in TENSOR_SHARDS}
    answer["flops_by_convention"] = {
        "seq_len": seq_len,
        "forward": {kind: forward_flops_per_token(arch, seq_len, attention=kind) for kind in ATTENTION_CONVENTIONS},
        "training": {kind: training_flops_per_token(arch, seq_len, attention=kind) for kind in ATTENTION_CONVENTIONS},
    }
    try:
        found = transformer_knobs(made)
    except BadInput as error:
        answer["graph"] = {"settings": None, "differs": [], "reason": str(error)}
    else:
        answer["graph"] = {"settings": dict(found.settings), "differs": list(found.differs), "reason": ""}
    return answer

"""Scalegrad: which constraint binds at your exact operating point, and what a change is worth.

The functions here mirror the command line and return plain dictionaries and DataFrames. A point is given by a chip, a
model and settings: `scalegrad.values("tpu-v5p", "llama-3-70b", {"data_shards": 512, "tensor_shards": 8})`.

What can't be used raises `BadInput`, whose `faults` are one line each. A value that can't be had is None with a reason
beside it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from model.jacobian import jacobian as _jacobian
from model.picture import TENSOR_SHARDS
from model.point import resolve
from model.regime import regime
from model.seek import seek as _seek
from model.verify import verify as _verify

sys.path.pop(0)

if TYPE_CHECKING:
    import pandas as pd

    from model.lab.sweep import Progress

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


def seek(
    of: str,
    target: float | str,
    free: Sequence[str],
    chip: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    *,
    hold_chips: bool = False,
) -> Answer:
    """Ask backwards: move the freed knobs by gradient until a quantity has a value.

    Args:
        of: the quantity.
        target: the value wanted, in its SI unit; text like `4M` is read.
        free: knobs that may move.
        chip: slug of a chip.
        model: slug of a model.
        settings: knobs at which the search starts.
        hold_chips: keep data_shards x tensor_shards as it is.

    Returns:
        `{"of", "target", "before", "reached", "reason", "knobs", "value", "rounded": {"knobs", "value", "reason"},
        "path": [{"iteration", "knobs", "value"}]}`; `knobs` is the continuous answer.

    Raises:
        BadInput: an unknown name, a knob that can't be freed, or a target that is no number.
    """
    found = _seek(resolve(chip, model, settings), of, target, free, hold_chips=hold_chips)
    rounded = None
    if found.rounded is not None:
        rounded = {
            "knobs": {name: found.rounded.values[name] for name in free},
            "value": finite(found.rounded_value),
            "reason": found.rounded_reason,
        }
    return {
        "of": of,
        "target": found.target,
        "before": finite(found.before),
        "reached": found.reached,
        "reason": found.reason,
        "knobs": dict(found.knobs),
        "value": finite(found.value),
        "unit": quantities()[of].unit,
        "rounded": rounded,
        "path": [
            {"iteration": step.iteration, "knobs": dict(step.knobs), "value": finite(step.value)} for step in found.path
        ],
    }


def jacobian(
    chip: str | None = None, model: str | None = None, settings: Settings | None = None, of: Sequence[str] = ()
) -> pd.DataFrame:
    """Return elasticities of every quantity (rows) to every knob (columns); NaN where there is none."""
    return _jacobian(_evaluation(chip, model, settings, True), of)


def report(
    chip: str | None = None,
    model: str | None = None,
    settings: Settings | None = None,
    *,
    page: str = "training",
    only: Sequence[str] = (),
    cdn: bool = False,
) -> str:
    """Return the live page at a point as one HTML file that computes by itself, without a server.

    Args:
        chip: slug of a chip; the TPU v5p when None.
        model: slug of a model; LLaMA-3 70B when None.
        settings: knobs, and `chips` or `batch_seqs`, by name.
        page: the page that it opens with: `training` or `inference`.
        only: parts to show without the page around them, such as `gradient` or `training-heatmap`.
        cdn: load BokehJS from its CDN in place of carrying it.

    Raises:
        BadInput: the point, the page or a part can't be used.
    """
    # As above: neither a `dashboard.py` of the caller's nor Panel before it is needed.
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    try:
        from dashboard.report.document import report as written
    finally:
        sys.path.pop(0)
    return written(resolve(chip, model, settings), page=page, only=only, cdn=cdn)


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


def fit(runs: str | Path, *, drop_highest: int = 0, resamples: int = 200, seed: int = 0) -> Answer:
    """Fit L = E + A/N^alpha + B/D^beta to a table of training runs, three ways, with intervals.

    Args:
        runs: a `Path`, or CSV text: columns params, flop, loss and, if given, tokens and cluster (or seed).
        drop_highest: leave out that many runs of highest loss.
        resamples: of the bootstrap.
        seed: of the bootstrap.

    Returns:
        `{"runs", "parametric": {"E", "A", "B", "alpha", "beta", "a", "b", "factor": {"value", "lo", "hi"}}, "fit",
        "isoflops", "approaches", "losses", "windows", "published", "warnings"}`; losses in nats, intervals of 95 %.

    Raises:
        BadInput: the table can't be read, or no law can be fitted to it.
    """
    from scalegrad import lab

    return lab.fit(runs, drop_highest=drop_highest, resamples=resamples, seed=seed)


def sweep(
    plan: str = "default",
    *,
    db: str | Path,
    scheduler: str | None = None,
    workers: int = 2,
    on_progress: Callable[[Progress], None] = lambda _: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> Answer:
    """Train tiny transformers over a grid of budgets and sizes, and fit what comes out. Needs the extra `lab`.

    Args:
        plan: name of a grid; a wrong one is refused with the names that there are.
        db: SQLite file of the results; what is in it already is not run again.
        scheduler: address of a Dask scheduler, `tcp://host:port`; a local cluster when None.
        workers: of the local cluster.
        on_progress: called at the start, after each run and at the end.
        should_stop: asked twice a second; True cancels.

    Returns:
        `{"plan", "db", "state", "finished", "failed", "total", "seconds", "runs": [row], "laws": {kind: as fit}}`;
        a kind without enough runs has a "reason" in place of a fit.

    Raises:
        BadInput: the extra is missing, or an argument or the file can't be used.
    """
    from scalegrad import lab

    return lab.sweep(
        plan, db=db, scheduler=scheduler, workers=workers, on_progress=on_progress, should_stop=should_stop
    )

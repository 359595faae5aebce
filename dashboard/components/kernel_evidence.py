"""The planner beside what others printed: measured speed-ups on a TPU v5e, and which kernels compiled there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dashboard.component import Component
from dashboard.session import Session, State
from model.kernels.evidence import (
    Comparison,
    PublishedSpeedup,
    block_m_interval,
    compare_speedups,
    fit_ragged_dot_efficiency,
    printed_fits,
    published_point,
    published_speedups,
    speedups_source,
)
from model.numerals import digits
from model.point import resolve
from model.words import listed

LIMITS = (16 * 2**20, 128 * 2**20)
"""B of VMEM at which the published rows are predicted: what every TPU has, and the whole VMEM of a v5e."""
BUDGETS = ((12_000_000, "12,000,000 B"), (12 * 2**20, "12 MiB"))
"""What the printed `12MB` may mean."""
NOT_TIMED = "Nothing here has been timed on our own hardware."


class KernelEvidence(Component):
    """The tables themselves; see `EvidenceTables`."""


class EvidenceTables:
    """A view that reads no state: published shapes stand at their own points, and can be loaded into the session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        rows = published_speedups()
        self._rows = {row.id: row for row in rows if row.shape is not None}
        self._efficiencies = {limit: fit_ragged_dot_efficiency(rows[0], limit) for limit in LIMITS}
        self.body = KernelEvidence(self._hear, spec={"speedups": self._speedups(), "fits": _fits(), "note": NOT_TIMED})

    def paint(self, state: State) -> None:
        """Show nothing new: no knob of the page enters."""

    def _speedups(self) -> dict[str, Any]:
        rows = published_speedups()
        compared = [compare_speedups(rows, self._efficiencies[limit], limit) for limit in LIMITS]
        return {
            "limits": [
                f"{limit // 2**20} MiB, efficiency {efficiency:.3f}" for limit, efficiency in self._efficiencies.items()
            ],
            "rows": [_row(of_limits) for of_limits in zip(*compared, strict=True)],
            "source": speedups_source(),
            "notes": _notes(rows),
        }

    def _hear(self, message: Mapping[str, Any]) -> None:
        row = self._rows.get(message["id"])
        if row is not None:
            chip, settings = published_point(row, LIMITS[0])
            settings |= {"ragged_dot_efficiency": self._efficiencies[LIMITS[0]]}
            self._session.jump(resolve(chip, self._session.point.model, settings))


def _notes(rows: Sequence[PublishedSpeedup]) -> str:
    """Return what the source says of rows that are predicted all the same."""
    named: dict[str, list[str]] = {}
    for row in rows:
        if row.shape is not None and row.note:
            named.setdefault(row.note, []).append(row.id)
    return " ".join(f"{listed(ids)}: {note}." for note, ids in named.items())


def _row(of_limits: tuple[Comparison, ...]) -> dict[str, Any]:
    row = of_limits[0].row
    shape = row.shape or {}
    return {
        "id": row.id,
        "shape": [f"{size:,}" for size in shape.values()],
        "measured": f"{row.speedup:.2f}",
        "predicted": [_predicted(each) for each in of_limits] if row.shape else [],
        "note": row.note or (f"assumed: {', '.join(row.assumed)}" if row.assumed else ""),
    }


def _predicted(each: Comparison) -> list[str]:
    error = 100 * (each.error or 0.0)
    return [digits(each.predicted or 0.0), "fitted" if each.fitted else f"{error:+.0f} %".replace("-", "−")]


def _fits() -> dict[str, Any]:
    table = printed_fits()
    intervals = [(words, block_m_interval(table, budget)) for budget, words in BUDGETS]
    return {
        "d_model": list(table.d_model),
        "d_ff": list(table.d_ff),
        "fits": [list(row) for row in table.fits],
        "source": table.source,
        "intervals": [f"block_m {least} to {largest} at {words}" for words, (least, largest) in intervals],
    }

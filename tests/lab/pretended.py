"""A sweep whose cells only sleep and leave a line in a log: run as a program, so that a test can kill it.

Usage: python pretended.py RESULTS LOG SECONDS [SCHEDULER]
"""

import sys
import time
from pathlib import Path

from model.lab.cells import Cell, Plan
from model.lab.sweep import Progress, run_sweep
from model.lab.train import Trained

PLAN = Plan("pretended", tuple(Cell("dense", budget, 8, 1, seed) for budget in (1e9, 2e9, 4e9) for seed in range(4)))


def pretend(log: str, seconds: float):
    """What a worker does in place of training: note the cell, sleep, note it again."""

    def run(plan: Plan, cell: Cell) -> Trained:
        with Path(log).open("a") as file:
            file.write(f"begin {cell.id}\n")
        time.sleep(seconds)
        with Path(log).open("a") as file:
            file.write(f"end {cell.id}\n")
        loss = 1 + 1e9 / cell.flop
        return Trained(10, 640, cell.flop, 1176, 1176, 0.01, loss, 0.5, loss, False, False, [], [1], [], seconds)

    return run


def sweep(results: str, log: str, seconds: str, scheduler: str | None = None, **choices) -> Progress:
    return run_sweep(PLAN, results, scheduler, workers=2, run=pretend(log, float(seconds)), **choices)


if __name__ == "__main__":
    print(sweep(*sys.argv[1:]))

"""What a sweep runs: cells of (kind, budget, shape, seed), in plans that have a name, a task and a recipe."""

import itertools
import json
import math
from dataclasses import asdict, dataclass, field, replace
from functools import cache

from model.lab.experts import Experts
from model.lab.flops import counts
from model.lab.recipe import SEED_RECIPE, SEED_TASK, Recipe
from model.lab.tasks import Task
from model.lab.transformer import Shape
from presets.laws import LabGrid, printed_laws

KINDS = ("dense", "moe")
LADDER = (
    (2, 1),
    (4, 1),
    (6, 1),
    (8, 1),
    (12, 1),
    (16, 1),
    (24, 1),
    (32, 1),
    (48, 1),
    (64, 1),
    (64, 2),
    (96, 2),
    (128, 2),
)
"""(d_model, layers) of the default sweep's sizes, each about twice the one before."""


@dataclass(frozen=True)
class Cell:
    """One run: its kind, FLOP budget, shape, seed, and a factor on the learning rate that its size would get."""

    kind: str
    flop: float
    d_model: int
    n_layers: int
    seed: int
    rate_factor: float = 1.0

    @property
    def id(self) -> str:
        """A name that no other cell of a plan has."""
        return f"{self.kind}-C{self.flop:.6g}-d{self.d_model}-L{self.n_layers}-s{self.seed}-r{self.rate_factor:g}"


@dataclass(frozen=True)
class Plan:
    """A grid of cells and what is the same in all of them."""

    name: str
    cells: tuple[Cell, ...]
    task: Task = field(default_factory=Task)
    recipe: Recipe = field(default_factory=Recipe)
    experts: Experts = field(default_factory=Experts)
    dropout: float = 0.0

    def shape(self, cell: Cell) -> Shape:
        """The model of one cell."""
        experts = self.experts if cell.kind == "moe" else None
        return Shape(cell.d_model, cell.n_layers, dropout=self.dropout, experts=experts)

    def settings(self) -> str:
        """All that two runs must share to be compared, as JSON: a results file holds runs of one setting."""
        shared = {"task": self.task, "recipe": self.recipe, "experts": self.experts}
        return json.dumps(
            {**{name: asdict(part) for name, part in shared.items()}, "dropout": self.dropout}, sort_keys=True
        )


def ladder_plan(
    name: str,
    budgets: dict[float, tuple[int, int]],
    seeds: int = 1,
    kinds: tuple[str, ...] = ("dense",),
    task: Task | None = None,
    recipe: Recipe | None = None,
) -> Plan:
    """Every budget over a slice (first, last + 1) of `LADDER`, for every kind and seed."""
    cells = tuple(
        Cell(kind, flop, *shape, seed)
        for kind, (flop, window), seed in itertools.product(kinds, budgets.items(), range(seeds))
        for shape in LADDER[slice(*window)]
    )
    return Plan(name, cells, task or Task(), recipe or Recipe())


DEFAULT_PLAN = ladder_plan("default", {2.5e9: (0, 7), 5e9: (0, 7), 1e10: (1, 8), 2e10: (1, 8)}, seeds=2)
"""Dense models on three-digit multiplication: 5.3e11 FLOPs, under ten minutes of two cores (see docs/scaling-laws.md).

The budgets end where losses still fall smoothly: from about 4e10 FLOPs every size waits on a plateau near 1.83 nats
for the next digit to be learned, and minima are no longer bracketed.
"""

MOE_PLAN = ladder_plan("moe", {5e9: (0, 6), 1e10: (0, 6), 2e10: (1, 7)}, kinds=KINDS)
"""Dense and MoE models at equal active FLOPs."""

LONG_PLAN = ladder_plan("long", {4e10: (2, 9), 8e10: (2, 9), 1.6e11: (2, 9), 3.2e11: (3, 10)})
"""The plateau and what follows it: 4.2e12 FLOPs."""

QUICK_PLAN = ladder_plan("quick", {1e9: (0, 5), 2e9: (0, 5), 4e9: (0, 5)})
"""Small enough to watch: a few minutes, most of them compiling."""


@cache
def _shapes() -> tuple[tuple[int, Shape], ...]:
    """Every shape of even heads up to 10 layers and width 320 with its size, for `shape_near`."""
    widths = [d for d in range(4, 321, 2) if d < 128 or d % 64 == 0]
    shapes = (Shape(d, layers) for d, layers in itertools.product(widths, range(1, 11)))
    return tuple((counts(shape, 1).active_params, shape) for shape in shapes)


def shape_near(params: float) -> Shape:
    """The dense shape nearest to N parameters; among equals, the one whose width is nearest to 32 a layer."""

    def distance(entry: tuple[int, Shape]) -> float:
        size, shape = entry
        return abs(math.log(size / params)) + 0.02 * abs(math.log(shape.d_model / (32 * shape.n_layers)))

    return min(_shapes(), key=distance)[1]


def seed_plan(slug: str) -> Plan:
    """A grid of the seed as a plan, with its data and hyperparameters: hours to days of a bigger machine."""
    grid = printed_laws().grids[slug]
    shapes = [shape_near(size) for size in _sizes(grid)]
    cells = tuple(
        Cell(grid.kind, flop, shape.d_model, shape.n_layers, seed)
        for flop, shape, seed in itertools.product(grid.budgets, shapes, range(int(grid.stated["seeds"])))
    )
    return Plan(f"seed-{slug}", cells, SEED_TASK, SEED_RECIPE, dropout=0.1)


def _sizes(grid: LabGrid) -> list[float]:
    """The sizes as listed, or as many as stated, evenly in log N over the range."""
    if grid.sizes:
        return list(grid.sizes)
    low, high = grid.size_range
    count = max(grid.stated["sizes"])
    return [low * (high / low) ** (step / (count - 1)) for step in range(count)]


def plans() -> dict[str, Plan]:
    """Every plan by name: the lab's own and the seed's grids."""
    own = {plan.name: plan for plan in (DEFAULT_PLAN, MOE_PLAN, LONG_PLAN, QUICK_PLAN)}
    return own | {f"seed-{slug}": seed_plan(slug) for slug in printed_laws().grids}


def learning_rate_plan(base: Plan, factors: tuple[float, ...] = (0.25, 0.5, 1, 2, 4)) -> Plan:
    """Each shape of a plan at its smallest budget and first seed, over factors of its learning rate."""
    first: dict[tuple[str, int, int], Cell] = {}
    for cell in sorted(base.cells, key=lambda cell: (cell.flop, cell.seed)):
        first.setdefault((cell.kind, cell.d_model, cell.n_layers), cell)
    cells = tuple(replace(cell, rate_factor=factor) for cell in first.values() for factor in factors)
    return replace(base, name=f"{base.name}-rates", cells=cells)

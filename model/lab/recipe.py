"""How the lab trains: hyperparameters as one value, and the seed's as a preset."""

from dataclasses import dataclass, field

from model.lab.schedule import Schedule, SizeRule
from model.lab.tasks import Task


@dataclass(frozen=True)
class Recipe:
    """How to train: batch size in sequences, AdamW, clipping, schedule, and the peak learning rate by size."""

    batch: int = 64
    schedule: Schedule = field(default_factory=Schedule)
    size_rule: SizeRule = field(default_factory=SizeRule)
    weight_decay: float = 0.1
    b1: float = 0.9
    b2: float = 0.98
    clip: float = 1.0


SEED_RECIPE = Recipe(batch=512, schedule=Schedule("cosine", warmup=0.05), size_rule=SizeRule(3e-4, 0.0, 3e-4), b2=0.999)
"""The seed's hyperparameters: batch 512, 3e-4 for every size under a cosine with linear warm-up, weight decay .1."""

SEED_TASK = Task("addition", digits=3, form="three-variant", swap=True, length=30, held_out=0.2)
"""The seed's data, without its errors: no augmentation is held out, and nothing can be cut."""

"""The families that can be counted, one record a model class."""

from __future__ import annotations

from model.counting.families.dense import DENSE
from model.counting.families.gemma4 import GEMMA4
from model.counting.families.hybrid import HYBRIDS
from model.counting.families.latent import LATENT
from model.counting.families.legacy import LEGACY
from model.counting.families.mixture import MIXTURES
from model.counting.family import Family

FAMILIES: tuple[Family, ...] = (*DENSE, *LEGACY, *MIXTURES, *LATENT, *HYBRIDS, GEMMA4)

__all__ = ["FAMILIES"]

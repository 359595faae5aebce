"""The facts: hardware figures as the book prints them, and the dimensions of published models.

`chips()` and `models()` map slugs to entries; `chip(slug)` and `model(slug)` look one up. `statements()` maps ids to
what the book and others state as numbers.
"""

from presets.load import COMPUTE_DTYPES as COMPUTE_DTYPES
from presets.load import DIMENSIONS as DIMENSIONS
from presets.load import FIGURES as FIGURES
from presets.load import Chip as Chip
from presets.load import Figure as Figure
from presets.load import Model as Model
from presets.load import chip as chip
from presets.load import chips as chips
from presets.load import model as model
from presets.load import models as models
from presets.load import parse_chips as parse_chips
from presets.load import parse_models as parse_models
from presets.statements import VERDICTS as VERDICTS
from presets.statements import Setting as Setting
from presets.statements import Statement as Statement
from presets.statements import parse_statements as parse_statements
from presets.statements import statements as statements
from presets.table import PresetError as PresetError

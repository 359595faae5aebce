"""The models of the Architecture page: the one on the knobs, those read from files, and the presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import presets
from dashboard.session import Session, State
from model.counting import Count, count, read
from model.errors import BadInput
from model.importing import Imported, transformer_knobs
from model.numerals import show
from model.picture import Picture, picture_of_count, picture_of_point
from model.point import resolve

HERE = "here"
MOST_READ = 8
"""Files that a page remembers; the oldest goes first."""

_FILE, _PRESET = "file:", "preset:"


@dataclass(frozen=True)
class Reading:
    """One counted file: its name and counts."""

    name: str
    count: Count

    @cached_property
    def imported(self) -> Imported | str:
        """The graph's knobs, or the reason why it can't hold the layers."""
        try:
            return transformer_knobs(self.count)
        except BadInput as error:
            return str(error)


class Shelf:
    """What can stand on either side of the page, by key."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._readings: dict[str, Reading] = {}
        self._serial = 0

    def take(self, text: str, file: str) -> str:
        """Count a configuration and return its key.

        Args:
            text: of the file.
            file: its name, which names the model unless the configuration does.

        Raises:
            ConfigRefused: one line.
        """
        values = read(text)
        made = count(values)
        self._serial += 1
        key = f"{_FILE}{self._serial}"
        self._readings[key] = Reading(self._free_name(_called(values, file, made)), made)
        if len(self._readings) > MOST_READ:
            del self._readings[next(iter(self._readings))]
        return key

    def _free_name(self, name: str) -> str:
        taken = {reading.name for reading in self._readings.values()}
        names = (name, *(f"{name} ({number})" for number in range(2, MOST_READ + 2)))
        return next(free for free in names if free not in taken)

    def reading(self, key: str) -> Reading | None:
        """Return the counted file of a key, if it is one."""
        return self._readings.get(key)

    def known(self, key: str) -> bool:
        """Whether a key is on the shelf."""
        return key == HERE or key in self._readings or key.removeprefix(_PRESET) in presets.models()

    def title(self, key: str) -> str:
        """Return what a model is called."""
        if key == HERE:
            changed = self._session.is_changed("model") and not self._session.is_own("model")
            return f"{self._session.name_of('model')}{', changed' * changed}"
        reading = self.reading(key)
        return reading.name if reading else presets.model(key.removeprefix(_PRESET)).name

    def picture(self, key: str, state: State) -> Picture:
        """Return the picture of a model, its FLOPs over the sequences of the state's point."""
        if key == HERE:
            return picture_of_point(state.point)
        seq_len = state.point.values["seq_len"]
        reading = self.reading(key)
        if reading:
            return picture_of_count(reading.count, int(float(seq_len or 1)))
        return _preset_picture(key.removeprefix(_PRESET), float(seq_len or 1))

    def notes(self, key: str) -> tuple[str, ...]:
        """Return what a reader should know of a model's numbers."""
        reading = self.reading(key)
        if reading is None:
            return ("from the graph: norms, biases and towers of images left out, weights at two bytes",)
        imported = reading.imported
        if isinstance(imported, str):
            return (*reading.count.notes, f"not in the graph: {imported}")
        return (*reading.count.notes, *(f"in the graph, {line}" for line in imported.differs))

    def options(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return the groups of a picker, each with its keys and titles."""
        read_here = [(key, reading.name) for key, reading in self._readings.items()]
        published = [(f"{_PRESET}{slug}", model.name) for slug, model in presets.models().items()]
        groups = [("On the knobs", [(HERE, self.title(HERE))]), ("Read here", read_here), ("Presets", published)]
        return [(label, entries) for label, entries in groups if entries]

    def load(self, key: str) -> bool:
        """Put a model on the knobs; a refusal becomes the session's notice."""
        reading = self.reading(key)
        if reading is None:
            return self._session.pick(model=key.removeprefix(_PRESET))
        if isinstance(reading.imported, str):
            self._session.notice = reading.imported
            return False
        return self._session.load("model", reading.name, reading.imported.settings)


@lru_cache(maxsize=64)
def _preset_picture(slug: str, seq_len: float) -> Picture:
    return picture_of_point(resolve(None, slug, {"seq_len": seq_len}))


def _called(values: Mapping[str, object], file: str, made: Count) -> str:
    """The model's name: as the configuration says, as the file is called, or its family and size."""
    path = values.get("_name_or_path")
    stem = file.removesuffix(".json").removesuffix("-config").removesuffix("_config")
    for name in (path.rstrip("/").rpartition("/")[2] if isinstance(path, str) else "", stem):
        if name and name != "config":
            return _short(name)
    return f"{made.architecture.family}, {show(made.total_params, 'params').removesuffix(' params')}"


def _short(name: str) -> str:
    printable = "".join(letter for letter in name if letter.isprintable())
    return printable if len(printable) <= 40 else f"{printable[:39]}…"

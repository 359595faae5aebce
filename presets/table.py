"""Reading a TOML table strictly: every fault is one line that says what, where and the mend."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


class PresetError(ValueError):
    """A bad preset file, or a slug that names no preset: always one line."""


@dataclass(frozen=True)
class Range:
    """The unit of a number and the values that can be real: a slip of a factor of 1000 should not pass."""

    unit: str
    low: float
    high: float
    whole: bool = False


_SLUG = re.compile(r"[a-z0-9]+([.-][a-z0-9]+)*")


@dataclass(frozen=True)
class Table:
    """A TOML table together with the place it came from, so that every fault can name it."""

    content: Mapping[str, Any]
    where: str

    @classmethod
    def of(cls, raw: object, where: str) -> "Table":
        """The table `raw`, found at `where`; refuses anything else."""
        if not isinstance(raw, dict):
            raise PresetError(f"{where}: expected a table, got {raw!r}")
        return cls(raw, where)

    def permit(self, required: Iterable[str], optional: Iterable[str] = ()) -> None:
        """Refuses a missing key, and an unknown one with the list of those permitted."""
        permitted = [*required, *optional]
        for key in self.content:
            if key not in permitted:
                raise PresetError(f"{self.where}: unknown key {key!r}; permitted: {', '.join(permitted)}")
        for key in required:
            if key not in self.content:
                raise PresetError(f"{self.where}: missing key {key!r}")

    def at(self, key: str) -> "Table":
        """The table at `key`."""
        return Table.of(self.content[key], f"{self.where}.{key}")

    def text(self, key: str) -> str:
        """The text at `key`, "" where an optional one is absent."""
        if key not in self.content:
            return ""
        value = self.content[key]
        if not isinstance(value, str) or not value.strip() or value.splitlines() != [value]:
            raise PresetError(f"{self.where}.{key}: expected one line of text, got {value!r}")
        return value

    def flag(self, key: str) -> bool:
        """The true or false at `key`."""
        value = self.content[key]
        if not isinstance(value, bool):
            raise PresetError(f"{self.where}.{key}: expected true or false, got {value!r}")
        return value

    def one_of(self, key: str, words: Iterable[str]) -> str:
        """The word at `key`, which must be among `words`."""
        value = self.text(key)
        if value not in words:
            raise PresetError(f"{self.where}.{key}: {value!r} is not one of {', '.join(words)}")
        return value

    def number(self, key: str, allowed: Range) -> float:
        """The number at `key`, which must lie in `allowed`."""
        value = self.content[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise PresetError(f"{self.where}.{key}: expected a number in {allowed.unit}, got {value!r}")
        if not allowed.low <= value <= allowed.high:  # refuses nan as well
            span = f"{allowed.low:g} to {allowed.high:g} {allowed.unit}"
            raise PresetError(f"{self.where}.{key}: {value!r} is outside {span}; check the unit")
        if allowed.whole and value != int(value):
            raise PresetError(f"{self.where}.{key}: expected a whole number of {allowed.unit}, got {value!r}")
        return int(value) if allowed.whole else float(value)


def entries(text: str, file: str) -> dict[str, Table]:
    """The entries of a preset file by slug, each still to be checked."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise PresetError(f"{file}: not valid TOML: {fault}") from None
    for slug in content:
        if not _SLUG.fullmatch(slug):
            raise PresetError(f"{file}: bad slug {slug!r}; use lower-case letters, digits, '-' and '.'")
    return {slug: Table.of(raw, f"{file}, {slug}") for slug, raw in content.items()}

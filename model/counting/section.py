"""One object of a configuration, read key by key, with the class's own defaults and a record of what was read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from model.counting.dialects import ALIASES, PREDICTION_WORDS, SHAPE_WORDS
from model.counting.errors import ConfigRefused, shown

MAX_DIMENSION = 100_000_000
MAX_LAYERS = 2_000


class Section:
    """Typed access to the keys of one object.

    Every getter takes a canonical name and looks under all its dialect spellings; two spellings that disagree are
    refused, naming both. What is absent takes the class default: flags anywhere (they are younger than many files),
    sizes only inside a nested section, where the library leaves out what equals the default. A missing size at the
    top level is damage and is refused.
    """

    def __init__(
        self,
        values: Mapping[str, Any],
        *,
        family: str,
        where: str = "",
        sizes: Mapping[str, int | None] | None = None,
        flags: Mapping[str, Any] | None = None,
    ) -> None:
        self.values, self.family, self.where = values, family, where
        self._sizes, self._flags = sizes or {}, flags or {}
        self._read: set[str] = set()
        self.defaulted: list[str] = []

    def label(self, key: str) -> str:
        """The key as the reader finds it in the file."""
        return f"{self.where}.{key}" if self.where else key

    def refuse(self, key: str, what: str, mend: str) -> NoReturn:
        """Refuse the configuration because of one key."""
        raise ConfigRefused(what, where=self.label(key), mend=mend)

    def raw(self, name: str) -> tuple[str, Any]:
        """The spelling found and its value (None if absent or null)."""
        spellings = [s for s in (name, *ALIASES.get(name, ())) if s in self.values]
        self._read.update(spellings)
        given = [s for s in spellings if self.values[s] is not None]
        if not given:
            return (spellings[0] if spellings else name), None
        first, *others = given
        for other in others:
            if self.values[other] != self.values[first]:
                self.refuse(
                    first,
                    f"is {shown(self.values[first])} but {self.label(other)} is {shown(self.values[other])}",
                    "keep the right one",
                )
        return first, self.values[first]

    def value(self, name: str) -> tuple[str, Any]:
        """As `raw`, but what is absent takes the class default."""
        key, value = self.raw(name)
        return key, (self._flags.get(name) if value is None and key not in self.values else value)

    def has(self, name: str) -> bool:
        """Whether a value other than null is given."""
        return self.raw(name)[1] is not None

    def size(self, name: str, *, low: int = 1, high: int = MAX_DIMENSION) -> int:
        """A whole number that must be had."""
        value = self.optional_size(name, low=low, high=high)
        if value is None:
            self.refuse(name, f"is missing, and {self.family} needs it", "add it from the model's own config.json")
        return value

    def optional_size(self, name: str, *, low: int = 1, high: int = MAX_DIMENSION) -> int | None:
        """A whole number, or None where the class takes null to mean "derive it"."""
        key, value = self.raw(name)
        if value is None:
            absent = not any(s in self.values for s in (name, *ALIASES.get(name, ())))
            default = self._flags.get(name)
            if default is None and absent and self.where:
                default = self._sizes.get(name)
            if default is not None and absent:
                self.defaulted.append(f"{name} = {default}")
                value = default
            else:
                return None
        return self.whole(key, value, low=low, high=high)

    def derived_size(self, name: str, derive: Callable[[], int]) -> int:
        """A whole number that the class derives from others when it is left out.

        Where the class has a fixed default instead, a file that lacks the key is damaged: nobody can tell whether the
        default is meant.
        """
        value = self.optional_size(name)
        if value is not None:
            return value
        absent = not any(s in self.values for s in (name, *ALIASES.get(name, ())))
        if absent and self._sizes.get(name) is not None:
            return self.size(name)
        return derive()

    def whole(self, key: str, value: Any, *, low: int = 0, high: int = MAX_DIMENSION) -> int:
        """Check one whole number; a list that repeats one number (a value a layer) is that number."""
        if isinstance(value, list) and value and all(type(v) is int and v == value[0] for v in value):
            value = value[0]
        if isinstance(value, bool) or not isinstance(value, int):
            self.refuse(key, f"is {shown(value)}, not a whole number", "write a whole number")
        if not low <= value <= high:
            self.refuse(key, f"is {value}, outside {low} to {high}", "correct it")
        return value

    def flag(self, name: str) -> bool:
        """A boolean; absent or null takes the class default (False where the class has none)."""
        key, value = self.raw(name)
        if value is None:
            value = self._flags.get(name, False)
        if not isinstance(value, bool):
            self.refuse(key, f"is {shown(value)}, not true or false", "write true or false")
        return value

    def text(self, name: str) -> str | None:
        """A string, or None; absent takes the class default."""
        key, value = self.raw(name)
        if value is None:
            value = self._flags.get(name)
        if value is not None and not isinstance(value, str):
            self.refuse(key, f"is {shown(value)}, not text", "write text")
        return value

    def array(self, name: str, *, length: int | None = None, length_key: str = "num_hidden_layers") -> list[Any] | None:
        """A list, or None if absent; its length must agree with the number of layers where one is asked for."""
        key, value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, list):
            self.refuse(key, f"is {shown(value)}, not a list", "write a list")
        if length is not None and len(value) != length:
            self.refuse(
                key,
                f"has {len(value)} entries but {self.label(length_key)} is {length}",
                "make them agree",
            )
        return value

    def mapping(self, name: str) -> dict[str, Any] | None:
        """A nested object, or None if absent."""
        key, value = self.raw(name)
        if value is not None and not isinstance(value, dict):
            self.refuse(key, f"is {shown(value)}, not an object", "write an object")
        return value

    def layers(self, name: str = "num_hidden_layers") -> int:
        """The number of layers."""
        return self.size(name, high=MAX_LAYERS)

    def accept(self, implied: Mapping[str, Any]) -> None:
        """Take keys that the class does not read but that repeat what it does; refuse them if they say otherwise."""
        for key, expected in implied.items():
            value = self.values.get(key)
            self._read.add(key)
            if value is not None and value != expected:
                self.refuse(
                    key,
                    f"is {shown(value)} but model_type {self.family} always has {expected!r}",
                    "correct the key or the model_type",
                )

    def ignore(self, *keys: str) -> None:
        """Mark keys as understood and without influence on the count."""
        self._read.update(keys)

    def refuse_unread_shape_keys(self) -> None:
        """Refuse a key that shapes weights elsewhere and that this family is not known to read.

        Raises:
            ConfigRefused: naming the key and the family.
        """
        for key, value in self.values.items():
            if key in self._read or _neutral(value) or PREDICTION_WORDS.search(key) or not SHAPE_WORDS.search(key):
                continue
            self.refuse(
                key,
                f"is {shown(value)}, and how it shapes a {self.family} model is not known",
                "remove it if it changes no weight, or correct the model_type",
            )


def _neutral(value: Any) -> bool:
    return value is None or value is False or value == 0 or value in ("", [], {})

"""Reads `statements/*.toml`: what the book and others state as numbers, one file a chapter."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType

from presets.table import PresetError, Range, Table, entries

VERDICTS = ("agrees", "agrees with the book's rounded inputs", "differs", "quoted", "not derivable")
"""What a recomputation says of a statement; `quoted` restates an input and earns no credit."""

Setting = float | str
_ANY = Range("the quantity's unit", -1e40, 1e40)
_ALWAYS = ("section", "text", "verdict", "lab")
_COMPUTED = ("quantity", "stated", "digits", "unit")
_DIGITS = Range("digits", 1, 12, whole=True)


@dataclass(frozen=True)
class Statement:
    """One stated number and where the graph computes it.

    Attributes:
        id: slug, unique over all chapters.
        chapter: the file of the book, or the kind of source.
        section: heading under which the number stands.
        text: what is stated, in our words.
        source: address of the page.
        edition: edition that prints the number.
        quantity: name of the quantity or knob that is stated; empty where nothing derives it.
        chip: slug whose printed figures enter, or empty where none matters.
        model: slug of the model, or empty where none matters.
        settings: knobs on top of chip and model, conventions among them, and quantities that are given, not derived.
        rounded: knobs and intermediate quantities as the book rounds them before going on.
        stated: the number, in `unit`; None where nothing derives it or none is stated.
        printed: the number as it is written.
        digits: significant digits of `stated`.
        unit: unit of the quantity.
        verdict: the recorded one of `VERDICTS`.
        reason: why it differs or is not derivable.
        note: what else to know, such as what older editions printed.
        lab: the lab whose reference numbers it belongs to.
    """

    id: str
    chapter: str
    section: str
    text: str
    source: str
    edition: str
    quantity: str
    chip: str
    model: str
    settings: Mapping[str, Setting]
    rounded: Mapping[str, Setting]
    stated: float | None
    printed: str
    digits: int
    unit: str
    verdict: str
    reason: str
    note: str
    lab: str


def _settings(table: Table, key: str) -> Mapping[str, Setting]:
    if key not in table.content:
        return MappingProxyType({})
    found = table.at(key)
    return MappingProxyType(
        {
            name: found.text(name) if isinstance(value, str) else found.number(name, _ANY)
            for name, value in found.content.items()
        }
    )


def _statement(slug: str, table: Table, chapter: Table) -> Statement:
    table.permit(
        _ALWAYS,
        (*_COMPUTED, "chip", "model", "settings", "rounded", "printed", "source", "edition", "reason", "note"),
    )
    verdict = table.text("verdict")
    if verdict not in VERDICTS:
        raise PresetError(f"{table.where}.verdict: {verdict!r} is none of {', '.join(VERDICTS)}")
    if verdict in ("differs", "not derivable") and "reason" not in table.content:
        raise PresetError(f"{table.where}: {verdict} needs a reason")
    if (verdict == "not derivable") == ("quantity" in table.content):
        raise PresetError(f"{table.where}: give a quantity, or the verdict 'not derivable'")
    stated, digits = None, 0
    if "quantity" in table.content:
        table.permit((*_ALWAYS, *_COMPUTED), table.content)
        stated, digits = table.number("stated", _ANY), int(table.number("digits", _DIGITS))
        if not math.isclose(stated, float(f"{stated:.{digits - 1}e}"), rel_tol=1e-14):
            raise PresetError(f"{table.where}.stated: {stated!r} has more than {digits} significant digits")
    return Statement(
        id=slug,
        chapter=chapter.text("name"),
        section=table.text("section"),
        text=table.text("text"),
        source=table.text("source") or chapter.text("source"),
        edition=table.text("edition") or chapter.text("edition"),
        quantity=table.text("quantity"),
        chip=table.text("chip"),
        model=table.text("model"),
        settings=_settings(table, "settings"),
        rounded=_settings(table, "rounded"),
        stated=stated,
        printed=table.text("printed"),
        digits=digits,
        unit=table.text("unit"),
        verdict=verdict,
        reason=table.text("reason"),
        note=table.text("note"),
        lab=table.text("lab"),
    )


def parse_statements(text: str, file: str) -> Mapping[str, Statement]:
    """The statements of one chapter's TOML text by id, in the order of the file.

    The table `chapter` gives name, source and edition for all of them.

    Raises:
        PresetError: the first fault, naming `file`, entry and key.
    """
    tables = entries(text, file)
    if "chapter" not in tables:
        raise PresetError(f"{file}: missing table 'chapter'")
    chapter = tables.pop("chapter")
    chapter.permit(("name", "source", "edition"))
    return MappingProxyType({slug: _statement(slug, table, chapter) for slug, table in tables.items()})


@cache
def statements() -> Mapping[str, Statement]:
    """Every statement by id, chapter by chapter in the book's order.

    Raises:
        PresetError: a bad file, or an id that two files use.
    """
    found: dict[str, Statement] = {}
    folder = resources.files("presets").joinpath("statements")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    for file in files:
        for slug, statement in parse_statements(file.read_text(encoding="utf-8"), file.name).items():
            if slug in found:
                raise PresetError(f"{file.name}, {slug}: the id is taken by {found[slug].chapter}")
            found[slug] = statement
    return MappingProxyType(found)

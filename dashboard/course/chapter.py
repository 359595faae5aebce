"""Chapters: Markdown files with a front matter of `key: value` lines, read once a process.

A live part of the text is a tag in double braces: `{{quantity @ knob=value, ...}}` is a number (see `live.py`),
`{{formula quantity}}` its formula, `{{code file}}` a program of this folder, `{{profile run}}` a published run.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt

from dashboard.book import BOOK
from dashboard.course.live import LiveNumber, read_tag
from dashboard.course.profile import profiles
from model.formula import formula, html

FOLDER = Path(__file__).parent
TAG = re.compile(r"\{\{(.+?)\}\}", re.DOTALL)
_SLOT = "\N{OBJECT REPLACEMENT CHARACTER}{}\N{OBJECT REPLACEMENT CHARACTER}"


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    Attributes:
        number: its place in the book, from 0.
        slug: number and words, `5-training`.
        title: the book's title of it.
        aim: what it is about, in one sentence.
        link: address of the book's chapter.
        text: Markdown with tags.
    """

    number: int
    slug: str
    title: str
    aim: str
    link: str
    text: str

    @functools.cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags in the text, as they stand."""
        return tuple(TAG.findall(self.text))

    @functools.cached_property
    def numbers(self) -> tuple[LiveNumber, ...]:
        """The live numbers in the text, in its order."""
        return tuple(read_tag(tag) for tag in self.tags if not _is_block(tag))

    @functools.cached_property
    def html(self) -> str:
        """The text as HTML; a live number is `<button class="live" data-number="3">`, counted from 0."""
        pieces: list[str] = []

        def keep(match: re.Match[str]) -> str:
            pieces.append(match[1])
            return _SLOT.format(len(pieces) - 1)

        page = MarkdownIt("commonmark").enable("table").render(TAG.sub(keep, self.text))
        numbers = iter(range(len(pieces)))
        rendered = [_block(piece) if _is_block(piece) else self._button(next(numbers)) for piece in pieces]
        slots = re.compile(_SLOT.format(r"(\d+)"))
        alone = re.compile(f"<p>({slots.pattern})</p>")
        page = alone.sub(lambda match: match[1] if _is_block(pieces[int(match[2])]) else match[0], page)
        return slots.sub(lambda match: rendered[int(match[1])], page)

    def _button(self, index: int) -> str:
        number = self.numbers[index]
        hint = escape(f"{number.label}: {number.full}. {number.where}", quote=True)
        shown = escape(number.shown)
        return f'<button class="live" type="button" data-number="{index}" title="{hint}">{shown}</button>'


def _is_block(tag: str) -> bool:
    return tag.split()[0] in ("formula", "code", "profile")


def _block(tag: str) -> str:
    kind, name = tag.split()
    if kind == "formula":
        return f'<p class="symbol formula">{html(formula(name))}</p>'
    if kind == "profile":
        return profiles()[name].html
    source = (FOLDER / name).read_text(encoding="utf-8")
    return f"<pre tabindex='0'><code>{escape(source)}</code></pre>"


@functools.cache
def chapters() -> Mapping[str, Chapter]:
    """Return every chapter by slug, in the book's order."""
    found = (_read(path) for path in sorted((FOLDER / "chapters").glob("*.md")))
    return {chapter.slug: chapter for chapter in found}


def _read(path: Path) -> Chapter:
    _, front, text = path.read_text(encoding="utf-8").split("---\n", 2)
    head = dict(line.split(": ", 1) for line in front.strip().splitlines())
    number, words = path.stem.split("-", 1)
    slug = f"{int(number)}-{words}"
    return Chapter(int(number), slug, head["title"], head["aim"], f"{BOOK}{head.get('book', '')}", text)

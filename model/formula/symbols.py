"""The book's symbols as HTML and as plain text: `T_fsdp,fwd`, `alpha`, `B/N_c`."""

from __future__ import annotations

import html
import re

from model.graph import quantities
from model.knobs import KNOBS

_GREEK = {"alpha": "α", "beta": "β", "gamma": "γ", "eta": "η", "lambda": "λ"}
_PART = re.compile(r"([^_/+ ]+)(?:_([^/+ ]+))?")


def raw_symbol(name: str) -> str:
    """Return the declared symbol of a knob or quantity; a branch carries its own name: `T_fwd,tp`."""
    owner, _, branch = name.partition(":")
    symbol = KNOBS[owner].symbol if owner in KNOBS else quantities()[owner].symbol
    if not branch:
        return symbol
    return f"{symbol}{',' if '_' in symbol else '_'}{branch}"


def composite(name: str) -> bool:
    """Return whether the symbol is itself a ratio, product or sum and needs brackets beside others."""
    return any(mark in raw_symbol(name) for mark in "/+ ")


def symbol_text(name: str) -> str:
    """Return the symbol of a knob, quantity or branch as plain text, Greek letters as such."""
    return _PART.sub(lambda match: match[0].replace(match[1], _GREEK.get(match[1], match[1]), 1), raw_symbol(name))


def symbol_html(name: str) -> str:
    """Return the symbol as HTML: single letters italic, words upright, what follows `_` as a subscript."""
    return _PART.sub(lambda match: _part_html(match[1], match[2]), raw_symbol(name))


def _part_html(base: str, subscript: str | None) -> str:
    letter = _GREEK.get(base, base)
    shown = f"<i>{letter}</i>" if len(letter) == 1 and letter.isalpha() else html.escape(letter)
    return shown + (f"<sub>{html.escape(subscript)}</sub>" if subscript else "")

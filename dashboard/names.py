"""What a value is called on the screen: a quantity, or one branch of a quantity's maximum."""

from __future__ import annotations

from model.graph import quantities
from model.knobs import KNOBS


def label_of(of: str) -> str:
    """Return the label of `quantity` or `quantity:branch`."""
    owner, _, branch = of.partition(":")
    label = quantities()[owner].label
    return f"{label}: {branch}" if branch else label


def symbol_of(of: str) -> str:
    """Return the symbol of `quantity`, or of the quantity that owns the branch."""
    return quantities()[of.partition(":")[0]].symbol


def knob_row(name: str) -> dict[str, str]:
    """Return a knob's name, label and symbol, as the page's pieces take them."""
    return {"name": name, "label": KNOBS[name].label, "symbol": KNOBS[name].symbol}

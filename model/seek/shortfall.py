"""Why a target was not reached, in one line."""

from __future__ import annotations

from model.evaluate import evaluate, gradient
from model.formula import symbol_text
from model.formula.printing import plain_figure
from model.graph import ancestors, quantities
from model.influence import live_maxima
from model.knobs import KNOBS
from model.numerals import show
from model.seek.descent import Found, Landscape, Look
from model.words import binding_state, listed, zero_reasons

STEP = 1e-3
"""Relative step to see what lies just beyond."""


def shortfall(land: Landscape, found: Found) -> str:
    """Say how near the search came and what stops it there."""
    node = quantities()[land.of.partition(":")[0]]
    entering = [name for name in land.space.free if name in ancestors(node.name)]
    if not entering:
        return f"{listed(list(land.space.free))} {'do' if len(land.space.free) > 1 else 'does'} not enter {land.of}"
    target = show(land.target, node.unit)
    if found.forbidden is not None:
        return f"{node.label} is {target} only where it can't be had: {found.forbidden.fault}"
    if found.nearest.fault:
        return f"nothing near can be had: {found.nearest.fault}"
    if found.jump is not None:
        one, other, knob = found.jump
        low, high = (show(value, node.unit) for value in sorted((one.value, other.value)))
        near = plain_figure(float(land.space.knobs(other.u)[knob]), KNOBS[knob].unit)
        return f"{node.label} jumps over the target, from {low} to {high}, at {symbol_text(knob)} near {near}"
    nearest = show(found.nearest.value, node.unit)
    return f"{node.label} comes no nearer to {target} than {nearest}: {_stops(land, found.nearest)}"


def _stops(land: Landscape, nearest: Look) -> str:
    """Say what holds at the nearest point: what binds, which knobs are at their ends, and which have no effect."""
    knobs = {name: float(value) for name, value in land.space.knobs(nearest.u).items()}
    there = evaluate(land.space.moved(knobs), gate=False)
    maxima = live_maxima(there, land.of)
    told = [binding_state({name: there.binding(land.of)[name] for name in maxima})] if maxima else []
    ends = [name for name, value in knobs.items() if value in KNOBS[name].bounds]
    told += [f"{KNOBS[name].label} ends at {show(knobs[name], KNOBS[name].unit)}" for name in ends]
    reasons = zero_reasons(there, gradient(there, land.of))
    told += [f"{KNOBS[name].label}: {reasons[name]}" for name in knobs if name in reasons and name not in ends]
    told += _gates(land, nearest)
    return "; ".join(told) or "its slope leads nowhere nearer"


def _gates(land: Landscape, nearest: Look) -> list[str]:
    """Return the reasons that forbid a small step which would come nearer."""
    reasons: list[str] = []
    for index in range(len(nearest.u)):
        for side in (-STEP, STEP):
            beyond = nearest.u.copy()
            beyond[index] += side
            look = land.look(land.space.clip(beyond))
            if look.fault and look.distance < nearest.distance:
                reasons.append(look.fault)
    return list(dict.fromkeys(reasons))

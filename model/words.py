"""Sentences: what binds and by how much, and why an elasticity is exactly zero."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from model.evaluate import Branch, Evaluation, Gradient, require_value
from model.formula.conditions import condition_text
from model.formula.printing import expression_text
from model.formula.symbols import symbol_text
from model.formula.tree import names
from model.graph import ancestors, quantities
from model.influence import TIE, Idle, idle, live, live_maxima, numbers_of
from model.numerals import digits
from model.ties import ties

ZERO = 1e-12
"""Elasticities below this are rounding: effects that cancel leave about 1e-16."""


@dataclass(frozen=True)
class BranchWords:
    """How a branch of a maximum is spoken of: `label` could `verb`; the state where it binds; whether it is plural."""

    label: str
    state: str
    plural: bool = False
    verb: str = "slow"


BRANCHES: Mapping[str, BranchWords] = {
    "math": BranchWords("compute", "compute-bound"),
    "flops": BranchWords("compute", "compute-bound"),
    "fsdp": BranchWords("FSDP comms", "FSDP-bound", plural=True),
    "tp": BranchWords("TP comms", "TP-bound", plural=True),
    "wire": BranchWords("comms on the shared wire", "comms-bound", plural=True),
    "memory": BranchWords("HBM", "HBM-bound"),
    "weights": BranchWords("weight streaming", "weight-bound"),
    "bandwidth": BranchWords("bandwidth", "bandwidth-bound"),
    "node": BranchWords("the links in a node", "node-bound", plural=True),
    "network": BranchWords("the network between nodes", "network-bound"),
    "leaf": BranchWords("the links to leaf switches", "leaf-bound", plural=True),
    "spine": BranchWords("the links to the spine", "spine-bound", plural=True),
    "first": BranchWords("the first axis", "bound by the first axis", verb="grow"),
    "second": BranchWords("the second axis", "bound by the second axis", verb="grow"),
    "third": BranchWords("the third axis", "bound by the third axis", verb="grow"),
    "latency": BranchWords("the latency floor", "latency-bound", verb="grow"),
}
"""Words of every branch in the graph, by the branch's name."""


def branch_words(branch: str) -> BranchWords:
    """Return the words of a branch, given as `branch` or `quantity:branch`."""
    return BRANCHES[branch.rpartition(":")[2]]


def capital(text: str) -> str:
    """Return the text with a capital first letter, the rest as it is."""
    return text[:1].upper() + text[1:]


def times(factor: float) -> str:
    """Return a factor in three digits: `4.87×`."""
    return f"{digits(factor)}×" if factor < 1e4 else "over 10,000×"


def listed(items: list[str]) -> str:
    """Return `a`, `a and b`, or `a, b and c`."""
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items)


def binding_state(binding: Mapping[str, tuple[str, ...]]) -> str:
    """Return what binds in a few words: `compute-bound`, or `forward TP-bound, backward compute-bound`.

    Args:
        binding: the binding branches of each maximum by its quantity, as `Evaluation.binding` gives them; empty for
            the empty string.
    """
    states = {
        name: " and ".join(branch_words(branch).state for branch in branches) for name, branches in binding.items()
    }
    if len(set(states.values())) <= 1:
        return "".join(set(states.values()))
    return ", ".join(f"{subject(name).lower()} {state}" for name, state in states.items())


def binding_sentence(evaluation: Evaluation, of: str) -> str:
    """Return what binds in `of`, what would bind next and by how much, as one or a few sentences.

    Maxima with the same branches (the forward and the backward pass) are told together where the same branch binds in
    each, with the smaller margin.

    Raises:
        BadInput: `of` is no quantity and no branch of one.
    """
    reason = evaluation.reasons.get(require_value(of, evaluation))
    if reason:
        return f"{capital(reason)}."
    groups = _groups(evaluation, of)
    if not groups:
        return "Nothing binds: no maximum enters."
    if len(groups) == 1:
        return _sentence(groups[0][1])
    return " ".join(f"{subject}: {_small(_sentence(branches))}" for subject, branches in groups)


def _small(sentence: str) -> str:
    """Return the sentence with a small first letter, unless it starts with an abbreviation."""
    return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def subject(name: str) -> str:
    """Return the short name of a maximum: the quantity's label up to its comma, `Forward time` as `Forward`."""
    return quantities()[name].label.partition(",")[0].removesuffix(" time")


def _groups(evaluation: Evaluation, of: str) -> list[tuple[str, list[Branch]]]:
    """Return each maximum's branches; maxima that share their branches and what binds become one."""
    groups: dict[tuple[frozenset[str], frozenset[str]], tuple[list[str], dict[str, float]]] = {}
    for name in live_maxima(evaluation, of):
        branches = evaluation.branches[name]
        binding = frozenset(branch.name for branch in branches if branch.margin <= 1 + TIE)
        subjects, margins = groups.setdefault((frozenset(branch.name for branch in branches), binding), ([], {}))
        subjects.append(subject(name))
        for branch in branches:
            margins[branch.name] = min(branch.margin, margins.get(branch.name, math.inf))
    return [(listed(subjects), _sorted(margins)) for subjects, margins in groups.values()]


def _sorted(margins: Mapping[str, float]) -> list[Branch]:
    return [Branch(name, math.nan, margins[name]) for name in sorted(margins, key=lambda name: margins[name])]


def _sentence(branches: list[Branch]) -> str:
    binding = [branch_words(branch.name) for branch in branches if branch.margin <= 1 + TIE]
    slack = [branch for branch in branches if 1 + TIE < branch.margin < math.inf]
    if len(binding) > 1:
        state = f"{capital(listed([words.label for words in binding]))} tie; both one-sided values below."
    else:
        state = f"{capital(binding[0].state)}."
    if not slack:
        return state
    verb = branch_words(slack[0].name).verb
    first, *more = (f"{branch_words(branch.name).label} {{}}{times(branch.margin)}" for branch in slack)
    factors = listed([first.format(f"could {verb} "), *(text.format("") for text in more)])
    single = len(slack) == 1 and not branch_words(slack[0].name).plural
    return f"{state} {capital(factors)} before {'it binds' if single else 'they bind'}."


def zero_reasons(evaluation: Evaluation, gradient: Gradient) -> dict[str, str]:
    """Return why each knob with an elasticity of exactly zero has none: `{knob: reason}`.

    Effects that cancel to within rounding are among them.
    """
    if gradient.reason:
        return {}
    moving = live(evaluation, gradient.of)
    tied = bool(ties(evaluation, gradient.of))
    zeros = [name for name, elasticity in gradient.elasticities.items() if abs(elasticity) <= ZERO]
    return {knob: _zero_reason(evaluation, gradient.of, knob, moving, tied) for knob in zeros}


def _zero_reason(evaluation: Evaluation, of: str, knob: str, moving: frozenset[str], tied: bool) -> str:
    if knob not in ancestors(of.partition(":")[0]):
        return "does not enter"
    if knob in moving:
        return "enters on one side of the tie only" if tied else "its effects cancel"
    parts = sorted(idle(evaluation, of, knob), key=lambda part: (part.cause != "slack", part.margin))
    slack = [part for part in parts if part.cause == "slack"]
    for part in slack:
        if knob in live(evaluation, f"{part.owner}:{part.branch}"):
            words = branch_words(part.branch)
            return f"{words.label} {'are' if words.plural else 'is'} slack by {times(part.margin)}"
    if not parts:
        return "does not enter"
    if slack:  # It has no effect even on that branch: say why there.
        branch = f"{slack[0].owner}:{slack[0].branch}"
        return _zero_reason(evaluation, branch, knob, live(evaluation, branch), tied)
    return _idle_words(parts[0], numbers_of(evaluation))


def _idle_words(part: Idle, numbers: Mapping[str, float]) -> str:
    if part.cause == "times zero":
        zeros = [symbol_text(name) for name in names(part.because) if numbers[name] == 0]
        return f"is multiplied by {zeros[0] if zeros else expression_text(part.because)} = 0"
    condition = condition_text(part.because, expression_text)
    if part.cause in ("decides", "has branch"):
        return f"only decides whether {condition}"
    return f"has no part while {condition}" if part.met else f"enters only where {condition}"

"""Formulas as HTML or plain text, with symbols or with the numbers of an evaluation in their place."""

from __future__ import annotations

import html as markup
import math
from dataclasses import dataclass
from typing import Literal

from model.evaluate import Evaluation
from model.formula.conditions import condition_text
from model.formula.source import Formula
from model.formula.symbols import composite, symbol_html, symbol_text
from model.formula.tree import (
    Call,
    Cases,
    Comparison,
    Constant,
    Expression,
    Logic,
    Maximum,
    Name,
    Negation,
    Operation,
    Present,
    holds,
    value,
)
from model.graph import quantities
from model.knobs import KNOBS
from model.numerals import digits, parts

Language = Literal["html", "text"]
_DIMENSIONED = (
    "s",
    "B",
    "B/s",
    "FLOP",
    "FLOP/s",
    "FLOP/B",
    "FLOP/$",
    "FLOP/token",
    "B/token",
    "$",
    "$/h",
    "$/Mtok",
    "days",
)
_NO_VALUE = "no value"
SUM, PRODUCT, ATOM = 1, 2, 3
"""How tightly a piece holds together; a looser one inside a tighter one is bracketed."""


def html(formula: Formula, evaluation: Evaluation | None = None) -> str:
    """Return `symbol = right-hand side` as HTML with symbols.

    Each name is a `<span class="name" data-name="...">`. With an evaluation, the binding branch of a maximum and the
    case that holds carry the class `binds` or `holds`, and branches absent there are left out.
    """
    return f"{symbol_html(formula.name)} = {_Printer('html', evaluation, numbers=False).whole(formula.expression)}"


def html_with_numbers(formula: Formula, evaluation: Evaluation) -> str:
    """Return the right-hand side and its value as HTML, each name replaced by its value, only the case that holds."""
    return _with_numbers(formula, evaluation, "html")


def text(formula: Formula, evaluation: Evaluation | None = None) -> str:
    """Return `symbol = right-hand side` as plain text, for a screen reader or a terminal."""
    return f"{symbol_text(formula.name)} = {_Printer('text', evaluation, numbers=False).whole(formula.expression)}"


def text_with_numbers(formula: Formula, evaluation: Evaluation) -> str:
    """Return the right-hand side and its value as plain text, each name replaced by its value."""
    return _with_numbers(formula, evaluation, "text")


def expression_text(expression: Expression) -> str:
    """Return a part of a formula as plain text with symbols."""
    return _Printer("text", None, numbers=False).whole(expression)


def figure(name: str, evaluation: Evaluation) -> str:
    """Return a knob's or quantity's value with three digits; counts carry no unit."""
    owner = name.partition(":")[0]
    if owner in KNOBS:
        number, unit = KNOBS[owner].number(evaluation.point.values[owner]), KNOBS[owner].unit
    else:
        number, unit = evaluation.bounds[name], quantities()[owner].unit
    return plain_figure(number, unit)


def plain_figure(number: float, unit: str) -> str:
    """Return a number in three digits with its unit, counts without: `4.19 M`, `1.08 s`."""
    shown, suffix = parts(number, unit)
    if unit not in _DIMENSIONED:
        suffix = suffix.removesuffix(unit).strip()
    return f"{shown}\u2009{suffix}" if suffix else shown


def _with_numbers(formula: Formula, evaluation: Evaluation, language: Language) -> str:
    shown = _Printer(language, evaluation, numbers=True).whole(formula.expression)
    result = figure(formula.name, evaluation)
    return shown if shown == result or isinstance(formula.expression, Constant) else f"{shown} = {result}"


def _numbers(evaluation: Evaluation) -> dict[str, float]:
    knobs = {name: knob.number(evaluation.point.values[name]) for name, knob in KNOBS.items()}
    return {**knobs, **evaluation.bounds}


@dataclass(frozen=True)
class _Piece:
    text: str
    tightness: int


class _Printer:
    """Prints one formula in one language."""

    def __init__(self, language: Language, evaluation: Evaluation | None, *, numbers: bool) -> None:
        self.language: Language = language
        self.evaluation, self.numbers = evaluation, numbers
        self.known = _numbers(evaluation) if evaluation else None

    def whole(self, expression: Expression) -> str:
        """Print a right-hand side; cases need no braces there."""
        chosen = self._chosen(expression)
        shown = self._print(chosen).text
        return shown[1:-1] if shown.startswith("{") and isinstance(chosen, Cases) else shown

    def _chosen(self, expression: Expression) -> Expression:
        """With numbers in, only the case that holds is written."""
        while self.numbers and self.known is not None and isinstance(expression, Cases):
            expression = expression.then if holds(expression.condition, self.known) else expression.otherwise
        return expression

    def _print(self, expression: Expression) -> _Piece:
        expression = self._chosen(expression)
        match expression:
            case Constant(number):
                return _Piece(_constant(number, self.language), ATOM)
            case Name(name):
                return self._name(name)
            case Operation("+" | "-" as sign, left, right):
                mark, loosest = ("+", SUM) if sign == "+" else ("−", PRODUCT)
                return _Piece(f"{self._bracketed(left, SUM)} {mark} {self._bracketed(right, loosest)}", SUM)
            case Operation("**", base, exponent):
                return self._power(base, exponent)
            case Operation():
                return self._product(expression)
            case Negation(operand):
                return _Piece(f"−{self._bracketed(operand, PRODUCT)}", SUM)
            case Call("sqrt", argument):
                return _Piece(f"√({self._print(argument).text})", ATOM)
            case Call(function, argument):
                return _Piece(f"{function}({self._print(argument).text})", ATOM)
            case Cases(Comparison("<" | ">" as sign, left, right), then, other) if (left, right) == (then, other):
                smaller = "min" if sign == "<" else "max"
                return _Piece(f"{smaller}({self._print(left).text}, {self._print(right).text})", ATOM)
            case Cases():
                return _Piece(self._cases(expression, braces=True), ATOM)
            case Present(condition, inner):
                return _Piece(f"{self._print(inner).text} (if {self._condition(condition)})", SUM)
            case Maximum(branches):
                return _Piece(self._maximum(branches), ATOM)
            case Comparison() | Logic():
                return _Piece(self._condition(expression), SUM)

    def _bracketed(self, expression: Expression, tightness: int) -> str:
        piece = self._print(expression)
        return piece.text if piece.tightness >= tightness else f"({piece.text})"

    def _name(self, name: str) -> _Piece:
        if self.numbers and self.evaluation is not None:
            shown = figure(name, self.evaluation)
            tightness = SUM if shown.startswith("−") else ATOM
        else:
            shown = symbol_html(name) if self.language == "html" else symbol_text(name)
            tightness = SUM if composite(name) else ATOM
        if self.language == "html":
            shown = f'<span class="name" data-name="{name}">{shown}</span>'
        return _Piece(shown, tightness)

    def _power(self, base: Expression, exponent: Expression) -> _Piece:
        lower, raised = self._bracketed(base, ATOM), self._print(exponent).text
        if "\u2009" in lower:  # A unit would read as if it were raised too.
            lower = f"({lower})"
        return _Piece(lower + (f"<sup>{raised}</sup>" if self.language == "html" else f"^{raised}"), ATOM)

    def _product(self, expression: Expression) -> _Piece:
        above, below = _factors(expression)
        top, bottom = self._factor_list(above), self._factor_list(below)
        if not bottom:
            return _Piece(self._joined(top), PRODUCT if len(top) > 1 else ATOM)
        divisor = bottom[0] if len(bottom) == 1 else f"({self._joined(bottom)})"
        slash = " / " if self.numbers else "/"
        return _Piece(f"{self._joined(top) or '1'}{slash}{divisor}", PRODUCT)

    def _factor_list(self, factors: list[Expression]) -> list[str]:
        """Constants are multiplied together and come first."""
        number = math.prod(factor.value for factor in factors if isinstance(factor, Constant))
        shown = [self._bracketed(factor, ATOM) for factor in factors if not isinstance(factor, Constant)]
        return shown if number == 1 else [_constant(number, self.language), *shown]

    def _joined(self, factors: list[str]) -> str:
        return (" × " if self.numbers else " ").join(factors)

    def _condition(self, condition: Expression) -> str:
        shown = condition_text(condition, lambda operand: self._symbols()._print(operand).text)
        return shown if self.language == "text" else shown.replace(" < ", " &lt; ").replace(" > ", " &gt; ")

    def _symbols(self) -> _Printer:
        return _Printer(self.language, self.evaluation, numbers=False)

    def _cases(self, cases: Cases, *, braces: bool) -> str:
        met = holds(cases.condition, self.known) if self.known is not None else None
        first = f"{self._print(cases.then).text} if {self._condition(cases.condition)}"
        rest = self._chosen(cases.otherwise)
        second = self._cases(rest, braces=False) if isinstance(rest, Cases) else f"{self._print(rest).text} otherwise"
        shown = f"{self._marked(first, 'holds', met is True)}, {self._marked(second, 'holds', met is False)}"
        return f"{{{shown}}}" if braces else shown

    def _maximum(self, branches: tuple[tuple[str, Expression], ...]) -> str:
        shown = []
        for _, branch in branches:
            inner, condition = (branch.value, branch.condition) if isinstance(branch, Present) else (branch, None)
            if condition is None or self.known is None:
                shown.append(self._print(branch).text)
            elif holds(condition, self.known):
                shown.append(self._print(inner).text)
            else:
                shown.append("")
        binding = self._binding(branches)
        listed = [self._marked(text, "binds", index in binding) for index, text in enumerate(shown) if text]
        return f"max({', '.join(listed)})"

    def _binding(self, branches: tuple[tuple[str, Expression], ...]) -> set[int]:
        if self.known is None:
            return set()
        values = [value(branch, self.known) for _, branch in branches]
        return {index for index, number in enumerate(values) if number == max(values)}

    def _marked(self, shown: str, mark: str, apply: bool) -> str:
        if not apply:
            return shown
        if self.language == "html":
            return f'<span class="{mark}">{shown}</span>'
        return f"{shown} [binds]" if mark == "binds" else shown


def _factors(expression: Expression) -> tuple[list[Expression], list[Expression]]:
    """Return the factors above and below the line of nested products and quotients."""
    match expression:
        case Operation("*", left, right):
            (above, below), (more_above, more_below) = _factors(left), _factors(right)
            return above + more_above, below + more_below
        case Operation("/", left, right):
            (above, below), (more_above, more_below) = _factors(left), _factors(right)
            return above + more_below, below + more_above
    return [expression], []


def _constant(number: float, language: Language) -> str:
    if math.isnan(number):
        return _NO_VALUE
    exponent = math.log10(abs(number)) if number else 0.0
    if exponent >= 5 and exponent == round(exponent):
        return f"10<sup>{exponent:.0f}</sup>" if language == "html" else f"10^{exponent:.0f}"
    return markup.escape(f"{number:,.0f}" if number == round(number) else digits(number))

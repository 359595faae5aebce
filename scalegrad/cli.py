"""The command line: the headless face of the graph.

Exit codes: 0 fine; 1 a check failed; 2 bad input, one line for each fault on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import scalegrad
from model.errors import BadInput
from model.numerals import show

Command = Callable[[argparse.Namespace], tuple[dict[str, Any], int]]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise BadInput([f"{self.prog}: {message}; see {self.prog} --help"])


def _settings(pairs: Sequence[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    faults = []
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            faults.append(f"--set {pair}: write it as name=value")
        elif name in settings and settings[name] != value:
            faults.append(f"--set {name}: given twice, {settings[name]} and {value}")
        settings[name] = value
    if faults:
        raise BadInput(faults)
    return settings


def _point(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "chip": arguments.chip,
        "model": arguments.model,
        "settings": _settings(arguments.set),
        "gate": not arguments.bound,
    }


def _values(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    return scalegrad.values(of=arguments.of, **_point(arguments)), 0


def _gradient(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    return scalegrad.gradient(arguments.of, **_point(arguments)), 0


def _print_values(answer: dict[str, Any]) -> None:
    print(f"{answer['chip']}, {answer['model']}")
    width = max(map(len, answer["values"]))
    for name, entry in answer["values"].items():
        print(f"{name:{width}}  {show(entry['value'], entry['unit']):>16}  {entry['reason']}".rstrip())


def _print_gradient(answer: dict[str, Any]) -> None:
    print(f"{answer['of']} = {show(answer['value'], answer['unit'])} {answer['reason']}".rstrip())
    print(f"binds: {', '.join(answer['binding']) or 'nothing'}")
    moving = {knob: e for knob, e in answer["elasticities"].items() if e}
    for knob, elasticity in sorted(moving.items(), key=lambda item: -abs(item[1])):
        print(f"{knob:24} {elasticity:+.3f}")
    zeros = [knob for knob, e in answer["elasticities"].items() if e == 0]
    print(f"exactly zero: {', '.join(zeros) or 'none'}")


def _add_point(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chip", help="slug of a chip, such as tpu-v5p")
    parser.add_argument("--model", help="slug of a model, such as llama-3-70b")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a knob; may be repeated")
    parser.add_argument("--bound", action="store_true", help="show the bound even where it does not fit or divide")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="scalegrad", description="Which constraint binds, and what is a change worth?")
    commands = parser.add_subparsers(required=True, metavar="command")

    def command(name: str, run: Command, report: Callable[[dict[str, Any]], None], about: str) -> Any:
        added = commands.add_parser(name, help=about, description=about)
        added.add_argument("--json", action="store_true", help="print one JSON object")
        added.set_defaults(run=run, report=report)
        return added

    values = command("values", _values, _print_values, "quantities at a point")
    values.add_argument("--of", action="append", default=[], metavar="QUANTITY", help="only this one; may be repeated")
    _add_point(values)
    gradient = command("gradient", _gradient, _print_gradient, "elasticities of one quantity to every knob")
    gradient.add_argument("--of", required=True, metavar="QUANTITY", help="a quantity or quantity:branch")
    _add_point(gradient)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; `arguments` are those of the process when None. Returns the exit code."""
    try:
        parsed = _parser().parse_args(arguments)
        answer, code = parsed.run(parsed)
    except BadInput as error:
        for fault in error.faults:
            print(fault, file=sys.stderr)
        return 2
    if parsed.json:
        print(json.dumps(answer, allow_nan=False))
    else:
        parsed.report(answer)
    return code


if __name__ == "__main__":
    sys.exit(main())

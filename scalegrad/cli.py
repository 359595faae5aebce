"""The command line: the headless face of the graph.

Exit codes: 0 fine; 1 a check failed; 2 bad input, one line for each fault on standard error.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import scalegrad
from model.counting import MAX_BYTES
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


def _count(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    # One byte more than is read, so that a longer input is refused instead of cut.
    config = sys.stdin.buffer.read(MAX_BYTES + 1) if arguments.config == "-" else Path(arguments.config)
    return scalegrad.count(config, seq_len=arguments.seq_len), 0


def _verify(_: argparse.Namespace) -> tuple[dict[str, Any], int]:
    answer = scalegrad.verify()
    return answer, 1 if answer["changed"] else 0


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
    for reach in answer["regime"]:
        if reach["to"].startswith("knob ends"):
            continue
        factor = "any" if reach["factor"] is None else f"x {reach['factor']:.3g}"
        print(f"{reach['knob']:24} {factor:>10}  {reach['from']} -> {reach['to']}")
    zeros = [knob for knob, e in answer["elasticities"].items() if e == 0]
    print(f"exactly zero: {', '.join(zeros) or 'none'}")


_COUNTS = (
    ("total parameters", "total_params", ""),
    ("  of the text model", "text_only_params", ""),
    ("active parameters", "active_params", ""),
    ("  without input embedding", "active_params_without_input_embedding", ""),
    ("KV cache a token, bf16", "kv_bytes_per_token", "B"),
    ("  beyond the window", "kv_bytes_per_token_beyond_window", "B"),
    ("fixed state a sequence", "state_bytes", "B"),
    ("FLOPs a token, matrices", "flops_per_token", "FLOP"),
    ("weights as stored", "weight_bytes", "B"),
    ("weights in bf16", "weight_bytes_bf16", "B"),
)
_CONVENTIONS = ("without attention scores", "with causal ones", "with full ones")


def _print_count(answer: dict[str, Any]) -> None:
    tied = "tied" if answer["tied_embeddings"] else "untied"
    print(
        f"{answer['family']}, {answer['n_layers']} layers of width {answer['d_model']:,}, "
        f"vocabulary {answer['vocab_size']:,} ({tied})"
    )
    for label, key, unit in _COUNTS:
        value = answer[key]
        print(f"{label:28}{'not in the file' if value is None else f'{value:,}':>22} {unit}".rstrip())
    print(f"\n{'part':16}{'parameters':>20}{'share':>8}{'FLOPs a token':>20}{'bytes as stored':>20}")
    for name, part in answer["parts"].items():
        if part["params"] or part["flops_per_token"]:
            share = part["params"] / answer["total_params"]
            stored = "" if part["weight_bytes"] is None else f"{part['weight_bytes']:,}"
            numbers = f"{part['params']:>20,}{share:>8.1%}{part['flops_per_token']:>20,}{stored:>20}"
            print(f"{name.replace('_', ' '):16}{numbers}".rstrip())
    flops, copies = answer["flops_by_convention"], answer["kv_replication"]
    forward = ", ".join(
        f"{value:.4g} {words}" for words, value in zip(_CONVENTIONS, flops["forward"].values(), strict=True)
    )
    print(f"\nforward FLOPs a token over {flops['seq_len']:,} tokens: {forward}; training: three times as much")
    if copies["1"] is not None:
        shown = ", ".join(f"{shards}: {value:g}" for shards, value in copies.items())
        print(f"copies of K and V by tensor shards: {shown}")
    graph = answer["graph"]
    print(f"\nin the graph: {graph['reason'] or '; '.join(graph['differs'])}")
    for note in answer["notes"]:
        print(f"note: {note}")


def _print_verify(answer: dict[str, Any]) -> None:
    for row in answer["rows"]:
        recomputed = "" if row["recomputed"] is None else f"{row['recomputed']:.6g}"
        stated = "" if row["stated"] is None else f"{row['stated']:.6g}"
        changed = f"  CHANGED, recorded as {row['recorded']}" if row["id"] in answer["changed"] else ""
        print(f"{row['id']:45} {stated:>12} {recomputed:>12} {row['unit']:12} {row['verdict']}{changed}")
    print(", ".join(f"{rows} {verdict}" for verdict, rows in answer["counts"].items() if rows))


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
    command("verify", _verify, _print_verify, "recompute the book's stated numbers; exit 1 if a verdict changed")
    count = command("count", _count, _print_count, "exact parameters, cache and FLOPs of a Hugging Face config.json")
    count.add_argument("config", metavar="CONFIG.json", help="path of the file; - reads standard input")
    count.add_argument("--seq-len", type=int, default=4096, metavar="TOKENS", help="for FLOPs with attention")
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
        try:
            parsed.report(answer)
        except BrokenPipeError:  # The reader has seen enough: `scalegrad values | head`.
            sys.stdout = None
    return code


if __name__ == "__main__":
    sys.exit(main())

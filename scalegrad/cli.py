"""The command line: the headless face of the graph.

Exit codes: 0 fine; 1 a check failed; 2 bad input, one line for each fault on standard error; 130 cancelled by Ctrl-C.
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
from model.laws.runs import MAX_BYTES as MAX_TABLE
from model.numerals import digits, show
from scalegrad.progress import print_progress, stopping_on_interrupt

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


def _report(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    page = scalegrad.report(
        arguments.chip,
        arguments.model,
        _settings(arguments.set),
        page=arguments.page,
        only=[part for parts in arguments.only for part in parts.split(",")],
        cdn=arguments.cdn,
    ).encode()
    try:
        Path(arguments.out).write_bytes(page)
    except OSError as error:
        raise BadInput([f"{arguments.out}: can't be written: {error.strerror}; give another --out"]) from None
    return {"out": arguments.out, "bytes": len(page)}, 0


def _count(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    # One byte more than is read, so that a longer input is refused instead of cut.
    config = sys.stdin.buffer.read(MAX_BYTES + 1) if arguments.config == "-" else Path(arguments.config)
    return scalegrad.count(config, seq_len=arguments.seq_len), 0


def _seek(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    point = _point(arguments)
    del point["gate"]
    answer = scalegrad.seek(arguments.of, arguments.target, arguments.free, **point, hold_chips=arguments.hold_chips)
    return answer, 0 if answer["reached"] else 1


def _verify(_: argparse.Namespace) -> tuple[dict[str, Any], int]:
    answer = scalegrad.verify()
    return answer, 1 if answer["changed"] else 0


def _fit(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    runs: str | Path = Path(arguments.runs)
    if arguments.runs == "-":
        try:
            runs = sys.stdin.buffer.read(MAX_TABLE + 1).decode("utf-8")
        except UnicodeDecodeError:
            raise BadInput(["standard input: is not UTF-8 text; send the table as plain CSV"]) from None
    return scalegrad.fit(runs, drop_highest=arguments.drop_highest, resamples=arguments.resamples), 0


def _sweep(arguments: argparse.Namespace) -> tuple[dict[str, Any], int]:
    with stopping_on_interrupt() as interrupted:
        answer = scalegrad.sweep(
            arguments.plan,
            db=Path(arguments.db),
            scheduler=arguments.scheduler,
            workers=arguments.workers,
            on_progress=print_progress,
            should_stop=interrupted,
        )
    return answer, {"finished": 0, "cancelled": 130}.get(answer["state"], 1)


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


def _print_report(answer: dict[str, Any]) -> None:
    print(f"{answer['out']}: {answer['bytes']:,} bytes; open it in a browser")


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


def _print_seek(answer: dict[str, Any]) -> None:
    unit = answer["unit"]
    print(f"{answer['of']}: {show(answer['before'], unit)} -> {show(answer['value'], unit)}")
    print("reached" if answer["reached"] else f"not reached: {answer['reason']}")
    for knob, value in answer["knobs"].items():
        print(f"{knob:24} {value:.6g}")
    if answer["rounded"]:
        whole = ", ".join(f"{knob} {value:g}" for knob, value in answer["rounded"]["knobs"].items())
        value = show(answer["rounded"]["value"], unit)
        print(f"rounded: {whole} gives {value} {answer['rounded']['reason']}".rstrip())


def _print_verify(answer: dict[str, Any]) -> None:
    for row in answer["rows"]:
        recomputed = "" if row["recomputed"] is None else f"{row['recomputed']:.6g}"
        stated = "" if row["stated"] is None else f"{row['stated']:.6g}"
        changed = f"  CHANGED, recorded as {row['recorded']}" if row["id"] in answer["changed"] else ""
        print(f"{row['id']:45} {stated:>12} {recomputed:>12} {row['unit']:12} {row['verdict']}{changed}")
    print(", ".join(f"{rows} {verdict}" for verdict, rows in answer["counts"].items() if rows))


def _print_fit(answer: dict[str, Any]) -> None:
    dropped = answer["dropped_highest_losses"]
    print(f"{answer['runs']} runs{f', {dropped} of highest loss left out' if dropped else ''}")
    for name, interval in answer["parametric"].items():
        print(f"{name:8}{_with_interval(interval)}")
    print(f"R2 {answer['fit']['r_squared']:.4f}, objective {answer['fit']['objective']:.8g}\n")
    for row in answer["approaches"]:
        print(f"a by {row['approach']:20}{row['reason'] or _with_interval(row['a'])}")
    for row in answer["losses"]:
        print(f"a by {row['loss']:26}{row['a']:.4f}")
    for row in answer["isoflops"]:
        vertex = row["problem"] or f"N {show(row['vertex_params'], 'params')}, loss {row['vertex_loss']:.4f}"
        print(f"C {row['flop']:<10.4g} {len(row['loss']):>3} runs  {vertex}")
    for warning in answer["warnings"]:
        print(f"note: {warning}")


def _with_interval(interval: dict[str, Any]) -> str:
    value, lo, hi = (digits(interval[key], 4) if interval[key] is not None else "–" for key in ("value", "lo", "hi"))
    return f"{value:>12}  ({lo} to {hi})"


def _print_sweep(answer: dict[str, Any]) -> None:
    print(f"{answer['plan']}: {answer['state']}, {answer['finished']} of {answer['total']} runs in {answer['db']}")
    if answer["state"] != "finished":
        print("start the same command again to go on from there")
    for kind, law in answer["laws"].items():
        print(f"\n{kind}: {law['reason']}" if "reason" in law else f"\n{kind}")
        if "reason" not in law:
            _print_fit(law)


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
    seek = command(
        "seek", _seek, _print_seek, "goal-seek: knobs at which a quantity has a value; exit 1 if there are none"
    )
    seek.add_argument("--of", required=True, metavar="QUANTITY", help="the quantity")
    seek.add_argument("--target", required=True, metavar="VALUE", help="the value wanted, SI units: 0.5, 30, 4M")
    seek.add_argument("--free", action="append", required=True, metavar="KNOB", help="may move; may be repeated")
    seek.add_argument("--hold-chips", action="store_true", help="keep data_shards x tensor_shards as it is")
    _add_point(seek)
    report = command("report", _report, _print_report, "the live page in one HTML file, without a server")
    report.add_argument("--out", required=True, metavar="PAGE.html", help="the file to write")
    report.add_argument("--page", default="training", metavar="PAGE", help="opens with it: training or inference")
    report.add_argument(
        "--only", action="append", default=[], metavar="PARTS", help="such as gradient,training-heatmap"
    )
    report.add_argument("--cdn", action="store_true", help="load BokehJS from its CDN: a small file that needs the net")
    report.add_argument("--chip", help="slug of a chip, such as tpu-v5p")
    report.add_argument("--model", help="slug of a model, such as llama-3-70b")
    report.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a knob; may be repeated")
    command("verify", _verify, _print_verify, "recompute the book's stated numbers; exit 1 if a verdict changed")
    count = command("count", _count, _print_count, "exact parameters, cache and FLOPs of a Hugging Face config.json")
    count.add_argument("config", metavar="CONFIG.json", help="path of the file; - reads standard input")
    count.add_argument("--seq-len", type=int, default=4096, metavar="TOKENS", help="for FLOPs with attention")
    fit = command("fit", _fit, _print_fit, "a scaling law fitted to training runs, with intervals")
    fit.add_argument("runs", metavar="RUNS.csv", help="columns params, flop, loss; - reads standard input")
    fit.add_argument("--drop-highest", type=int, default=0, metavar="N", help="leave out the N runs of highest loss")
    fit.add_argument("--resamples", type=int, default=200, metavar="N", help="of the bootstrap")
    sweep = command("sweep", _sweep, _print_sweep, "train tiny transformers over budgets and sizes; resumable")
    sweep.add_argument("--plan", default="default", help="name of the grid: default, quick, moe, long, or a seed's")
    sweep.add_argument("--db", required=True, metavar="FILE", help="SQLite file of the results, kept and resumed")
    sweep.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="a Dask scheduler in place of a local cluster")
    sweep.add_argument("--workers", type=int, default=2, metavar="N", help="processes of the local cluster")
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

"""Tables and pictures of a finished sweep for the docs. Run: python -m bench.lab_report RESULTS FOLDER,
where RESULTS is a sweep's SQLite file or a CSV of runs."""

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np

from model.lab.diagnostics import flags, gap_by_size
from model.lab.store import read_rows, runs_of
from model.laws import fit_report, parse_runs

COLOURS = ("#00224e", "#35456c", "#666970", "#948e77", "#c8b866", "#b8860b")
WIDTH, HEIGHT, MARGIN = 720, 420, 60


class Chart:
    """An SVG with logarithmic x and linear y."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], title: str, x_label: str, y_label: str) -> None:
        self.x, self.y = (math.log(x[0]), math.log(x[1])), y
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{title}">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/><g font-family="sans-serif" font-size="12">',
            f'<text x="{WIDTH / 2}" y="22" text-anchor="middle" font-size="14">{title}</text>',
            f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">{x_label}</text>',
            f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{y_label}</text>',
        ]

    def place(self, x: float, y: float) -> tuple[float, float]:
        across = (math.log(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        return MARGIN + across * (WIDTH - 2 * MARGIN), HEIGHT - MARGIN - up * (HEIGHT - 2 * MARGIN)

    def ticks(self, xs: list[float], ys: list[float]) -> None:
        for x in xs:
            at, base = self.place(x, self.y[0])
            self.parts.append(f'<text x="{at:.1f}" y="{base + 18:.1f}" text-anchor="middle">{x:,.0f}</text>')
        for y in ys:
            left, at = self.place(math.exp(self.x[0]), y)
            line = f'<line x1="{left:.1f}" x2="{WIDTH - MARGIN}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
            self.parts.append(f'{line}<text x="{left - 8:.1f}" y="{at + 4:.1f}" text-anchor="end">{y:.1f}</text>')

    def line(self, xs: np.ndarray, ys: np.ndarray, colour: str) -> None:
        points = " ".join("{:.1f},{:.1f}".format(*self.place(x, y)) for x, y in zip(xs, ys, strict=True))
        self.parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')

    def dot(self, x: float, y: float, colour: str, hollow: bool = False, note: str = "") -> None:
        across, down = self.place(x, y)
        fill = "#fff" if hollow else colour
        shape = f'<circle cx="{across:.1f}" cy="{down:.1f}" r="4" fill="{fill}" stroke="{colour}"/>'
        self.parts.append(shape.replace("/>", f"><title>{note}</title></circle>") if note else shape)

    def text(self, x: float, y: float, words: str, colour: str) -> None:
        across, down = self.place(x, y)
        self.parts.append(f'<text x="{across + 8:.1f}" y="{down + 4:.1f}" fill="{colour}">{words}</text>')

    def save(self, path: Path) -> None:
        path.write_text("\n".join([*self.parts, "</g></svg>\n"]))


def isoflop_chart(report: dict[str, Any]) -> Chart:
    """Runs as dots, each budget's parabola, bracketed vertices filled."""
    curves = report["isoflops"]
    sizes = [n for curve in curves for n in curve["params"]]
    losses = [loss for curve in curves for loss in curve["loss"]]
    low, high = math.floor(min(losses) * 10) / 10, math.ceil(max(losses) * 10) / 10
    chart = Chart(
        (min(sizes) / 1.3, max(sizes) * 2), (low, high), "Isoflop curves", "parameters N", "loss, nats a token"
    )
    chart.ticks([500, 2000, 10_000, 50_000], [round(low + 0.2 * i, 1) for i in range(int((high - low) / 0.2) + 1)])
    for colour, curve in zip(COLOURS, curves, strict=False):
        order = np.argsort(curve["params"])
        x, y = np.array(curve["params"])[order], np.array(curve["loss"])[order]
        smooth = np.geomspace(x[0], x[-1], 60)
        fitted = np.polyval(np.polyfit(np.log(x), y, 2), np.log(smooth))
        chart.line(smooth, np.clip(fitted, low, high), colour)
        for n, loss in zip(x, y, strict=True):
            chart.dot(n, loss, colour, note=f"C {curve['flop']:.2g}, N {n:,.0f}, loss {loss:.3f}")
        chart.text(x[-1], y[-1], f"C = {curve['flop']:.2g}", colour)
        if curve["vertex_params"] and x[0] < curve["vertex_params"] < x[-1]:
            chart.dot(
                curve["vertex_params"], curve["vertex_loss"], "#c00", hollow=not curve["bracketed"], note="vertex"
            )
    return chart


def window_chart(report: dict[str, Any]) -> Chart:
    """The exponent a against the cut on C, with its interval."""
    rows = [row for row in report["windows"] if row["cut"] == "min_flop"]
    chart = Chart(
        (rows[0]["threshold"] / 1.2, rows[-1]["threshold"] * 1.2),
        (0, 1),
        "Exponent against the cut",
        "runs with C of at least (FLOPs)",
        "a",
    )
    chart.ticks(sorted({row["threshold"] for row in rows}), [0, 0.2, 0.4, 0.6, 0.8, 1])
    for row in rows:
        a, at = row["a"], row["threshold"]
        chart.line(np.array([at, at]), np.clip([a["lo"], a["hi"]], 0, 1), "#00224e")
        chart.dot(at, a["value"], "#00224e", hollow=row["on_bound"], note=f"{row['runs']} runs: a {a['value']:.3f}")
    return chart


def table(header: str, rows: list[list[str]]) -> str:
    """A Markdown table; `header` is split at |."""
    names = header.split("|")
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def interval(row: dict[str, float] | None) -> str:
    """A value with its interval, three digits."""
    return "none" if row is None else f"{row['value']:.3g} ({row['lo']:.3g} to {row['hi']:.3g})"


def number(value: float | None, digits: int = 0) -> str:
    """A number, or none."""
    return "none" if value is None else f"{value:,.{digits}f}"


def main(results: str, folder: str) -> None:
    """Write isoflops.svg and windows.svg to the folder and print the tables."""
    rows = [] if results.endswith(".csv") else read_rows(results)
    report = fit_report(runs_of(rows, "dense") if rows else parse_runs(Path(results).read_text()))
    isoflop_chart(report).save(Path(folder) / "isoflops.svg")
    window_chart(report).save(Path(folder) / "windows.svg")
    print(f"{report['runs']} runs\n")
    curves = [
        [
            *(f"{c['flop']:.3g}", str(len(c["loss"])), number(c["vertex_params"]), number(c["vertex_tokens"])),
            *(number(c["vertex_loss"], 3), number(c["r_squared"], 3), c["problem"] or "bracketed"),
        ]
        for c in report["isoflops"]
    ]
    print(table("C|runs|N at the vertex|D|loss|R²|verdict", curves), "\n")
    approaches = [[a["approach"], interval(a["a"]), a["reason"] or ""] for a in report["approaches"]]
    print(table("approach|a (95 %)|why not", approaches), "\n")
    print(
        table("coefficient|value (95 %)", [[name, interval(row)] for name, row in report["parametric"].items()]), "\n"
    )
    print(
        f"R² {report['fit']['r_squared']:.4f}, on a bound: {report['fit']['bounds'] or 'none'}; {report['warnings']}\n"
    )
    losses = [[row["loss"], *(f"{row[name]:.3g}" for name in ("a", "E", "alpha", "beta"))] for row in report["losses"]]
    print(table("loss function|a|E|alpha|beta", losses), "\n")
    gaps = [
        [f"{g['params']:,}", str(g["runs"]), f"{g['mean']:+.4f}", f"{g['least']:+.4f}", f"{g['most']:+.4f}"]
        for g in gap_by_size(rows)
    ]
    print(table("N|runs|mean held-out less training|least|most", gaps), "\n")
    print("\n".join(f"- {flag['id']}: {flag['why']}" for flag in flags(rows)) or "no flags")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""A sweep as a child process, for a page that must not hold what a sweep loads.

Run: python -m model.lab.child PLAN RESULTS. Each line of standard output is one JSON object: a `Progress`, or
`{"refused": line}`. The sweep ends in order once standard input is closed, so it never outlives who started it.
"""

import json
import sys
import threading
from dataclasses import asdict
from typing import IO

from model.lab.cells import plans
from model.lab.store import StoreError
from model.lab.sweep import Progress, run_sweep


def main(plan: str, results: str, commands: IO[str], answers: IO[str]) -> int:
    """Run a plan until it ends or `commands` is closed; the exit code is 2 where the file is refused."""
    closed = threading.Event()

    def listen() -> None:
        commands.read()
        closed.set()

    def tell(answer: dict[str, object]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    def on_progress(progress: Progress) -> None:
        tell(asdict(progress))

    threading.Thread(target=listen, daemon=True).start()
    try:
        run_sweep(plans()[plan], results, on_progress=on_progress, should_stop=closed.is_set)
    except StoreError as error:
        tell({"refused": str(error)})
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.stdin, sys.stdout))

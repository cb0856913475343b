"""python -m tests.campaign --minutes N [--seed S]: exits with 1, the seed and the smallest case if anything differs."""

from __future__ import annotations

import argparse
import json
import sys
import time
from itertools import count
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # what tests share

from .search import Figures, Found, compare, smallest


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default: 1)")
    parser.add_argument("--seed", type=int, default=None, help="of all chance; default: the time")
    given = parser.parse_args()
    seed = int(time.time()) if given.seed is None else given.seed
    print(f"seed {seed}, {given.minutes:g} minutes", flush=True)
    figures, found = Figures(), None
    end = time.monotonic() + 60 * given.minutes
    try:
        for number in count():
            found = compare(seed, number, figures)
            if found is not None or time.monotonic() > end:
                break
    except KeyboardInterrupt:
        print("stopped.")
    print(f"{figures.cases:,} cases, {figures.refused:,} of them refused; compared: ", end="")
    print(", ".join(f"{name} {times:,}" for name, times in figures.made.items()))
    if found is None:
        print("brute force agrees with everything.")
        return 0
    _show(seed, figures.cases - 1, smallest(found))
    return 1


def _show(seed: int, number: int, found: Found) -> None:
    print(f"seed {seed}, case {number}: {found.check} differs.\n{found.message}\nthe smallest case that differs:")
    print(json.dumps(found.case.to_json(), ensure_ascii=False))


if __name__ == "__main__":
    raise SystemExit(main())

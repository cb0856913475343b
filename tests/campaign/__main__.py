"""python -m tests.campaign [NAME …] [--minutes N] [--seed S]: exits with 1 and the seed if anything differs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # what tests share

from . import pathways, rules, search

CAMPAIGNS: dict[str, Callable[[int, float], bool]] = {
    "cases": search.run,
    "rules": rules.run,
    "pathways": pathways.run,
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=__doc__)
    parser.add_argument("names", nargs="*", help="which of them (default: all)")
    parser.add_argument("--minutes", type=float, default=1.0, help="how long, all together (default: 1)")
    parser.add_argument("--seed", type=int, default=None, help="of all chance; default: the time")
    given = parser.parse_args()
    names = given.names or [*CAMPAIGNS]
    if unknown := set(names) - set(CAMPAIGNS):
        parser.error(f"{', '.join(sorted(unknown))}: expected some of {', '.join(CAMPAIGNS)}.")
    seed = int(time.time()) if given.seed is None else given.seed
    print(f"seed {seed}, {given.minutes:g} minutes: {', '.join(names)}", flush=True)
    agree = []
    for name in names:
        print(f"{name}: ", end="", flush=True)
        agree.append(CAMPAIGNS[name](seed, time.monotonic() + 60 * given.minutes / len(names)))
    return int(not all(agree))


if __name__ == "__main__":
    raise SystemExit(main())

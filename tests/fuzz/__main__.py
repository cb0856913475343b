"""python -m tests.fuzz --minutes N [--seed S] [--only NAME …] [--folder DIR] [--input FILE]"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # what tests share

from .contract import judge
from .endless import Campaign, table, warm_up
from .targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long (default: 1)")
    parser.add_argument("--seed", type=int, default=None, help="of all chance; default: the time")
    parser.add_argument("--only", action="append", choices=[*TARGETS], help="a target; may be repeated")
    parser.add_argument("--folder", type=Path, default=Path("fuzz-failures"), help="for inputs that break the contract")
    parser.add_argument("--input", type=Path, help="try this kept input again, with --only NAME")
    given = parser.parse_args()
    names = given.only or [*TARGETS]
    if given.input is not None:
        return _again(names, given.input)
    seed = int(time.time()) if given.seed is None else given.seed
    print(f"seed {seed}, {given.minutes:g} minutes: {', '.join(names)}", flush=True)
    campaign = Campaign(names, seed, given.folder.absolute())
    try:
        campaign.run(60 * given.minutes)
    except KeyboardInterrupt:
        print("stopped.")
    print("\n".join(table(campaign.figures)))
    return int(any(figures.failures for figures in campaign.figures.values()))


def _again(names: list[str], path: Path) -> int:
    if len(names) != 1:
        raise SystemExit("--input: say of which target it is, with --only NAME.")
    data = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        warm_up(names)
        verdict = judge(TARGETS[names[0]], data)
        os.chdir("/")
    print(verdict.failure or f"the contract is kept: {'accepted' if verdict.accepted else 'refused'}")
    return int(verdict.failure is not None)


if __name__ == "__main__":
    raise SystemExit(main())

"""Inputs without end, in a process that may die of one: how many, which were accepted, and what went wrong."""

from __future__ import annotations

import mmap
import multiprocessing as mp
import os
import re
import struct
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from .contract import MAX_MEGABYTES, Verdict, judge, mortal
from .targets import TARGETS

SLICE = 2.0  # seconds for one target before it is another's turn
MAX_ADDED = 2 * int(MAX_MEGABYTES) * 2**20  # of address space: allocators ask for more than they use
NOW = struct.Struct("qq")  # the target's position and the input's number, where the process writes what it is doing
IN_MEMORY = "/dev/shm"  # where there is such a folder, no disk is waited for


@dataclass
class Figures:
    """What came of the inputs of one target."""

    tried: int = 0
    accepted: int = 0
    slowest: float = 0.0
    largest: float = 0.0
    failures: dict[str, list[int]] = field(default_factory=dict)  # what went wrong: the numbers of the inputs

    def add(self, verdict: Verdict) -> None:
        self.tried += 1
        self.accepted += verdict.accepted
        self.slowest = max(self.slowest, verdict.seconds)
        self.largest = max(self.largest, verdict.megabytes)

    def join(self, other: Figures) -> None:
        self.tried += other.tried
        self.accepted += other.accepted
        self.slowest = max(self.slowest, other.slowest)
        self.largest = max(self.largest, other.largest)

    def fail(self, failure: str, number: int) -> bool:
        """Whether nothing of the kind was seen before."""
        found = self.failures.setdefault(_kind(failure), [])
        found.append(number)
        return len(found) == 1


def _kind(failure: str) -> str:
    """Failures of one cause: the last line of a traceback without its values, and where it was raised."""
    places = re.findall(r'File "[^"]*/([^"/]+)", line (\d+)', failure)
    lines = failure.strip().splitlines() or [""]
    last = re.sub(r"\d+|'[^']*'|\"[^\"]*\"|/\S+", "…", lines[-1])[:120]
    return f"{last} ({places[-1][0]}:{places[-1][1]})" if places else last


def draw(name: str, seed: int, number: int) -> bytes:
    """The input of that number, the same in every process."""
    return TARGETS[name].draw(Random(f"{seed}:{name}:{number}"))


class Campaign:
    """Runs targets in turn, restarts what died, and keeps the inputs that went wrong."""

    def __init__(self, names: Sequence[str], seed: int, folder: Path) -> None:
        self.names, self.seed, self.folder = list(names), seed, folder
        self.figures = {name: Figures() for name in names}
        self.following = dict.fromkeys(names, 0)

    def run(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with mmap.mmap(-1, NOW.size) as now:
                self._watch(now, end)

    def _watch(self, now: mmap.mmap, end: float) -> None:
        """One process, until it dies or the time is over."""
        context = mp.get_context("fork")
        here, there = context.Pipe()
        process = context.Process(target=_work, args=(there, now, self.names, self.seed, dict(self.following), end))
        NOW.pack_into(now, 0, -1, -1)
        process.start()
        there.close()
        while True:
            try:
                message = here.recv()
            except EOFError:
                break
            self._take(*message)
        process.join()
        at, number = NOW.unpack_from(now, 0)
        if process.exitcode and at >= 0:
            name = self.names[at]
            self.figures[name].tried += number + 1 - self.following[name]
            self.following[name] = number + 1
            self._keep(name, number, f"the process ended with {process.exitcode}")
        elif process.exitcode:
            raise SystemExit(f"the process ended with {process.exitcode} while it was not trying an input.")

    def _take(self, name: str, figures: Figures | None, following: int, failure: str | None) -> None:
        if figures is not None:
            self.figures[name].join(figures)
            self.following[name] = following
        if failure is not None:
            self._keep(name, following, failure)

    def _keep(self, name: str, number: int, failure: str) -> None:
        if self.figures[name].fail(failure, number):
            self.folder.mkdir(parents=True, exist_ok=True)
            path = self.folder / f"{name}-{self.seed}-{number}{TARGETS[name].suffix}"
            path.write_bytes(draw(name, self.seed, number))
            print(f"\n{name}, input {number}, kept as {path}:\n{failure}", flush=True)


def _work(pipe: Connection, now: mmap.mmap, names: list[str], seed: int, following: dict[str, int], end: float) -> None:
    """Target after target, a slice of time each; every failure is said at once, figures after each slice."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if os.path.isdir(IN_MEMORY) else None) as folder:
        os.chdir(folder)
        tempfile.tempdir = folder
        warm_up(names)
        while time.monotonic() < end:
            for at, name in enumerate(names):
                figures, turn = Figures(), time.monotonic() + SLICE
                while time.monotonic() < min(turn, end):
                    number = following[name]
                    data = draw(name, seed, number)
                    NOW.pack_into(now, 0, at, number)
                    with mortal(MAX_ADDED):
                        verdict = judge(TARGETS[name], data)
                    NOW.pack_into(now, 0, -1, -1)  # an error from here on is the fuzzer's own
                    following[name] = number + 1
                    figures.add(verdict)
                    if verdict.failure is not None:
                        pipe.send((name, None, number, verdict.failure))
                pipe.send((name, figures, following[name], None))
        os.chdir("/")


def warm_up(names: Sequence[str]) -> None:
    """What is imported or made at a first use counts for no input."""
    from . import commands

    commands.prepare()
    for name in names:
        for number in range(2):
            judge(TARGETS[name], draw(name, 0, number))


COLUMNS = ("tried", "accepted", "refused", "slowest", "largest", "failures")


def table(figures: dict[str, Figures]) -> list[str]:
    """The figures as lines of text; failures of one kind are one."""
    lines = [f"{'target':<14}" + "".join(f"{name:>12}" for name in COLUMNS)]
    total = Figures()
    for name, entry in figures.items():
        total.join(entry)
        total.failures.update({f"{name}: {kind}": numbers for kind, numbers in entry.failures.items()})
    for name, entry in (*figures.items(), ("all", total)):
        refused = entry.tried - entry.accepted - sum(map(len, entry.failures.values()))
        counts = "".join(f"{count:>12,}" for count in (entry.tried, entry.accepted, refused))
        lines.append(f"{name:<14}{counts}{entry.slowest:>10.2f} s{entry.largest:>9.0f} MB{len(entry.failures):>12}")
    return lines

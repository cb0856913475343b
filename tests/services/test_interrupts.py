"""Ctrl-C: a search hears of it wherever it is, and nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest

import budgetree as bt
from budgetree.cli import main
from budgetree.services import clock
from budgetree.services.clock import Clock, instead_of_interrupt, none_lost


def test_ctrl_c_calls_every_listener_and_raises_nothing() -> None:
    heard: list[str] = []
    before = signal.getsignal(signal.SIGINT)
    with instead_of_interrupt(lambda: heard.append("outer")):
        with instead_of_interrupt(lambda: heard.append("inner")):
            signal.raise_signal(signal.SIGINT)
        assert heard == ["outer", "inner"]
        with instead_of_interrupt(lambda: heard.append("late")):  # who comes afterwards is told at once
            assert heard == ["outer", "inner", "late"]
    assert signal.getsignal(signal.SIGINT) is before


def test_who_presses_it_again_later_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "HURRY", 0.0)
    with instead_of_interrupt(lambda: None):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.001)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_somebody_elses_handler_and_other_threads_are_left_alone() -> None:
    heard: list[str] = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append("theirs"))
    try:
        with instead_of_interrupt(lambda: heard.append("ours")):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert heard == ["theirs"]

    def elsewhere() -> None:
        with instead_of_interrupt(lambda: None):
            heard.append("other thread")

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert heard[-1] == "other thread"


def test_an_interrupt_while_python_cleans_up_comes_again(capsys: pytest.CaptureFixture[str]) -> None:
    class Cleaned:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    def clean_up_and_wait() -> None:
        Cleaned()
        time.sleep(5)

    with none_lost(), pytest.raises(KeyboardInterrupt):
        clean_up_and_wait()
    assert "ignored" not in capsys.readouterr().err


def test_what_one_command_was_told_is_not_meant_for_the_next(capsys: pytest.CaptureFixture[str]) -> None:
    with none_lost():
        with pytest.raises(KeyboardInterrupt):
            clock.raise_interrupt(signal.SIGINT, None)
        assert clock.was_interrupted()
    assert main(["show", "nothing.json"]) == 1
    assert "nothing.json" in capsys.readouterr().err


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3])
def test_a_search_that_is_interrupted_at_any_time_has_an_answer(seconds: float) -> None:
    instance = bt.datasets.load("dna")
    clock = threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT])
    whole = Clock(None)
    with whole.listening():  # Ctrl-C may also come after the search, or before it listens
        clock.start()
        found = bt.frontier(instance, method="exact", folds=0, progress=False)
        clock.join()
    assert len(found) >= 1
    assert not found.complete
    assert found[0].max_cost == 0


def test_the_command_prints_its_table_when_it_is_interrupted() -> None:
    code = (
        "import os, signal, sys, threading; from budgetree.learn.exact import frontier\n"
        "seconds, search = float(sys.argv.pop(1)), frontier.search_frontier\n"
        "def begin(solver):\n"
        "    threading.Timer(seconds, os.kill, [os.getpid(), signal.SIGINT]).start()\n"
        "    return search(solver)\n"
        "from budgetree.learn import routes; routes.search_frontier = begin\n"
        "from budgetree.start import main; sys.exit(main())"
    )
    for seconds in ("0", "0.02", "0.2"):
        arguments = [seconds, "frontier", "dna", "--method", "exact", "--folds", "0"]
        done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "max-cost" in done.stdout
        assert "ended early" in done.stdout

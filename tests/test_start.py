"""The command line starts: Ctrl-C at any import ends it with 130 and one word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

# Sends itself Ctrl-C when so many modules have been imported, counted from start.py on; but not at backports_abc, where
# Cython's own code (NumPy 1.26) drops whatever is raised.
CODE = """
import os, signal, sys
import budgetree.start
at, seen = int(sys.argv.pop(1)), 0
def hook(event, given):
    global seen
    if event == "import" and given[0] != "backports_abc":
        seen += 1
        if seen == at:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(hook)
code = budgetree.start.main()
if at == 0:
    print(seen)
sys.exit(code)
"""


def run(at: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CODE, str(at), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name != "posix", reason="a signal is sent as POSIX does it")
def test_ctrl_c_during_imports_ends_quietly() -> None:
    arguments = ("datasets", "--json")
    n_imports = int(run(0, *arguments).stdout.split()[-1])
    assert n_imports > 100
    for at in range(1, n_imports, n_imports // 20):
        done = run(at, *arguments)
        assert (done.returncode, done.stderr.strip(), done.stdout) == (130, "stopped.", ""), at


@pytest.mark.skipif(os.name != "posix", reason="a signal is sent as POSIX does it")
def test_a_job_in_the_background_does_not_hear_ctrl_c() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        assert run(50, "datasets").returncode == 0
    finally:
        signal.signal(signal.SIGINT, before)


def test_little_is_imported_before_ctrl_c_can_be_caught() -> None:
    code = "import sys; before = set(sys.modules); import budgetree.start; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False, env=paths())
    ours = {"budgetree", "budgetree._version", "budgetree.start"}
    assert set(done.stdout.split()) - {"os", "stat", "_stat", "posixpath", "genericpath", "os.path"} <= ours | {
        "abc", "_abc", "_collections_abc",
    }  # fmt: skip


def paths() -> dict[str, str]:
    import budgetree

    return {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(budgetree.__file__))}

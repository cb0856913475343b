"""What must come of any input: success or a refusal in words, soon, in little memory, and nothing else.

An attempt returns whether the input was accepted, or raises the library's refusal; `judge` says what it did.
"""

from __future__ import annotations

import faulthandler
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import budgetree
from budgetree import errors

MAX_SECONDS = 2.0  # of processor time
MAX_MEGABYTES = 500.0
SECONDS_TO_KILL = 6.0  # where not even a signal ends it
# A ValueError as such, or one that we named; Python's own kinds, such as UnicodeDecodeError, say nothing to a user.
REFUSALS = (
    ValueError,
    *(kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ValueError)),
)
OURS = str(Path(budgetree.__file__).parent)

# Nothing that a file or an answer says may lead to these. Imports compile and run code too: that is forbidden where a
# module of ours asks for it itself, by eval, exec or compile.
FORBIDDEN = (
    "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.startfile", "os.putenv", "os.remove",
    "os.rmdir", "subprocess.Popen", "pickle.find_class", "socket.connect", "socket.bind", "socket.getaddrinfo",
    "os.rename", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown", "os.truncate", "os.utime",
    "shutil.rmtree", "urllib.Request", "ctypes.dlopen", "webbrowser.open",
)  # fmt: skip
OF_CODE = ("compile", "exec")
OF_FILES = (
    "open", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.truncate", "os.utime", "shutil.rmtree",
)  # fmt: skip
OF_TWO_FILES = ("os.rename", "os.link", "os.symlink")


class ViolationError(Exception):
    """The contract was broken in a way that no exception of Python's says."""


class Hang(BaseException):
    """More processor time than any input may take; no `except Exception` should swallow it."""


@dataclass(frozen=True)
class Target:
    """Something that reads what others wrote."""

    name: str
    suffix: str  # of the file in which an input is kept
    draw: Callable[[Random], bytes]
    attempt: Callable[[bytes], bool]  # whether it was accepted; a refusal is also what REFUSALS has
    cost: int = 1  # how many times as long as others it may take in an ordinary test run


@dataclass(frozen=True)
class Verdict:
    """What one input led to."""

    accepted: bool
    seconds: float
    megabytes: float
    failure: str | None = None  # None: the contract was kept


def judge(target: Target, data: bytes) -> Verdict:
    """Try the input, and say what came of it."""
    _reset_peak()
    before, began = _peak(), time.process_time()
    accepted, failure = False, None
    broken: list[str] = []
    try:
        with _limited(), warnings.catch_warnings(), _debugging(), _confined(broken):
            warnings.simplefilter("error", RuntimeWarning)  # what NumPy says of overflows is no message of ours
            accepted = target.attempt(data)
    except Exception as error:
        failure = _flaw(error)
    except Hang:
        failure = "hang: " + traceback.format_exc(limit=-6)
    if failure is None and broken:  # also where a refusal came after it
        failure = f"forbidden: {broken[0]}"
    seconds, megabytes = time.process_time() - began, _peak() - before
    if failure is None and seconds > MAX_SECONDS:
        failure = f"slow: {seconds:.1f} s of processor time"
    if failure is None and megabytes > MAX_MEGABYTES:
        failure = f"large: {megabytes:.0f} MB"
    return Verdict(accepted, seconds, megabytes, failure)


def _flaw(error: Exception) -> str | None:
    """Why an exception is no refusal in words; None where it is one."""
    if type(error) in REFUSALS and len(str(error)) > 10:
        last = traceback.extract_tb(error.__traceback__)[-1]
        if last.filename.startswith(OURS):
            return None
    return "".join(traceback.format_exception(error))[-3000:]


@contextmanager
def _debugging() -> Iterator[None]:
    """The command line shows where it failed, rather than to say that it did."""
    os.environ["BUDGETREE_DEBUG"] = "1"
    try:
        yield
    finally:
        del os.environ["BUDGETREE_DEBUG"]


@contextmanager
def _limited() -> Iterator[None]:
    """Hang is raised once the time is over; where Python no longer hears it, `mortal` ends the process."""

    def stop(*_: Any) -> None:
        raise Hang

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, 2 * MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def mortal(max_bytes: int) -> Iterator[None]:
    """For a process of its own: native code that hangs or takes all memory is ended by the system."""
    faulthandler.register(signal.SIGPROF, chain=True)  # says where, then the default: the process ends
    signal.setitimer(signal.ITIMER_PROF, SECONDS_TO_KILL)
    size = _status("VmSize")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(size * 2**20) + max_bytes, before[1]))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


_watchers: list[tuple[list[str], tuple[str, ...]]] = []
_allowed_names: set[str] = set()


@contextmanager
def allowing(*events: str) -> Iterator[None]:
    """What the tests themselves do."""
    _allowed_names.update(events)
    try:
        yield
    finally:
        _allowed_names.difference_update(events)


@contextmanager
def _confined(broken: list[str]) -> Iterator[None]:
    """What is done that no input may do is refused, and listed. Files are written in the working folder alone, and in
    the library's own temporary ones."""
    _hook()
    own = os.path.join(tempfile.gettempdir(), "budgetree-")
    _watchers.append((broken, (os.getcwd(), own, "/dev/", "/proc/")))
    try:
        yield
    finally:
        _watchers.pop()


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watchers or event in _allowed_names:
        return
    broken, folders = _watchers[-1]
    if event == "open":
        if not isinstance(arguments[0], (str, bytes)) or not _writes(arguments[1], arguments[2]):
            return
    elif event in OF_CODE:
        if not sys._getframe(1).f_code.co_filename.startswith(OURS):
            return
    elif event not in FORBIDDEN:
        return
    places = arguments[: 1 if event in OF_FILES else 2 if event in OF_TWO_FILES else 0]
    if places and all(_is_within(place, folders) for place in places):
        return
    broken.append(f"{event} {arguments!r:.200}")
    raise PermissionError(1, "no input may do this", event)


def _is_within(place: Any, folders: tuple[str, ...]) -> bool:
    """Whether a file is in one of the folders; one that is open already was allowed then."""
    return isinstance(place, int) or os.path.abspath(os.fsdecode(place)).startswith(folders)


def _writes(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(letter in mode for letter in "wax+")
    return bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


_is_hooked = False


def _hook() -> None:
    global _is_hooked
    if not _is_hooked:
        _is_hooked = True
        sys.addaudithook(_watch)


def _reset_peak() -> None:
    """Linux forgets the most memory so far; elsewhere it only grows, and a difference is what one input added."""
    try:
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


def _peak() -> float:
    """The most memory since then, in MB."""
    if os.path.exists("/proc/self/status"):
        return _status("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


def _status(entry: str) -> float:
    """An entry of /proc/self/status in MB."""
    with open("/proc/self/status") as file:
        line = next((line for line in file if line.startswith(entry)), f"{entry}: 0 kB")
    return int(line.split()[1]) / 2**10

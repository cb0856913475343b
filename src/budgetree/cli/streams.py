"""Where a command reads and prints, also where the shell has closed that or nobody reads on."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import TextIO

STREAMS = ("stdin", "stdout", "stderr")


class Closed(io.TextIOBase):
    """Standard output that the shell has closed (>&-): printing fails in words."""

    def write(self, text: str, /) -> int:
        raise OSError(errno.EBADF, "standard output is closed; there is nowhere to print", "stdout")


def prepare_streams() -> None:
    """Open what is closed, lest the next file take its place, and print what the terminal can show."""
    for number, name in enumerate(STREAMS):
        if getattr(sys, name) is None:
            _occupy(number)
            nowhere = open(os.devnull, "w" if number else "r", encoding="utf-8")  # noqa: SIM115 (as long as the process)
            setattr(sys, name, Closed() if name == "stdout" else nowhere)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal without ● shows ? rather than an error


def flush() -> None:
    """What is still to be printed, or the error that it cannot be."""
    sys.stdout.flush()


def give_up(stream: TextIO) -> None:
    """Nobody can read it any more, so what is left goes nowhere; else Python would complain of it at its end."""
    try:
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())
        stream.flush()
    except (OSError, ValueError):  # closed, or no file at all
        pass


def _occupy(number: int) -> None:
    try:
        os.fstat(number)
    except OSError:
        opened = os.open(os.devnull, os.O_RDWR)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)

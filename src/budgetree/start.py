"""How the command line starts: from the first moment on, Ctrl-C ends it without a traceback."""

import os
import sys

STOPPED = 130


def main() -> int:
    """Run the command that was typed; the exit code."""
    try:
        from signal import SIGINT, default_int_handler, getsignal, signal

        is_heard = getsignal(SIGINT) is default_int_handler  # a job in the background leaves Ctrl-C to others
        if is_heard:  # KeyboardInterrupt within an import may become any other error
            signal(SIGINT, _quit)
        from budgetree.cli.main import main as run
        from budgetree.services.clock import raise_interrupt

        if is_heard:
            signal(SIGINT, raise_interrupt)
        code = run()
        if is_heard:
            signal(SIGINT, _quit)  # all is said; what Python does at its end is not worth a traceback
        return code
    except KeyboardInterrupt:
        _quit()
    return STOPPED


def _quit(*_: object) -> None:
    try:  # noqa: SIM105 (another import is another place for Ctrl-C)
        os.write(2, b"stopped.\n")
    except OSError:
        pass
    os._exit(STOPPED)


if __name__ == "__main__":
    sys.exit(main())

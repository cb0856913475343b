"""The command line: one file per command; what is slow to import is imported when a command needs it."""

from budgetree.cli.main import main

__all__ = ["main"]

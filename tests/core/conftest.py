"""Where there is no core, there is nothing to test here."""

from __future__ import annotations

from budgetree.core import core

collect_ignore_glob = [] if core is not None else ["test_*.py"]

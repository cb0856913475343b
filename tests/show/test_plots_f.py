"""matplotlib is an extra."""

from __future__ import annotations

import subprocess
import sys


def test_without_matplotlib_the_error_names_the_extra() -> None:
    script = """
import sys
sys.modules["matplotlib"] = None
import budgetree as bt
tree = bt.grow(bt.datasets.load("figure1"))
assert tree._repr_html_()
try:
    bt.plot_tree(tree)
except ImportError as error:
    print(error)
"""
    printed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert "pip install 'budgetree[plot]'" in printed

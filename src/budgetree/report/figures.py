"""The edge to matplotlib, which is an extra."""

from __future__ import annotations

from typing import Any


def new_axes(width: float, height: float) -> Any:
    """Axes of a new figure of this many inches; an error that names the extra where matplotlib is missing."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'budgetree[plot]'.") from error
    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]

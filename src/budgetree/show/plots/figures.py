"""The edge to matplotlib, which is an extra."""

from __future__ import annotations

from typing import Any


def need_matplotlib() -> None:
    """An error that names the extra where matplotlib is missing."""
    try:
        import matplotlib.pyplot  # noqa: F401
    except ImportError as error:
        raise ImportError("pictures need matplotlib: pip install 'budgetree[plot]'.") from error


def new_axes(width: float, height: float) -> Any:
    """Axes of a new figure of this many inches."""
    need_matplotlib()
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]

"""A colour per class, told apart also by people who do not see all colours."""

from __future__ import annotations

import colorsys

# Okabe and Ito's colours for universal design, without yellow, which is too pale for a line.
FEW = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#5B5B5B")
WORST = "#B00020"  # the costliest path
GREYS = ("#8C8C8C", "#595959", "#B3B3B3")  # answers that are no class


def class_colours(n_classes: int) -> tuple[str, ...]:
    """As many colours as classes; beyond the few that everyone tells apart, a wheel of two brightnesses."""
    if n_classes <= len(FEW):
        return FEW[:n_classes]
    wheel = (colorsys.hls_to_rgb(i / n_classes, (0.35, 0.6)[i % 2], 0.65) for i in range(n_classes))
    return tuple("#" + "".join(f"{round(part * 255):02X}" for part in colour) for colour in wheel)


def answer_colours(n_classes: int, n_answers: int) -> tuple[str, ...]:
    """Those of the classes, and greys for whatever else may be answered."""
    return (*class_colours(n_classes), *(GREYS[i % len(GREYS)] for i in range(n_answers - n_classes)))


def tint(colour: str, share: float = 0.2) -> str:
    """The colour mixed with white."""
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * share):02X}" for part in parts)

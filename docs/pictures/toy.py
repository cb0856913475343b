"""The toy of the paper's Figure 1: sixty cases, and what each of its two tests makes of them."""

import matplotlib.pyplot as plt
import numpy as np

import budgetree as bt

CIRCLE, TRIANGLE = "#0072b2", "#d55e00"
toy = bt.datasets.load("figure1")


def draw(axes, rows, title):
    """The cases of some rows as a block of marks, ten to a line."""
    order = rows[np.argsort(toy.labels[rows], kind="stable")]
    for place, row in enumerate(order):
        is_circle = toy.labels[row] == 0
        axes.plot(
            place % 10, -(place // 10), "o" if is_circle else "^", color=CIRCLE if is_circle else TRIANGLE, markersize=6
        )
    circles = int((toy.labels[rows] == 0).sum())
    axes.set_title(f"{title}\n{circles} circles, {len(rows) - circles} triangles", fontsize=9)
    axes.set_xlim(-1, 10)
    axes.set_ylim(-6, 1)
    axes.set_aspect("equal")
    axes.axis("off")


figure, grid = plt.subplots(2, 3, figsize=(8, 4.6), layout="constrained")
for row, test in zip(grid, range(2), strict=True):
    draw(row[0], np.arange(60), "all cases")
    for outcome in (0, 1):
        draw(row[1 + outcome], np.flatnonzero(toy.codes[:, test] == outcome), f"{toy.test_names[test]} shows {outcome}")

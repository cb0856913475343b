"""What the pictures of the paper's toy share: its cases as marks, circles before triangles."""

import numpy as np

import budgetree as bt

COLOURS = {"circle": "#0072B2", "triangle": "#D55E00"}
MARKS = {"circle": "o", "triangle": "^"}
toy = bt.datasets.load("figure1")


def draw(axes, rows, title):
    """Some of the cases as a block of marks, ten to a line, with how many there are of each class."""
    labels = np.sort(toy.labels[rows])
    place = np.arange(len(labels))
    counts = []
    for label, name in enumerate(toy.class_names):
        at = place[labels == label]
        axes.plot(at % 10, -(at // 10), MARKS[name], color=COLOURS[name], markersize=6)
        counts.append(f"{len(at)} {name}s")
    axes.set_title(f"{title}\n{', '.join(counts)}", fontsize=9)
    axes.set_xlim(-1, 10)
    axes.set_ylim(-7, 0.6)
    axes.set_aspect("equal")
    axes.axis("off")


def answered(axes, rows):
    """Below the block: the answer that gets most of them right."""
    counts = np.bincount(toy.labels[rows], minlength=2)
    answer, wrong = toy.class_names[counts.argmax()], counts.sum() - counts.max()
    axes.text(4.5, -6.8, f"answer {answer}: {wrong} wrong", ha="center", color=COLOURS[answer], fontsize=9)

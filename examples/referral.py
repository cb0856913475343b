"""Missed cases against false alarms and referrals, on new patients, as the loss of a miss rises.

pip install '.[plot]' pandas
python examples/referral.py [PICTURE] [BUDGET]

Diabetes with real prices: a false alarm loses 1, a referral to a specialist 0.6, whoever is referred, and a missed case
ever more. Every number is of patients whom the tree has not seen: each fifth is answered by a tree learned from the
others. No patient's tests cost more than the budget, at any loss.
"""

import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot

import budgetree as bt

mpl.use("Agg")  # into a file, also where there is no screen
PRICES = bt.datasets.load("pima").prices
MISSES = (1, 2, 4, 6, 8, 16, 32)  # what one loses
REFERRAL, FOLDS = 0.6, 5


def held_out_answers(losses: bt.Losses, budget: float) -> np.ndarray:
    """What each patient is answered by a tree that has not seen them."""
    pima = bt.datasets.frame("pima")
    fold = np.random.default_rng(0).permutation(len(pima)) % FOLDS
    answers = np.empty(len(pima), dtype=object)
    for part in range(FOLDS):
        known = bt.Instance.from_frame(pima[fold != part], "diabetes", prices=PRICES, losses=losses)
        tree = bt.predictive(known, budget=budget)
        codes = tree.encode(pima[fold == part])
        assert tree.cost(codes).max() <= budget + 1e-9
        answers[fold == part] = tree.predict(codes)
    return answers


def count(miss: float, others: dict[str, float], ill: np.ndarray, budget: float) -> tuple[int, int, int]:
    """(missed, false alarms, referred) where a miss loses this much."""
    answers = held_out_answers(bt.Losses({"pos": {"neg": miss}, "neg": {"pos": 1}}, answers=others), budget)
    missed, alarms = ill & (answers == "neg"), ~ill & (answers == "pos")
    return int(missed.sum()), int(alarms.sum()), int((answers == "refer").sum())


def main(picture: Path, budget: float) -> None:
    ill = (bt.datasets.frame("pima")["diabetes"] == "pos").to_numpy()
    print(f"{len(ill)} patients, {ill.sum()} of them ill; budget {budget:g}, {PRICES}")
    print(f"{'':>12} {'with referrals':>43} {'without':>26}")
    names = ("a miss loses", "missed", "false alarms", "referred", "mean loss", "missed", "false alarms", "mean loss")
    print(" ".join(f"{name:>{max(8, len(name))}}" for name in names))
    rows, without = [], []
    for miss in MISSES:
        rows.append(count(miss, {"refer": REFERRAL}, ill, budget))
        without.append(count(miss, {}, ill, budget))
        means = [np.dot((miss, 1, REFERRAL), counts) / len(ill) for counts in (rows[-1], without[-1])]
        shown = (miss, *rows[-1], f"{means[0]:.3f}", *without[-1][:2], f"{means[1]:.3f}")
        print(" ".join(f"{cell:>{max(8, len(name))}}" for name, cell in zip(names, shown, strict=True)))
    draw(np.array(rows), np.array(without), len(ill), budget).savefig(picture, dpi=120)
    print(f"the picture is in {picture}")


def draw(rows: np.ndarray, without: np.ndarray, n_patients: int, budget: float) -> pyplot.Figure:
    """Curves over the missed cases; below each point of false alarms stands what a miss loses there."""
    figure, axes = pyplot.subplots(figsize=(7.5, 4.6), layout="constrained")
    axes.plot(*without[:, :2].T, "o--", color="#D55E00", label="false alarms, if nobody can be referred")
    axes.plot(*rows[:, :2].T, "o-", color="#E69F00", linewidth=2, label="false alarms")
    axes.plot(*rows[:, ::2].T, "o-", color="#6B6B6B", linewidth=2, label="referred")
    for miss, (missed, alarms, _) in zip(MISSES, rows, strict=True):
        axes.annotate(f"{miss}", (missed, alarms), xytext=(0, -15), textcoords="offset points", ha="center")
    axes.set_xlabel("missed cases (below the points: what a miss loses)")
    axes.set_ylabel(f"of {n_patients} patients")
    axes.set_title(f"What fewer misses cost, within a budget of {budget:g}", loc="left")
    axes.set_xscale("symlog", linthresh=1)  # few misses lie close together
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    arguments = sys.argv[1:]
    place = Path(arguments[0]) if arguments else Path(tempfile.mkdtemp()) / "referral.png"
    main(place, float(arguments[1]) if len(arguments) > 1 else 22.61)

"""
Misses, false alarms and referral
=================================

Sending an ill patient home is worse than a false alarm, and a doctor who is not sure may refer the patient to a
specialist. Say what each of these loses, and budgetree gives the answer that loses least, within the budget for tests.

Here a false alarm loses 1, a referral 0.6, whatever the case, and a miss more and more. Every number below is of
patients whom the tree has not seen: each fifth is answered by a tree that was learned from the others.
"""

import matplotlib.pyplot as plt
import numpy as np

import budgetree as bt

BUDGET, REFERRAL, FOLDS = 3, 0.6, 5
MISSES = (1, 2, 4, 6, 8, 16, 32)  # what one loses
PRICES = bt.datasets.load("pima").prices
pima = bt.datasets.frame("pima")
is_ill = (pima["diabetes"] == "pos").to_numpy()
fold = np.random.default_rng(0).permutation(len(pima)) % FOLDS

# %%
# Losses for one setting
# ----------------------
# A loss is named by what the patient has and what is answered instead. ``answers`` are those that are not classes.


def losses_of(miss: float, answers: dict[str, float]) -> bt.Losses:
    return bt.Losses({"pos": {"neg": miss}, "neg": {"pos": 1}}, answers=answers)


cases = bt.Instance.from_frame(pima, "diabetes", prices=PRICES, losses=losses_of(6, {"refer": REFERRAL}))
tree = bt.predictive(cases, budget=BUDGET)
print(tree.to_text(confusion=True))

# %%
# On patients whom the tree has not seen
# --------------------------------------
# No patient's tests cost more than the budget, whatever is lost.


def held_out_answers(losses: bt.Losses) -> np.ndarray:
    """What each patient is answered by a tree that has not seen them."""
    answers = np.empty(len(pima), dtype=object)
    for part in range(FOLDS):
        known = bt.Instance.from_frame(pima[fold != part], "diabetes", prices=PRICES, losses=losses)
        tree = bt.predictive(known, budget=BUDGET)
        unseen = pima[fold == part]
        assert tree.walk(unseen).cost.max() <= BUDGET
        answers[fold == part] = tree.predict(unseen)
    return answers


def count(miss: float, answers: dict[str, float]) -> tuple[int, int, int]:
    """(missed, false alarms, referred) where a miss loses this much."""
    given = held_out_answers(losses_of(miss, answers))
    missed, alarms = is_ill & (given == "neg"), ~is_ill & (given == "pos")
    return int(missed.sum()), int(alarms.sum()), int((given == "refer").sum())


with_referral = np.array([count(miss, {"refer": REFERRAL}) for miss in MISSES])
without = np.array([count(miss, {}) for miss in MISSES])

print(f"{len(pima)} patients, {is_ill.sum()} of them ill; no patient's tests cost more than {BUDGET}")
print(f"{'a miss':>8}{'':>10}{'with referral':<20}{'':>12}{'without':<16}")
print(f"{'loses':>8}{'missed':>8}{'alarms':>8}{'referred':>10}{'loss':>8}{'missed':>12}{'alarms':>8}{'loss':>8}")
for miss, one, other in zip(MISSES, with_referral, without, strict=True):
    losses = [np.dot((miss, 1, REFERRAL), counts) / len(pima) for counts in (one, other)]
    print(f"{miss:>8}{one[0]:>8}{one[1]:>8}{one[2]:>10}{losses[0]:>8.3f}{other[0]:>12}{other[1]:>8}{losses[1]:>8.3f}")

# %%
# What fewer misses cost
# ----------------------
# From right to left a miss loses more. Where no one can be referred, the last misses are avoided by calling nearly
# everyone ill; with a specialist, by referring.

figure, axes = plt.subplots(figsize=(7.5, 4.6), layout="constrained")
axes.plot(*without[:, :2].T, "o--", color="#D55E00", label="false alarms, without referral")
axes.plot(*with_referral[:, :2].T, "o-", color="#E69F00", linewidth=2, label="false alarms")
axes.plot(*with_referral[:, ::2].T, "o-", color="#6B6B6B", linewidth=2, label="referred")
for miss, (missed, alarms, _) in zip(MISSES, with_referral, strict=True):
    axes.annotate(f"{miss}", (missed, alarms), xytext=(0, -15), textcoords="offset points", ha="center")
axes.set_xlabel("missed cases (below the points: what a miss loses)")
axes.set_ylabel(f"of {len(pima)} patients")
axes.set_title(f"What fewer misses cost, within a budget of {BUDGET}", loc="left")
axes.set_xscale("symlog", linthresh=1)  # few misses lie close together
axes.xaxis.set_major_formatter("{x:g}")
axes.set_xlim(left=0)
axes.set_ylim(bottom=0)
axes.spines[["top", "right"]].set_visible(False)
axes.legend(frameon=False)
plt.show()

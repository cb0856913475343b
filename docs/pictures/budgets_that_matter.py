"""Which budgets the frontier of the Pima data asks, in their order, and how far each answer reaches."""

from unittest.mock import patch

import matplotlib.pyplot as plt

import budgetree as bt
from budgetree.learn.exact.solver import BudgetResult, Solver

questions: list[BudgetResult] = []
decide = Solver.decide


def recorded(solver: Solver, budget: int, cutoff: int) -> BudgetResult:
    questions.append(decide(solver, budget, cutoff))
    return questions[-1]


pima = bt.datasets.load("pima")
with patch.object(Solver, "decide", recorded):
    frontier = bt.frontier(pima, method="exact", folds=0)
unit = 0.01  # the prices have two decimals
end = frontier[-1].max_cost + 2

figure, (above, below) = plt.subplots(
    2, 1, figsize=(6.8, 5), sharex=True, layout="constrained", height_ratios=(2, 3), gridspec_kw={"hspace": 0.05}
)
costs = [*(point.max_cost for point in frontier), end]
errors = [*(point.errors for point in frontier), frontier[-1].errors]
above.fill_between(costs, errors, step="post", color="#DDDDDD")
above.step(costs, errors, where="post", color="#0072B2", linewidth=2)
above.plot(costs[:-1], errors[:-1], "o", color="#0072B2", markersize=4)
above.set(ylabel="fewest errors, proven", ylim=(0, None))
for place, asked in enumerate(questions, 1):
    start = asked.budget * unit
    below.plot([start, min(max(asked.changes * unit, start), end)], [place, place], color="#E69F00", linewidth=3)
    below.plot(start, place, "o", color="#1A1A1A", markersize=4)
below.invert_yaxis()
below.set(ylabel="question", xlabel="budget", xlim=(-0.5, end))
below.set_title("● the budget asked    ━ the budgets up to which its answer holds", fontsize=9, loc="left")
for axes in (above, below):
    axes.spines[["top", "right"]].set_visible(False)

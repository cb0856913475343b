"""What every budget buys in the toy, and what none can buy."""

import matplotlib.pyplot as plt
from toy_marks import toy

import budgetree as bt

frontier = bt.frontier(toy, method="exact", folds=0)
budgets = [*(point.max_cost for point in frontier), 3]
errors = [*(point.errors for point in frontier), frontier[-1].errors]
figure, axes = plt.subplots(figsize=(6, 2.8), layout="constrained")
axes.fill_between(budgets, errors, step="post", color="#DDDDDD", label="no tree can be here, proven")
axes.step(budgets, errors, where="post", color="#0072B2", linewidth=2, label="the fewest errors")
axes.plot(budgets[:-1], errors[:-1], "o", color="#0072B2")
axes.set(xlabel="budget", ylabel="errors of 60", xlim=(-0.05, 3), ylim=(0, 33), xticks=range(4))
axes.legend(frameon=False, loc="upper right")
axes.spines[["top", "right"]].set_visible(False)

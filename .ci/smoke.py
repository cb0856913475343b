"""Whether an installed budgetree works: python .ci/smoke.py, from anywhere."""

from __future__ import annotations

import budgetree as bt
from budgetree._native import core

print(f"budgetree {bt.__version__}, native core ({core.processor()})")
instance = bt.datasets.load("house_votes")
tree = bt.grow(instance, budget=3)
best = bt.optimal(instance, budget=3)
wrong = int((best.tree.predict_codes(instance.codes) != instance.schema.classes[instance.labels]).sum())
assert best.proven, best
assert wrong == best.tree.errors <= tree.errors, (wrong, best.tree.errors, tree.errors)
print(f"house_votes with three tests: {tree.errors} errors by the greedy rule, {wrong} proven to be the fewest")

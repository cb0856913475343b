"""Whether an installed budgetree works: python .ci/smoke.py native|plain, from anywhere."""

from __future__ import annotations

import sys

import budgetree as bt
from budgetree.core import core, describe

kind = "plain" if core is None else "native"
print(f"budgetree {bt.__version__}, {describe()}")
if kind not in sys.argv[1:]:
    sys.exit(f"this is the {kind} one; expected {' '.join(sys.argv[1:])}")
instance = bt.datasets.load("house_votes")
tree = bt.grow(instance, budget=3)
best = bt.optimal(instance, budget=3)
wrong = int((best.tree.predict(instance.codes) != instance.schema.classes[instance.labels]).sum())
assert best.proven, best
assert wrong == best.tree.errors <= tree.errors, (wrong, best.tree.errors, tree.errors)
print(f"house_votes with three tests: {tree.errors} errors by the greedy rule, {wrong} proven to be the fewest")

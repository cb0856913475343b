"""Problems of the brute force with losses as instances of ours, and our trees as its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from support import outcomes_below

import budgetree as bt
import reference_losses as brute


def to_instance(problem: brute.Problem) -> bt.Instance:
    """The same cases, prices, fees, weights and losses."""
    tests = [f"t{test}" for test in range(len(problem.prices))]
    outcomes = [[str(outcome) for outcome in range(len(prices))] for prices in problem.prices]
    prices = {
        test: dict(zip(names, of, strict=True)) for test, names, of in zip(tests, outcomes, problem.prices, strict=True)
    }
    needed = [
        [test for test, needs in zip(tests, problem.needs, strict=False) if fee in needs]
        for fee in range(len(problem.fees))
    ]
    shared = {f"f{fee}": (problem.fees[fee], named) for fee, named in enumerate(needed) if named}
    classes = [f"c{number}" for number in range(problem.n_classes)]
    extra = {
        f"a{answer}": [row[answer] for row in problem.losses] for answer in range(problem.n_classes, problem.n_answers)
    }
    return bt.Instance(
        np.array(problem.rows),
        np.array(problem.classes),
        prices=bt.Prices(prices, shared=shared),
        weights=list(problem.weights) or None,
        test_names=tests,
        outcome_names=outcomes,
        class_names=classes,
        losses=bt.Losses([row[: problem.n_classes] for row in problem.losses], answers=extra),
    )


def to_tree(tree: bt.Tree) -> Any:
    """A tree of ours as nested tuples."""

    nodes, label = tree.nodes, tree.schema.loss_table.best(tree.nodes.counts)

    def visit(node: int) -> Any:
        if nodes.is_leaf[node]:
            return ("leaf", int(label[node]))
        below = enumerate(outcomes_below(nodes, node))
        return ("test", int(nodes.test[node]), {outcome: visit(child) for outcome, child in below if child >= 0})

    return visit(0)

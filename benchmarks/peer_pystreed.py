"""pystreed's optimal binary trees: by depth at unit prices, by the mean cost at others."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from peer_trees import (
    Case,
    Leaf,
    Result,
    Split,
    Sweep,
    binary_split,
    judged,
    path_cost,
    spelled,
    swept,
    timed,
)
from pystreed import CostSpecifier, FeatureCostSpecifier, STreeDClassifier, STreeDCostSensitiveClassifier

PYSTREED_DEPTHS = (1, 2, 3, 4, 5)
ERROR_PRICES = (2, 5, 10, 20, 30, 50, 75, 100, 200, 500, 1000, 10000)


def cut_at_levels(case: Case, pool: Sequence[int]) -> tuple[NDArray[np.intc], list[tuple[int, int]]]:
    """A binary column "at most this outcome" for every boundary between outcomes, and what it stands for."""
    codes = case.instance.codes
    owners = [(column, int(code)) for column in pool for code in np.unique(codes[:, column])[:-1]]
    return np.stack([codes[:, column] <= code for column, code in owners], axis=1).astype(np.intc), owners


def read_pystreed(node: Any, case: Case, owners: Sequence[tuple[int, int]]) -> Leaf | Split:
    if node.is_leaf_node():
        return Leaf(int(node.label))
    column, last = owners[node.feature]
    # Its left branch is where the binary feature is 0: above the boundary.
    above = range(last + 1, case.n_outcomes(column))
    children = [read_pystreed(child, case, owners) for child in (node.left_child, node.right_child)]
    return binary_split(column, above, case.n_outcomes(column), children)


def fit_accuracy(case: Case, table: NDArray[np.intc], depth: int) -> STreeDClassifier:
    solver = STreeDClassifier(
        "accuracy",
        max_depth=depth,
        max_num_nodes=2**depth - 1,
        time_limit=case.patience,
        use_similarity_lower_bound=False,  # as in exact.py
    )
    return solver.fit(table, case.instance.labels)


def pystreed_prices(case: Case, owners: Sequence[tuple[int, int]]) -> list[FeatureCostSpecifier]:
    """The price list in pystreed's words.

    A column's binary features are a range, paid once on a path. A shared fee is a group: the first of its columns costs
    its price and the fee, the others get a discount.
    """
    instance, specifiers = case.instance, []
    for column, name in enumerate(instance.test_names):
        features = [index for index, (owner, _) in enumerate(owners) if owner == column]
        if not features:
            continue
        alone = path_cost([name], instance.prices)
        shares = [shared for shared in instance.prices.shared.items() if name in shared[1].tests]
        assert len(shares) <= 1, "pystreed has one group for a feature"
        group, fee = (shares[0][0], shares[0][1].fee) if shares else (f"only {name}", Fraction(0))
        specifiers.append(FeatureCostSpecifier(float(alone), float(alone - fee), group, features[0], features[-1]))
    return specifiers


def fit_costs(
    case: Case, table: NDArray[np.intc], specifiers: list[FeatureCostSpecifier], depth: int, error_price: float
) -> STreeDCostSensitiveClassifier:
    n_classes = case.instance.n_classes
    errors = [[0.0 if said == true else error_price for said in range(n_classes)] for true in range(n_classes)]
    solver = STreeDCostSensitiveClassifier(max_depth=depth, time_limit=case.patience)
    return solver.fit(table, case.instance.labels, CostSpecifier(errors, specifiers))


def pystreed_trees(case: Case) -> Sweep:
    return pystreed_depths(case) if case.unit else pystreed_costs(case)


def pystreed_depths(case: Case) -> Sweep:
    table, owners = cut_at_levels(case, range(case.instance.n_tests))
    seconds, fitted = timed(lambda depth: fit_accuracy(case, table, depth), PYSTREED_DEPTHS)
    results = [judged_pystreed(case, model, table, owners) for _, model in fitted]
    late = [depth for depth, model in fitted if not model.fit_result.is_optimal()]
    if not late:
        return swept(case, seconds, results)
    sweep = swept(case, seconds, results, f"pystreed: stopped after {case.patience:g} s at depth {spelled(late)}")
    # Within d tests the best binary tree has a depth of at least d: unknown if that search was cut short.
    cells = {budget: replace(cell, finished=budget < min(late)) for budget, cell in sweep.cells.items()}
    return replace(sweep, cells=cells)


def pystreed_costs(case: Case) -> Sweep:
    total, results = 0.0, []
    for pool in case.pools():
        table, owners = cut_at_levels(case, pool)
        prices = pystreed_prices(case, owners)
        seconds, fitted = timed(
            lambda setting, table=table, prices=prices: fit_costs(case, table, prices, *setting),
            itertools.product(case.cost_depths, ERROR_PRICES),
        )
        total += seconds
        results += [judged_pystreed(case, model, table, owners) for _, model in fitted]
    late = sum(not result.finished for result in results)
    note = f"pystreed: {late} of {len(results)} searches stopped after {case.patience:g} s" if late else ""
    return swept(case, total, results, note)


def judged_pystreed(case: Case, model: Any, table: NDArray[np.intc], owners: Sequence[tuple[int, int]]) -> Result:
    tree = read_pystreed(model.get_tree(), case, owners)
    return judged(case, tree, model.predict(table), model.fit_result.is_optimal())

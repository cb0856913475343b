"""LightGBM's one tree: penalties for features over a grid, and affordable sets of columns."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import comb
from typing import Any

import lightgbm
import numpy as np
from peer_trees import (
    Case,
    Leaf,
    Split,
    Sweep,
    binary_split,
    judged,
    path_cost,
    spelled,
    swept,
    timed,
)

COUPLED_TRADEOFFS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # against a gain that is summed over the rows
LAZY_TRADEOFFS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)  # charged for every row, so smaller
LIGHTGBM_DEPTHS = (1, 2, 3, 4, 5, 8, -1)
MAX_CONSTRAINTS = 5000  # sets of columns; LightGBM goes through all of them at every node

ONE_EXACT_TREE = {
    "objective": "binary",
    "boost_from_average": False,  # else a leaf's sign is not that of its majority
    "learning_rate": 1.0,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0.0,
    "min_data_in_bin": 1,
    "min_data_per_group": 1,
    "cat_smooth": 0.0,
    "cat_l2": 0.0,
    "max_cat_to_onehot": 1,
    "feature_pre_filter": False,
    "num_leaves": 4096,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}


def affordable_sets(case: Case, budget: Fraction) -> list[list[int]] | None:
    """Every largest set of columns that the budget buys together; None if these are too many to list."""
    names, prices = case.instance.test_names, case.instance.prices
    columns = range(len(names))
    if case.unit:
        size = min(int(budget), len(names))
        few = comb(len(names), size) <= MAX_CONSTRAINTS
        return [list(chosen) for chosen in itertools.combinations(columns, size)] if few else None
    if 2 ** len(names) > MAX_CONSTRAINTS:
        return None
    subsets = [set(some) for size in columns for some in itertools.combinations(columns, size + 1)]
    bought = [some for some in subsets if path_cost((names[column] for column in some), prices) <= budget]
    return [sorted(some) for some in bought if not any(some < other for other in bought)]


def lightgbm_settings(case: Case) -> Iterator[dict[str, Any]]:
    prices = [float(path_cost([name], case.instance.prices)) for name in case.instance.test_names]
    grids = (
        ("cegb_penalty_feature_coupled", COUPLED_TRADEOFFS),  # once for the whole tree
        ("cegb_penalty_feature_lazy", LAZY_TRADEOFFS),  # for every row that reaches the test
    )
    for penalty, tradeoffs in grids:
        for tradeoff, depth in itertools.product(tradeoffs, LIGHTGBM_DEPTHS):
            yield {penalty: prices, "cegb_tradeoff": tradeoff, "max_depth": depth}
    for budget in case.budgets:
        constraints = affordable_sets(case, budget)
        if constraints is not None:
            yield {"interaction_constraints": constraints}


def read_lightgbm(node: Mapping[str, Any], case: Case) -> Leaf | Split:
    if "leaf_value" in node:
        return Leaf(int(node["leaf_value"] > 0))
    column, threshold = node["split_feature"], node["threshold"]
    if node["decision_type"] == "==":
        left = [int(code) for code in threshold.split("||")]
    else:
        left = [code for code in range(case.n_outcomes(column)) if code <= threshold]
    children = [read_lightgbm(node[f"{side}_child"], case) for side in ("left", "right")]
    return binary_split(column, left, case.n_outcomes(column), children)


def lightgbm_tree(case: Case) -> Sweep:
    instance = case.instance
    if instance.n_classes != 2:
        return Sweep(note=f"LightGBM: with {instance.n_classes} classes it grows {instance.n_classes} trees, not one")
    table, total, results = instance.codes.astype(np.float64), 0.0, []
    settings = list(lightgbm_settings(case))
    for categorical in ([], list(range(instance.n_tests))):
        data = lightgbm.Dataset(table, instance.labels, categorical_feature=categorical, params=ONE_EXACT_TREE)
        seconds, fitted = timed(
            lambda setting, data=data: lightgbm.train(ONE_EXACT_TREE | setting, data, num_boost_round=1), settings
        )
        total += seconds
        for _, model in fitted:
            tree = read_lightgbm(model.dump_model()["tree_info"][0]["tree_structure"], case)
            results.append(judged(case, tree, (model.predict(table, raw_score=True) > 0).astype(int)))
    left_out = [budget for budget in case.budgets if affordable_sets(case, budget) is None]
    note = (
        f"LightGBM: more than {MAX_CONSTRAINTS} affordable sets, not listed, at B = {spelled(left_out)}"
        if left_out
        else ""
    )
    return swept(case, total, results, note)

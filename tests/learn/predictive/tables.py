"""Small random tables for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

import budgetree as bt
from budgetree.data.column import Column
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.data.table import Table
from budgetree.learn.predictive.fit import Fitter, fine_instance
from budgetree.learn.predictive.growth import Place
from budgetree.services.clock import Clock
from budgetree.tree import Origin
from budgetree.tree.provenance import LeafKind, Method

seeds = st.integers(0, 2**32 - 1)


def random_columns(seed: int, n_cases: int = 60, n_classes: int = 3) -> list[Column]:
    """Two numeric tests of many values, one of few, two nominal; some values missing; the class leans on them."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, n_classes, n_cases)
    smooth = labels + rng.normal(size=n_cases)
    smooth[rng.random(n_cases) < 0.1] = np.nan
    nominal = np.array(["a", "b", "c", "d"])[(labels + rng.integers(0, 2, n_cases)) % 4]
    return [
        Column("smooth", "float", numbers=smooth),
        Column("noise", "float", numbers=rng.normal(size=n_cases)),
        Column("few", "float", numbers=np.round(labels / 2 + rng.normal(size=n_cases)).clip(-2, 3)),
        Column("kind", "text", values=nominal.tolist()),
        Column("coin", "text", values=[None if rng.random() < 0.1 else "ht"[rng.integers(2)] for _ in labels]),
        Column("class", "text", values=[f"class {label}" for label in labels]),
    ]


def random_prices(seed: int) -> bt.Prices:
    """Prices that depend on outcomes, and a fee that two tests share; all in tenths."""
    rng = np.random.default_rng(seed)
    amount = [int(value) / 10 for value in rng.integers(0, 40, 8)]
    return bt.Prices(
        {"kind": {"a": amount[0], "b": amount[1], "c": amount[2], "d": amount[3]}, "smooth": amount[4]},
        shared={"blood draw": (amount[5], ["smooth", "kind"]), "room": (amount[6], ["noise", "kind"])},
        default=amount[7],
    )


def random_instance(seed: int, *, prices: Any = None, n_cases: int = 60, n_classes: int = 3) -> bt.Instance:
    columns = random_columns(seed, n_cases, n_classes)
    if prices is not None:  # prices by outcome name all outcomes, so all must be there
        columns[3].values[:4] = ["a", "b", "c", "d"]  # type: ignore[index]
    return instance_of(columns, "class", prices=prices)


def instance_of(columns: list[Column], target: str, *, prices: Any = None) -> bt.Instance:
    """Fine codes of raw columns."""
    table = Table("frame", tuple(columns), len(columns[0]))
    return fine_instance(bt.Instance.from_table(table, target, prices=prices, duplicates="keep"))


def any_codes(seed: int, instance: bt.Instance, n_cases: int = 300) -> NDArray[np.uint8]:
    """Codes of every kind: known outcomes, bytes beyond them, and UNSEEN."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, np.minimum(instance.schema.n_outcomes + 2, 256), (n_cases, instance.n_tests))
    codes[rng.random(codes.shape) < 0.1] = 255
    return codes.astype(np.uint8)


def fit_trees(
    instance: bt.Instance,
    budgets: Sequence[int],
    *,
    confidence: float | None = None,
    leaves: LeafKind | None = "model",
    clock: Clock | None = None,
    threads: int = 1,
) -> list[bt.Tree]:
    """What is learned for several budgets in price units."""
    fitter = Fitter(instance, leaves, confidence, threads)
    return [fitter.tree(budget, clock or Clock(None), Origin(Method.PREDICTIVE)) for budget in budgets]


def fit_tree(instance: bt.Instance, *, budget_units: int, **settings: Any) -> bt.Tree:
    """The tree for one."""
    return fit_trees(instance, [budget_units], **settings)[0]


def place_of(instance: bt.Instance, tests: Sequence[int]) -> Place:
    """As if these tests had grown in a chain without branches."""
    costs = instance.schema.costs
    root = place = Place(np.arange(instance.n_objects), costs.start)
    for test in tests:
        place.test, place.after = test, Place(place.cases, costs.after_buying(place.state, test))
        place = place.after
    return root


def pathway_of(
    instance: bt.Instance,
    tests: Sequence[int] | None = None,
    *,
    budget: int = LARGEST_EXACT,
    leaves: LeafKind | None = None,
    confidence: float | None = None,
) -> bt.Tree:
    """What is learned for a chain of tests, by default all of them in order, within a budget in price units."""
    chain = list(range(instance.n_tests) if tests is None else tests)
    fitter = Fitter(instance, leaves, confidence)
    return fitter.pathway(place_of(instance, chain), chain, budget, Clock(None), Origin(Method.PREDICTIVE))

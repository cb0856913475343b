"""Random problems with every rule of a pathway, and the rules as a person reads them, which share no code with ours."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import budgetree as bt
from budgetree.problem import CostModel, PathState

TESTS = ["t0", "t1", "t2", "t3", "p0", "p1"]  # the last two come in a panel, where there is one


@dataclass(frozen=True)
class Problem:
    """Rules in the user's words, and what they were bound to."""

    prices: bt.Prices
    outcomes: list[list[str]]
    costs: CostModel

    @property
    def lists(self) -> list[bt.Prices | bt.Limit]:
        return [self.prices, *self.prices.limits.values()]

    def panel(self, test: str) -> list[str]:
        return next((list(panel.tests) for panel in self.prices.panels.values() if test in panel.tests), [test])


def random_problem(seed: int) -> Problem:
    """One to three resources, prices by outcome and fees in each; a panel, an order and a beginning in some."""
    rng = np.random.default_rng(seed)
    outcomes = [[str(name) for name in range(n)] for n in rng.integers(2, 5, len(TESTS))]
    has_panel, resources = rng.random() < 0.5, ["price", "time", "blood"][: rng.integers(1, 4)]
    alone = TESTS[:4] if has_panel else TESTS

    def amounts() -> dict[str, Any]:
        tests = {test: {name: int(rng.integers(0, 7)) for name in outcomes[TESTS.index(test)]} for test in alone}
        fees = [
            (int(rng.integers(0, 5)), [test for test in alone if rng.random() < 0.6]) for _ in range(rng.integers(3))
        ]
        return {"tests": tests, "shared": {f"f{at}": fee for at, fee in enumerate(fees) if fee[1]}}

    limits: dict[str, Any] = {name: bt.Limit(int(rng.integers(8, 30)), **amounts()) for name in resources[1:]}
    if rng.random() < 0.3:
        limits["tests"] = int(rng.integers(2, 7))
    panels = {"lab": {"tests": TESTS[4:], **{name: int(rng.integers(0, 9)) for name in resources}}} if has_panel else {}
    order: dict[str, Any] = {}
    for later, test in enumerate(TESTS[1:4], start=1):
        if rng.random() < 0.4:
            order[test] = {"after": [str(rng.choice(TESTS[:later]))]}
        elif rng.random() < 0.4:
            before = int(rng.integers(later))
            shown = [name for name in outcomes[before] if rng.random() < 0.6] or outcomes[before][:1]
            order[test] = {"after": {TESTS[before]: shown}}
    first = [["t0"], ["p0"], []][rng.integers(3)]
    if has_panel and first == ["p0"]:
        first = ["lab"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tests that cannot be reached
        prices = bt.Prices(**amounts(), limits=limits, panels=panels, order=order, first=first)
        return Problem(prices, outcomes, prices.bind(TESTS, outcomes))


def dominates(better: PathState, worse: PathState) -> bool:
    """Whether one can pay for every tree that the other can, on the same cases; as the core has it."""
    spends_no_more = all(a <= b for a, b in zip(better.spent, worse.spent, strict=True))
    return spends_no_more and better.flags & worse.flags == worse.flags


def check_rules(tree: bt.Tree, rng: np.random.Generator, n_rows: int = 200) -> None:
    """No case exceeds a limit or breaks the order, whatever it shows; what it takes is what its results take."""
    rows = rng.integers(0, 6, (n_rows, len(tree.test_names))).astype(np.uint8)
    walk = tree.walk_codes(rows)
    totals = walk.all_spent
    for row, tests, spent in zip(rows.tolist(), walk.tests, totals.T.tolist(), strict=True):
        names = [list(tree.schema.outcome_names[tree.test_names.index(test)]) for test in tests]
        shown = [row[tree.test_names.index(test)] for test in tests]
        done = [(t, n[c] if c < len(n) else None) for t, n, c in zip(tests, names, shown, strict=True)]
        taken = assert_kept(tree, done)
        scaled = [r.amount(units) for r, units in zip(tree.schema.costs.resources, spent, strict=True)]
        assert taken == pytest.approx(scaled)


def assert_kept(tree: bt.Tree, done: list[tuple[str, Any]], case: bt.Consultation | None = None) -> list[float]:
    """The rules as a person reads them; done: tests in order, with the outcome or None for one that is not listed."""
    prices, shown = tree.schema.prices, dict[str, Any]()
    members = {test: name for name, panel in prices.panels.items() for test in panel.tests}
    first = [test for name in prices.first for test in (prices.panels[name].tests if name in prices.panels else [name])]
    if case is None:
        assert [test for test, _ in done][: len(first)] == first
    for test, outcome in done:
        for name in (test, members.get(test, test)):
            for before, wanted in prices.order.get(name, {}).items():
                named = prices.panels[before].tests[0] if before in prices.panels else before
                if case is None or not case.charge_unavailable:
                    assert named in shown
                assert wanted is None or shown[named] in wanted
        if case is None or outcome is not None:
            shown[test] = outcome
    totals = []
    for resource, amounts in [("price", prices), *prices.limits.items()]:
        total = sum(float(fee.fee) for fee in amounts.shared.values() if not shown.keys().isdisjoint(fee.tests))
        for panel in prices.panels.values():
            taken = float(panel.amounts.get(resource, len(panel.tests)))
            total += taken if not shown.keys().isdisjoint(panel.tests) else 0
            assert case is not None or shown.keys().isdisjoint(panel.tests) or shown.keys() >= set(panel.tests)
        for test, outcome in shown.items():
            price = 0 if test in members else amounts.tests.get(test, amounts.default or 0)
            total += float(price.get(outcome, max(price.values())) if isinstance(price, dict) else price)
        assert resource == "price" or total <= float(prices.limits[resource].max)
        totals.append(total)
    return totals

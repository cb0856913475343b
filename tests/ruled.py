"""Problems with rules (reference_rules) as users give them, and trees walked by every case that there could be."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import budgetree as bt
from reference_rules import BrokenRuleError, History, RuleProblem

RESOURCES = ("price", "time", "risk", "staff")


def name_of(test: int) -> str:
    return f"t{test}"


def prices_of(problem: RuleProblem) -> bt.Prices:
    names = {test: name_of(test) for test in range(problem.n_tests)}
    alone = [test for test in names if problem.together(test) == (test,)]
    lists: list[dict[str, Any]] = []
    for r in range(problem.n_resources):
        tests = {names[t]: {str(o): of[r] for o, of in enumerate(problem.own[t])} for t in alone}
        fees = [(fee[r], [names[t] for t in sorted(of)]) for fee, of in problem.fees if of]
        lists.append({"tests": tests, "shared": {f"f{at} of {RESOURCES[r]}": fee for at, fee in enumerate(fees)}})
    panels = {}
    for at, (amounts, of) in enumerate(problem.panels):
        panels[f"p{at}"] = {"tests": [names[t] for t in sorted(of)]} | dict(zip(RESOURCES, amounts, strict=False))
    order = {
        names[test]: {"after": {names[n]: None if shown is None else sorted(map(str, shown)) for n, shown in rules}}
        for test, rules in problem.after.items()
    }
    limits = {RESOURCES[r]: bt.Limit(limit, **lists[r]) for r, limit in enumerate(problem.limits, start=1)}
    return bt.Prices(**lists[0], limits=limits, panels=panels, order=order, first=[names[t] for t in problem.first])


def instance_of(problem: RuleProblem) -> bt.Instance:
    classes = [str(c) for c in range(len(problem.losses))]
    losses = None
    if any(loss != (c != a) for c, row in enumerate(problem.losses) for a, loss in enumerate(row)):
        rows = zip(classes, problem.losses, strict=True)
        losses = bt.Losses({c: dict(zip(classes, row, strict=True)) for c, row in rows})
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "prices: no path can buy")
        return bt.Instance(
            problem.codes,
            problem.labels,
            test_names=[name_of(test) for test in range(problem.n_tests)],
            outcome_names=[[str(o) for o in range(n)] for n in problem.n_outcomes],
            class_names=classes,
            weights=problem.weights,
            prices=prices_of(problem),
            losses=losses,
        )


def judge_tree(problem: RuleProblem, tree: bt.Tree, budget: int) -> int:
    """What the tree loses on the problem's cases, once every case that could be has gone through it.

    A result may be any outcome, or one that is not listed: then the test takes as much as its costliest outcome, and
    meets no condition on outcomes. Limits, order and the beginning are checked here, by each case's own history.
    """
    limits, worst = (budget, *problem.limits), (0,) * problem.n_resources
    for results in product(*(range(n + 1) for n in problem.n_outcomes)):
        _, charged = _walk(problem, tree, results, limits)
        worst = tuple(map(max, worst, charged))
    stated = tuple(cost.worst for cost in tree.costs.values())
    if any(a > b for a, b in zip(worst, stated, strict=True)):
        raise BrokenRuleError(f"cases take up to {worst}, and the tree says {stated}")
    total = 0
    for row, label, weight in zip(problem.codes, problem.labels, problem.weights, strict=True):
        total += weight * problem.losses[label][_walk(problem, tree, row, limits)[0]]
    return total


def _walk(
    problem: RuleProblem, tree: bt.Tree, results: tuple[int, ...], limits: tuple[int, ...]
) -> tuple[int, tuple[int, ...]]:
    """The answer, and what the case has paid; it raises BrokenRuleError where the case is made to break a rule."""
    nodes, node, bought = tree.nodes, 0, list[int]()
    number = {name_of(test): test for test in range(problem.n_tests)}
    while not nodes.is_leaf[node]:
        test = number[tree.schema.test_names[int(nodes.test[node])]]
        if not nodes.is_buy[node]:
            if test not in bought:
                raise BrokenRuleError(f"{test} is read before it is bought")
            node = int(nodes.below(node)[results[test]])
            continue
        history = _history(problem, bought, results)
        is_in_panel = any(each in bought for each in problem.together(test))
        if test in bought or not (is_in_panel or problem.is_in_order(history, test)):
            raise BrokenRuleError(f"{test} is bought after {bought}, with {results}")
        bought.append(test)
        if any(a > b for a, b in zip(_charged(problem, bought, results), limits, strict=True)):
            raise BrokenRuleError(f"{bought} with {results} exceeds {limits}")
        node = int(nodes.below(node)[0])
    if not problem.is_complete(_history(problem, bought, results)):
        raise BrokenRuleError(f"a path ends after {bought}, before its beginning is complete")
    if {each for test in bought for each in problem.together(test)} != set(bought):
        raise BrokenRuleError(f"of a panel only some tests are bought: {bought}")
    return int(nodes.label[node]), _charged(problem, bought, results)


def _history(problem: RuleProblem, bought: list[int], results: tuple[int, ...]) -> History:
    """What is not listed is in no condition; -1 is no outcome."""
    return frozenset((test, results[test] if results[test] < problem.n_outcomes[test] else -1) for test in bought)


def _charged(problem: RuleProblem, bought: list[int], results: tuple[int, ...]) -> tuple[int, ...]:
    bills = [amounts for amounts, tests in (*problem.fees, *problem.panels) if tests & set(bought)]
    for test in bought:
        own = problem.own[test]
        listed = results[test] < len(own)
        bills.append(own[results[test]] if listed else tuple(map(max, zip(*own, strict=True))))
    return tuple(map(sum, zip(*bills, strict=True))) if bills else (0,) * problem.n_resources

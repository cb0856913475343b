"""Exact search under rules: several resources, fees in each, order, panels, a beginning; against brute force."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

from budgetree import _core
from reference_rules import Found, RuleProblem, combinations_of_rules, draw_problem, judge, least_losses

MOST = 16  # the largest budget
COMBINATIONS = list(combinations_of_rules())


def lowered(problem: RuleProblem) -> dict[str, Any]:
    """What the core makes its CostModel of: panels are fees, order and the beginning are flags."""
    n_tests, width = problem.n_tests, max(problem.n_outcomes)
    bills = [*problem.fees, *problem.panels]
    flags: dict[Any, int] = {("bill", at): at for at in range(len(bills))}

    def flag_of(needed: int, shown: frozenset[int] | None) -> int:
        panel = next((at for at, (_, tests) in enumerate(bills) if at >= len(problem.fees) and needed in tests), None)
        if shown is None and panel is not None:
            return panel
        return flags.setdefault((needed, shown), len(flags))

    pays = np.zeros(n_tests, dtype=np.uint64)
    needs = np.zeros(n_tests, dtype=np.uint64)
    for at, (_, tests) in enumerate(bills):
        pays[list(tests)] |= np.uint64(1 << at)
    for test in range(n_tests):
        together = problem.together(test)
        rules = [rule for each in together for rule in problem.after.get(each, ())]
        begun = min((problem.first.index(each) for each in together if each in problem.first), default=None)
        rules += [(earlier, None) for earlier in problem.first[:begun]]
        for needed, shown in rules:
            if needed not in together:
                needs[test] |= np.uint64(1 << flag_of(needed, shown))
    sets = np.tile(pays[:, None], width + 1)
    for (needed, shown), flag in flags.items():
        if needed == "bill":
            continue
        results = range(width + 1) if shown is None else shown
        for result in results:
            sets[needed, result] |= np.uint64(1 << flag)
    amounts = np.zeros((problem.n_resources, n_tests, width), dtype=np.int64)
    for test, own in enumerate(problem.own):
        for r in range(problem.n_resources):
            amounts[r, test] = max(of[r] for of in own)
            amounts[r, test, : len(own)] = [of[r] for of in own]
    fees = np.zeros((problem.n_resources, len(flags)), dtype=np.int64)
    for at, (bill, _) in enumerate(bills):
        fees[:, at] = bill
    limits = np.array([MOST, *problem.limits], dtype=np.int64)
    return {"amounts": amounts, "flag_amounts": fees, "pays": pays, "needs": needs, "sets": sets, "limits": limits}


def by_price(problem: RuleProblem) -> list[int]:
    """The tests in the order that exact search wants."""
    return sorted(range(problem.n_tests), key=lambda test: max(of[0] for of in problem.own[test]))


class CoreSearch:
    """The core's search of a problem, which says tests by the problem's own numbers."""

    def __init__(self, problem: RuleProblem, *, cache_bytes: int = 1 << 20, may_count_pairs: bool = True) -> None:
        self.problem, self.order = problem, by_price(problem)
        # By class, as the layout has them.
        cases = sorted(range(len(problem.codes)), key=lambda case: problem.labels[case])
        weights = np.array([problem.weights[case] for case in cases], dtype=np.int64)
        kept = _core.Cases(
            np.array([[problem.codes[case][test] for test in self.order] for case in cases], dtype=np.uint8),
            np.array([problem.labels[case] for case in cases], dtype=np.int32),
            None if (weights == 1).all() else weights,
            np.array([problem.n_outcomes[test] for test in self.order], dtype=np.int32),
            len(problem.losses),
        )
        rules = lowered(problem)
        for name, axis in {"amounts": 1, "pays": 0, "needs": 0, "sets": 0}.items():
            rules[name] = np.ascontiguousarray(np.take(rules[name], self.order, axis=axis))
        is_plain = all(loss == (c != a) for c, row in enumerate(problem.losses) for a, loss in enumerate(row))
        policy = _core.LeafPolicy(None if is_plain else np.array(problem.losses, dtype=np.int64), len(problem.losses))
        unavoidable = np.array([self._unavoidable(case) for case in cases], dtype=np.int64)
        self.search = _core.Search(kept, _core.CostModel(**rules), policy, unavoidable, cache_bytes, may_count_pairs)

    def _unavoidable(self, case: int) -> int:
        problem = self.problem
        alike = tuple(other for other, row in enumerate(problem.codes) if row == problem.codes[case])
        answer = min(range(len(problem.losses[0])), key=lambda answer: problem.loss_of(alike, answer))
        return problem.loss_of((case,), answer)

    def ask(self, budget: int, cutoff: int = _core.NEVER, **passes: Any) -> Any:
        return self.search.ask(_core.Question(budget, cutoff), _core.Clock(), _core.Pass(**passes))

    def tree(self, budget: int, *, is_canonical: bool = False, **passes: Any) -> Found:
        question = _core.Question(budget)
        question.is_canonical = is_canonical
        return self.as_found(self.search.tree(question, _core.Clock(), _core.Pass(**passes)))

    def as_found(self, arrays: Any) -> Found:
        nodes = [Found(None if test < 0 else self.order[test]) for test in arrays["test"].tolist()]
        places = zip(nodes, arrays["parent"].tolist(), arrays["outcome"].tolist(), strict=True)
        for node, parent, outcome in places:
            if parent >= 0:
                nodes[parent].below[outcome] = node
        return nodes[0]


def check_problem(problem: RuleProblem, random: Random) -> int:
    """Everything that exact search says of a problem, budgets in any order; how many budgets were asked."""
    expected = least_losses(problem, MOST)
    budgets = [budget for budget, loss in enumerate(expected) if loss is not None]
    searches = [CoreSearch(problem), CoreSearch(problem, may_count_pairs=False), CoreSearch(problem, cache_bytes=0)]
    for search in searches:
        for budget in random.sample(budgets, len(budgets)):
            least, cutoff = expected[budget], random.randint(0, 6)
            assert least is not None
            if random.random() < 0.3:  # what a narrow pass leaves in the cache must not mislead
                narrow = {"breadth": random.choice((1, 2))}
                assert search.ask(budget, **narrow).value >= least
                assert judge(problem, search.tree(budget, **narrow), budget) >= least
            value = search.ask(budget, cutoff).value
            assert value == least if value < cutoff else cutoff <= value <= least, (budget, cutoff, value, least)
            answer = search.ask(budget)
            assert answer.value == least, budget
            assert all(expected[b] == least for b in range(budget, min(answer.changes, MOST + 1)))
            assert judge(problem, search.tree(budget), budget) == least
            assert judge(problem, search.tree(budget, is_canonical=True), budget) == least
    for budget in random.sample(budgets, min(3, len(budgets))):
        least, wanted = expected[budget], random.randint(1, 5)
        assert least is not None
        assert searches[0].search.lower_bound(_core.Question(budget), wanted, _core.Clock()) <= least
        found, tree = CoreSearch(problem).search.search_in_parallel(_core.Question(budget), _core.Clock(), 2, 0.01)
        assert found.answer.value == found.lower_bound == least
        assert tree is None or judge(problem, searches[0].as_found(tree), budget) == least
    return len(budgets)


@pytest.mark.parametrize("n_resources", [1, 2, 3])
@pytest.mark.parametrize("is_binary", [True, False])
def test_exact_search_is_brute_force_under_every_combination_of_rules(n_resources: int, is_binary: bool) -> None:
    n_budgets = 0
    for kinds in COMBINATIONS:
        random = Random(f"{kinds} {n_resources} {is_binary}")
        n_budgets += check_problem(draw_problem(random, kinds, n_resources, 2 if is_binary else 3), random)
    assert n_budgets > 300


# ── traps that problems at random rarely notice ──────────────────────────────────────────────────────────────────────


def hand_made(rows: Sequence[tuple[int, ...]], labels: Sequence[int], own: Sequence[Any], **rules: Any) -> RuleProblem:
    """Binary tests with one price each, of money and time."""
    return RuleProblem(
        codes=tuple(rows),
        labels=tuple(labels),
        weights=(1,) * len(rows),
        losses=((0, 1), (1, 0)),
        n_outcomes=(2,) * len(own),
        own=tuple((of, of) for of in own),
        **rules,
    )


def test_a_test_that_is_free_in_money_alone_is_not_done_first() -> None:
    # Three tests tell the class; a fourth costs no money, but the time of two of them.
    rows = [row[:4] for row in product((0, 1), repeat=4)]
    problem = hand_made(rows, [(b + c + d) % 2 for _, b, c, d in rows], [(0, 3), (1, 1), (1, 1), (1, 1)], limits=(4,))
    assert least_losses(problem, 3)[3] == 0
    assert check_problem(problem, Random(1)) == MOST + 1


def test_what_was_refuted_with_less_time_is_not_refuted_with_more() -> None:
    # t1 is quicker than t0 and shows the same: the same cases are searched with less and with more time left.
    rows, labels = read(
        "00010:1 00110:0 00100:0 11010:1 11000:0 00000:1 00101:0 00001:1 11111:0 00001:0 11100:0 11101:0 00101:0"
    )
    problem = hand_made(rows, labels, [(1, 2), (1, 1), (1, 4), (1, 3), (1, 2)], limits=(6,))
    assert check_climbing(problem) == [4, 2, 2, 1, 1, 1]


def test_what_was_refuted_without_a_flag_is_not_refuted_with_it() -> None:
    # t1 shows nearly the same as t0, but only t0 unlocks t4: what is proven after t1 says nothing of t0.
    rows, labels = read("00100:0 11000:1 11011:1 00111:0 00110:0 00111:0 00010:0 10100:0 00101:0 11001:0")
    problem = hand_made(rows, labels, [(1, 1)] * 5, limits=(9,), after={4: ((0, None),)})
    assert check_climbing(problem) == [2, 1, 1, 0, 0, 0]


def read(cases: str) -> tuple[list[tuple[int, ...]], list[int]]:
    """Results and class of each case."""
    pairs = [case.split(":") for case in cases.split()]
    return [tuple(map(int, results)) for results, _ in pairs], [int(label) for _, label in pairs]


def check_climbing(problem: RuleProblem) -> list[int]:
    """What exact search says of the budgets from 0 to 5, each asked of a search that knows nothing, and of one."""
    expected = least_losses(problem, 5)
    for budget in (3, 4, 5):
        assert CoreSearch(problem).ask(budget).value == expected[budget], budget
    search = CoreSearch(problem)
    found = [search.ask(budget).value for budget in range(6)]
    assert found == expected
    check_problem(problem, Random(0))
    return found

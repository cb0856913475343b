"""Trees of pathways with rules: what they take of every resource, panels bought whole, and a fixed beginning."""

from __future__ import annotations

import itertools
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import budgetree as bt
from _support.refusals import refused
from _support.rules import TESTS as NAMES
from _support.rules import assert_kept, check_rules, random_problem
from budgetree.errors import ModelFileError, SettingError, TreeError
from budgetree.problem.cost_model import NotAllowedError, Reason, RuleKind
from budgetree.tree.provenance import ProofState

from .test_consultation import most_by_trying

TESTS = ("ecg", "glucose", "insulin", "mri", "xray")
RULES = bt.Prices(
    {"ecg": 40, "mri": {"0": 250, "1": 300}, "xray": 60},
    limits={"time": bt.Limit(90, {"ecg": 15, "mri": 45, "xray": {"0": 10, "1": 20}}, unit="min")},
    panels={"lab": {"tests": ["glucose", "insulin"], "price": 30, "time": 25}},
    order={"mri": {"after": {"xray": ["1"]}}},
    first=["ecg"],
)


@pytest.fixture
def cases() -> bt.Instance:
    codes = np.random.default_rng(0).integers(0, 2, (80, 5))
    labels = codes[:, 0] ^ (codes[:, 3] & codes[:, 4]) ^ (codes[:, 1] & codes[:, 2])
    return bt.Instance(codes, labels, test_names=TESTS, prices=RULES)


def build(cases: bt.Instance) -> bt.Tree:
    """ECG, then the laboratory or an X-ray, and an MRI where that shows 1."""
    builder = bt.TreeBuilder(cases)
    well, ill, other = builder.branch(builder.buy(builder.root, "ecg"), "ecg")
    builder.leaf(other)
    for end in builder.branch(builder.buy(well, "insulin"), "insulin"):
        for below in builder.branch(end, "glucose"):
            builder.leaf(below)
    clear, unclear, unlisted = builder.branch(builder.buy(ill, "xray"), "xray")
    builder.leaf(clear)
    builder.leaf(unlisted)
    for end in builder.branch(builder.buy(unclear, "mri"), "mri"):
        builder.leaf(end)
    return builder.build()


def test_costs_have_every_resource(cases: bt.Instance) -> None:
    tree = build(cases)
    rows = np.array(list(itertools.product(range(3), repeat=5)), dtype=np.uint8)
    walk = tree.walk_codes(rows)
    time = walk.further_costs["time"]
    expected = []
    for ecg, _, _, mri, xray in rows.tolist():
        money, minutes = 40, 15
        if ecg == 0:
            money, minutes = 70, 40
        elif ecg == 1:
            money, minutes = money + 60, minutes + (10 if xray == 0 else 20)
            if xray == 1:
                money, minutes = money + (250 if mri == 0 else 300), minutes + 45
        expected.append((money, minutes))
    assert list(zip(walk.cost.tolist(), time.tolist(), strict=True)) == expected
    assert (tree.max_cost, tree.costs["price"].worst, tree.costs["price"].limit) == (400, 400, None)
    assert (tree.costs["time"].worst, tree.costs["time"].limit) == (80, 90)
    known = tree.walk_codes(cases.codes)
    assert tree.mean_cost == tree.costs["price"].mean == pytest.approx(known.cost.mean())
    assert tree.costs["time"].mean == pytest.approx(known.further_costs["time"].mean())


def test_what_a_rule_forbids_is_not_built(cases: bt.Instance) -> None:
    builder = bt.TreeBuilder(cases)
    with pytest.raises(NotAllowedError, match="'mri' may only follow 'ecg' and 'xray' with '1'"):
        builder.buy(builder.root, "mri")
    with refused(TreeError, subject="test", expected="ecg"):
        builder.leaf(builder.root)
    end = builder.buy(builder.root, "ecg")
    assert builder.allowed(end) == [1, 4]
    both = builder.buy(end, "glucose")
    assert both.state.tests == (0, 1, 2)
    seen = builder.branch(builder.buy(both, "xray"), "xray")
    assert builder.allowed(seen[1]) == []  # 15 + 25 + 20 + 45 minutes are more than 90
    with pytest.raises(NotAllowedError, match="'mri' can raise 'time' of a case to 105; the limit of 'time' is 90"):
        builder.buy(seen[1], "mri")
    with pytest.raises(NotAllowedError) as caught:
        builder.buy(seen[2], "mri")
    assert caught.value.reason is Reason.ORDER


@pytest.mark.filterwarnings("ignore:prices. no path can buy")
def test_a_tree_is_read_as_it_was_written_and_rules_are_checked(cases: bt.Instance, tmp_path: Path) -> None:
    tree, path = build(cases), tmp_path / "tree.json"
    tree.to_json(path)
    again = bt.Tree.from_json(path)
    text = json.dumps(json.loads(path.read_text(encoding="utf-8")))
    assert again.nodes == tree.nodes
    assert again.schema.prices == RULES
    assert again.costs == tree.costs
    for before, after in [
        ('"max": 90', '"max": 70'),
        ('"first": ["ecg"]', '"first": ["xray"]'),
        ('{"xray": ["1"]}', '{"xray": ["0"]}'),
        ('{"xray": ["1"]}', '{"xray": ["none"]}'),
        ('"glucose", "insulin"', '"glucose", "xray"'),
        ('"max": 90', '"max": -90'),
        ('"amounts": {', '"amounts": {"tiem": 3, '),
    ]:
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")
        with pytest.raises(ModelFileError):
            bt.Tree.from_json(path)


@pytest.mark.filterwarnings("ignore:prices. no path can buy")
def test_changes_keep_the_rules(cases: bt.Instance) -> None:
    tree = build(cases)
    cut = tree.cut(100)
    assert (cut.max_cost, cut.costs["time"].worst) == (100, 40)
    with refused(SettingError, subject="budget", found=30, expected=40):
        tree.cut(30)
    builder = bt.TreeBuilder(cases)
    for end in builder.branch(builder.buy(builder.root, "ecg"), "ecg"):
        builder.leaf(end, bt.Fixed((1.0, 0.0)))
    trimmed = builder.build().trim()
    assert (trimmed.n_leaves, trimmed.max_cost) == (1, 40)
    assert tree.trim().max_cost == tree.max_cost
    with pytest.raises(NotAllowedError, match="'mri' can raise 'time'"):
        tree.priced(RULES.limited({"time": 60}))
    with pytest.raises(NotAllowedError, match="may only follow"):
        tree.priced(bt.Prices(1, order={"xray": {"after": ["mri"]}}))
    with refused(TreeError, subject="test"):
        tree.priced(bt.Prices(1, first=["ecg", "xray"]))
    assert tree.priced(1).max_cost == 3


def test_a_case_ends_where_a_rule_forbids_the_next_test(cases: bt.Instance) -> None:
    case = bt.Consultation(build(cases))
    assert case.costs == {"price": (0, 400, 40), "time": (0, 80, 15)}
    case.answer("1")
    assert case.costs == {"price": (40, 360, 60), "time": (15, 65, 20)}
    case.answer("1")
    assert (case.next_test, case.refusal, case.costs["time"]) == ("mri", None, (35, 45, 45))
    case.undo()
    case.unavailable()
    if not case.done:  # most known cases went on without it
        raise AssertionError
    if case.refusal is not None:
        assert (case.refusal.reason, case.refusal.subject) == (Reason.ORDER, "mri")
    assert case.costs["price"].remaining == 0


def test_what_needs_another_test_is_not_fetched_together_with_it(cases: bt.Instance) -> None:
    builder = bt.TreeBuilder(cases)
    end = builder.root
    for test in ("ecg", "insulin", "xray"):  # the panel is bought whole
        end = builder.buy(end, test)
    builder.leaf(end)
    case = bt.Consultation(builder.build())
    assert case.next_tests == ("ecg",)  # which every path begins with
    case.answer("0")
    assert case.next_tests == ("glucose", "insulin", "xray")


@pytest.mark.parametrize("seed", range(20))
def test_no_way_through_a_consultation_breaks_a_rule(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = random_problem(seed)
    codes = np.column_stack([rng.integers(0, len(names), 60) for names in problem.outcomes])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = bt.Instance(
            codes, rng.integers(0, 2, 60), test_names=NAMES, outcome_names=problem.outcomes, prices=problem.prices
        )
    try:
        tree = random_tree(cases, rng)
    except NotAllowedError:
        return  # the beginning itself exceeds a limit
    check_rules(tree, rng)
    for answers in range(30):
        case = bt.Consultation(tree, charge_unavailable=bool(answers % 2))
        while not case.done:
            if rng.random() < 0.3:
                case.unavailable()
            else:
                case.answer(str(rng.choice(case.outcomes)))
            for name, cost in case.costs.items():
                assert cost.remaining >= 0
                assert cost.spent + cost.remaining <= tree.costs[name].worst + 1e-9
        assert_kept(tree, [(step.test, step.outcome if step.available else None) for step in case.history], case)
        for name, cost in tree.costs.items():  # also where a test without a result is charged
            assert case.costs[name].spent <= cost.worst
        assert case.spent == (case.history[-1].spent if case.history else 0)


def test_costs_have_the_budget_that_a_tree_was_learned_for(cases: bt.Instance) -> None:
    assert bt.grow(cases, budget=150).costs["price"].limit == 150
    assert bt.optimal(cases, budget=150).tree.costs["price"].limit == 150
    assert bt.grow(cases).costs["price"].limit is None
    assert bt.grow(cases).cut(100).costs["price"].limit == 100
    assert bt.grow(cases, budget=150).priced(1).costs["price"].limit is None


def test_what_bounds_do_not_count_on_is_said_and_kept(cases: bt.Instance, tmp_path: Path) -> None:
    greedy = bt.fit(cases, budget=150, objective="known", method="greedy", folds=0).tree
    assert greedy.bounds is not None
    assert greedy.bounds.state is ProofState.NOT_SEARCHED
    assert greedy.bounds.ignores == {*RuleKind} - {RuleKind.FEES} == cases.schema.costs.rules
    said = (
        "This bound does not count on prices by outcome and panels and limits and order; with them it might be higher."
    )
    assert said in greedy.statement.sentences
    greedy.to_json(tmp_path / "tree.json")
    assert bt.Tree.from_json(tmp_path / "tree.json").bounds == greedy.bounds
    best = bt.optimal(cases, budget=150).tree
    assert best.bounds is not None
    assert (best.bounds.state, best.bounds.ignores) == (ProofState.OPTIMAL, frozenset())


@pytest.mark.parametrize("seed", [18, 59, 119, *range(12)])
def test_what_may_still_come_ends_before_a_test_that_must_come_after_one_without_a_result(seed: int) -> None:
    """Some results are known, and some tests cannot be done; the reference tries every result of the others."""
    problem, rng = random_problem(seed), np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, len(outcomes), 40) for outcomes in problem.outcomes])
    labels = (codes[:, 0] + codes[:, 1] * codes[:, 4] + rng.integers(0, 2, 40)) % 2
    cases = bt.Instance(codes, labels, test_names=NAMES, outcome_names=problem.outcomes, prices=problem.prices)
    tree = random_tree(cases, rng)
    for _ in range(3):
        known = {
            name: str(rng.choice(names))
            for name, names in zip(NAMES, problem.outcomes, strict=True)
            if rng.random() < 0.2
        }
        case = bt.Consultation(tree, known=known, charge_unavailable=bool(rng.integers(2)))
        while not case.done:
            assert case.spent + case.worst_case_remaining == pytest.approx(most_by_trying(case))
            assert all(cost.next <= cost.remaining for cost in case.costs.values())
            case.unavailable() if rng.random() < 0.4 else case.answer(str(rng.choice(case.outcomes)))


def random_tree(cases: bt.Instance, rng: np.random.Generator) -> bt.Tree:
    builder = bt.TreeBuilder(cases)
    ends = [builder.begin()]
    while ends:
        end = ends.pop()
        allowed = builder.allowed(end)
        if not allowed or rng.random() < 0.1:
            builder.leaf(end)
            continue
        test = int(rng.choice(allowed))
        ends += builder.branch(builder.buy(end, test), test)
    return builder.build()

"""Certificates with losses: no bound is above what brute force finds, and the checker counts the losses itself."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

import budgetree as bt
import reference_losses as reference
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.proof import ratio as ratio_module
from budgetree.proof.check import seal, verify
from budgetree.proof.check.document import ERROR_BOUNDS, GUARANTEE, NO_STAKES
from budgetree.proof.entries import facts_of
from budgetree.proof.error_weights import error_weights_of
from losing_problems import to_instance


@pytest.fixture(autouse=True)
def few_random_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratio_module, "RANDOM_SETS", 8)


def cheapest_with(problem: reference.Problem, loss: Fraction) -> Fraction:
    """The least cost of the costliest known case, over all trees that lose at most this, by trying every tree.

    Unlike the reference's frontier, which asks whether a budget allows a test whatever it shows.
    """

    def points(cases: frozenset[int], paid: frozenset[int]) -> list[tuple[Fraction, Fraction]]:
        found = {(Fraction(0), problem.leaf_loss(cases))}
        for test in range(len(problem.prices)):
            parts = problem.split(cases, test)
            if len(parts) < 2:
                continue
            due, after = problem.due(test, paid), paid | problem.needs[test]
            combined = {(Fraction(0), Fraction(0))}
            for outcome, part in parts.items():
                here = due + problem.prices[test][outcome]
                below = points(part, after)
                sums = {(max(cost, here + more), lost + less) for cost, lost in combined for more, less in below}
                combined = set(reference.pareto(sums))
            found |= combined
        return reference.pareto(found)

    return min(cost for cost, lost in points(problem.known, frozenset()) if lost <= loss)


def trees_of(instance: bt.Instance, rng: random.Random) -> list[bt.Tree]:
    whole = bt.grow(instance, rng.choice([bt.Pairs(), bt.Powers(3), bt.HingedPairs(1)]))
    return [whole, whole.cut(float(whole.max_cost) / 2), whole.trim()]


@pytest.mark.filterwarnings("ignore:HingedPairs.1.. no test reduces it")  # Pairs chose: a tree like any other
@pytest.mark.parametrize("chunk", range(10))
def test_no_bound_is_above_brute_force_and_the_check_agrees(chunk: int) -> None:
    with_losses = positive = 0
    for seed in range(chunk * 20, chunk * 20 + 20):
        rng = random.Random(seed)
        problem = reference.random_problem(rng, max_cases=7, max_min_cases=1, losses=seed % 4 > 0 or None)
        instance = to_instance(problem)
        for tree in trees_of(instance, rng):
            certificate = bt.certify(instance, tree)
            optimum = cheapest_with(problem, tree.exact_loss)
            for bound in certificate.document["bounds"]:
                assert Fraction(bound["value"]) <= optimum, (seed, bound)
            assert Fraction(certificate.document["lower_bound"]) <= optimum
            assert (certificate.loss, certificate.errors) == (tree.loss, tree.errors)
            report = certificate.check()
            assert report.ok, (seed, str(report))
            assert not report.unverified
            with_losses += certificate.document["losses"] is not None
            positive += certificate.lower_bound > 0
    assert with_losses > 20
    assert positive > 10


@pytest.mark.parametrize("chunk", range(4))
def test_every_tree_that_loses_little_makes_few_errors_by_what_is_at_stake(chunk: int) -> None:
    """The reduction on which ratio and cover rest, over whole frontiers of brute force."""
    checked = 0
    for seed in range(chunk * 40, chunk * 40 + 40):
        problem = reference.random_problem(random.Random(1000 + seed), max_cases=7, max_min_cases=1, losses=True)
        instance = to_instance(problem)
        tree = bt.grow(instance)
        stakes = error_weights_of(instance, tree)
        if stakes is None or stakes.spared is None:
            continue
        weights = [Fraction(int(units)) / stakes.instance.schema.weight_scale for units in stakes.instance.weight_units]
        counted = reference.Problem(
            tuple(map(tuple, instance.codes.tolist())),
            tuple(instance.labels.tolist()),
            problem.prices,
            reference.zero_one(problem.n_classes),
            weights=tuple(weights),
            fees=problem.fees,
            needs=problem.needs,
        )
        spent = stakes.errors - tree.exact_loss  # minus the loss that every tree has
        for need, loss in reference.frontier(problem):
            assert reference.least_loss(counted, need) <= loss + spent, seed
        checked += 1
    assert checked > 10


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where a witness has a number or a list of them."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from numbers_in(item, (*path, key))
    if path and path[-1] != "kind" and isinstance(value, (int, str, list)):
        yield path


@pytest.mark.parametrize("chunk", range(3))
def test_a_changed_witness_that_is_accepted_still_proves_a_truth(chunk: int) -> None:
    """Whatever an attacker writes into the witnesses and the classes that answers spare."""
    accepted = 0
    for seed in range(chunk * 10, chunk * 10 + 10):
        rng = random.Random(seed)
        problem = reference.random_problem(rng, max_cases=7, max_min_cases=1, losses=True)
        instance = to_instance(problem)
        tree = bt.grow(instance).cut(3)
        base = bt.certify(instance, tree).document
        optimum = cheapest_with(problem, tree.exact_loss)
        for _ in range(20):
            document = copy.deepcopy(dict(base))
            if document["spared"] and rng.random() < 0.5:
                document["spared"] = [rng.randrange(problem.n_classes) for _ in document["spared"]]
            for _ in range(rng.randint(1, 2) if document["bounds"] else 0):
                _change(document["bounds"], rng.choice(list(numbers_in(document["bounds"]))), rng, len(problem.rows))
            _follow(document, instance)
            if verify(document, facts_of(instance)).ok:
                accepted += 1
                assert Fraction(document["lower_bound"]) <= optimum, seed
    assert accepted > 10


def _change(bounds: Any, path: tuple[Any, ...], rng: random.Random, n_cases: int) -> None:
    for step in path[:-1]:
        bounds = bounds[step]
    old = bounds[path[-1]]
    if isinstance(old, int):
        bounds[path[-1]] = rng.randrange(n_cases)
    elif isinstance(old, list):
        bounds[path[-1]] = old[1:]
    elif old[0].isdigit():
        bounds[path[-1]] = str(max(Fraction(0), Fraction(old) + rng.choice([1, Fraction(1, 2), Fraction(-1, 2)])))


def _follow(document: dict[str, Any], instance: bt.Instance) -> None:
    """An attacker states what the changed witnesses give by their formulas, and seals it."""
    facts = facts_of(instance)
    for _ in range(3):  # the checker says what must be where
        document["seal"] = seal(document)
        for problem in verify(document, facts).problems:
            found = re.fullmatch(r"(bounds\[(\d+)\]\.value|lower_bound|ratio): is .*, must be (\S+)", problem)
            if found and found[2]:
                document["bounds"][int(found[2])]["value"] = found[3]
            elif found:
                document[found[1]] = found[3]
    document["reason"] = ""
    document["seal"] = seal(document)


def test_bounds_hold_among_trees_whose_leaves_have_several_cases() -> None:
    """They are about all trees; so a tree of min_cases is certified like any other."""
    for seed in range(20):
        problem = reference.random_problem(random.Random(seed), max_cases=9, max_min_cases=3, losses=True)
        instance = to_instance(problem)
        tree = bt.optimal(instance, budget=5, min_cases=problem.min_cases, progress=False).tree
        certificate = bt.certify(instance, tree)
        assert certificate.lower_bound <= tree.known_max_cost
        assert certificate.check().ok


def referral(weights: Any = None) -> bt.Instance:
    codes = [(a, b, c) for a in range(2) for b in range(2) for c in range(2)]
    classes = ["cancer" if a + b + c > 1 else "benign" for a, b, c in codes]
    losses = bt.Losses({"cancer": {"benign": 50}}, answers={"refer": 4})
    return bt.Instance(codes, classes, prices={"0": 2, "1": 1, "2": 3}, losses=losses, weights=weights)


def test_an_answer_spares_the_class_that_it_would_put_least_at_stake() -> None:
    instance = referral()
    stakes = error_weights_of(instance, bt.grow(instance))
    assert stakes is not None
    assert stakes.spared == (0, 1, 1)
    assert [stakes.instance.weight_units[instance.labels == c].max() for c in range(2)] == [1, 50]


def test_the_text_says_loss_and_what_does_not_apply() -> None:
    instance = referral()
    tree = bt.grow(instance).cut(3)
    certificate = bt.certify(instance, tree)
    assert certificate.loss == tree.loss > 0
    lines = certificate.to_text().splitlines()
    assert lines[0] == f"worst case 3, loss {tree.loss:g}, {tree.errors:g} errors"
    assert "no tree that loses at most" in lines[1]
    assert lines[2:] == [GUARANTEE, ERROR_BOUNDS]
    assert repr(certificate).endswith(f"with a loss of at most {tree.loss:g})")
    assert certificate.guarantee is None
    assert certificate.error_bounds == []
    assert certificate.document["losses"] == {
        "answers": ["benign", "cancer", "refer"],
        "matrix": [["0", "1", "4"], ["50", "0", "4"]],
    }


def test_where_an_answer_costs_nothing_more_for_all_classes_only_the_search_is_left() -> None:
    losses = bt.Losses([[0, 1, 2], [3, 0, 2], [1, 2, 0]], answers={"refer": 0})
    instance = bt.Instance([[0], [1], [2]], ["a", "b", "c"], losses=losses)
    tree = bt.grow(instance)
    certificate = bt.certify(instance, tree)
    assert set(certificate.bounds) <= {"search"}
    assert certificate.not_applicable["cover"] == certificate.not_applicable["ratio"] == NO_STAKES
    assert certificate.check().ok


def test_plain_losses_leave_the_document_as_it_is() -> None:
    codes, labels = [[0, 0], [0, 1], [1, 0], [1, 1]], ["a", "b", "b", "c"]
    without = bt.Instance(codes, labels)
    for losses in ({"a": 1}, {"a": 3, "b": 3, "c": 3}):
        instance = without.with_losses(losses)
        certificate = bt.certify(instance, bt.grow(instance).cut(1))
        assert certificate.document == bt.certify(without, bt.grow(without).cut(1)).document
        assert certificate.check().ok


def changed(path: str, to: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        at: Any = document
        *above, last = path.split(".")
        for key in above:
            at = at[int(key)] if isinstance(at, list) else at[key]
        at[int(last) if isinstance(at, list) else last] = to

    return change


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (changed("loss", "1"), "loss: is 1, must be "),
        (changed("errors", "7"), "errors: is 7, must be "),
        (changed("losses.matrix.1.0", "5"), "losses: are not those of the facts"),
        (changed("losses", None), "losses: are not those of the facts"),
        (changed("not_applicable", {}), "not_applicable: expected "),
        (changed("spared", None), "not_applicable: expected "),
        (changed("spared", [0, 1]), "spared: expected a class for each of 3 answers"),
        (changed("spared", [0, 1, 2]), "spared[2]: expected a number from 0 to 1"),
        (changed("spared", [0, 0, 0]), "bounds[0]"),
        (
            changed("guarantee", {"impurity": {"name": "Pairs", "parameter": None}, "factor": 3.0}),
            "guarantee: is about",
        ),
        (
            changed("error_bounds", [{"name": "HingedPairs", "alpha": "0", "bound": "1", "refined": "1"}]),
            "error_bounds: are about errors",
        ),
    ],
)
def test_a_changed_loss_is_found_even_when_resealed(change: Callable[[dict[str, Any]], None], place: str) -> None:
    instance = referral()
    document = copy.deepcopy(dict(bt.certify(instance, bt.grow(instance).cut(3)).document))
    change(document)
    document["seal"] = seal(document)
    report = bt.Certificate(document).check(instance)
    assert any(problem.startswith(place) for problem in report.problems), str(report)


def test_a_certificate_of_errors_does_not_hold_where_losses_are_given() -> None:
    instance = referral()
    plain = instance.with_losses(None)
    certificate = bt.certify(plain, bt.grow(plain))
    report = certificate.check(instance)
    assert any(problem.startswith("losses: are not those of the facts") for problem in report.problems)
    with refused(TreeError, subject="schema"):
        bt.certify(instance, bt.grow(plain))

"""certify and check: every bound is below the optimum of brute force, and no changed digit goes unnoticed."""

from __future__ import annotations

import copy
import itertools
import json
import random
import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from reference import Problem, random_problem
from support import to_instance

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError, TreeError
from budgetree.proof import _certify
from budgetree.proof import ratio as ratio_module
from budgetree.proof._certify import certify_by
from budgetree.proof.check import CheckReport, seal, verify
from budgetree.proof.entries import facts_of
from budgetree.services import clock as clock_module
from budgetree.services.clock import Clock
from reference_exact import optimal_frontier

Document = dict[str, Any]


@pytest.fixture(autouse=True)
def few_random_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratio_module, "RANDOM_SETS", 8)


def cheapest_with(problem: Problem, errors: Fraction) -> Fraction:
    """The least max-cost of any tree with at most these errors, by brute force."""
    return min(need for need, wrong in optimal_frontier(problem, known_only=True) if wrong <= errors)


def trees_of(instance: bt.Instance, rng: random.Random) -> list[bt.Tree]:
    """Trees at several levels of error."""
    whole = bt.grow(instance, rng.choice([bt.Pairs(), bt.Powers(3), bt.Powers(5)]))
    hinged = bt.grow(instance, rng.choice([bt.HingedPairs, bt.HingedProduct])(rng.choice([0.5, 1, 2])))
    return [whole, hinged, whole.cut(float(whole.max_cost) / 2).trim()]


@pytest.mark.parametrize("chunk", range(12))
def test_every_bound_is_at_most_the_optimum_and_the_check_agrees(chunk: int) -> None:
    for seed in range(chunk * 20, chunk * 20 + 20):
        problem = random_problem(random.Random(seed))
        instance = to_instance(problem)
        for tree in trees_of(instance, random.Random(seed)):
            certificate = bt.certify(instance, tree)
            optimum = cheapest_with(problem, Fraction(str(certificate.errors)))
            for bound in certificate.document["bounds"]:
                assert Fraction(bound["value"]) <= optimum, bound
            assert Fraction(certificate.document["lower_bound"]) <= optimum
            assert (certificate.max_cost, certificate.known_max_cost) == (tree.max_cost, tree.known_max_cost)
            assert certificate.errors == tree.errors
            report = certificate.check()
            assert report.ok, str(report)
            assert not report.unverified


def test_the_search_alone_reaches_the_optimum_where_prices_do_not_depend_on_outcomes() -> None:
    reached = 0
    for seed in range(60):
        problem = random_problem(random.Random(seed))
        if any(len(set(prices)) > 1 for prices in problem.prices):
            continue
        instance = to_instance(problem)
        tree = bt.grow(instance)
        certificate = bt.certify(instance, tree)
        optimum = cheapest_with(problem, Fraction(str(tree.errors)))
        assert Fraction(certificate.document["lower_bound"]) == optimum
        reached += optimum > 0
    assert reached > 15


def test_the_synthetic_example_needs_all_ten_tests() -> None:
    synthetic = bt.datasets.load("synthetic")
    certificate = bt.certify(synthetic, bt.grow(synthetic))
    assert (certificate.lower_bound, certificate.max_cost, certificate.ratio) == (10, 10, 1)
    assert certificate.witness is not None
    assert certificate.witness["kind"] == "cover"
    assert certificate.check().ok
    assert certificate.reason.startswith("no tree with no errors costs less: the cheapest tests that tell case ")


def test_prices_by_outcome_count_at_their_least() -> None:
    """Where the worst outcome is dear, the ratio bound as the lemma has it would be 9/40, above the optimum of 1/5."""
    codes = [(1, 2, 2, 3), (1, 2, 0, 1), (0, 0, 2, 2), (2, 1, 1, 2), (1, 2, 2, 3)]
    tenths = [(1, 1, 3, 1), (3, 2, 2), (1, 1, 1, 3), (2, 3, 1, 3)]
    prices = {str(t): {str(o): Fraction(p, 10) for o, p in enumerate(row)} for t, row in enumerate(tenths)}
    names = [[str(o) for o in range(len(row))] for row in tenths]
    instance = bt.Instance(codes, [0, 0, 1, 1, 0], weights=[1, 1, 4, 2, 4], prices=prices, outcome_names=names)
    certificate = bt.certify(instance, bt.grow(instance))
    assert 0 < certificate.lower_bound <= 0.2
    assert certificate.check().ok


def test_more_time_is_never_worse() -> None:
    dna = bt.datasets.load("dna")
    tree = bt.grow(dna)
    bounds = [bt.certify(dna, tree, time_limit=seconds).lower_bound for seconds in (0, 0.5, 3)]
    assert bounds == sorted(bounds)
    assert bounds[-1] >= 4


@pytest.mark.parametrize("work", [0.0, 0.02, 0.3, 2.0])
@pytest.mark.parametrize(("name", "errors"), [("dna", 0), ("soybean", 3), ("pima", 10)])
def test_cut_by_work_it_is_the_same_on_any_number_of_threads_whatever_the_time(
    name: str, errors: int, work: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = bt.datasets.load(name)
    tree = bt.grow(instance, bt.HingedPairs(errors) if errors else bt.Pairs())
    documents = []
    real, hours = time.monotonic, itertools.count(step=3600)
    for threads in (1, 2, 4):
        monkeypatch.setattr(_certify, "check_threads", lambda _, threads=threads: threads)
        clock = Clock(None, work=work)
        documents.append(certify_by(instance, tree, clock).document)
        assert clock.seconds_passed < 1.5 * work + 0.1
        monkeypatch.setattr(clock_module.time, "monotonic", lambda: real() + next(hours))
    assert documents == [documents[0]] * 3


def test_a_tree_that_costs_nothing_needs_no_proof() -> None:
    instance = bt.Instance([[0], [1]], ["a", "a"])
    certificate = bt.certify(instance, bt.grow(instance))
    assert (certificate.max_cost, certificate.lower_bound, certificate.ratio) == (0, 0, 1)
    assert certificate.check().ok


@pytest.mark.parametrize("name", ["pima", "soybean", "house_votes"])
def test_error_bounds_hold_and_the_refined_one_is_no_worse(name: str) -> None:
    instance = bt.datasets.load(name)
    for alpha in (1, 5, 20):
        certificate = bt.certify(instance, bt.grow(instance, bt.HingedPairs(alpha)), time_limit=0)
        rate = certificate.errors / instance.n_objects
        assert [each["name"] for each in certificate.error_bounds] == ["HingedPairs", "HingedProduct"]
        assert certificate.error_bounds[0]["alpha"] <= alpha, "the least α for which the leaves have no impurity"
        for each in certificate.error_bounds:
            assert rate <= each["refined"] <= each["bound"]
        assert certificate.check().ok


# Corruption


def certified(seed: int, errors: bool) -> tuple[bt.Instance, Document]:
    """A certificate with all three kinds of bound, and errors or not."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (30, 5))
    labels = (codes[:, 0] + codes[:, 1] * codes[:, 2] + (rng.random(30) < 0.1)) % 3
    prices = bt.Prices({str(t): int(rng.integers(1, 5)) for t in range(5)}, shared={"fee": (2, ["0", "3"])})
    instance = bt.Instance(codes, labels, prices=prices)
    tree = bt.grow(instance, bt.Powers(3))
    assert (tree.errors > 0) == errors
    document = copy.deepcopy(dict(bt.certify(instance, tree).document))
    assert [bound["kind"] for bound in document["bounds"]] == ["ratio", "cover", "search"]
    return instance, document


def more(text: str) -> str:
    return str(Fraction(text) + 1)


def set_at(path: str, change: Callable[[Any], Any]) -> Callable[[Document], None]:
    def corrupt(document: Document) -> None:
        at: Any = document
        *above, last = path.split(".")
        for key in above:
            at = at[int(key)] if isinstance(at, list) else at[key]
        key: Any = int(last) if isinstance(at, list) else last
        at[key] = change(at[key])

    return corrupt


def a_dual(change: Callable[[Any], Any]) -> Callable[[Document], None]:
    def corrupt(document: Document) -> None:
        dual = document["bounds"][1]["objects"][0]["dual"]
        first = next(iter(dual))
        dual[first] = change(dual[first])

    return corrupt


def move_a_dual(document: Document) -> None:
    entry = document["bounds"][1]["objects"][0]
    entry["dual"][str(entry["object"])] = entry["dual"].pop(next(iter(entry["dual"])))


def swap_children(document: Document) -> None:
    children = document["tree"][0]["children"]
    one, other, *_ = children
    children[one], children[other] = children[other], children[one]


def cut_a_leaf_off(document: Document) -> None:
    document["tree"].pop()


def drop_a_bound(document: Document) -> None:
    document["bounds"].pop(document["winner"])


CORRUPTIONS: dict[str, tuple[Callable[[Document], None], str]] = {
    "format": (set_at("format", lambda _: "certificate"), "format"),
    "version": (set_at("version", lambda v: v + 2), "version"),
    "instance": (set_at("instance", lambda v: v[::-1]), "instance"),
    "max_cost": (set_at("max_cost", more), "max_cost"),
    "known_max_cost": (set_at("known_max_cost", more), "known_max_cost"),
    "errors": (set_at("errors", more), "errors"),
    "error_rate": (set_at("error_rate", lambda v: str(Fraction(v) + Fraction(1, 30))), "error_rate"),
    "lower_bound": (set_at("lower_bound", more), "lower_bound"),
    "ratio": (set_at("ratio", lambda v: str(Fraction(v) + Fraction(1, 7))), "ratio"),
    "winner": (set_at("winner", lambda v: (v + 1) % 4 + 3), "winner"),
    "the tree's first test": (set_at("tree.0.test", lambda v: (v + 1) % 5), "tree"),
    "a test that does not exist": (set_at("tree.0.test", lambda _: 99), "tree[0].test"),
    "two children swapped": (swap_children, ""),
    "a leaf cut off": (cut_a_leaf_off, "tree"),
    "the ratio's value": (set_at("bounds.0.value", more), "bounds[0].value"),
    "the ratio's objects": (set_at("bounds.0.objects", lambda rows: [rows[0], *rows]), "bounds[0].objects"),
    "the ratio's function": (set_at("bounds.0.impurity.name", lambda _: "Entropy"), "bounds[0].impurity.name"),
    "the ratio's parameter": (set_at("bounds.0.impurity.parameter", lambda _: "-1"), "bounds[0].impurity"),
    "the cover's value": (set_at("bounds.1.value", more), "bounds[1].value"),
    "a dual's digit": (a_dual(more), "bounds[1]"),
    "a dual below 0": (a_dual(lambda v: f"-{v}"), "bounds[1].objects[0].dual"),
    "a dual on the object itself": (move_a_dual, "bounds[1].objects[0].dual"),
    "the covered object": (set_at("bounds.1.objects.0.object", lambda v: (v + 1) % 30), "bounds[1]"),
    "no object covered": (set_at("bounds.1.objects", lambda _: []), "bounds[1]"),
    "the search's value": (set_at("bounds.2.value", more), "bounds[2].value"),
    "the kind of a bound": (set_at("bounds.2.kind", lambda _: "hope"), "bounds[2].kind"),
    "a bound left out": (drop_a_bound, ""),
    "an error bound's α": (set_at("error_bounds.0.alpha", more), "error_bounds[0].alpha"),
    "an error bound": (set_at("error_bounds.1.bound", more), "error_bounds[1].bound"),
    "a refined error bound": (set_at("error_bounds.1.refined", more), "error_bounds[1].refined"),
    "a number that is none": (set_at("max_cost", lambda _: "cheap"), "max_cost"),
    "a list that is none": (set_at("bounds", lambda _: None), "bounds"),
    "an unknown entry": (lambda document: document.update(remark="trust me"), "remark"),
}


@pytest.fixture(scope="module", params=[False, True], ids=["error-free", "with errors"])
def case(request: pytest.FixtureRequest) -> tuple[bt.Instance, Document]:
    return certified(6 if request.param else 5, request.param)


def check(document: Document, instance: bt.Instance) -> CheckReport:
    """What the checker says of any document; one that is malformed is not a Certificate, which says the same."""
    report = verify(document, facts_of(instance))
    try:
        certificate = bt.Certificate(document)
    except bt.CertificateError:
        assert not report.ok
    else:
        assert certificate.check(instance) == report
    return report


@pytest.mark.parametrize("resealed", [False, True])
@pytest.mark.parametrize("kind", CORRUPTIONS)
def test_a_corrupted_certificate_fails_and_says_where(
    case: tuple[bt.Instance, Document], kind: str, resealed: bool
) -> None:
    instance, original = case
    corrupt, place = CORRUPTIONS[kind]
    document = copy.deepcopy(original)
    corrupt(document)
    assert document != original
    if resealed:
        document["seal"] = seal(document)
    report = check(document, instance)
    assert not report.ok
    assert any(place in problem for problem in report.problems), report.problems
    assert resealed or any(problem.startswith("seal: ") for problem in report.problems)


def test_any_changed_digit_breaks_the_seal(case: tuple[bt.Instance, Document]) -> None:
    instance, original = case
    text = json.dumps(original)
    digits = [i for i, character in enumerate(text) if character.isdigit()]
    rng = random.Random(0)
    for position in rng.sample(digits, 60):
        changed = text[:position] + str((int(text[position]) + 1) % 10) + text[position + 1 :]
        try:
            document = json.loads(changed)
        except ValueError:
            continue  # 012 is not a number of JSON's
        assert not check(document, instance).ok


def test_whatever_the_document_holds_the_check_ends_with_a_report(case: tuple[bt.Instance, Document]) -> None:
    instance, original = case
    rng = random.Random(1)
    odd = [None, True, -1, 0, 10**30, 1.5, "", "1/0", "1e9", [], {}, [[]], {"0": {}}, "9" * 5000]
    for _ in range(300):
        document = copy.deepcopy(original)
        at: Any = document
        for _ in range(rng.randrange(1, 6)):
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            key = rng.choice(keys)
            if not isinstance(at[key], (dict, list)) or not at[key] or rng.random() < 0.3:
                at[key] = rng.choice(odd)
                break
            at = at[key]
        assert isinstance(check(document, instance).ok, bool)


@pytest.mark.parametrize(
    ("arguments", "subject"),
    [
        (("instance", 5), "tree"),
        (("other", "tree"), "schema"),
        (("fewer", "tree"), "counts"),
    ],
)
def test_what_does_not_belong_together_is_refused(arguments: tuple[Any, Any], subject: str) -> None:
    pima = bt.datasets.load("pima")
    things = {
        "instance": pima,
        "other": bt.datasets.load("pima", prices=1),
        "fewer": bt.Instance(
            pima.codes[:100],
            pima.labels[:100],
            prices=pima.prices,
            test_names=pima.test_names,
            outcome_names=pima.outcome_names,
            class_names=pima.class_names,
        ),
        "tree": bt.grow(pima),
    }
    with refused(TreeError, subject=subject):
        bt.certify(*(things.get(argument, argument) for argument in arguments))


def test_the_instance_must_be_one() -> None:
    with refused(SettingError, subject="instance", found=int):
        bt.certify(5, bt.grow(bt.datasets.load("figure1")))  # type: ignore[arg-type]


def test_a_time_limit_must_be_one() -> None:
    pima = bt.datasets.load("pima")
    with refused(SettingError, subject="time_limit", found=-1):
        bt.certify(pima, bt.grow(pima), time_limit=-1)


@pytest.mark.parametrize("settings", [{"confidence": None}, {"leaves": "tree"}, {}])
def test_a_tree_for_new_cases_is_not_certified(settings: dict[str, Any]) -> None:
    """Its answers are a model's, or smoothed: what holds for the most common class at each leaf says nothing of it."""
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (150, 4))
    instance = bt.Instance(codes, (codes[:, 0] + rng.integers(0, 2, 150)) % 2)
    with refused(TreeError, subject="tree", found="predictive"):
        bt.certify(instance, bt.predictive(instance, budget=2, **settings))

"""The paper's guarantee is believed for trees that the greedy rule grows, and for no others."""

import copy
import math
from fractions import Fraction

import pytest

from budgetree.proof.check.verifier import seal, verify
from honest_certificates import GREEDY, PLAIN_FACTS, brute, change, greedy, make_document, make_facts


def problems_of(document, facts):
    return verify({**document, "seal": seal(document)}, facts).problems


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_the_guarantee_of_a_greedy_tree_holds(seed, weighted):
    facts = make_facts(seed, weighted=weighted, objects=12)
    document = make_document(facts, Fraction(9), grown=greedy(facts))
    report = verify(document, facts)
    if document["errors"] == "0":
        assert report.ok, str(report)
        assert not report.unverified
    else:  # cases that no test separates
        assert [text.split(":")[0] for text in report.problems] == ["guarantee"]


def test_a_guarantee_forged_onto_another_tree_is_found():
    forged = 0
    for seed in range(12):
        facts = make_facts(seed)
        tree = brute(facts, Fraction(9), flat=False)[1]
        if tree == greedy(facts):
            continue
        document = make_document(facts, Fraction(9), grown=tree)
        problems = problems_of(document, facts)
        assert all(text.startswith("guarantee: ") for text in problems)
        forged += any("not one that Pairs grows: at a node with " in text for text in problems)
    assert forged > 3


CORRUPTIONS = {
    "factor": ("guarantee.factor: expected", lambda d: change(d, "guarantee", "factor", to=lambda f: f * (1 + 1e-7))),
    "nan": ("guarantee.factor: expected", lambda d: change(d, "guarantee", "factor", to=math.nan)),
    "name": ("guarantee.impurity.name", lambda d: change(d, "guarantee", "impurity", "name", to="Entropy")),
    "half": (
        "guarantee.impurity.parameter: expected a whole number",
        lambda d: change(d, "guarantee", "impurity", to={"name": "HingedPairs", "parameter": "1/2"}),
    ),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_changed_guarantee_is_named(name):
    place, corrupt = CORRUPTIONS[name]
    document = copy.deepcopy(GREEDY)
    corrupt(document)
    problems = verify(document, PLAIN_FACTS).problems if name == "nan" else problems_of(document, PLAIN_FACTS)
    assert any(text.startswith(place) for text in problems), problems


@pytest.mark.parametrize("kind", [{"fees": True}, {"priced": True}])
def test_fees_and_prices_by_outcome_void_it(kind):
    facts = make_facts(3, **kind)
    document = make_document(facts, Fraction(9)) | {"guarantee": GREEDY["guarantee"]}
    assert problems_of(document, facts) == (
        "guarantee: holds only where a test costs the same on every path and outcome, by no rule; expected null",
    )


def test_a_hinge_counts_cases():
    facts = make_facts(3, weighted=True)
    impurity = {"name": "HingedPairs", "parameter": "1"}
    document = make_document(facts, Fraction(9)) | {"guarantee": {"impurity": impurity, "factor": 2.0}}
    assert problems_of(document, facts)[0].startswith("guarantee.impurity: HingedPairs counts cases, and here one ")

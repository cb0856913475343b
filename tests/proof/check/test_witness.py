"""A witness that is accepted proves a truth; one whose premise is broken is refused."""

import copy
import random
from fractions import Fraction

import pytest

from budgetree.proof.check.verifier import Facts, seal, verify
from honest_certificates import KINDS, ONE, brute, make_document, make_facts, places, ratio_witness, unit_of


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_every_bound_is_below_the_optimum_over_real_prices(seed, kind):
    """The mathematics, against brute force: no tree with as few errors is cheaper than any bound."""
    facts = make_facts(100 + seed, **kind)
    for budget in (Fraction(1), Fraction(2), Fraction(9)):
        document = make_document(facts, budget)
        below = Fraction(document["lower_bound"]) - unit_of(facts)
        assert below < 0 or brute(facts, below, flat=False)[0] > Fraction(document["errors"])


def test_an_absent_object_proves_nothing():
    facts = Facts(
        [[0], [1], [0]], [0, 1, 1], [ONE, ONE, Fraction(0)], ["t"], ["a", "b"], [["x", "y"]], [[ONE, ONE]], []
    )
    document = make_document(facts, ONE)
    assert verify(document, facts).ok
    document["bounds"][0]["objects"] = [0, 1, 2]
    assert any("objects[2]: case 2 has weight 0" in text for text in verify(document, facts).problems)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_a_changed_witness_that_is_accepted_still_proves_a_truth(seed, kind):
    """Whatever an attacker writes into the witnesses, an accepted lower bound is one."""
    facts, draw = make_facts(300 + seed, **kind), random.Random(seed)
    base = make_document(facts, Fraction(2))
    inner = [path for path in places(base["bounds"]) if path and path[-1] != "kind"]
    for _ in range(60):
        document = copy.deepcopy(base)
        path = draw.choice(inner)
        target = document["bounds"]
        for step in path[:-1]:
            target = target[step]
        old = target[path[-1]]
        if type(old) is int:
            target[path[-1]] = draw.randrange(len(facts.weights))
        elif isinstance(old, str) and old[0].isdigit():
            target[path[-1]] = str(Fraction(old) + draw.choice([ONE, Fraction(1, 5), Fraction(-1, 5)]))
        document["seal"] = seal(document)
        if verify(document, facts).ok:
            below = Fraction(document["lower_bound"]) - unit_of(facts)
            assert below < 0 or brute(facts, below, flat=False)[0] > Fraction(document["errors"])


def bound_problems(facts, budget, bound):
    """What the checker says of one more bound, whose value is right by the formula but whose premise is broken."""
    document = make_document(facts, budget)
    place = len(document["bounds"])
    document["bounds"].append({**bound, "ignores": facts.ignored(bound["kind"])})
    document["seal"] = seal(document)
    return [text for text in verify(document, facts).problems if text.startswith(f"bounds[{place}]")], place


def facts_with_errors(budget):
    found = (make_facts(seed, objects=12) for seed in range(50))
    return next(facts for facts in found if brute(facts, budget, flat=False)[0] >= 2)


def test_an_error_free_function_is_refused_when_there_are_errors():
    facts = facts_with_errors(ONE)
    for name, parameter in (("Pairs", None), ("Powers", Fraction(2))):
        problems, place = bound_problems(facts, ONE, ratio_witness(facts, name, parameter, list(range(12))))
        assert problems == [
            f"bounds[{place}].impurity: {name} bounds trees without errors only; this one makes "
            f"{brute(facts, ONE, flat=False)[0]}"
        ]


def test_a_hinge_below_the_errors_is_refused():
    facts = facts_with_errors(ONE)
    errors = brute(facts, ONE, flat=False)[0]
    for name in ("HingedPairs", "HingedProduct"):
        low = ratio_witness(facts, name, Fraction(1, 2), list(range(12)))
        problems, place = bound_problems(facts, ONE, low)
        assert problems == [f"bounds[{place}].impurity.parameter: is 1/2, below the {errors} errors"]


def test_a_cover_of_too_few_objects_is_refused():
    facts = facts_with_errors(ONE)
    errors = brute(facts, ONE, flat=False)[0]
    item = {"object": 0, "dual": {}}
    items = [{**item, "object": row} for row in range(int(errors))]
    problems, place = bound_problems(facts, ONE, {"kind": "cover", "objects": items, "value": "0"})
    assert problems == [f"bounds[{place}].objects: weigh {errors} together, which must exceed the {errors} errors"]
    items.append({**item, "object": int(errors)})
    assert bound_problems(facts, ONE, {"kind": "cover", "objects": items, "value": "0"})[0] == []


@pytest.mark.parametrize(("value", "fits"), [("3", True), ("3001/1000", False), ("7/2", False)])
def test_a_dual_may_load_a_test_with_its_least_price_and_no_more(value, fits):
    prices = [[Fraction(3), Fraction(5)]]
    facts = Facts([[0], [1]], [0, 1], [ONE, ONE], ["age"], ["a", "b"], [["x", "y"]], prices, [])
    bound = {"kind": "cover", "objects": [{"object": 0, "dual": {"1": value}}], "value": value}
    problems, place = bound_problems(facts, Fraction(9), bound)
    text = f"bounds[{place}].objects[0].dual: test 'age' is loaded with {value}, its price is 3"
    assert problems == ([] if fits else [text])

"""The facts that a certificate is checked against are checked themselves."""

from fractions import Fraction

import pytest

from budgetree.proof.check.facts import Facts, LossFacts, digest
from budgetree.proof.check.verifier import verify
from honest_certificates import EXACT, ONE, make_facts


def test_bad_facts_are_problems():
    good = make_facts(0)
    for field, value in {
        "labels": [7] * 9,
        "codes": [[9] * 4] * 9,
        "weights": [Fraction(0)] * 9,
        "prices": [[-ONE] * 3] * 4,
        "shared": [(ONE, frozenset({4}))],
        "outcome_names": [["x"]] * 4,
    }.items():
        bad = Facts(**{**good.__dict__, field: value})
        assert any(text.startswith("facts:") for text in verify(EXACT, bad).problems), field


def test_every_field_enters_the_fingerprint():
    good = make_facts(0, fees=True)
    marks = {good.fingerprint()}
    for field, value in {
        "codes": [*good.codes[:-1], [0, 0, 0, 1]],
        "labels": [*good.labels[:-1], 1 - good.labels[-1] % 2],
        "weights": [*good.weights[:-1], Fraction(1, 3)],
        "test_names": list("abcd"),
        "class_names": list("abc"),
        "outcome_names": [list("abc")] * 4,
        "prices": [[Fraction(2)] * 3] * 4,
        "shared": good.shared[:1],
    }.items():
        marks.add(Facts(**{**good.__dict__, field: value}).fingerprint())
    marks.add(Facts(**{**good.__dict__, "losses": zero_one(good)}).fingerprint())
    assert len(marks) == 10


def zero_one(facts):
    names = list(facts.class_names)
    return LossFacts(names, [[ONE * (true != answer) for answer in names] for true in names])


def test_bad_losses_are_problems():
    good = make_facts(0)
    plain = zero_one(good)
    assert Facts(**{**good.__dict__, "losses": plain}).problems() == []
    for answers, matrix in [
        (["a", "b", "c"], plain.matrix),
        (plain.answers, plain.matrix[:2]),
        ([*plain.answers, "refer"], plain.matrix),
        (plain.answers, [[-ONE] * 3] * 3),
    ]:
        (problem,) = Facts(**{**good.__dict__, "losses": LossFacts(answers, matrix)}).problems()
        assert problem.startswith("facts: losses must ")


@pytest.mark.parametrize("highest", [3, 9, 10, 255])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_fingerprint_is_the_digest_of_the_facts_written_plainly(highest, weighted):
    """It is written in pieces, digits of a column at once where they are short."""
    good = make_facts(1, weighted=weighted, fees=True)
    codes = [[(7 * row + 5 * test) % (highest + 1) for test in range(4)] for row in range(9)]
    codes[0][0] = highest
    facts = Facts(**{**good.__dict__, "codes": codes, "class_names": ["é", '"', "c"]})
    plainly = {
        **{key: list(getattr(facts, key)) for key in ("codes", "labels", "test_names", "class_names", "outcome_names")},
        "weights": [str(weight) for weight in facts.weights],
        "prices": [[str(price) for price in row] for row in facts.prices],
        "fees": [[str(fee), sorted(tests)] for fee, tests in facts.shared],
    }
    assert facts.fingerprint() == digest(plainly)
    assert Facts(**{**facts.__dict__, "codes": [bytes(row) for row in codes]}).fingerprint() == digest(plainly)

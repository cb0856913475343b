"""The facts that a certificate is checked against are checked themselves."""

from fractions import Fraction

from budgetree.proof.check.verifier import Facts, verify
from honest_certificates import EXACT, ONE, make_facts


def test_bad_facts_are_problems():
    good = make_facts(0)
    for field, value in {
        "labels": [7] * 9,
        "codes": [[9] * 4] * 9,
        "weights": [Fraction(0)] * 9,
        "prices": [[-ONE] * 3] * 4,
        "fees": [(ONE, frozenset({4}))],
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
        "fees": good.fees[:1],
    }.items():
        marks.add(Facts(**{**good.__dict__, field: value}).fingerprint())
    assert len(marks) == 9

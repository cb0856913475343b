"""The sentences of a certificate follow from its numbers."""

from fractions import Fraction

import pytest

import budgetree as bt
from budgetree.proof.check import document
from budgetree.services.words import show_number

SEARCH = {"kind": "search", "value": "5"}
COVER = {"kind": "cover", "objects": [{"object": 7, "dual": {}}], "value": "5"}
RATIO = {"kind": "ratio", "impurity": {"name": "HingedPairs", "parameter": "3/2"}, "objects": [1, 2], "value": "5"}


def claim(errors=0, loss=None, max_cost=6, known=6, lower=5, winner=SEARCH):
    numbers = {"errors": errors, "max_cost": max_cost, "known_max_cost": known, "lower_bound": lower}
    losses = {"losses": None} if loss is None else {"losses": {}, "loss": loss}
    proved = {"winner": None if winner is None else 0, "bounds": [winner]}
    return document.reason({**numbers, **losses, **proved})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {},
            "no tree with no errors costs less than 5: exhaustive search: no tree that costs less makes so few errors",
        ),
        (
            {"errors": 1, "lower": 6, "winner": COVER},
            "no tree with at most 1 error costs less: the cheapest tests that tell case 7 from the other classes",
        ),
        (
            {"errors": Fraction(5, 2), "max_cost": 9, "winner": RATIO},
            "no tree with at most 2.5 errors costs a known case less than 5: "
            "min R · F over 2 cases, with HingedPairs(1.5)",
        ),
        (
            {"loss": 12},
            "no tree that loses at most 12 costs less than 5: "
            "exhaustive search: no tree that costs less loses so little",
        ),
        ({"loss": 0, "winner": None, "lower": 0}, "nothing above 0 is proven for trees that lose nothing"),
        ({"errors": 2, "winner": None, "lower": 0}, "nothing above 0 is proven for trees with at most 2 errors"),
        ({"known": 0, "max_cost": 0, "winner": None, "lower": 0}, "this tree costs nothing"),
    ],
)
def test_a_reason_says_what_is_proven_and_why(settings, sentence):
    assert claim(**settings) == sentence


@pytest.mark.parametrize("number", ["0", "2", "1761/100", "1/3", "1934572/10", "12345678901234/1000", "1/100000000"])
def test_numbers_are_shown_as_everywhere(number):
    assert document.number(Fraction(number)) == show_number(Fraction(number))


@pytest.mark.parametrize("function", [bt.Pairs(), bt.Powers(4), bt.HingedPairs(2), bt.HingedProduct(0.5)])
def test_functions_are_named_as_python_shows_them(function):
    parameter = next((str(Fraction(value)) for value in vars(function).values()), None)
    assert document.function_name({"name": type(function).__name__, "parameter": parameter}) == repr(function)


def test_what_does_not_apply_is_said_only_with_losses():
    assert document.not_applicable(False, False) == {}
    assert list(document.not_applicable(True, True)) == ["guarantee", "error_bounds"]
    assert list(document.not_applicable(True, False)) == ["guarantee", "error_bounds", "ratio", "cover"]

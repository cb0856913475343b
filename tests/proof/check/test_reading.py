"""Whatever stands in a document, the checker answers with problems and never raises."""

import contextlib
import copy
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetree.proof.check.reading import counted
from budgetree.proof.check.verifier import seal, verify
from honest_certificates import EXACT, FACTS, ROUGH, first, places

JUNK = [
    None,
    True,
    False,
    0,
    -1,
    1,
    10**30,
    10**5000,
    0.5,
    math.nan,
    math.inf,
    "",
    "x",
    "1/0",
    "-3",
    "1/2",
    "é",
    "9" * 9999,
]
JUNK += [[], {}, [[]], {"": None}, {1: 2}, {"0": "0"}, ["1"], (), set(), object()]


def with_one_bound_of_each_kind(document):
    """As true as the whole, and quicker to check: each kind of bound is there once."""
    kinds = ("ratio", "cover", "search")
    kept = [document["bounds"][first(document, kind)] for kind in kinds]
    short = {**document, "bounds": kept, "winner": kinds.index("search")}
    return {**short, "seal": seal(short)}


SHORT = [with_one_bound_of_each_kind(EXACT), with_one_bound_of_each_kind(ROUGH)]


def is_harmless(path, junk):
    """Whether the document may stay true with this at that place."""
    if path in (("error_bounds",), ("bounds",)) or (path in (("rounded",), ("ignores",)) and junk in ([], ())):
        return True
    if path[0] == "bounds" and len(path) > 2:
        return True  # a dual or a parameter that stays feasible, or a case that proves as much, is another true witness
    return (path == ("reason",) and isinstance(junk, str)) or (path == ("guarantee",) and junk is None)


@pytest.mark.parametrize("base", SHORT, ids=["exact", "rough"])
def test_verify_never_raises_on_junk_anywhere(base):
    assert verify(base, FACTS).ok
    draw = random.Random(0)
    for path in [path for path in places(base) if path]:
        for junk in draw.sample(JUNK, 3) if len(path) > 1 else JUNK:
            document = copy.deepcopy(base)
            *way, last = path
            target = document
            for step in way:
                target = target[step]
            if type(target[last]) is type(junk) and target[last] == junk:
                continue
            target[last] = junk
            with contextlib.suppress(TypeError, ValueError):  # not JSON: the old seal stays
                document["seal"] = seal(document) if path != ("seal",) else junk
            assert not verify(document, FACTS, time_limit=2).ok or is_harmless(path, junk), path


deep = []
for _ in range(100_000):
    deep = [deep]


@pytest.mark.parametrize(
    "document", [None, 3, "x", [], {}, {1: 2, "a": 3}, {"tree": deep}, {"seal": deep, "errors": deep}]
)
def test_verify_never_raises_on_other_shapes(document):
    assert not verify(document, FACTS).ok


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["0", "1", "3/2", "Pairs"]),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3) | st.sampled_from("0123"), inner, max_size=4)
    ),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_verify_never_raises_on_several_random_changes(data):
    document = copy.deepcopy(data.draw(st.sampled_from(SHORT)))
    for _ in range(data.draw(st.integers(1, 4))):
        path = data.draw(st.sampled_from([p for p in places(document) if p]))
        target = document
        for step in path[:-1]:
            target = target[step]
        if data.draw(st.booleans()):
            target[path[-1]] = data.draw(json_values)
        else:
            del target[path[-1]]
        if not document:
            break
    str(verify(document, FACTS, time_limit=1))


def test_one_and_many_have_their_own_words():
    shown = [counted(number, "error") for number in (0, 1, Fraction(1), Fraction(3, 2))]
    assert shown == ["0 errors", "1 error", "1 error", "3/2 errors"]

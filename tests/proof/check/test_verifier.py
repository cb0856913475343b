"""The checker accepts honest certificates and names the place of every corruption."""

import copy
import json
import math
from fractions import Fraction

import pytest

from budgetree.proof.check.verifier import Facts, seal, verify
from honest_certificates import (
    EXACT,
    FACTS,
    GREEDY,
    KINDS,
    ONE,
    PLAIN_FACTS,
    ROUGH,
    change,
    first,
    make_document,
    make_facts,
    plus,
    unit_of,
)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_an_honest_certificate_holds(seed, kind):
    facts = make_facts(seed, **kind)
    for budget in (Fraction(0), Fraction(1), Fraction(2), Fraction(9)):
        document = json.loads(json.dumps(make_document(facts, budget)))
        report = verify(document, facts)
        assert report.ok, str(report)
        assert not report.unverified
        assert str(report) == "The certificate holds."


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_a_search_that_claims_one_unit_too_much_is_refuted(seed, kind):
    facts = make_facts(200 + seed, **kind)
    document = make_document(facts, Fraction(2))
    place = len(document["bounds"]) - 1
    document["bounds"][place]["value"] = str(Fraction(document["bounds"][place]["value"]) + unit_of(facts))
    document["seal"] = seal(document)
    report = verify(document, facts)
    assert any(text.startswith(f"bounds[{place}].value: a tree cheaper than") for text in report.problems), str(report)


def test_another_version_is_not_checked():
    for version in (0, 2, 3, 1.0, "1", None):
        other = {**EXACT, "version": version}
        problems = verify({**other, "seal": seal(other)}, FACTS).problems
        assert [text.split(":")[0] for text in problems] == ["version"]


def test_a_new_case_may_cost_more_than_any_known_one():
    """The second outcome of b is dear, and no known case shows it after a; the certificate must say both."""
    two = [[ONE, ONE], [ONE, Fraction(5)]]
    names = [["x", "y"], ["x", "y", "z"]]
    facts = Facts([[0, 0], [0, 1], [1, 2]], [0, 1, 1], [ONE] * 3, ["a", "b"], ["p", "q"], names, two, [])
    facts = Facts(**{**facts.__dict__, "prices": [[ONE, ONE], [ONE, ONE, Fraction(5)]]})
    tree = [
        {"test": 0, "children": {"0": 1, "1": 2}},
        {"test": 1, "children": {"0": 3, "1": 4}},
        *[{"test": None, "children": {}}] * 3,
    ]
    document = {**make_document(facts, Fraction(2)), "tree": tree, "max_cost": "6", "known_max_cost": "2"}
    assert verify({**document, "seal": seal(document)}, facts).ok
    cheap = {**document, "max_cost": "2"}
    assert verify({**cheap, "seal": seal(cheap)}, facts).problems == ("max_cost: is 2, must be 6",)


def second_inner(document):
    return [entry for entry in document["tree"] if entry["children"]][1]


def last_child_of_the_root(document):
    return max(document["tree"][0]["children"].values())


def last_leaf(document):
    return len(document["tree"]) - 1


def drop(document, *path):
    *way, last = path
    for step in way:
        document = document[step]
    del document[last]


def cover_of(document):
    return document["bounds"][first(document, "cover")]["objects"]


def key_of(document):
    return next(iter(cover_of(document)[0]["dual"]))


CORRUPTIONS = {
    "format": ("format", lambda d: change(d, "format", to="other")),
    "version": ("version", lambda d: change(d, "version", to=4)),
    "version true": ("version", lambda d: change(d, "version", to=True)),
    "other instance": ("instance", lambda d: change(d, "instance", to="0" * 64)),
    "missing key": ("errors: is missing", lambda d: drop(d, "errors")),
    "unknown key": ("'extra'", lambda d: d.update(extra=1)),
    "max_cost": ("max_cost", lambda d: change(d, "max_cost", to=plus)),
    "known_max_cost": ("known_max_cost", lambda d: change(d, "known_max_cost", to=plus)),
    "max_cost a number": ("max_cost", lambda d: change(d, "max_cost", to=3)),
    "errors": ("errors", lambda d: change(d, "errors", to=plus)),
    "errors division by zero": ("errors", lambda d: change(d, "errors", to="1/0")),
    "error_rate": ("error_rate", lambda d: change(d, "error_rate", to=plus)),
    "lower_bound": ("lower_bound", lambda d: change(d, "lower_bound", to=plus)),
    "lower_bound exponent": ("lower_bound", lambda d: change(d, "lower_bound", to="1e999999999")),
    "ratio": ("ratio", lambda d: change(d, "ratio", to=plus)),
    "ratio null": ("ratio", lambda d: change(d, "ratio", to=None)),
    "winner null": ("winner", lambda d: change(d, "winner", to=None)),
    "winner out of range": ("winner", lambda d: change(d, "winner", to=99)),
    "winner negative": ("winner", lambda d: change(d, "winner", to=-1)),
    "bounds not a list": ("bounds", lambda d: change(d, "bounds", to={})),
    "no bounds": ("lower_bound", lambda d: change(d, "bounds", to=[])),
    "bound kind": ("bounds[0].kind", lambda d: change(d, "bounds", 0, "kind", to="faith")),
    "bound extra key": ("bounds[0]", lambda d: d["bounds"][0].update(why=1)),
    "ratio value": ("bounds[0].value", lambda d: change(d, "bounds", 0, "value", to=plus)),
    "ratio parameter low": ("bounds[0].impurity", lambda d: change(d, "bounds", 0, "impurity", "parameter", to="-1/9")),
    "ratio name": ("bounds[0].impurity.name", lambda d: change(d, "bounds", 0, "impurity", "name", to="Gini")),
    "ratio power": (
        "bounds[0].impurity.parameter",
        lambda d: change(d, "bounds", 0, "impurity", to={"name": "Powers", "parameter": "3/2"}),
    ),
    "ratio object twice": ("bounds[0].objects", lambda d: change(d, "bounds", 0, "objects", to=lambda o: [*o, o[0]])),
    "ratio object range": ("bounds[0].objects[0]", lambda d: change(d, "bounds", 0, "objects", 0, to=99)),
    "ratio no objects": ("bounds[0].objects", lambda d: change(d, "bounds", 0, "objects", to=[])),
    "cover value": ("].value", lambda d: change(d, "bounds", first(d, "cover"), "value", to=plus)),
    "cover overloaded": ("objects[0].dual: test '", lambda d: change(cover_of(d), 0, "dual", key_of(d), to="99")),
    "cover negative": ("objects[0].dual[", lambda d: change(cover_of(d), 0, "dual", key_of(d), to="-1")),
    "cover own class": (
        "objects[0].dual[",
        lambda d: cover_of(d)[0]["dual"].update({str(cover_of(d)[0]["object"]): "0"}),
    ),
    "cover key": ("objects[0].dual", lambda d: cover_of(d)[0]["dual"].update({"01": "0"})),
    "cover too light": ("].objects", lambda d: change(d, "bounds", first(d, "cover"), "objects", to=[])),
    "cover twice": ("].objects", lambda d: cover_of(d).append(cover_of(d)[0])),
    "search value": (
        "].value",
        lambda d: change(d, "bounds", -1, "value", to=lambda v: str(Fraction(v) + unit_of(FACTS))),
    ),
    "search off the grid": ("].value", lambda d: change(d, "bounds", -1, "value", to=plus)),
    "tree empty": ("tree: has no node", lambda d: change(d, "tree", to=[])),
    "tree cycle": (
        "tree[0].children[",
        lambda d: change(d["tree"][0]["children"], min(d["tree"][0]["children"]), to=0),
    ),
    "tree two parents": (
        "and have no other parent",
        lambda d: change(second_inner(d)["children"], min(second_inner(d)["children"]), to=last_child_of_the_root(d)),
    ),
    "tree child taken twice": (
        "tree[",
        lambda d: change(d["tree"][0]["children"], max(d["tree"][0]["children"]), to=1),
    ),
    "tree test range": ("tree[0].test", lambda d: change(d, "tree", 0, "test", to=77)),
    "tree test a text": ("tree[0].test", lambda d: change(d, "tree", 0, "test", to="0")),
    "tree test forgotten": ("tree[0].children", lambda d: change(d, "tree", 0, "test", to=None)),
    "tree child lost": ("tree[0].children", lambda d: drop(d["tree"][0]["children"], max(d["tree"][0]["children"]))),
    "tree leaf with children": ("children", lambda d: change(d, "tree", last_leaf(d), "children", to={"0": 1})),
    "tree orphan": ("is not the child", lambda d: d["tree"].append({"test": None, "children": {}})),
    "tree cut at the root": ("max_cost", lambda d: change(d, "tree", to=[{"test": None, "children": {}}])),
    "error bound name": ("error_bounds[0].name", lambda d: change(d, "error_bounds", 0, "name", to="Pairs")),
    "alpha": ("error_bounds[0].alpha", lambda d: change(d, "error_bounds", 0, "alpha", to=plus)),
    "bound": ("error_bounds[1].bound", lambda d: change(d, "error_bounds", 1, "bound", to=plus)),
    "refined": ("error_bounds[1].refined", lambda d: change(d, "error_bounds", 1, "refined", to=plus)),
    "reason": ("reason", lambda d: change(d, "reason", to=None)),
}


@pytest.mark.parametrize("base", [EXACT, ROUGH], ids=["exact", "rough"])
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_a_corruption_is_named_even_when_resealed(name, base):
    place, corrupt = CORRUPTIONS[name]
    document = copy.deepcopy(base)
    corrupt(document)
    plain = verify(document, FACTS)
    assert any(text.startswith("seal:") for text in plain.problems), str(plain)
    if "nan" not in name:
        document["seal"] = seal(document)
    report = verify(document, FACTS)
    assert not report.ok
    assert any(place in text and not text.startswith("seal:") for text in report.problems), str(report)


def test_a_reason_that_does_not_follow_from_the_numbers_is_the_issuers_word():
    document = {**EXACT, "reason": "trust me"}
    assert verify(document, FACTS).problems == ("seal: the document was changed after it was sealed",)
    report = verify({**document, "seal": seal(document)}, FACTS)
    assert report.ok
    assert [text.split(";")[0] for text in report.unverified] == ["reason: 'trust me' is the issuer's word"]


@pytest.mark.parametrize("time_limit", [math.nan, -1, "1", True])
def test_a_time_limit_must_be_one(time_limit):
    with pytest.raises(ValueError, match=r"time_limit is .*; expected a number of seconds of at least 0, or None"):
        verify(EXACT, FACTS, time_limit=time_limit)


def test_without_time_everything_is_the_issuers_word():
    report = verify(GREEDY, PLAIN_FACTS, time_limit=0)
    assert report.ok
    said = {text.split(":")[0] for text in report.unverified}
    assert {"instance", "seal", "tree", "bounds[0]", "guarantee"} <= said
    assert all("within 0 seconds" in text for text in report.unverified)
    assert str(report).startswith(
        "Nothing is wrong as far as it was checked.\n  not verified: instance: was not checked"
    )


def test_all_problems_are_collected():
    document = copy.deepcopy(EXACT)
    for key in ("max_cost", "known_max_cost", "errors", "lower_bound"):
        document[key] = plus(document[key])
    places = {text.split(":")[0] for text in verify(document, FACTS).problems}
    assert {"seal", "max_cost", "known_max_cost", "errors", "lower_bound"} <= places


def test_free_tests_and_no_tests():
    free = Facts([[0], [1]], [0, 1], [ONE, ONE], ["t"], ["a", "b"], [["x", "y"]], [[Fraction(0), Fraction(0)]], [])
    document = make_document(free, Fraction(0))
    assert verify(document, free).ok, str(verify(document, free))
    document["bounds"].append({"kind": "search", "value": "1", "ignores": []})
    assert not verify({**document, "seal": seal(document)}, free).ok


def test_a_search_out_of_time_is_unverified_not_wrong():
    facts = make_facts(1, objects=120, tests=14, outcomes=2)
    document = {"kind": "search", "value": "7", "ignores": []}
    report = verify({"errors": "0", "bounds": [document]}, facts, time_limit=0.01)
    assert any(text.startswith("bounds[0].value") and "0.01 seconds" in text for text in report.unverified)
    assert not any(text.startswith("bounds[0]") for text in report.problems)


def numbers_of_claims(document):
    """Every number that says something about tree, errors or costs; witnesses may change into other true ones."""
    for key in ("max_cost", "known_max_cost", "errors", "error_rate", "lower_bound", "ratio"):
        yield (key,)
    yield from ((("bounds", i, "value")) for i, b in enumerate(document["bounds"]) if b["kind"] != "search")
    for i, _ in enumerate(document["error_bounds"]):
        yield from (("error_bounds", i, key) for key in ("alpha", "bound", "refined"))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_no_claimed_number_can_be_changed_and_resealed(seed, kind):
    facts = make_facts(seed, **kind)
    for budget in (Fraction(1), Fraction(9)):
        base = make_document(facts, budget)
        for path in numbers_of_claims(base):
            for by in (ONE, -ONE, Fraction(1, 7), Fraction(-1, 10**9)):
                document = copy.deepcopy(base)
                change(document, *path, to=lambda text, by=by: str(Fraction(text or 0) + by))
                document["seal"] = seal(document)
                place = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in path)[1:]
                report = verify(document, facts)
                assert any(text.startswith(f"{place}:") for text in report.problems), (path, by, str(report))

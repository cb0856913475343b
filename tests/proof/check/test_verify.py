"""The checker accepts honest certificates, names the place of every corruption, and never raises."""

import contextlib
import copy
import itertools
import json
import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from budgetree.proof.check.exhaust import Search
from budgetree.proof.check.verify import Facts, seal, verify

ONE = Fraction(1)


def make_facts(seed, *, objects=9, tests=4, outcomes=3, classes=3, weighted=False, fees=False, priced=False):
    draw = random.Random(seed)
    codes = [[draw.randrange(outcomes) for _ in range(tests)] for _ in range(objects)]
    prices = [[Fraction(draw.randint(1, 4), 2) if priced else ONE for _ in range(outcomes)] for _ in range(tests)]
    shared = [(Fraction(1, 2), frozenset({0, 1})), (Fraction(1), frozenset({1, 2}))] if fees else []
    return Facts(
        codes=codes,
        labels=[draw.randrange(classes) for _ in range(objects)],
        weights=[Fraction(draw.randint(0, 4), 3) if weighted else ONE for _ in range(objects - 1)] + [Fraction(2, 3)]
        if weighted
        else [ONE] * objects,
        test_names=[f"test{t}" for t in range(tests)],
        class_names=[f"class{c}" for c in range(classes)],
        outcome_names=[[f"o{o}" for o in range(outcomes)] for _ in range(tests)],
        prices=prices,
        fees=shared,
    )


def wrong(facts, rows):
    weights = [
        sum((facts.weights[r] for r in rows if facts.labels[r] == c), Fraction(0))
        for c in range(len(facts.class_names))
    ]
    return sum(weights) - max(weights)


def path_cost(facts, asked, flat):
    own = sum((min(facts.prices[t]) if flat else facts.prices[t][o] for t, o in asked.items()), Fraction(0))
    return own + sum((fee for fee, tests in facts.fees if tests & asked.keys()), Fraction(0))


def brute(facts, budget, *, flat, rows=None, asked=None):
    """Fewest errors and the tree, over all trees within the budget: no memo, no cut-off."""
    if rows is None:
        rows = [r for r, w in enumerate(facts.weights) if w > 0]
        asked = {}
    best = wrong(facts, rows), None
    for test in range(len(facts.test_names)):
        parts = {}
        for row in rows:
            parts.setdefault(facts.codes[row][test], []).append(row)
        if len(parts) < 2:
            continue
        below = {}
        for outcome, part in parts.items():
            after = {**asked, test: outcome}
            if path_cost(facts, after, flat) > budget:
                break
            below[outcome] = brute(facts, budget, flat=flat, rows=part, asked=after)
        else:
            errors = sum(e for e, _ in below.values())
            if errors < best[0]:
                best = errors, (test, {o: tree for o, (_, tree) in below.items()})
    return best


def flatten(tree):
    nodes = []

    def add(node):
        number = len(nodes)
        nodes.append({"test": None, "children": {}})
        if node is not None:
            nodes[number]["test"] = node[0]
            for outcome, child in sorted(node[1].items()):
                nodes[number]["children"][str(outcome)] = add(child)
        return number

    add(tree)
    return nodes


def leaves_of(facts, tree, rows=None, asked=None):
    if rows is None:
        rows, asked = [r for r, w in enumerate(facts.weights) if w > 0], {}
    if tree is None:
        return [(rows, asked)]
    found = []
    for outcome, child in tree[1].items():
        part = [r for r in rows if facts.codes[r][tree[0]] == outcome]
        found += leaves_of(facts, child, part, {**asked, tree[0]: outcome})
    return found


def gcd(numbers):
    numbers = [n for n in numbers if n]
    if not numbers:
        return Fraction(0)
    below = math.lcm(*(n.denominator for n in numbers))
    return Fraction(math.gcd(*(int(n * below) for n in numbers)), below)


def unit_of(facts):
    return gcd([p for row in facts.prices for p in row] + [fee for fee, _ in facts.fees])


def impurity(name, parameter, facts, rows):
    n = [
        sum((facts.weights[r] for r in rows if facts.labels[r] == c), Fraction(0))
        for c in range(len(facts.class_names))
    ]
    if name == "Pairs":
        return sum(a * b for a, b in itertools.combinations(n, 2))
    if name == "Powers":
        return sum(n) ** int(parameter) - sum(x ** int(parameter) for x in n)
    less = parameter**2 if name == "HingedPairs" else 0
    hinge = [max(Fraction(0), x - parameter) for x in n]
    return sum(max(Fraction(0), a * b - less) for a, b in itertools.permutations(hinge, 2))


def ratio_witness(facts, name, parameter, rows):
    whole, found = impurity(name, parameter, facts, rows), []
    for test in range(len(facts.test_names)):
        shown = {facts.codes[r][test] for r in rows}
        parts = [[r for r in rows if facts.codes[r][test] == o] for o in shown]
        kept = max((impurity(name, parameter, facts, part) for part in parts), default=whole)
        if len(shown) > 1 and whole > kept:
            found.append(min(facts.prices[test]) / (whole - kept))
    if not found:
        return None
    given_parameter = None if parameter is None else str(parameter)
    value = str(min(found) * whole)
    return {"kind": "ratio", "impurity": {"name": name, "parameter": given_parameter}, "objects": rows, "value": value}


def cover_witness(facts, errors):
    """A feasible dual by scaling: all ones, divided by the worst load."""
    items, values, weight = [], [], Fraction(0)
    for row, own in enumerate(facts.weights):
        others = [j for j, w in enumerate(facts.weights) if w > 0 and facts.labels[j] != facts.labels[row]]
        if own <= 0 or weight > errors:
            continue
        scale = min(
            min(facts.prices[t]) / load
            if (load := sum(facts.codes[j][t] != facts.codes[row][t] for j in others))
            else ONE
            for t in range(len(facts.test_names))
        )
        dual = {str(j): str(scale) for j in others}
        steepest = max((scale / facts.weights[j] for j in others), default=Fraction(0))
        items.append({"object": row, "dual": dual})
        values.append(scale * len(others) - steepest * errors)
        weight += own
    return {"kind": "cover", "objects": items, "value": str(min(values))}


def make_document(facts, budget, *, slack=None):
    """An honest certificate for the brute-force tree within the budget."""
    errors, tree = brute(facts, budget, flat=False)
    leaves = leaves_of(facts, tree)
    cost = max(path_cost(facts, asked, False) for _, asked in leaves)
    unit, rows = unit_of(facts), [r for r, w in enumerate(facts.weights) if w > 0]
    total = sum(facts.weights)
    bounds = []
    names = [("HingedPairs", errors), ("HingedProduct", errors), ("HingedProduct", errors + Fraction(1, 2))]
    if errors == 0:
        names += [("Pairs", None), ("Powers", Fraction(3))]
    for name, parameter in names:
        for group in (rows, rows[::2], rows[1:]):
            witness = ratio_witness(facts, name, parameter, group)
            bounds += [witness] if witness else []
    bounds.append(cover_witness(facts, errors))
    value = Fraction(0)
    while unit and brute(facts, value, flat=True)[0] > errors:
        value += unit
    bounds.append({"kind": "search", "value": str(value)})
    rounded = [math.ceil(Fraction(b["value"]) / unit) * unit if unit else Fraction(b["value"]) for b in bounds]
    lower = max([Fraction(0), *rounded])
    counts = [
        sorted(
            sum((facts.weights[r] for r in part if facts.labels[r] == c), Fraction(0))
            for c in range(len(facts.class_names))
        )[::-1]
        for part, _ in leaves
    ]
    k = len(facts.class_names)
    error_bounds = []
    for name, factor in (("HingedPairs", k * (k - 1)), ("HingedProduct", k - 1)):
        alpha = max(n[0] * n[1] / (n[0] + n[1]) if name == "HingedPairs" else n[1] for n in counts)
        heavy = sorted((sum(n) for n in counts), reverse=True)
        refined = min(
            factor * j * alpha / total + Fraction(k - 1, k) * (total - sum(heavy[:j])) / total
            for j in range(len(heavy) + 1)
        )
        bound = factor * len(counts) * alpha / total
        error_bounds.append({"name": name, "alpha": str(alpha), "bound": str(bound), "refined": str(refined)})
    pairs = impurity("Pairs", None, facts, rows) / gcd(facts.weights) ** 2
    ratio = str(cost / lower) if lower else ("1" if cost == 0 else None)
    document = {
        "format": "budgetree certificate",
        "version": 1,
        "instance": facts.fingerprint(),
        "tree": flatten(tree),
        "max_cost": str(cost),
        "errors": str(errors),
        "error_rate": str(errors / total),
        "lower_bound": str(lower),
        "ratio": ratio,
        "winner": rounded.index(lower) if lower else None,
        "bounds": bounds,
        "guarantee": {"impurity": {"name": "Pairs", "parameter": None}, "factor": math.log(pairs) + 1}
        if pairs
        else None,
        "error_bounds": error_bounds,
        "reason": "brute force",
    }
    return {**document, "seal": seal(document)}


KINDS = [{}, {"weighted": True}, {"fees": True}, {"priced": True}, {"weighted": True, "fees": True, "priced": True}]


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
def test_every_bound_is_below_the_optimum_over_real_prices(seed, kind):
    """The mathematics, against brute force: no tree with as few errors is cheaper than any bound."""
    facts = make_facts(100 + seed, **kind)
    for budget in (Fraction(1), Fraction(2), Fraction(9)):
        document = make_document(facts, budget)
        below = Fraction(document["lower_bound"]) - unit_of(facts)
        assert below < 0 or brute(facts, below, flat=False)[0] > Fraction(document["errors"])


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


FACTS = make_facts(5, priced=True, fees=True, weighted=True)
EXACT = make_document(FACTS, Fraction(9))
ROUGH = make_document(FACTS, Fraction(2))


def first(document, kind):
    return next(i for i, bound in enumerate(document["bounds"]) if bound["kind"] == kind)


def last_leaf(document):
    return len(document["tree"]) - 1


def plus(text):
    return str(Fraction(text) + Fraction(1, 7))


def change(document, *path, to):
    *way, last = path
    for step in way:
        document = document[step]
    document[last] = to(document[last]) if callable(to) else to


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
    "version": ("version", lambda d: change(d, "version", to=2)),
    "version true": ("version", lambda d: change(d, "version", to=True)),
    "other instance": ("instance", lambda d: change(d, "instance", to="0" * 64)),
    "missing key": ("errors: is missing", lambda d: drop(d, "errors")),
    "unknown key": ("'extra'", lambda d: d.update(extra=1)),
    "max_cost": ("max_cost", lambda d: change(d, "max_cost", to=plus)),
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
        "tree[0].children[",
        lambda d: change(d["tree"][0]["children"], max(d["tree"][0]["children"]), to=1),
    ),
    "tree test range": ("tree[0].test", lambda d: change(d, "tree", 0, "test", to=77)),
    "tree test a text": ("tree[0].test", lambda d: change(d, "tree", 0, "test", to="0")),
    "tree test forgotten": ("tree[0].children", lambda d: change(d, "tree", 0, "test", to=None)),
    "tree child lost": ("tree[0].children", lambda d: drop(d["tree"][0]["children"], max(d["tree"][0]["children"]))),
    "tree leaf with children": ("children", lambda d: change(d, "tree", last_leaf(d), "children", to={"0": 1})),
    "tree orphan": ("is not the child", lambda d: d["tree"].append({"test": None, "children": {}})),
    "tree cut at the root": ("max_cost", lambda d: change(d, "tree", to=[{"test": None, "children": {}}])),
    "guarantee factor": ("guarantee.factor", lambda d: change(d, "guarantee", "factor", to=lambda f: f * (1 + 1e-7))),
    "guarantee nan": ("guarantee.factor", lambda d: change(d, "guarantee", "factor", to=math.nan)),
    "guarantee name": ("guarantee.impurity.name", lambda d: change(d, "guarantee", "impurity", "name", to="Entropy")),
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


def test_the_seal_covers_the_reason():
    document = {**EXACT, "reason": "trust me"}
    assert verify(document, FACTS).problems == ("seal: the document was changed after it was sealed",)
    assert verify({**document, "seal": seal(document)}, FACTS).ok


def test_all_problems_are_collected():
    document = copy.deepcopy(EXACT)
    for key in ("max_cost", "errors", "lower_bound"):
        document[key] = plus(document[key])
    places = {text.split(":")[0] for text in verify(document, FACTS).problems}
    assert {"seal", "max_cost", "errors", "lower_bound"} <= places


def test_an_absent_object_proves_nothing():
    facts = Facts(
        [[0], [1], [0]], [0, 1, 1], [ONE, ONE, Fraction(0)], ["t"], ["a", "b"], [["x", "y"]], [[ONE, ONE]], []
    )
    document = make_document(facts, ONE)
    assert verify(document, facts).ok
    document["bounds"][0]["objects"] = [0, 1, 2]
    assert any("objects[2]: object 2 has weight 0" in text for text in verify(document, facts).problems)


def test_free_tests_and_no_tests():
    free = Facts([[0], [1]], [0, 1], [ONE, ONE], ["t"], ["a", "b"], [["x", "y"]], [[Fraction(0), Fraction(0)]], [])
    document = make_document(free, Fraction(0))
    assert verify(document, free).ok, str(verify(document, free))
    document["bounds"].append({"kind": "search", "value": "1"})
    assert not verify({**document, "seal": seal(document)}, free).ok


def test_a_search_out_of_time_is_unverified_not_wrong():
    facts = make_facts(1, objects=120, tests=14, outcomes=2)
    document = {"kind": "search", "value": "7"}
    report = verify({"errors": "0", "bounds": [document]}, facts, time_limit=0.05)
    assert any(text.startswith("bounds[0].value") and "0.05 seconds" in text for text in report.unverified)
    assert not any(text.startswith("bounds[0]") for text in report.problems)


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


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


@pytest.mark.parametrize("base", [EXACT, ROUGH], ids=["exact", "rough"])
def test_verify_never_raises_on_junk_anywhere(base):
    draw = random.Random(0)
    everywhere = [path for path in places(base) if path]
    for path in everywhere:
        for junk in draw.sample(JUNK, 5) if len(path) > 1 else JUNK:
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
            harmless = (path == ("reason",) and isinstance(junk, str)) or (path == ("guarantee",) and junk is None)
            # A dual or a parameter that stays feasible, or an object that proves as much, is another true witness.
            harmless = harmless or path in (("error_bounds",), ("bounds",)) or (path[0] == "bounds" and len(path) > 2)
            assert harmless or not verify(document, FACTS, time_limit=2).ok, path
            verify(document, FACTS, time_limit=2)


def numbers_of_claims(document):
    """Every number that says something about tree, errors or costs; witnesses may change into other true ones."""
    for key in ("max_cost", "errors", "error_rate", "lower_bound", "ratio"):
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


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_verify_never_raises_on_several_random_changes(data):
    document = copy.deepcopy(data.draw(st.sampled_from([EXACT, ROUGH])))
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


def bound_problems(facts, budget, bound):
    """What the checker says of one more bound, whose value is right by the formula but whose premise is broken."""
    document = make_document(facts, budget)
    place = len(document["bounds"])
    document["bounds"].append(bound)
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


@pytest.mark.parametrize("seed", range(40))
def test_the_search_agrees_with_brute_force_whatever_was_asked_before(seed):
    """One search keeps its memory from limit to limit; a bound remembered too high would show."""
    draw = random.Random(seed)
    facts = make_facts(seed, objects=14, tests=4, outcomes=2, classes=draw.choice([2, 3]))
    prices = [draw.choice([0, 1, 1, 2]) for _ in range(4)]
    fees = [(draw.randint(0, 2), frozenset(draw.sample(range(4), 2)))] if seed % 2 else []
    flat = [[Fraction(price)] * 2 for price in prices]
    facts = Facts(**{**facts.__dict__, "prices": flat, "fees": [(Fraction(fee), tests) for fee, tests in fees]})
    search = Search(facts.codes, facts.labels, [1] * 14, prices, fees, math.inf)
    for budget in (4, 2, 3, 1, 0):
        right = brute(facts, Fraction(budget), flat=True)[0]
        for limit in range(10):
            found = search.fewest(budget, limit)
            assert found == right if right <= limit else limit < found <= right

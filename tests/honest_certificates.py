"""Small instances, brute force over all their trees, and honest certificates to corrupt; imports the checker alone."""

import itertools
import math
import random
from fractions import Fraction

from budgetree.proof.check.document import reason
from budgetree.proof.check.verifier import Facts, seal

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
        shared=shared,
    )


def wrong(facts, rows):
    weights = [
        sum((facts.weights[r] for r in rows if facts.labels[r] == c), Fraction(0))
        for c in range(len(facts.class_names))
    ]
    return sum(weights) - max(weights)


def path_cost(facts, asked, flat):
    own = sum((min(facts.prices[t]) if flat else facts.prices[t][o] for t, o in asked.items()), Fraction(0))
    return own + sum((fee for fee, tests in facts.shared if tests & asked.keys()), Fraction(0))


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
    return gcd([p for row in facts.prices for p in row] + [fee for fee, _ in facts.shared])


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


def max_cost(facts, tree, asked=None):
    """What no case exceeds, whatever outcome it shows at any node."""
    asked = asked or {}
    if tree is None:
        return path_cost(facts, asked, False)
    test, children = tree
    every = {
        outcome: asked if test in asked else {**asked, test: outcome} for outcome in range(len(facts.prices[test]))
    }
    paid = [path_cost(facts, after, False) for after in every.values()]
    return max(*paid, *(max_cost(facts, child, every[outcome]) for outcome, child in children.items()))


def greedy(facts, rows=None):
    """The tree of the paper's rule with Pairs, for prices that do not depend on outcomes."""
    rows = [r for r, w in enumerate(facts.weights) if w > 0] if rows is None else rows
    whole, rated = impurity("Pairs", None, facts, rows), []
    for test in range(len(facts.test_names)):
        parts = {
            o: [r for r in rows if facts.codes[r][test] == o] for o in sorted({facts.codes[r][test] for r in rows})
        }
        gain = whole - max(impurity("Pairs", None, facts, part) for part in parts.values())
        if len(parts) > 1 and gain > 0:
            rated.append((facts.prices[test][0] / gain, test, parts))
    if not whole or not rated:
        return None
    _, test, parts = min(rated, key=lambda entry: entry[:2])
    return test, {outcome: greedy(facts, part) for outcome, part in parts.items()}


def make_document(facts, budget, *, grown=None):
    """An honest certificate for the brute-force tree within the budget, or for one that `greedy` has grown."""
    errors, tree = brute(facts, budget, flat=False)
    if grown is not None:
        tree = grown
        errors = sum((wrong(facts, rows) for rows, _ in leaves_of(facts, tree)), Fraction(0))
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
    for bound in bounds:
        bound["ignores"] = facts.ignored(bound["kind"])
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
        "max_cost": str(max_cost(facts, tree)),
        "known_max_cost": str(cost),
        "errors": str(errors),
        "error_rate": str(errors / total),
        "lower_bound": str(lower),
        "ratio": ratio,
        "winner": rounded.index(lower) if lower else None,
        "bounds": bounds,
        "guarantee": {"impurity": {"name": "Pairs", "parameter": None}, "factor": math.log(pairs) + 1}
        if grown is not None
        else None,
        "error_bounds": error_bounds,
        "losses": None,
        "loss": str(errors),
        "spared": None,
        "not_applicable": {},
        "rounded": [],
    }
    document["reason"] = reason(document)
    return {**document, "seal": seal(document)}


KINDS = [{}, {"weighted": True}, {"fees": True}, {"priced": True}, {"weighted": True, "fees": True, "priced": True}]


FACTS = make_facts(5, priced=True, fees=True, weighted=True)
EXACT = make_document(FACTS, Fraction(9))
ROUGH = make_document(FACTS, Fraction(2))
PLAIN_FACTS = make_facts(3)
GREEDY = make_document(PLAIN_FACTS, Fraction(9), grown=greedy(PLAIN_FACTS))  # with the paper's guarantee


def first(document, kind):
    return next(i for i, bound in enumerate(document["bounds"]) if bound["kind"] == kind)


def plus(text):
    return str(Fraction(text) + Fraction(1, 7))


def change(document, *path, to):
    *way, last = path
    for step in way:
        document = document[step]
    document[last] = to(document[last]) if callable(to) else to


def places(value, path=()):
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from places(item, (*path, key))

"""Check a certificate with the standard library and exact fractions alone.

Nothing here is shared with what writes certificates: tree, costs, errors and every lower bound are recomputed from the
plain facts. `verify` never raises on a malformed document: whatever is wrong becomes a problem that names its place.

>>> one = Fraction(1)
>>> facts = Facts([[0], [1]], [0, 1], [one, one], ["fever"], ["ill", "well"], [["yes", "no"]], [[one, one]], [])
>>> print(verify({"format": "budgetree certificate"}, facts))  # doctest: +ELLIPSIS
The certificate does not hold.
  wrong: version: is missing
...
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, TypeVar

from budgetree.proof.check import witness
from budgetree.proof.check.exhaust import OutOfTimeError, Search
from budgetree.proof.check.facts import Facts, Whole, digest
from budgetree.proof.check.reading import Flaw, counted, fields, fraction, index, items, short

__all__ = ["CheckReport", "Facts", "seal", "verify"]

FORMAT, VERSION = "budgetree certificate", 2
TREE_KEYS = ("tree", "max_cost", "known_max_cost", "errors", "error_rate", "error_bounds")
BOUND_KEYS = ("lower_bound", "ratio", "winner", "bounds", "guarantee")
KEYS = ("format", "version", "instance", *TREE_KEYS, *BOUND_KEYS, "reason", "seal")
NEW_KEYS = ("known_max_cost",)  # since version 2; "max_cost" of version 1 is what known_max_cost is now
Result = TypeVar("Result")


def seal(document: Mapping[str, Any]) -> str:
    """The digest of the document without its own seal."""
    return digest({key: value for key, value in document.items() if key != "seal"})


@dataclass(frozen=True)
class CheckReport:
    """What is wrong with a certificate, and what could not be verified in time."""

    problems: tuple[str, ...]
    unverified: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong; `unverified` may still hold a claim that has to be believed."""
        return not self.problems

    def __str__(self) -> str:
        head = "The certificate does not hold." if self.problems else "The certificate holds."
        lines = [head, *(f"  wrong: {text}" for text in self.problems)]
        return "\n".join([*lines, *(f"  not verified: {text}" for text in self.unverified)])


@dataclass(frozen=True)
class _Tree:
    """What the document's tree does with the known cases."""

    leaves: list[tuple[list[int], dict[int, int]]]  # class weights in grains, heaviest first; outcome per test asked
    questions: list[tuple[dict[int, int], int]]  # per inner node the outcomes before it, and its test


class _Verifier:
    """One document against one instance; `problems` and `unverified` fill as its parts are checked."""

    def __init__(self, document: Mapping[str, Any], facts: Facts, time_limit: float | None):
        self.document, self.facts, self.whole, self.time_limit = document, facts, Whole(facts), time_limit
        self.deadline = math.inf if time_limit is None else time.monotonic() + time_limit
        self.finder: Search | None = None
        self.is_old = document.get("version") == 1
        self.problems: list[str] = []
        self.unverified: list[str] = []

    def attempt(self, step: Callable[..., Result], *arguments: Any) -> Result | None:
        """The step's result, or None and a problem more."""
        try:
            return step(*arguments)
        except Flaw as flaw:
            self.problems += flaw.args
            return None

    def claim(self, stated: Any, right: Fraction, where: str) -> None:
        if (number := fraction(stated, where)) != right:
            raise Flaw(f"{where}: is {short(number)}, must be {short(right)}")

    def run(self) -> CheckReport:
        document = self.document
        keys = [key for key in KEYS if not (self.is_old and key in NEW_KEYS)]
        self.problems += [f"{key}: is missing" for key in keys if key not in document]
        self.problems += [f"{short(key)}: is not a key of a certificate" for key in document if key not in keys]
        self.envelope()
        tree = self.attempt(self.tree)
        if tree is None:  # the rest is checked as far as the stated errors allow
            cost, errors = None, self.attempt(fraction, document.get("errors"), "errors")
        else:
            total = self.whole.grain * sum(self.whole.weights)
            cost = max(self.cost(asked) for _, asked in tree.leaves)
            known_max_cost = "max_cost" if self.is_old else "known_max_cost"
            errors = self.whole.grain * sum(sum(counts) - counts[0] for counts, _ in tree.leaves)
            self.attempt(self.claim, document.get(known_max_cost), cost, known_max_cost)
            if not self.is_old:
                self.attempt(self.claim, document.get("max_cost"), self.max_cost(tree), "max_cost")
            self.attempt(self.claim, document.get("errors"), errors, "errors")
            self.attempt(self.claim, document.get("error_rate"), errors / total, "error_rate")
            self.attempt(self.error_bounds, [counts for counts, _ in tree.leaves], errors / total)
        if errors is not None:
            self.attempt(self.bounds, cost, errors)
        self.attempt(self.guarantee)
        return CheckReport(tuple(self.problems), tuple(self.unverified))

    def envelope(self) -> None:
        document = self.document
        if document.get("format") != FORMAT:
            self.problems.append(f"format: expected {FORMAT!r}, got {short(document.get('format'))}")
        if type(document.get("version")) is not int or not 1 <= document["version"] <= VERSION:
            self.problems.append(f"version: expected 1 to {VERSION}, got {short(document.get('version'))}")
        if document.get("instance") != self.facts.fingerprint():
            self.problems.append("instance: the certificate is about other facts than these")
        if not isinstance(document.get("reason"), str):
            self.problems.append(f"reason: expected text, got {short(document.get('reason'))}")
        try:
            if document.get("seal") != seal(document):
                self.problems.append("seal: the document was changed after it was sealed")
        except (TypeError, ValueError, RecursionError) as error:
            self.problems.append(f"seal: the document cannot be written as JSON ({type(error).__name__})")

    def tree(self) -> _Tree:
        """The document's tree, with the cases of each leaf counted again."""
        facts, nodes = self.facts, items(self.document.get("tree"), "tree")
        reached: dict[int, tuple[list[int], dict[int, int]]] = {0: (self.whole.rows, {})}
        found = _Tree([], [])
        for number, entry in enumerate(nodes):
            where = f"tree[{number}]"
            node = fields(entry, where, ("test", "children"))
            children = fields(node["children"], f"{where}.children")
            if number not in reached:
                raise Flaw(f"{where}: is not the child of an earlier node")
            rows, asked = reached[number]
            if node["test"] is None:
                if children:
                    raise Flaw(f"{where}.children: a leaf has none, got {short(children)}")
                found.leaves.append((sorted(self.whole.counts(rows), reverse=True), asked))
                continue
            test = index(node["test"], len(facts.test_names), f"{where}.test")
            names = facts.outcome_names[test]
            found.questions.append((asked, test))
            parts = self.whole.parts(rows, test)
            given = {index(key, len(names), f"{where}.children", text=True): key for key in children}
            for outcome in sorted(parts.keys() ^ given.keys()):
                fault = "has no child, but cases" if outcome in parts else "has a child, but no cases"
                raise Flaw(f"{where}.children: outcome {names[outcome]!r} {fault} show it there")
            for outcome, key in given.items():
                place = f"{where}.children[{key}]"
                child = index(children[key], len(nodes), place)
                if child <= number or child in reached:
                    raise Flaw(f"{place}: node {child} must come after node {number} and have no other parent")
                reached[child] = parts[outcome], {**asked, test: outcome}
        if not nodes:
            raise Flaw("tree: has no node")
        return found

    def cost(self, asked: Mapping[int, int]) -> Fraction:
        own = sum((self.facts.prices[test][outcome] for test, outcome in asked.items()), Fraction(0))
        return own + sum(fee for fee, tests in self.facts.fees if any(test in tests for test in asked))

    def max_cost(self, tree: _Tree) -> Fraction:
        """What no case exceeds: it may show the costliest outcome of any test, though no known case does there."""
        worst = max(self.cost(asked) for _, asked in tree.leaves)
        for asked, test in tree.questions:
            prices = self.facts.prices[test]
            costliest = {**asked, test: prices.index(max(prices))} if test not in asked else asked
            worst = max(worst, self.cost(costliest))
        return worst

    def error_bounds(self, leaves: list[list[int]], rate: Fraction) -> None:
        for position, entry in enumerate(items(self.document.get("error_bounds"), "error_bounds")):
            self.attempt(self.error_bound, entry, f"error_bounds[{position}]", leaves, rate)

    def error_bound(self, entry: Any, where: str, leaves: list[list[int]], rate: Fraction) -> None:
        entry = fields(entry, where, ("name", "alpha", "bound", "refined"))
        pairs = entry["name"] == "HingedPairs"
        if not pairs and entry["name"] != "HingedProduct":
            raise Flaw(f"{where}.name: expected HingedPairs or HingedProduct, got {short(entry['name'])}")
        tops = [(counts[0], counts[1] if len(counts) > 1 else 0) for counts in leaves]
        alpha = max(Fraction(a * b, a + b) if pairs else Fraction(b) for a, b in tops)  # in grains
        k, n = len(self.facts.class_names), sum(self.whole.weights)
        per_leaf = (k if pairs else 1) * (k - 1) * alpha / n  # of the error rate, per leaf
        heaviest = [0, *accumulate(sorted((sum(counts) for counts in leaves), reverse=True))]
        bound = len(leaves) * per_leaf
        refined = min(per_leaf * j + Fraction((k - 1) * (n - covered), k * n) for j, covered in enumerate(heaviest))
        for key, right in (("alpha", alpha * self.whole.grain), ("bound", bound), ("refined", refined)):
            self.attempt(self.claim, entry[key], right, f"{where}.{key}")
        if rate > min(bound, refined):
            raise Flaw(f"{where}: the error rate {rate} exceeds its bound {min(bound, refined)}")

    def guarantee(self) -> None:
        entry = self.document.get("guarantee")
        if entry is None:
            return
        entry = fields(entry, "guarantee", ("impurity", "factor"))
        name, parameter = witness.function(entry["impurity"], "guarantee.impurity")
        scale = parameter.denominator
        whole = witness.impurity(name, parameter.numerator, [scale * n for n in self.whole.counts(self.whole.rows)])
        right = math.log(whole) - 2 * math.log(scale) + 1 if whole > 0 else -math.inf
        factor = entry["factor"]
        if right < 1:
            raise Flaw("guarantee: F of all cases is below 1, which promises nothing; expected null")
        if not isinstance(factor, float) or not abs(factor - right) <= 1e-9 * right:
            raise Flaw(f"guarantee.factor: expected {right!r}, got {short(factor)}")

    def bounds(self, cost: Fraction | None, errors: Fraction) -> None:
        """Every witness, then the lower bound they give, its winner and the ratio."""
        document, unit = self.document, self.whole.unit
        values: list[Fraction] = []
        for position, entry in enumerate(items(document.get("bounds"), "bounds")):
            value = self.attempt(self.bound, entry, f"bounds[{position}]", errors) or Fraction(0)
            values.append(math.ceil(value / unit) * unit if unit else value)  # every path costs a multiple of the unit
        lower = max([Fraction(0), *values])
        self.attempt(self.claim, document.get("lower_bound"), lower, "lower_bound")
        winner = document.get("winner")
        if lower == 0 and winner is not None:
            self.problems.append(f"winner: expected null, since nothing above 0 is proved; got {short(winner)}")
        if lower > 0:
            place = self.attempt(index, winner, len(values), "winner")
            if place is not None and values[place] != lower:
                self.problems.append(f"winner: bounds[{place}] does not give the lower bound {short(lower)}")
        if cost is None:
            return
        if cost < lower:
            self.problems.append(f"lower_bound: {short(lower)} is refuted by the tree, which costs {short(cost)}")
        if lower == 0 and cost > 0:
            if document.get("ratio") is not None:
                self.problems.append(f"ratio: expected null beside a lower bound of 0, got {short(document['ratio'])}")
            return
        self.claim(document.get("ratio"), cost / lower if lower else Fraction(1), "ratio")

    def bound(self, entry: Any, where: str, errors: Fraction) -> Fraction:
        """The value that the witness proves."""
        kind = fields(entry, where).get("kind")
        if kind == "search":
            value = fraction(fields(entry, where, ("kind", "value"))["value"], f"{where}.value")
            self.search(value, where, errors)
            return value
        if kind == "cover":
            right = witness.cover(self.whole, fields(entry, where, ("kind", "objects", "value")), where, errors)
        elif kind == "ratio":
            keys = ("kind", "impurity", "objects", "value")
            right = witness.ratio(self.whole, fields(entry, where, keys), where, errors)
        else:
            raise Flaw(f"{where}.kind: expected ratio, cover or search, got {short(kind)}")
        self.attempt(self.claim, entry["value"], right, f"{where}.value")
        return right

    def search(self, value: Fraction, where: str, errors: Fraction) -> None:
        try:
            self.finder = self.finder or witness.searcher(self.whole, self.deadline)
            witness.search(self.whole, self.finder, value, where, errors)
        except (OutOfTimeError, RecursionError):
            limit = "Python's recursion limit" if self.time_limit is None else counted(self.time_limit, "second")
            what = f"whether a tree cheaper than {short(value)} makes at most {counted(errors, 'error')}"
            self.unverified.append(f"{where}.value: {what} was not settled within {limit}")


def verify(document: Mapping[str, Any], facts: Facts, *, time_limit: float | None = 10) -> CheckReport:
    """Check every number of the document against the facts; searches share `time_limit` seconds (None: no limit)."""
    if problems := facts.problems():
        return CheckReport(tuple(problems), ())
    if not isinstance(document, Mapping):
        return CheckReport((f"document: expected an object, got {short(document)}",), ())
    return _Verifier(document, facts, time_limit).run()

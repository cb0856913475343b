"""Check a certificate with the standard library and exact fractions alone.

Nothing here, nor in facts, reading, witnesses and exhaust, is shared with what writes certificates: tree, costs,
errors and every lower bound are computed again from the plain facts. `verify` never raises on a malformed document:
whatever is wrong becomes a problem that names its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

from budgetree.proof.facts import Facts, seal
from budgetree.proof.reading import Flaw, read_fraction, read_index, read_list, read_object, short
from budgetree.proof.witnesses import Witnesses, impurity_of

FORMAT, VERSION = "budgetree certificate", 1
KEYS = (
    "format", "version", "instance", "tree", "max_cost", "errors", "error_rate", "lower_bound", "ratio", "winner",
    "bounds", "guarantee", "error_bounds", "reason", "seal",
)  # fmt: skip


@dataclass(frozen=True)
class Report:
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


class _Verifier(Witnesses):
    """One document against one instance."""

    def __init__(self, document: Mapping[str, Any], facts: Facts, time_limit: float | None) -> None:
        super().__init__(facts, time_limit)
        self.document = document

    def run(self) -> Report:
        document = self.document
        self.problems += [f"{key}: is missing" for key in KEYS if key not in document]
        self.problems += [f"{short(key)}: is not a key of a certificate" for key in document if key not in KEYS]
        self.attempt(self.envelope)
        leaves = self.attempt(self.tree)
        if leaves is None:  # the rest is checked as far as the stated errors allow
            cost, errors = None, self.attempt(read_fraction, document.get("errors"), "errors")
        else:
            total = self.grain * sum(self.weights)
            cost = max(self.cost(asked) for _, asked in leaves)
            errors = self.grain * sum(sum(counts) - counts[0] for counts, _ in leaves)
            self.attempt(self.claim, document.get("max_cost"), cost, "max_cost")
            self.attempt(self.claim, document.get("errors"), errors, "errors")
            self.attempt(self.claim, document.get("error_rate"), errors / total, "error_rate")
            self.attempt(self.error_bounds, [counts for counts, _ in leaves], errors / total)
        if errors is not None:
            self.attempt(self.bounds, cost, errors)
        self.attempt(self.guarantee)
        return Report(tuple(self.problems), tuple(self.unverified))

    def envelope(self) -> None:
        document = self.document
        if document.get("format") != FORMAT:
            self.problems.append(f"format: expected {FORMAT!r}, got {short(document.get('format'))}")
        if type(document.get("version")) is not int or document["version"] != VERSION:
            self.problems.append(f"version: expected {VERSION}, got {short(document.get('version'))}")
        if document.get("instance") != self.facts.fingerprint():
            self.problems.append("instance: the certificate is about other facts than these")
        if not isinstance(document.get("reason"), str):
            self.problems.append(f"reason: expected text, got {short(document.get('reason'))}")
        try:
            if document.get("seal") != seal(document):
                self.problems.append("seal: the document was changed after it was sealed")
        except (TypeError, ValueError, RecursionError) as error:
            self.problems.append(f"seal: the document cannot be written as JSON ({type(error).__name__})")

    def tree(self) -> list[tuple[list[int], dict[int, int]]]:
        """Per leaf the class weights in grains, heaviest first, and the outcome of each test asked on its path."""
        facts, nodes = self.facts, read_list(self.document.get("tree"), "tree")
        reached: dict[int, tuple[list[int], dict[int, int]]] = {0: (self.rows, {})}
        leaves = []
        for number, entry in enumerate(nodes):
            where = f"tree[{number}]"
            node = read_object(entry, where, ("test", "children"))
            children = read_object(node["children"], f"{where}.children")
            if number not in reached:
                raise Flaw(f"{where}: is not the child of an earlier node")
            rows, asked = reached[number]
            if node["test"] is None:
                if children:
                    raise Flaw(f"{where}.children: a leaf has none, got {short(children)}")
                leaves.append((sorted(self.counts(rows), reverse=True), asked))
                continue
            test = read_index(node["test"], len(facts.test_names), f"{where}.test")
            names = facts.outcome_names[test]
            parts = self.parts(rows, test)
            given = {read_index(key, len(names), f"{where}.children", text=True): key for key in children}
            for outcome in sorted(parts.keys() ^ given.keys()):
                fault = "has no child, but objects there show it" if outcome in parts else "has a child, but no object"
                raise Flaw(f"{where}.children: outcome {names[outcome]!r} {fault}")
            for outcome, key in given.items():
                place = f"{where}.children[{key}]"
                child = read_index(children[key], len(nodes), place)
                if child <= number or child in reached:
                    raise Flaw(f"{place}: node {child} must come after node {number} and have no other parent")
                reached[child] = parts[outcome], {**asked, test: outcome}
        if not nodes:
            raise Flaw("tree: has no node")
        return leaves

    def cost(self, asked: Mapping[int, int]) -> Fraction:
        own = sum((self.facts.prices[test][outcome] for test, outcome in asked.items()), Fraction(0))
        return own + sum(fee for fee, tests in self.facts.fees if any(test in tests for test in asked))

    def error_bounds(self, leaves: list[list[int]], rate: Fraction) -> None:
        for position, entry in enumerate(read_list(self.document.get("error_bounds"), "error_bounds")):
            self.attempt(self.error_bound, entry, f"error_bounds[{position}]", leaves, rate)

    def error_bound(self, entry: Any, where: str, leaves: list[list[int]], rate: Fraction) -> None:
        entry = read_object(entry, where, ("name", "alpha", "bound", "refined"))
        pairs = entry["name"] == "HingedPairs"
        if not pairs and entry["name"] != "HingedProduct":
            raise Flaw(f"{where}.name: expected HingedPairs or HingedProduct, got {short(entry['name'])}")
        tops = [(counts[0], counts[1] if len(counts) > 1 else 0) for counts in leaves]
        alpha = max(Fraction(a * b, a + b) if pairs else Fraction(b) for a, b in tops)  # in grains
        k, n = len(self.facts.class_names), sum(self.weights)
        each = (k if pairs else 1) * (k - 1) * alpha / n  # of the error rate, per leaf
        heaviest = [0, *accumulate(sorted((sum(counts) for counts in leaves), reverse=True))]
        bound = len(leaves) * each
        refined = min(each * j + Fraction((k - 1) * (n - held), k * n) for j, held in enumerate(heaviest))
        for key, right in (("alpha", alpha * self.grain), ("bound", bound), ("refined", refined)):
            self.attempt(self.claim, entry[key], right, f"{where}.{key}")
        if rate > min(bound, refined):
            raise Flaw(f"{where}: the error rate {rate} exceeds its bound {min(bound, refined)}")

    def guarantee(self) -> None:
        entry = self.document.get("guarantee")
        if entry is None:
            return
        entry = read_object(entry, "guarantee", ("impurity", "factor"))
        name, parameter = self.function(entry["impurity"], "guarantee.impurity")
        scale = parameter.denominator
        whole = impurity_of(name, parameter.numerator, [scale * n for n in self.counts(self.rows)])
        right = math.log(whole) - 2 * math.log(scale) + 1 if whole > 0 else -math.inf
        factor = entry["factor"]
        if right < 1:
            raise Flaw("guarantee: F of all objects is below 1, which promises nothing; expected null")
        if not isinstance(factor, float) or not abs(factor - right) <= 1e-9 * right:
            raise Flaw(f"guarantee.factor: expected {right!r}, got {short(factor)}")

    def bounds(self, cost: Fraction | None, errors: Fraction) -> None:
        """Every witness, then the lower bound they give, its winner and the ratio."""
        document = self.document
        values: list[Fraction | None] = []
        for position, entry in enumerate(read_list(document.get("bounds"), "bounds")):
            value = self.attempt(self.bound, entry, f"bounds[{position}]", errors)
            values.append(value if value is None or not self.unit else math.ceil(value / self.unit) * self.unit)
        lower = max([Fraction(0), *(value for value in values if value is not None)])
        self.attempt(self.claim, document.get("lower_bound"), lower, "lower_bound")
        winner = document.get("winner")
        if lower == 0 and winner is not None:
            self.problems.append(f"winner: expected null, since nothing above 0 is proved; got {short(winner)}")
        if lower > 0 and values[self.attempt(read_index, winner, len(values), "winner") or 0] != lower:
            self.problems.append(f"winner: bounds[{short(winner)}] does not give the lower bound {short(lower)}")
        if cost is None:
            return
        if cost < lower:
            self.problems.append(f"lower_bound: {short(lower)} is refuted by the tree, which costs {short(cost)}")
        if lower == 0 and cost > 0:
            if document.get("ratio") is not None:
                self.problems.append(f"ratio: expected null beside a lower bound of 0, got {short(document['ratio'])}")
            return
        self.claim(document.get("ratio"), cost / lower if lower else Fraction(1), "ratio")


def verify(document: Mapping[str, Any], facts: Facts, *, time_limit: float | None = 10) -> Report:
    """Check every number of the document against the facts; searches share `time_limit` seconds (None: no limit)."""
    if problems := facts.problems():
        return Report(tuple(problems), ())
    if not isinstance(document, Mapping):
        return Report((f"document: expected an object, got {short(document)}",), ())
    return _Verifier(document, facts, time_limit).run()

"""Check a certificate with the standard library and exact fractions alone.

Nothing here is shared with what writes certificates: tree, costs, errors, losses and every lower bound are recomputed
from the plain facts. `verify` never raises on a malformed document: whatever is wrong becomes a problem that names its
place, and what was not checked is said to be the issuer's word.

>>> one = Fraction(1)
>>> facts = Facts([[0], [1]], [0, 1], [one, one], ["fever"], ["ill", "well"], [["yes", "no"]], [[one, one]], [])
>>> print(verify({"format": "budgetree certificate"}, facts))  # doctest: +ELLIPSIS
The certificate does not hold.
  wrong: version: is missing
...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from budgetree.proof.check import greedy, trees, witness
from budgetree.proof.check.document import FORMAT, KEYS, VERSION, CheckReport, not_applicable, reason, seal
from budgetree.proof.check.exhaust import Search
from budgetree.proof.check.facts import AMOUNT_NAME, Facts, Whole
from budgetree.proof.check.reading import (
    Deadline,
    Flaw,
    OutOfTimeError,
    counted,
    fields,
    fraction,
    index,
    items,
    short,
    undisturbed,
)
from budgetree.proof.check.trees import Node

Result = TypeVar("Result")


class _Verifier:
    """One document against one instance; `problems` and `unverified` fill as its parts are checked."""

    def __init__(self, document: Mapping[str, Any], facts: Facts, deadline: Deadline):
        self.document, self.facts, self.whole, self.deadline = document, facts, Whole(facts, deadline), deadline
        self.searched: list[tuple[Fraction, str]] = []  # what searches are said to have proved, and where it says so
        self.is_late = False  # a witness was not read for want of time
        self.problems: list[str] = []
        self.unverified: list[str] = []

    def attempt(self, place: str, step: Callable[..., Result], *arguments: Any) -> Result | None:
        """The step's result, or None and a problem more; or something not verified, where the time is over."""
        try:
            self.deadline.check()
            return self.at_any_time(step, *arguments)
        except OutOfTimeError:
            self.unverified.append(f"{place}: was not checked within {self.deadline}")
            return None

    def claim(self, stated: Any, right: Fraction, where: str) -> None:
        if (number := fraction(stated, where)) != right:
            raise Flaw(f"{where}: is {short(number)}, must be {short(right)}")

    def run(self) -> CheckReport:
        document = self.document
        self.problems += [f"{key}: is missing" for key in KEYS if key not in document]
        self.problems += [f"{short(key)}: is not a key of a certificate" for key in document if key not in KEYS]
        if document.get("format") != FORMAT:
            self.problems.append(f"format: expected {FORMAT!r}, got {short(document.get('format'))}")
        version = document.get("version")
        if type(version) is not int or version != VERSION:
            self.problems.append(f"version: expected {VERSION}, got {short(version)}")
        if not isinstance(document.get("reason"), str):
            self.problems.append(f"reason: expected text, got {short(document.get('reason'))}")
        self.attempt("instance", self.instance)
        self.attempt("seal", self.seal)
        self.attempt("losses", self.losses)
        self.attempt("rounded", self.each, "rounded", self.rounded_price)
        tree = self.attempt("tree", trees.read_tree, document.get("tree"), self.whole)
        found = None if tree is None else self.attempt("tree", self.score, tree)
        if tree is not None and found is not None:
            self.attempt("error_bounds", self.error_bounds, tree, found["error_rate"])
        lost = "errors" if self.facts.losses is None else "loss"
        # Without the tree the rest is checked as far as what is stated allows.
        loss = self.at_any_time(fraction, document.get(lost), lost) if found is None else found[lost]
        if loss is not None:
            self.bounds(None if found is None else found["known_max_cost"], loss)
        self.guarantee(tree)
        if loss is not None:  # last, because they may take all the time
            self.search(loss)
        self.reason(found)
        return CheckReport(tuple(self.problems), tuple(self.unverified))

    def instance(self) -> None:
        if self.document.get("instance") != self.facts.fingerprint(self.deadline):
            raise Flaw("instance: the certificate is about other facts than these")

    def seal(self) -> None:
        try:
            right = seal(self.document)
        except (TypeError, ValueError, RecursionError) as error:
            raise Flaw(f"seal: the document cannot be written as JSON ({type(error).__name__})") from None
        if self.document.get("seal") != right:
            raise Flaw("seal: the document was changed after it was sealed")

    def losses(self) -> None:
        """That the document has the losses of the facts, and states what it cannot for want of them."""
        given, document = self.facts.losses, self.document
        if document.get("losses") != (None if given is None else given.content()):
            raise Flaw("losses: are not those of the facts")
        right = not_applicable(given is not None, document.get("spared") is not None)
        if document.get("not_applicable") != right:
            raise Flaw(f"not_applicable: expected {short(right)}, got {short(document.get('not_applicable'))}")
        if given is None and document.get("spared") is not None:
            raise Flaw(f"spared: expected null without losses, got {short(document.get('spared'))}")

    def each(self, key: str, step: Callable[..., None], *arguments: Any) -> None:
        """The step for every entry of a list, and where it stands."""
        for position, entry in enumerate(items(self.document.get(key), key)):
            where = f"{key}[{position}]"
            self.attempt(where, step, entry, where, *arguments)

    def rounded_price(self, value: Any, where: str) -> None:
        """That a price said to be rounded is the one that counts, and the nearest multiple of the unit."""
        entry = fields(value, where, (*AMOUNT_NAME, "given", "counted"))
        right = self.facts.named_amount(entry, where)
        self.claim(entry["counted"], right, f"{where}.counted")
        given = fraction(entry["given"], f"{where}.given")
        if abs(given - right) * 2 > self.whole.unit:
            raise Flaw(f"{where}.given: is {short(given)}, which would not become {short(right)}")

    def score(self, tree: list[Node]) -> dict[str, Fraction]:
        """What the tree really does, by the keys under which the document says it."""
        whole, lost, wrong = self.whole, 0, 0
        for node in tree:
            self.deadline.check()
            if node.test is None:
                here = whole.leaf(whole.counts(node.rows))
                lost, wrong = lost + here[0], wrong + here[1]
        known_max_cost, max_cost = trees.max_costs(tree, whole)
        score = {"errors": wrong * whole.weight_unit, "error_rate": Fraction(wrong, sum(whole.weights))}
        score |= {"known_max_cost": known_max_cost, "max_cost": max_cost, "loss": lost * whole.measure}
        for key, right in score.items():
            self.attempt(key, self.claim, self.document.get(key), right, key)
        return score

    def error_bounds(self, tree: list[Node], rate: Fraction) -> None:
        if self.facts.losses is None:
            leaves = [sorted(self.whole.counts(node.rows), reverse=True) for node in tree if node.test is None]
            self.each("error_bounds", self.error_bound, leaves, rate)
        elif items(self.document.get("error_bounds"), "error_bounds"):
            raise Flaw("error_bounds: are about errors; expected none, because losses are given")

    def error_bound(self, entry: Any, where: str, leaves: list[list[int]], rate: Fraction) -> None:
        entry = fields(entry, where, ("name", "alpha", "bound", "refined"))
        if entry["name"] not in greedy.HINGED:
            raise Flaw(f"{where}.name: expected HingedPairs or HingedProduct, got {short(entry['name'])}")
        right = greedy.error_bounds(entry["name"], leaves, self.whole)
        for key, number in right.items():
            self.attempt(f"{where}.{key}", self.claim, entry[key], number, f"{where}.{key}")
        if rate > (least := min(right["bound"], right["refined"])):
            raise Flaw(f"{where}: the error rate {rate} exceeds its bound {least}")

    def guarantee(self, tree: list[Node] | None) -> None:
        """The factor, and that the greedy rule grows this tree."""
        if self.document.get("guarantee") is None:
            return
        rule = self.attempt("guarantee", greedy.read_rule, self.document["guarantee"], self.whole)
        if rule is not None and tree is not None:
            place = "guarantee: whether the greedy rule grows this tree"
            self.attempt(place, greedy.check_growth, rule, tree, self.whole)

    def reason(self, found: Mapping[str, Fraction] | None) -> None:
        """The sentence is made again from the numbers; any other one is the issuer's own."""
        document = self.document
        if self.problems or found is None:
            return
        if self.is_late:
            self.unverified.append(f"reason: was not checked within {self.deadline}")
            return
        if document["reason"] != (right := reason({**document, **found, "losses": self.facts.losses})):
            stated = short(document["reason"])
            self.unverified.append(f"reason: {stated} is the issuer's word; what was checked says {right!r}")

    def bounds(self, cost: Fraction | None, loss: Fraction) -> None:
        """Every witness, then the lower bound they give, its winner and the ratio."""
        document, unit = self.document, self.whole.unit
        values: list[Fraction] = []
        for position, entry in enumerate(self.at_any_time(items, document.get("bounds"), "bounds") or ()):
            value = self.bound(entry, f"bounds[{position}]", loss)
            values.append(math.ceil(value / unit) * unit if unit else value)  # every path costs a multiple of the unit
        lower = max([Fraction(0), *values])
        self.at_any_time(self.claim, document.get("lower_bound"), lower, "lower_bound")
        winner = document.get("winner")
        if lower == 0 and winner is not None:
            self.problems.append(f"winner: expected null, since nothing above 0 is proved; got {short(winner)}")
        if lower > 0:
            place = self.at_any_time(index, winner, len(values), "winner")
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
        self.at_any_time(self.claim, document.get("ratio"), cost / lower if lower else Fraction(1), "ratio")

    def at_any_time(self, step: Callable[..., Result], *arguments: Any) -> Result | None:
        """What takes no time is checked also where the time is over."""
        try:
            return step(*arguments)
        except Flaw as flaw:
            self.problems += flaw.args
            return None

    def bound(self, entry: Any, where: str, loss: Fraction) -> Fraction:
        """The value that the witness proves; the stated one, where the time is over."""
        try:
            if (kind := fields(entry, where).get("kind")) not in ("ratio", "cover", "search"):
                raise Flaw(f"{where}.kind: expected ratio, cover or search, got {short(kind)}")
            if entry.get("ignores") != (ignored := self.facts.ignored(kind)):
                raise Flaw(f"{where}.ignores: expected {short(ignored)}, got {short(entry.get('ignores'))}")
            if kind == "search":  # done again at the end
                value = fraction(fields(entry, where, ("kind", "value", "ignores"))["value"], f"{where}.value")
                self.searched.append((value, where))
                return value
            self.deadline.check()
            right = self.witness(entry, where, loss)
            self.claim(entry["value"], right, f"{where}.value")
            return right
        except Flaw as flaw:
            self.problems += flaw.args
            return Fraction(0)
        except OutOfTimeError:
            self.is_late = True
            self.unverified.append(f"{where}: was not checked within {self.deadline}")
            return self.at_any_time(fraction, entry.get("value"), f"{where}.value") or Fraction(0)

    def witness(self, entry: Mapping[str, Any], where: str, loss: Fraction) -> Fraction:
        """What a ratio or a cover proves."""
        kind, whole = entry["kind"], self.whole
        if whole.losses is not None:
            if self.document.get("spared") is None:
                raise Flaw(f"{where}: with losses a {kind} needs the class that each answer spares; expected a search")
            n_answers, listed = len(whole.losses[0]), items(self.document["spared"], "spared")
            if len(listed) != n_answers:
                raise Flaw(f"spared: expected a class for each of {n_answers} answers, got {short(listed)}")
            spared = [index(each, whole.n_classes, f"spared[{answer}]") for answer, each in enumerate(listed)]
            whole, loss = whole.by_error_weights(spared, loss)
        if kind == "cover":
            return witness.cover(whole, loss, fields(entry, where, ("kind", "objects", "value", "ignores")), where)
        return witness.ratio(
            whole, loss, fields(entry, where, ("kind", "impurity", "objects", "value", "ignores")), where
        )

    def search(self, loss: Fraction) -> None:
        """Whether a cheaper tree exists than any that a search is said to have found."""
        finder: Search | None = None
        does = f"makes at most {counted(loss, 'error')}"
        if self.facts.losses is not None:
            does = f"loses at most {short(loss)}"
        for value, where in self.searched:
            try:
                self.deadline.check()
                finder = finder or Search(self.whole)
                self.at_any_time(witness.search, self.whole, finder, value, where, loss)
            except (OutOfTimeError, RecursionError):
                what = f"whether a tree cheaper than {short(value)} {does}"
                self.unverified.append(f"{where}.value: {what} was not settled within {self.deadline}")


def verify(
    document: Mapping[str, Any], facts: Facts, *, time_limit: float | None = 10, deadline: Deadline | None = None
) -> CheckReport:
    """Check every number of the document against the facts, in at most `time_limit` seconds (None: no limit).

    What there is no time for is in `unverified`. A `deadline` that runs already is taken instead of the limit.
    """
    deadline = deadline or Deadline(time_limit)
    if problems := facts.problems():
        return CheckReport(tuple(problems), ())
    if not isinstance(document, Mapping):
        return CheckReport((f"document: expected an object, got {short(document)}",), ())
    with undisturbed():
        return _Verifier(document, facts, deadline).run()

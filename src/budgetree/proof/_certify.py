"""certify: what no tree with as few errors can undercut, and the certificate that says why."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import numpy as np

from budgetree.impurity import HingedPairs, HingedProduct, Impurity, Pairs, Powers
from budgetree.learn.settings import check_instance, check_time_limit
from budgetree.problem import Instance
from budgetree.proof.bounds import Bound, price_unit, rounded_up, text_of
from budgetree.proof.certificate import Certificate, facts_of, tree_entries
from budgetree.proof.check import seal
from budgetree.proof.check.verifier import FORMAT, VERSION
from budgetree.proof.cover import cover_bound
from budgetree.proof.error_bounds import bounds_on_errors
from budgetree.proof.ratio import ratio_bound
from budgetree.proof.searched import search_bound
from budgetree.services.clock import Clock
from budgetree.services.progress import ProgressReport, progress_bar
from budgetree.services.words import counted, show_number
from budgetree.tree import Tree

DEFAULT_SECONDS = 10.0
SEARCH_SHARE, RATIO_SHARE = 0.6, 0.2  # of the time, and of the rest of it; the cover has what is left
# Those whose a-priori guarantee the paper has.
FUNCTIONS: dict[str, type[Any]] = {
    "Pairs": Pairs,
    "Powers": Powers,
    "HingedPairs": HingedPairs,
    "HingedProduct": HingedProduct,
}


def certify(
    instance: Instance, tree: Tree, *, time_limit: float | None = DEFAULT_SECONDS, progress: bool | None = None
) -> Certificate:
    """How far any tree with at most as many errors could do better, proven.

    The bounds are the paper's ratio for every admissible function that applies, the cheapest cover of single cases,
    and exhaustive search as far as the time goes; the best of them counts. More time never gives a worse one; None
    searches until the least worst case is known.

    >>> import budgetree as bt
    >>> synthetic = bt.datasets.load("synthetic")
    >>> bt.certify(synthetic, bt.grow(synthetic))
    Certificate(worst case 10, at least 10, ratio 1, with at most 0 errors)
    """
    check_instance(instance)
    _check_tree(instance, tree)
    seconds = check_time_limit(time_limit)
    clock = Clock(seconds)
    score = _scored(tree)
    with progress_bar("certificate", progress) as report:
        bounds = [] if score.known_max_cost == 0 else _bounds(instance, tree, score, clock, report)
    return _certificate(instance, tree, score, bounds)


@dataclass(frozen=True, slots=True)
class _Score:
    """What a tree gets wrong and costs, exactly."""

    errors: Fraction
    max_cost: Fraction  # what no case exceeds
    known_max_cost: Fraction  # what no known case exceeds: the lower bounds are about this one


def _bounds(instance: Instance, tree: Tree, score: _Score, clock: Clock, report: ProgressReport) -> list[Bound]:
    """Ratio, cover and search; the search comes first, for the others need not go beyond a least worst case."""
    seconds, errors, highest = clock.seconds_left, score.errors, score.known_max_cost
    searched = search_bound(instance, errors, highest, None if seconds is None else SEARCH_SHARE * seconds, report)
    left = DEFAULT_SECONDS if seconds is None else clock.seconds_left or 0.0
    clock = Clock(left)
    enough = searched.value if searched is not None and searched.final else highest
    report(1, 3, "ratio bounds")
    ratio_clock = clock.share(RATIO_SHARE * left)
    ratio = ratio_bound(instance, tree, errors, lambda: ratio_clock.is_over)
    report(2, 3, "cover bounds")
    cover = cover_bound(instance, errors, enough, lambda: clock.is_over)
    return [bound for bound in (ratio, cover, searched) if bound is not None]


def _check_tree(instance: Instance, tree: Any) -> None:
    if not isinstance(tree, Tree):
        raise ValueError(f"tree: expected a Tree, but got {type(tree).__name__}.")
    if tree.known is not None:  # its leaves do not answer with the most common class, as a certificate's tree does
        raise ValueError(
            "tree: it was learned for new cases, and a certificate is about the fewest errors on the known ones. "
            "Certify a tree of grow, optimal or frontier (objective 'known')."
        )
    mine, its = instance.schema, tree.schema
    same = (mine.test_names, mine.outcome_names, mine.class_names) == (
        its.test_names,
        its.outcome_names,
        its.class_names,
    )
    if not same or mine.prices != its.prices:
        raise ValueError(
            "tree: it has other tests, outcomes, classes or prices than the instance; grow it from this one."
        )
    counts = np.zeros_like(tree.nodes.counts)
    present = instance.class_order.order
    np.add.at(counts, (tree.route(instance.codes[present]), instance.labels[present]), instance.weight_units[present])
    leaves = tree.nodes.is_leaf
    if its.weight_scale != mine.weight_scale or not np.array_equal(counts[leaves], tree.nodes.counts[leaves]):
        raise ValueError(
            "tree: its class counts are not those of this instance; it was grown from other cases. "
            "Certify a tree against the instance it was grown from."
        )


def _scored(tree: Tree) -> _Score:
    known_max_cost = Fraction(int(tree.nodes.paid.max())) / tree.schema.table.scale
    return _Score(tree.exact_errors, tree.exact_max_cost, known_max_cost)


def _certificate(instance: Instance, tree: Tree, score: _Score, bounds: list[Bound]) -> Certificate:
    unit = price_unit(instance)
    values = [rounded_up(bound.value, unit) for bound in bounds]
    lower = max([*values, Fraction(0)])
    # Of equals the first: a ratio or a cover is checked at once, a search has to be done again.
    winner = values.index(lower) if lower > 0 else None
    known = score.known_max_cost
    ratio = known / lower if lower else (Fraction(1) if known == 0 else None)
    total = Fraction(int(tree.nodes.counts[0].sum())) / instance.schema.weight_scale
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "instance": facts_of(instance).fingerprint(),
        "tree": tree_entries(tree),
        "max_cost": text_of(score.max_cost),
        "known_max_cost": text_of(known),
        "errors": text_of(score.errors),
        "error_rate": text_of(score.errors / total),
        "lower_bound": text_of(lower),
        "ratio": None if ratio is None else text_of(ratio),
        "winner": winner,
        "bounds": [{"kind": bound.kind, **bound.witness, "value": text_of(bound.value)} for bound in bounds],
        "guarantee": _guarantee(instance, tree),
        "error_bounds": bounds_on_errors(tree),
        "reason": _reason(score, lower, None if winner is None else bounds[winner]),
    }
    document["seal"] = seal(document)
    return Certificate(document, instance)


def _reason(score: _Score, lower: Fraction, winner: Bound | None) -> str:
    few = "no errors" if score.errors == 0 else f"at most {counted(score.errors, 'error')}"
    costs = "costs" if score.known_max_cost == score.max_cost else "costs a known case"
    if score.known_max_cost == 0:
        return f"this tree {costs} nothing"
    if winner is None:
        return f"nothing above 0 is proven for trees with {few}"
    if lower == score.known_max_cost:
        return f"no tree with {few} {costs} less: {winner.words}"
    return f"no tree with {few} {costs} less than {show_number(float(lower))}: {winner.words}"


def _guarantee(instance: Instance, tree: Tree) -> dict[str, Any] | None:
    """ln F(S) + 1, for a whole greedy tree of an admissible function; fees, prices by outcome and fallbacks void it."""
    grown = tree.origin.impurity if tree.origin.is_whole_greedy else None
    table = instance.schema.table
    if len(table.fees) or table.has_outcome_prices or tree.n_fallbacks:
        return None
    counts = [int(count) for count in instance.class_order.counts]
    common = gcd(*(int(weight) for weight in instance.weight_units))
    if grown is None or grown.name not in FUNCTIONS or not common:
        return None
    name, parameter = grown.name, next((value for _, value in grown.parameters), None)
    if (parameter is None) != (name == "Pairs"):
        return None  # a model file that was changed
    if name in ("HingedPairs", "HingedProduct") and (common != 1 or instance.schema.weight_scale != 1):
        return None  # α counts cases
    if parameter is not None and parameter.denominator != 1:
        return None  # the least nonzero F may be below 1 then
    function: Impurity = Pairs() if parameter is None else FUNCTIONS[name](int(parameter))
    whole = [count // common for count in counts]
    if function(whole) < 1:
        return None
    impurity = {"name": name, "parameter": None if parameter is None else text_of(parameter)}
    return {"impurity": impurity, "factor": function.guarantee(whole)}

"""certify: a lower bound on the cost of all trees with as few errors, and the certificate that proves it."""

from __future__ import annotations

from copy import copy
from fractions import Fraction
from typing import Any

import numpy as np

from budgetree.errors import TooLargeError, TreeError
from budgetree.learn.exact.solver import NEVER_AGAIN, Solver
from budgetree.learn.settings import FitRequest, check_instance, check_threads, check_time_limit
from budgetree.problem import Instance
from budgetree.problem.cost_model import RuleKind
from budgetree.proof.certificate import Certificate
from budgetree.proof.check import seal
from budgetree.proof.check.document import FORMAT, VERSION, not_applicable, reason
from budgetree.proof.check.reading import undisturbed
from budgetree.proof.cover import cover_bound
from budgetree.proof.entries import (
    Bound,
    facts_of,
    ignored_rules,
    lower_bound,
    price_unit,
    rounded_prices,
    rounded_up,
    tree_entries,
)
from budgetree.proof.error_weights import ErrorWeights, error_weights_of
from budgetree.proof.paper_bounds import bounds_on_errors, stated_guarantee
from budgetree.proof.ratio import ratio_bound
from budgetree.services.clock import DEFAULT_PLAN, Clock
from budgetree.services.progress import ProgressReport, progress_bar
from budgetree.tree import Tree


def certify(
    instance: Instance, tree: Tree, *, time_limit: float | None = None, progress: bool | None = None
) -> Certificate:
    """Prove a lower bound on the cost of any tree with at most as many errors (or as little loss) as this one.

    The bounds are the paper's ratio for every admissible function that applies, the cheapest cover of single cases,
    and exhaustive search within the limit of work or time; the best of them counts.
    They hold for trees with leaves of any size.

    Parameters
    ----------
    instance : Instance
        The known cases.
    tree : Tree
        A tree for them, at their prices.
    time_limit : float, optional
        Seconds. By default the search is cut by counted work, some ten seconds of it, and the certificate is the same
        on every machine; `math.inf` searches until the least worst case is known.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.

    Returns
    -------
    Certificate
        The bound, and the evidence for it.

    Examples
    --------
    >>> import budgetree as bt
    >>> synthetic = bt.datasets.load("synthetic")
    >>> bt.certify(synthetic, bt.grow(synthetic))
    Certificate(worst case 10, at least 10, ratio 1, with at most 0 errors)
    """
    check_instance(instance)
    clock = Clock(check_time_limit(time_limit), work=DEFAULT_PLAN.certificate_seconds)
    return certify_by(instance, tree, clock, progress)


def certify_by(instance: Instance, tree: Tree, clock: Clock, progress: bool | None = False) -> Certificate:
    """The same by a clock with its plan."""
    _check_tree(instance, tree)
    began = clock.seconds_passed
    weights = error_weights_of(instance, tree)
    with undisturbed():
        parts = _parts(instance, tree, weights)
    sealing = clock.plan.seal_share * (clock.seconds_passed - began)
    with clock.listening(), progress_bar("certificate", progress) as report:
        left = clock.seconds_left
        inner = clock if left is None else clock.share(max(left - sealing, 0.0))
        bounds = _bounds(instance, tree, weights, inner, report) if tree.need else []
    with undisturbed():
        return _certificate(instance, parts, bounds)


def _bounds(
    instance: Instance, tree: Tree, weights: ErrorWeights | None, clock: Clock, report: ProgressReport
) -> list[Bound]:
    """Ratio, cover and search; the search comes first, for the others need not go beyond a least worst case."""
    seconds, highest = clock.seconds_left, tree.exact_known_max_cost
    search_clock = clock.share(None if seconds is None else clock.plan.search_share * seconds)
    searched = search_bound(instance, tree.exact_loss, highest, search_clock, report)
    left = clock.plan.certificate_seconds if seconds is None else clock.seconds_left or 0.0
    clock = clock.share(left)
    enough = searched.value if searched is not None and searched.final else highest
    ratio = cover = None
    if weights is not None:
        report(1, 3, "ratio bounds")
        ratio = ratio_bound(weights.instance, tree, weights.errors, clock.share(clock.plan.ratio_share * left))
        report(2, 3, "cover bounds")
        cover = cover_bound(weights.instance, weights.errors, enough, clock)
    return [bound for bound in (ratio, cover, searched) if bound is not None]


def search_bound(
    instance: Instance, loss: Fraction, highest: Fraction, clock: Clock, report: ProgressReport
) -> Bound | None:
    """The least budget at which any tree loses so little, as far as proven; `highest` is what such a tree costs.

    Each test stands at its least price on every outcome, on the same grid, so that the bound holds for the costliest
    path that a known case takes; what tests share is paid once per path.
    """
    left = clock.seconds_left
    if left is not None and left <= clock.plan.setup_seconds_per_cell * instance.codes.size:
        return None
    flat, costs, scale = instance, instance.schema.costs, instance.schema.costs.scale
    if RuleKind.OUTCOMES in costs.rules:
        flat = copy(instance)
        flat.schema = instance.schema.with_costs(costs.at_cheapest)
    allowed, limit = int(loss / instance.schema.loss(1)), int(highest * scale)
    try:
        solver = Solver(flat, FitRequest(budget=limit, threads=check_threads(None)), clock, report)
    except TooLargeError:
        return None
    budget, exact = flat.schema.costs.least_budget, False
    while budget < limit and not exact:
        result = solver.decide(budget, allowed + 1)
        if not result.proven:
            break
        exact = result.lower_bound <= allowed
        budget = budget if exact else min(result.changes, limit, NEVER_AGAIN)
    return Bound("search", Fraction(budget) / scale, {}, final=exact or budget == limit)


def _check_tree(instance: Instance, tree: Any) -> None:
    if not isinstance(tree, Tree):
        raise TreeError(f"tree: expected a Tree, but got {type(tree).__name__}.", subject="tree", found=tree)
    tree_entries(tree)
    mine, its = instance.schema, tree.schema
    alike = ("test_names", "outcome_names", "class_names", "prices", "loss_table")
    if any(getattr(mine, name) != getattr(its, name) for name in alike):
        message = "tree: it has other tests, outcomes, classes, prices or losses than the instance; "
        raise TreeError(message + "grow it from this one.", subject="schema")
    present, shape = instance.class_order.order, tree.nodes.counts.shape
    places = tree.walk_codes(instance.codes[present]).leaf.astype(np.int64) * shape[1] + instance.labels[present]
    # As floats, which are exact here: all weights together are below 2^53 units.
    counts = np.bincount(places, instance.weight_units[present], shape[0] * shape[1]).reshape(shape)
    leaves = tree.nodes.is_leaf
    if its.weight_scale != mine.weight_scale or not np.array_equal(counts[leaves], tree.nodes.counts[leaves]):
        message = "tree: its class counts are not those of this instance; it was grown from other cases. "
        raise TreeError(message + "Certify a tree against the instance it was grown from.", subject="counts")


def _parts(instance: Instance, tree: Tree, weights: ErrorWeights | None) -> dict[str, Any]:
    """The document but for its bounds."""
    total = Fraction(int(tree.nodes.counts[0].sum())) / instance.schema.weight_scale
    facts = facts_of(instance)
    spared = None if weights is None or weights.spared is None else list(weights.spared)
    return {
        "format": FORMAT,
        "version": VERSION,
        "instance": facts.fingerprint(),
        "tree": tree_entries(tree),
        "max_cost": str(tree.exact_max_cost),
        "known_max_cost": str(tree.exact_known_max_cost),
        "errors": str(tree.exact_errors),
        "error_rate": str(tree.exact_errors / total),
        "guarantee": stated_guarantee(instance, tree),
        "error_bounds": bounds_on_errors(tree),
        "losses": None if facts.losses is None else facts.losses.content(),
        "loss": str(tree.exact_errors if facts.losses is None else tree.exact_loss),
        "spared": spared,
        "not_applicable": not_applicable(facts.losses is not None, spared is not None),
        "rounded": rounded_prices(instance.schema),
    }


def _certificate(instance: Instance, parts: dict[str, Any], bounds: list[Bound]) -> Certificate:
    lower, ratio = lower_bound(Fraction(parts["known_max_cost"]), [bound.value for bound in bounds], instance.schema)
    # Of equals the first: a ratio or a cover is checked at once, a search has to be done again.
    unit = price_unit(instance.schema)
    winner = next((i for i, bound in enumerate(bounds) if lower > 0 and rounded_up(bound.value, unit) == lower), None)
    document: dict[str, Any] = parts | {
        "lower_bound": str(lower),
        "ratio": None if ratio is None else str(ratio),
        "winner": winner,
        "bounds": [
            {"kind": bound.kind, **bound.witness, "value": str(bound.value)}
            | {"ignores": ignored_rules(instance.schema, bound.kind)}
            for bound in bounds
        ],
    }
    document["reason"] = reason(document)
    document["seal"] = seal(document)
    return Certificate(document, instance)

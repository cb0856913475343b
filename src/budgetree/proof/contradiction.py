"""What a tree alone tells of a certificate: whether it can be true, where the known cases are not at hand."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from budgetree.proof.check import seal
from budgetree.proof.check.document import not_applicable
from budgetree.proof.entries import loss_facts, price_unit, rounded_prices, rounded_up, tree_entries
from budgetree.proof.paper_bounds import bounds_on_errors
from budgetree.tree import Tree


def find_contradiction(document: Mapping[str, Any], tree: Tree) -> str | None:
    """Why this cannot be a certificate of the tree; None where only the known cases could tell."""
    if document["tree"] != tree_entries(tree):
        return "it is about another tree"
    if document["seal"] != seal(document):
        return "it was changed after it was sealed"
    known = Fraction(int(tree.nodes.paid.max())) / tree.schema.table.scale
    stated = [Fraction(document[key]) for key in ("known_max_cost", "max_cost", "errors", "loss")]
    lost = tree.exact_errors if tree.schema.loss_table.is_plain else tree.exact_loss
    if stated != [known, tree.exact_max_cost, tree.exact_errors, lost]:
        return "it states another cost, other errors or another loss than the tree has"
    if not _losses(document, tree):
        return "it is about other losses than the tree has"
    total = Fraction(int(tree.nodes.counts[0].sum())) / tree.schema.weight_scale
    is_rounded = document["rounded"] in ([], rounded_prices(tree.schema))
    if Fraction(document["error_rate"]) * total != tree.exact_errors or not is_rounded:
        return "it states another share of errors or other prices than the tree has"
    if document["error_bounds"] not in ([], bounds_on_errors(tree)):
        return "its bounds on the share of errors are not those of this tree"
    if not _bounded(document, known, price_unit(tree.schema)):
        return "its lower bound or ratio cannot be true of this tree"
    return None


def _losses(document: Mapping[str, Any], tree: Tree) -> bool:
    losses = loss_facts(tree.schema)
    content = None if losses is None else losses.content()
    without = not_applicable(losses is not None, document["spared"] is not None)
    return bool(document["losses"] == content and document["not_applicable"] == without)


def _bounded(document: Mapping[str, Any], known: Fraction, unit: Fraction) -> bool:
    """Whether the lower bound is the best of those listed, no more than the tree costs, and the ratio follows."""
    lower, stated = Fraction(document["lower_bound"]), document["ratio"]
    ratio = known / lower if lower else (Fraction(1) if known == 0 else None)
    proved = max([Fraction(0), *(rounded_up(Fraction(bound["value"]), unit) for bound in document["bounds"])])
    return lower <= known and lower == proved and (None if stated is None else Fraction(stated)) == ratio

"""What a report says, as a plain dict: a test can read it, and the page shows it."""

from __future__ import annotations

import hashlib
import math
from typing import Any

from budgetree._version import __version__
from budgetree.data.encoders import NumberEncoder
from budgetree.learn.points import COLUMNS, LOSS_COLUMNS, NEW_LOSS_COLUMNS, Frontier
from budgetree.problem import Schema
from budgetree.proof.certificate import Certificate
from budgetree.show.frontier_view import PAGE_REMEDY, frontier_steps, judgement, verdict
from budgetree.show.text import size_and_cost
from budgetree.tree import LEAF, NO_BRANCH, Tree
from budgetree.tree.model.file import model_text
from budgetree.tree.model.history import expected_content
from budgetree.tree.model.leaves import models_content
from budgetree.tree.provenance import Method
from budgetree.tree.routing import majority_branch


def summarise_tree(tree: Tree, *, title: str, certificate: Certificate | None = None) -> dict[str, Any]:
    """One tree with its prices, and why it is good where a certificate says so.

    >>> import budgetree as bt
    >>> content = summarise_tree(bt.grow(bt.datasets.load("figure1")), title="Figure 1")
    >>> content["classes"], content["trees"][0]["errors"]
    (['circle', 'triangle'], 10)
    """
    return _content(tree.schema, title, [], [_tree(tree, certificate)], 0)


def summarise_frontier(frontier: Frontier, *, title: str) -> dict[str, Any]:
    """Every point with its tree; the recommended one is shown first."""
    columns = (*COLUMNS, *LOSS_COLUMNS, *NEW_LOSS_COLUMNS)
    points = [
        {name: getattr(point, name) for name in columns} | {"verdict": verdict(point, PAGE_REMEDY), "tree": index}
        for index, point in enumerate(frontier)
    ]
    trees = [_tree(point.tree, None) for point in frontier]
    schema = frontier[0].tree.schema  # that of the instance, but for the finer levels of trees for new cases
    content = _content(schema, title, points, trees, frontier.points.index(frontier.recommended))
    steps = frontier_steps(frontier)
    lines = {"loss": steps.loss, "bound": steps.bound}
    content["judgement"] = judgement(frontier, PAGE_REMEDY)
    content["for_new"] = frontier.found_by is Method.PREDICTIVE
    return content | {"steps": {name: [list(corner) for corner in line.corners] for name, line in lines.items()}}


def _content(
    schema: Schema, title: str, points: list[dict[str, Any]], trees: list[dict[str, Any]], chosen: int
) -> dict[str, Any]:
    table, losses = schema.costs, schema.loss_table
    return {
        "title": str(title),
        "version": __version__,
        "unit": schema.wording.unit,
        "classes": list(schema.wording.classes),
        "answers": list(schema.wording.answers),  # the classes, and then whatever else may be answered
        "answer_help": list(schema.wording.answer_help),
        # What each answer costs, in whole units as Python compares them; None where errors count.
        "losses": None
        if schema.losses is None
        else {"units": losses.units.tolist(), "scale": float(losses.scale), "plain": losses.is_plain},
        "tests": [_test(schema, test) for test in range(len(schema.test_names))],
        "fees": [
            {"name": name, "amount": table.amount(fee)}
            for name, fee in zip(table.fee_names, table.fees.tolist(), strict=True)
        ],
        "points": points,
        "trees": trees,
        "chosen": chosen,
    }


def _test(schema: Schema, test: int) -> dict[str, Any]:
    table, words = schema.costs, schema.wording
    outcomes = words.outcomes[test]
    return {
        "name": words.tests[test],
        "help": words.test_help[test],
        "outcomes": list(outcomes),
        "encoding": _encoding(schema, test),
        "prices": [table.amount(units) for units in table.amounts[test, : len(outcomes)].tolist()],
        "fees": table.fees_of(test),
    }


def _encoding(schema: Schema, test: int) -> dict[str, Any] | None:
    """How a raw value becomes an outcome; a threshold that no number reaches is None, as JSON knows no infinity."""
    if schema.encoders is None:
        return None
    encoder = schema.encoders[test]
    if isinstance(encoder, NumberEncoder) and schema.is_measured(test):
        return {
            "kind": "levels",
            "thresholds": [edge if math.isfinite(edge) else None for edge in encoder.thresholds],
            "low": encoder.low,
            "high": encoder.high,
            "missing": encoder.levels if encoder.has_missing else None,
        }
    n_present = encoder.levels if isinstance(encoder, NumberEncoder) else len(encoder.values)
    return {
        "kind": "values",
        "values": list(schema.wording.outcomes[test][:n_present]),
        "missing": n_present if encoder.has_missing else None,
    }


def _tree(tree: Tree, certificate: Certificate | None) -> dict[str, Any]:
    models = {} if tree.models is None else {"models": models_content(tree.models)}
    return models | {
        "digest": hashlib.sha256(model_text(tree).encode()).hexdigest(),  # what sha256sum says of its file
        "nodes": [_node(tree, node) for node in range(len(tree.nodes))],
        "outline": tree.outline.groups(),
        **({"loss": tree.loss, "referred": tree.referred} | size_and_cost(tree)),
        # [answer, class, cases], where there are any: of many classes, most get few of the answers.
        "confusion": [
            [answer, label, count]
            for answer, row in enumerate(tree.confusion.counts)
            for label, count in enumerate(row)
            if count
        ],
        "expected": expected_content(tree.expected),
        "statement": {"proven": tree.statement.is_proven, "sentences": list(tree.statement.sentences)},
        "certificate": None
        if certificate is None
        else {
            "lines": certificate.to_text().splitlines(),
            "ratio": certificate.ratio,
            "lower_bound": certificate.lower_bound,
        },
    }


def _node(tree: Tree, node: int) -> dict[str, Any]:
    schema, nodes, table = tree.schema, tree.nodes, tree.schema.costs
    entry: dict[str, Any] = {
        "counts": schema.plain_cases(nodes.counts[node].tolist()),
        "label": int(nodes.label[node]),
        "spent": table.amount(int(nodes.paid[node])),
    }
    test = int(nodes.test[node])
    if nodes.otherwise is not None:  # a tree for new cases has more
        entry["remaining"] = table.amount(int(tree.worst_from[node]))
        if test != LEAF:
            entry |= {"otherwise": int(nodes.otherwise[node]), "stops": bool(tree.may_stop[node])}
        if tree.models is not None and tree.models.model(node) is not None:
            entry["model"] = int(tree.models.of_node[node])
        elif nodes.probabilities is not None:
            entry["probabilities"] = nodes.probabilities[node].tolist()
    if test == LEAF:
        return entry
    price = tree.charges.price[node]
    below = nodes.children(node, int(schema.n_outcomes[test])).tolist()
    return entry | {
        "test": test,
        "price": [table.amount(int(units)) for units in (price.min(), price.max())],
        "branches": [None if child == NO_BRANCH else child for child in below],
        "usual": majority_branch(tree, node)._asdict(),
    }

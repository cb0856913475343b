"""What a report says, as a plain dict: a test can read it, and the page shows it."""

from __future__ import annotations

import hashlib
import math
from dataclasses import asdict
from typing import Any

from budgetree._version import __version__
from budgetree.data.encoders import NumberEncoder
from budgetree.learn.points import Frontier
from budgetree.problem import Schema
from budgetree.proof.certificate import Certificate
from budgetree.show.export.program import small_trees
from budgetree.show.frontier_view import frontier_steps
from budgetree.show.stages import stage_records
from budgetree.show.text import size_and_cost
from budgetree.tree import Tree
from budgetree.tree.consultation import majority_branch
from budgetree.tree.leaves import Fixed, Points, Totals
from budgetree.tree.model.file import model_text
from budgetree.tree.model.history import estimate_content
from budgetree.tree.nodes import Kind
from budgetree.tree.provenance import Method, Origin

# Of a point, and of how the errors on new cases came about.
POINT = (
    "budget", "max_cost", "errors", "loss", "referred", "error_rate", "new_error", "new_error_se", "new_loss",
    "new_loss_se", "overfitted", "lower_bound", "proven", "known_least", "known_proven",
)  # fmt: skip
VALIDATION = ("n_folds", "n_done", "n_rows", "is_hold_out", "n_copies")
EVALUATION = ("notes", "stability")  # of what an evaluation says in English; its facts stand beside them


def summarise_tree(
    tree: Tree, *, title: str, certificate: Certificate | None = None, evaluation: dict[str, Any] | None = None
) -> dict[str, Any]:
    """One tree with its prices, why it is good where a certificate says so, and an evaluation as `to_dict` has it.

    >>> import budgetree as bt
    >>> content = summarise_tree(bt.grow(bt.datasets.load("figure1")), title="Figure 1")
    >>> content["classes"], content["trees"][0]["errors"]
    (['circle', 'triangle'], 10)
    """
    shown = evaluation and {name: value for name, value in evaluation.items() if name not in EVALUATION}
    return _content(tree.schema, title, [], [_tree(tree, certificate)], 0) | {"evaluation": shown}


def summarise_frontier(frontier: Frontier, *, title: str) -> dict[str, Any]:
    """Every point with its tree; the recommended one, or else the last, is shown first."""
    schema = frontier[0].tree.schema  # that of the instance, but for the finer levels of trees for new cases
    points = [{name: getattr(point, name) for name in POINT} | {"tree": at} for at, point in enumerate(frontier)]
    trees = [_tree(point.tree, None) for point in frontier]
    recommended, steps = frontier.recommended, frontier_steps(frontier)
    content = _content(schema, title, points, trees, frontier.points.index(recommended or frontier[-1]))
    # Where something is known of new cases: which point they recommend, and beyond which nothing is known to help.
    content["advice"] = None
    if frontier.enough is not None:
        points_of = {"recommended": recommended, "enough": frontier.enough}
        content["advice"] = {name: point and frontier.points.index(point) for name, point in points_of.items()}
    held = frontier.validation
    return content | {
        "for_new": frontier.found_by is Method.PREDICTIVE,
        "validation": held and {name: getattr(held, name) for name in VALIDATION},
        "steps": {name: [list(corner) for corner in getattr(steps, name).corners] for name in ("loss", "bound")},
    }


def _content(
    schema: Schema, title: str, points: list[dict[str, Any]], trees: list[dict[str, Any]], chosen: int
) -> dict[str, Any]:
    costs, losses = schema.costs, schema.loss_table
    return {
        "title": str(title),
        "version": __version__,
        "unit": schema.wording.unit,
        "decimals": schema.wording.decimals,
        "classes": list(schema.wording.classes),
        "answers": list(schema.wording.answers),  # the classes, and then whatever else may be answered
        "answer_help": list(schema.wording.answer_help),
        # What each answer costs, in whole units as Python compares them; None where errors count.
        "losses": None
        if schema.losses is None
        else {"units": losses.units.tolist(), "scale": float(losses.scale), "plain": losses.is_plain},
        "tests": [_test(schema, test) for test in range(len(schema.test_names))],
        "shared": [
            {"name": name, "amount": costs.amount(units), "panel": name in costs.panel_names}
            for name, units in costs.named
        ],
        # Further resources with a limit, and what each of the shared amounts takes of them.
        "further": [
            {"unit": of.unit or of.name, "limit": of.amount(of.limit), "shared": list(map(of.amount, fees))}
            for of, fees in zip(costs.resources[1:], costs.fees[1:, : len(costs.named)].tolist(), strict=True)
        ],
        "points": points,
        "trees": trees,
        "chosen": chosen,
        "evaluation": None,
    }


def _test(schema: Schema, test: int) -> dict[str, Any]:
    costs, words = schema.costs, schema.wording
    outcomes = words.outcomes[test]
    return {
        "name": words.tests[test],
        "panel": costs.panel_of(test),
        "help": words.test_help[test],
        "outcomes": [_outcome(schema, test, outcome) for outcome in range(len(outcomes))],
        "encoding": _encoding(schema, test),
        "prices": [costs.amount(units) for units in costs.amounts[0, test, : len(outcomes)].tolist()],
        "further": [
            list(map(of.amount, units[: len(outcomes)]))
            for of, units in zip(costs.resources[1:], costs.amounts[1:, test].tolist(), strict=True)
        ],
        "shared": costs.fees_of(test),
        "after": costs.settings_of(test),  # of each list something must have been done, and shown one of these
    }


def _outcome(schema: Schema, test: int, outcome: int) -> str | dict[str, Any] | None:
    """The user's own name; or between which numbers it lies; or None where it is a missing value."""
    encoder, words = schema.encoder(test), schema.wording
    if encoder is None or outcome in words.labelled[test]:
        return words.outcomes[test][outcome]
    if encoder.has_missing and outcome == schema.n_outcomes[test] - 1:
        return None
    if isinstance(encoder, NumberEncoder):
        return asdict(encoder.interval(outcome, outcome))
    return words.outcomes[test][outcome]


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
            "plausible": list(schema.plausible_range(test) or ()) or None,
            "missing": encoder.levels if encoder.has_missing else None,
        }
    n_present = encoder.levels if isinstance(encoder, NumberEncoder) else len(encoder.values)
    return {
        "kind": "values",
        "values": list(schema.wording.outcomes[test][:n_present]),
        "missing": n_present if encoder.has_missing else None,
    }


def _tree(tree: Tree, certificate: Certificate | None) -> dict[str, Any]:
    totals, every = dict[Totals, int](), range(len(tree.nodes))
    return {
        "digest": hashlib.sha256(model_text(tree).encode()).hexdigest(),  # what sha256sum says of its file
        "nodes": [_node(tree, node, totals) for node in every],
        "further": [
            {"max_cost": cost.worst, "mean_cost": cost.mean, "nodes": [_taken(tree, node, at) for node in every]}
            for at, cost in enumerate(tree.costs.values())
            if at
        ],
        "totals": [_points(each) for each in totals],
        "target": tree.outline.target,
        "outline": _outline(tree),
        **({"loss": tree.loss, "referred": tree.referred} | size_and_cost(tree)),
        # [answer, class, cases], where there are any: of many classes, most get few of the answers.
        "confusion": [
            [answer, label, count]
            for answer, row in enumerate(tree.confusion.counts)
            for label, count in enumerate(row)
            if count
        ],
        "origin": _origin(tree.origin),
        "expected": tree.estimate and {k: v for k, v in (estimate_content(tree.estimate) or {}).items() if k != "how"},
        "statement": {"proven": tree.statement.is_proven, "facts": [fact.content for fact in tree.statement.facts]},
        "certificate": None
        if certificate is None
        else {
            "lines": certificate.to_text().splitlines(),
            "ratio": certificate.ratio,
            "lower_bound": certificate.lower_bound,
        },
    }


def _origin(origin: Origin) -> dict[str, Any]:
    changes = [{"kind": change.kind, "budget": change.budget and float(change.budget)} for change in origin.changes]
    own = {"method": origin.method, "function": origin.function, "settings": origin.settings}
    return own | {"changes": changes}


def _outline(tree: Tree) -> list[dict[str, Any]]:
    """The groups; of stages that add up points also the table, and where each total leads."""
    groups, schema = tree.outline.groups(), tree.schema
    number = {tuple(group["nodes"]): position for position, group in enumerate(groups)}
    for record in stage_records(tree) if tree.outline.tables else ():
        if record.unit != "points":
            continue
        groups[number[record.group]] |= {
            "points": [
                {
                    "test": test.test,
                    "results": [[list(of), points] for of, (_, points) in zip(test.outcomes, test.groups, strict=True)],
                    "else": test.otherwise,
                }
                for test in record.tests
                if test.groups
            ],
            "endings": [
                {
                    "totals": [list(ends) for ends in ending.totals],
                    "below": number[ending.group],
                    "answer": ending.answer,
                    "cases": schema.plain_cases(list(ending.cases)),
                }
                for ending in record.endings
            ],
            "continues": record.continues,
            "chances": [[total, round(chance, 4)] for total, chance in record.listed_chances],
        }
    return groups


def _taken(tree: Tree, node: int, at: int) -> dict[str, Any]:
    """What is taken of a resource at a node."""
    nodes, resource = tree.nodes, tree.schema.costs.resources[at]
    spent, remaining = (resource.amount(int(units[at, node])) for units in (nodes.all_spent, nodes.worst_from))
    entry: dict[str, Any] = {"spent": spent, "remaining": remaining}
    if nodes.is_buy[node]:
        entry["charge"] = list(map(resource.amount, nodes.all_charges[at, nodes.results(node)].tolist()))
    return entry


def _node(tree: Tree, node: int, totals: dict[Totals, int]) -> dict[str, Any]:
    """What the page needs to know of a node: it adds up and compares these numbers, and knows no rule."""
    schema, nodes, costs = tree.schema, tree.nodes, tree.schema.costs
    kind, below = Kind(nodes.kind[node]), nodes.below(node).tolist()
    entry: dict[str, Any] = {
        "kind": kind.name.lower(),
        "counts": schema.plain_cases(nodes.counts[node].tolist()),
        "label": int(nodes.label[node]),
        **_taken(tree, node, 0),
    }
    if nodes.voters[node] != node:
        entry["voters"] = int(nodes.voters[node])
    if kind == Kind.BUY:
        test, results = int(nodes.test[node]), nodes.results(node)
        late = costs.put_off(test, nodes.bought(node)) if costs.fees_of(test) else {}
        return entry | {
            "test": test,
            "child": below[0],
            "shown": schema.plain_cases(nodes.shown[results].tolist()),
            "due": [each for each in costs.fees_of(test) if each not in late],
            "late": [{"shared": each, "unless": tests} for each, tests in late.items()],
        }
    if kind == Kind.BY_RESULT:
        branch = majority_branch(tree, node)
        usual = {"child": branch.child, "results": branch.results, "decides": branch.words is not None}
        return entry | {"test": int(nodes.test[node]), "children": below, "usual": usual}
    if kind == Kind.BY_TOTAL:
        split = nodes.splits[nodes.rule[node]]
        assert split.totals is not None
        by: dict[str, Any] = {"confidence": split.confidence}
        if split.confidence is None:
            by = {"cuts": list(split.cuts)} | ({"at": list(split.chances)} if split.is_score else {})
        return entry | {"totals": totals.setdefault(split.totals, len(totals)), "children": below} | by
    rule = nodes.rule_of(node)
    if isinstance(rule, Fixed):
        return entry | {"probabilities": list(rule.chances)}
    if rule is None:
        return entry
    entry["totals"] = totals.setdefault(rule.totals, len(totals))
    answer = tree.outline.answer(node)
    entry |= (
        {"given": schema.plain_cases(nodes.answered_at(node).sum(axis=1).tolist())}
        if answer is None
        else {"answer": answer}
    )
    if isinstance(rule, Points):
        entry |= {"cuts": list(rule.cuts), "chances": [list(row) for row in rule.chances]}
    return entry


def _points(totals: Totals) -> dict[str, Any]:
    """Whole numbers: per test, result × total; the last result is one that is not listed. And small trees."""
    points = [table.tolist() for table in totals.points]
    entry: dict[str, Any] = {"tests": list(totals.tests), "points": points, "intercept": totals.intercept.tolist()}
    if totals.trees is not None:
        entry["trees"] = dict(zip(("starts", "nodes", "values"), small_trees(totals), strict=True))
    return entry

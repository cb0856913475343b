"""Lower bounds, trees, instances and prices as a certificate and its checker have them: plain lists, exact numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import Remedy, TreeError
from budgetree.problem import Instance, Schema
from budgetree.proof.check import Facts, LossFacts
from budgetree.proof.check.facts import AMOUNT_NAME
from budgetree.tree import Tree
from budgetree.tree.nodes import NO_RULE, NO_TEST, Kind


@dataclass(frozen=True, slots=True)
class Bound:
    """No tree with at most so many errors, or so much loss, costs a known case less at worst.

    It is about all trees, however few cases their leaves have: so it also holds among those with min_cases.
    """

    kind: str  # "ratio", "cover" or "search"
    value: Fraction  # in the user's own currency
    witness: dict[str, Any]  # the rest of its entry in a certificate
    final: bool = False  # no higher bound exists: a tree that good with this cost does


def price_unit(schema: Schema) -> Fraction:
    """Every path costs a multiple of this."""
    return Fraction(schema.costs.unit) / schema.costs.scale


def rounded_up(value: Fraction, unit: Fraction) -> Fraction:
    """The least multiple of the unit that is no less than the value."""
    return -(-value // unit) * unit if unit else value


def lower_bound(known: Fraction, values: Iterable[Fraction], schema: Schema) -> tuple[Fraction, Fraction | None]:
    """What the best of these bounds proves, and the ratio of what the tree costs to it; None where that is nothing."""
    unit = price_unit(schema)
    lower = max([Fraction(0), *(rounded_up(value, unit) for value in values)])
    return lower, known / lower if lower else (Fraction(1) if known == 0 else None)


def present_rows(instance: Instance) -> NDArray[np.int32]:
    """The cases that count, in the order of the table."""
    return np.sort(instance.class_order.order)


def tree_entries(tree: Tree) -> list[dict[str, Any]]:
    """A tree as a certificate has it: a test where it is bought or decides, and the child of each outcome.

    Outcomes may have one child: all of them where a test is bought and decides later. What no known case comes to is
    left out.
    """
    nodes, entries, has_shared = tree.nodes, list[dict[str, Any]](), False
    reached, order, most = np.asarray(nodes.counts.any(axis=1)), [0], 0
    for node in order:  # breadth first; grows while it is read
        most = max(most, int(nodes.spent[node]))
        if nodes.is_leaf[node] and nodes.rule[node] == NO_RULE:
            entries.append({"test": None, "children": {}})
            continue
        test, below = int(nodes.test[node]), nodes.below(node)
        if test == NO_TEST:
            raise _refused(tree, "points, a model or fixed probabilities decide somewhere")
        if nodes.is_buy[node]:
            branch = int(below[0])
            most = max(most, int(nodes.spent[branch]))
            decides = nodes.kind[branch] == Kind.BY_RESULT and nodes.test[branch] == test
            below = nodes.below(branch) if decides else np.repeat(below, int(nodes.n_outcomes[test]) + 1)
        children = {outcome: child for outcome, child in enumerate(below[:-1].tolist()) if reached[child]}
        numbers = {child: len(order) + number for number, child in enumerate(sorted(set(children.values())))}
        has_shared |= len(numbers) < len(children) or not nodes.is_buy[node]
        named = {str(outcome): numbers[child] for outcome, child in children.items()}
        entries.append({"test": test, "children": named})
        order += numbers
    if most < int(nodes.spent.max()):
        raise _refused(tree, "it spends most on results that no known case showed")
    if has_shared and tree.schema.costs.depends_on_outcome:
        raise _refused(tree, "prices depend on the outcome, and it joins outcomes or decides by a test bought above")
    return entries


def _refused(tree: Tree, reason: str) -> TreeError:
    message = f"tree: it cannot be certified, because {reason}."
    remedy = Remedy('Certify a tree of grow, optimal or fit(objective="known").', "Use fit --objective known.")
    return TreeError(message, subject="tree", found=tree.origin.method, remedy=remedy)


def facts_of(instance: Instance) -> Facts:
    """The instance in plain numbers, as the checker wants it."""
    schema, table = instance.schema, instance.schema.costs
    weights = {units: Fraction(units) / schema.weight_scale for units in set(instance.weight_units.tolist())}
    codes, width = instance.codes.tobytes(), instance.n_tests
    return Facts(
        codes=[codes[start : start + width] for start in range(0, len(codes), width)],
        labels=instance.labels.tolist(),
        weights=[weights[units] for units in instance.weight_units.tolist()],
        test_names=schema.test_names,
        class_names=[str(name) for name in schema.class_names],
        outcome_names=schema.outcome_names,
        prices=[
            [Fraction(units) / table.scale for units in own[: len(names)]]
            for own, names in zip(table.amounts[0].tolist(), schema.outcome_names, strict=True)
        ],
        shared=[(Fraction(units) / table.scale, tests) for units, tests in table.shared],
        losses=loss_facts(schema),
    )


def ignored_rules(schema: Schema) -> list[str]:
    """The rules that no bound of a certificate counts on; a panel is a fee to them."""
    costs = schema.costs
    return ["limits"] * (len(costs.resources) > 1) + ["order"] * bool(costs.needs.any())


def loss_facts(schema: Schema) -> LossFacts | None:
    """What answers cost; None where the least loss is the fewest errors."""
    table = schema.loss_table
    if table.is_plain:
        return None
    answers = [str(name) for name in table.answers]
    amounts = {units: Fraction(units) / table.scale for units in np.unique(table.units).tolist()}
    return LossFacts(answers, [[amounts[units] for units in row] for row in table.units.tolist()])


def rounded_prices(schema: Schema) -> list[dict[str, Any]]:
    """Each price that is not counted as it was given: what all amounts have in common cannot always hold a third."""
    keys = (*AMOUNT_NAME, "given", "counted")
    amounts = schema.prices.as_counted(schema.costs, schema.outcome_names)
    return [
        dict(zip(keys, (*name, str(given), str(counted)), strict=True))
        for name, given, counted in amounts
        if given != counted
    ]

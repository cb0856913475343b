"""Lower bounds, trees, instances and prices as a certificate and its checker have them: plain lists, exact numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import TreeError
from budgetree.problem import Instance, Schema
from budgetree.proof.check import Facts, LossFacts
from budgetree.proof.check.facts import AMOUNT_NAME
from budgetree.tree import LEAF, Grown, Tree
from budgetree.tree.builder import grown_of_nodes


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


def split_by_test(tree: Tree) -> Grown:
    """The tree as certificates have it: every test is bought where its result decides, and the majority answers."""
    grown = grown_of_nodes(tree.nodes)
    if grown is None:
        message = (
            "tree: a certificate is about trees in which each test decides at once and the most common class of a "
        )
        message += "leaf is its answer. Certify a tree of grow, optimal or frontier (objective 'known')."
        raise TreeError(message, subject="tree", found=tree.origin.method)
    return grown


def tree_entries(tree: Tree) -> list[dict[str, Any]]:
    """A tree as a certificate has it."""
    nodes, n_outcomes = split_by_test(tree), tree.schema.n_outcomes.tolist()
    tests, starts, branches = nodes.test.tolist(), nodes.first_branch.tolist(), nodes.branches.tolist()
    entries: list[dict[str, Any]] = []
    for test, start in zip(tests, starts, strict=True):
        below = enumerate(branches[start : start + n_outcomes[test]] if test != LEAF else ())
        children = {str(outcome): child for outcome, child in below if child >= 0}
        entries.append({"test": None if test == LEAF else test, "children": children})
    return entries


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
            for own, names in zip(table.amounts.tolist(), schema.outcome_names, strict=True)
        ],
        shared=[(Fraction(units) / table.scale, tests) for units, tests in table.shared],
        losses=loss_facts(schema),
    )


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

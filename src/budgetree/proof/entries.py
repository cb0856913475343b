"""Lower bounds, trees, instances and prices as a certificate and its checker have them: plain lists, exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import Remedy, TreeError
from budgetree.problem import Instance, Schema
from budgetree.problem.cost_model import RuleKind
from budgetree.proof.check import Facts, LossFacts
from budgetree.proof.check.facts import AMOUNT_NAME, LimitFacts
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
    nodes, costs, entries, has_shared = tree.nodes, tree.schema.costs, list[dict[str, Any]](), False
    reached, order, most, states = np.asarray(nodes.counts.any(axis=1)), [0], 0, {0: costs.start}
    for node in order:  # breadth first; grows while it is read
        most = max(most, int(nodes.spent[node]))
        if nodes.is_leaf[node] and nodes.rule[node] == NO_RULE:
            entries.append({"test": None, "children": {}})
            continue
        test, below, is_new = int(nodes.test[node]), nodes.below(node), bool(nodes.is_buy[node])
        if test == NO_TEST:
            raise _refused(tree, "points, a model or fixed probabilities decide somewhere")
        if is_new:
            branch = int(below[0])
            states[branch] = state = nodes.state_below(node, branch, states[node], costs)
            while (due := costs.missing(state)) is not None:  # also where no known case comes
                state = costs.after_buying(state, due)
            most = max(most, state.spent[0])
            if nodes.kind[branch] == Kind.BY_RESULT and nodes.test[branch] == test:
                node, below = branch, nodes.below(branch)
            else:
                below = np.repeat(below, int(nodes.n_outcomes[test]) + 1)
        children = {outcome: child for outcome, child in enumerate(below[:-1].tolist()) if reached[child]}
        numbers = {child: len(order) + number for number, child in enumerate(sorted(set(children.values())))}
        states |= {
            child: nodes.state_below(node, child, states[node], costs) for child in numbers if child not in states
        }
        is_undecided = is_new and len(numbers) == 1 and len(children) == nodes.n_outcomes[test]
        is_shared = not is_undecided and (len(numbers) < len(children) or not is_new)
        has_shared |= is_shared and bool((costs.amounts[0, test] != costs.most[0, test]).any())
        named = {str(outcome): numbers[child] for outcome, child in children.items()}
        entries.append({"test": test, "children": named})
        order += numbers
    if most < int(nodes.spent.max()):
        raise _refused(tree, "it spends most on results that no known case showed")
    if has_shared:
        raise _refused(tree, "it joins outcomes of different prices, or decides by such a test that was bought above")
    return entries


def _refused(tree: Tree, reason: str) -> TreeError:
    message = f"tree: it cannot be certified, because {reason}."
    remedy = Remedy('Certify a tree of grow, optimal or fit(objective="known").', "Use fit --objective known.")
    return TreeError(message, subject="tree", found=tree.origin.method, remedy=remedy)


def facts_of(instance: Instance) -> Facts:
    """The instance in plain numbers, as the checker wants it."""
    schema, costs = instance.schema, instance.schema.costs
    weights = {units: Fraction(units) / schema.weight_scale for units in set(instance.weight_units.tolist())}
    codes, width = instance.codes.tobytes(), instance.n_tests
    amounts = []
    for resource, taken, fees in zip(costs.resources, costs.amounts.tolist(), costs.fees.tolist(), strict=True):
        listed = zip(taken, schema.outcome_names, strict=True)
        own = [[Fraction(units) / resource.scale for units in of[: len(names)]] for of, names in listed]
        payers = zip(fees, costs.payers, strict=False)  # the other flags are conditions
        amounts.append((own, [(Fraction(units) / resource.scale, tests) for units, tests in payers]))
    (prices, shared), *further = amounts
    limits = [Fraction(resource.limit) / resource.scale for resource in costs.resources[1:]]
    return Facts(
        codes=[codes[start : start + width] for start in range(0, len(codes), width)],
        labels=instance.labels.tolist(),
        weights=[weights[units] for units in instance.weight_units.tolist()],
        test_names=schema.test_names,
        class_names=[str(name) for name in schema.class_names],
        outcome_names=schema.outcome_names,
        prices=prices,
        shared=shared,
        losses=loss_facts(schema),
        limits=[LimitFacts(most, *taken) for most, taken in zip(limits, further, strict=True)],
        panels=[frozenset(panel) for panel in costs.panels],
        order=list(_order(schema)),
        first=costs.first,
    )


def _order(schema: Schema) -> Iterator[tuple[int, int, frozenset[int] | None]]:
    """What must come before a test, as the user has it but by position: the checker lays it out by itself."""
    named = {name: test for test, name in enumerate(schema.test_names)}
    named |= {name: panel[0] for name, panel in zip(schema.prices.panels, schema.costs.panels, strict=True)}
    for name, after in schema.prices.order.items():
        for before, outcomes in after.items():
            listed = schema.outcome_names[named[before]]
            yield named[name], named[before], None if outcomes is None else frozenset(map(listed.index, outcomes))


def ignored_rules(schema: Schema, kind: str) -> list[str]:
    """The rules that bounds of this kind leave out: a search takes tests at their least price, others know no more.

    Rules only remove trees, or make them cost more, so what holds without them holds with them.
    """
    kinds = [RuleKind.OUTCOMES] if kind == "search" else list(RuleKind)
    return [str(rule) for rule in kinds if rule in schema.costs.rules]


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

"""From what grew to a tree: the same purchases, branches and answers, as arrays."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.growth import Place
from budgetree.learn.predictive.ridge import Models
from budgetree.problem import Instance
from budgetree.tree import LEAF, Nodes, Origin, Tree
from budgetree.tree.leaf_models import NO_MODEL, LeafModels
from budgetree.tree.nodes import class_shares
from budgetree.tree.provenance import Known
from budgetree.tree.purchases import spending


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Which test to buy next, and what to answer at the end."""

    root: Place
    models: Models | None  # that answer at the ends; None where all of these have fixed probabilities
    sure: float | None  # a case stops before a purchase where its likeliest class has this probability by a model


def to_tree(policy: Policy, instance: Instance, origin: Origin) -> Tree:
    """The tree of a policy that was fitted to these cases.

    A purchase that is followed at once by a branch on the same test becomes one node with both.
    """
    steps = list(_steps(policy.root, instance.schema.n_outcomes))
    places = [place for place, _, _ in steps]
    nodes, models = _nodes(steps, instance), _leaf_models(policy, places)
    tree = Tree(instance.schema, nodes, instance.n_objects, origin, models=models)
    counts = _counts(tree, instance)
    probabilities = None if models is not None else class_shares(counts, nodes.parent)
    for number, place in enumerate(places):
        if probabilities is not None and place.test is None and place.probabilities is not None:
            probabilities[number] = place.probabilities  # above the leaves, the shares of the known cases
    paid = spending(nodes, tree.charges, instance.schema.n_outcomes).paid
    tree = replace(tree, nodes=replace(nodes, counts=counts, paid=paid, probabilities=probabilities))
    return replace(tree, known=_known(tree, instance))


# A place, those that follow it, and per outcome the position of the one to go on to, the last for unlisted outcomes.
_Step = tuple[Place, tuple[Place, ...], NDArray[np.int64]]


def _steps(root: Place, n_outcomes: NDArray[np.int64]) -> Iterator[_Step]:
    """The nodes of the tree, breadth first."""
    waiting = deque([root])
    while waiting:
        place = waiting.popleft()
        after = place.after
        branching = place if after is None or after.sides is None or after.test != place.test else after
        goes = branching.goes
        if goes is None:
            goes = np.zeros(0 if place.test is None else int(n_outcomes[place.test]) + 1, dtype=np.int64)
        yield place, branching.following, goes
        waiting.extend(branching.following)


def _nodes(steps: list[_Step], instance: Instance) -> Nodes:
    """The nodes without what the known cases say."""
    size = len(steps)
    test, parent, otherwise = (np.full(size, LEAF, dtype=np.int32) for _ in range(3))
    first_branch = np.full(size, -1, dtype=np.int64)
    branches: list[int] = []
    n_numbered = 1
    for number, (place, following, goes) in enumerate(steps):
        if place.test is None:
            continue
        children = (n_numbered + goes).tolist()
        test[number], otherwise[number], first_branch[number] = place.test, children[-1], len(branches)
        parent[n_numbered : n_numbered + len(following)] = number
        branches += children[:-1]
        n_numbered += len(following)
    return Nodes(
        test=test,
        parent=parent,
        counts=np.zeros((size, instance.n_classes), dtype=np.int64),
        paid=np.zeros(size, dtype=np.int64),
        first_branch=first_branch,
        branches=np.array(branches, dtype=np.int32),
        fallback=np.zeros(size, dtype=bool),
        otherwise=otherwise,
    )


def _leaf_models(policy: Policy, places: list[Place]) -> LeafModels | None:
    """A model for each set of tests that is paid where a case may stop, in the order in which cases come to them."""
    if policy.models is None:
        return None
    stops = (place for place in policy.root.breadth_first() if place.sides is None)
    numbers = {tests: n for n, tests in enumerate(dict.fromkeys(tuple(sorted(stop.paid.tests)) for stop in stops))}
    of_node = [numbers.get(tuple(sorted(place.paid.tests)), NO_MODEL) for place in places]
    bases = {test: policy.models.cases.bases[test] for test in sorted({test for tests in numbers for test in tests})}
    models = tuple(map(policy.models.model, numbers))
    return LeafModels(bases, models, np.array(of_node, dtype=np.int32), policy.sure)


def _counts(tree: Tree, instance: Instance) -> NDArray[np.int64]:
    """Node × class: the known cases that come there, in weight units."""
    counts = np.zeros_like(tree.nodes.counts)
    np.add.at(counts, (tree.route(instance.codes), instance.labels), instance.weight_units)
    for node in range(len(counts) - 1, 0, -1):  # children come after their parents
        counts[tree.nodes.parent[node]] += counts[node]
    return counts


def _known(tree: Tree, instance: Instance) -> Known:
    weights = instance.weight_units.astype(object)
    answers, labels, schema = tree.answers(instance.codes), instance.labels, instance.schema
    is_referred = answers >= instance.n_classes
    is_wrong = (answers != labels) & ~is_referred
    paid = tree.units(instance.codes)
    counted = paid[instance.weight_units > 0]
    answered = np.zeros((len(schema.answer_names), instance.n_classes), dtype=np.int64)
    np.add.at(answered, (answers, labels), instance.weight_units)
    scale = tree.schema.costs.scale
    return Known(
        errors=schema.cases(int(weights[is_wrong].sum())),
        loss=schema.loss(int((weights * schema.loss_table.units[labels, answers]).sum())),
        referred=schema.cases(int(weights[is_referred].sum())),
        mean_cost=Fraction(int((weights * paid.astype(object)).sum()), int(weights.sum())) / scale,
        max_cost=Fraction(int(counted.max())) / scale,
        answered=tuple(map(tuple, answered.tolist())),
    )

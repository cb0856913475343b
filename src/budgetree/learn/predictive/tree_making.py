"""From a policy to a tree: the same purchases, branches and answers, as arrays."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.policy import Branch, Buy, End, Node, Policy
from budgetree.problem import Instance
from budgetree.tree import LEAF, NO_BRANCH, Nodes, Origin, Tree, charges
from budgetree.tree.leaf_models import NO_MODEL, LeafModels
from budgetree.tree.nodes import class_shares
from budgetree.tree.provenance import Known
from budgetree.tree.purchases import spending


def to_tree(policy: Policy, instance: Instance, origin: Origin) -> Tree:
    """The tree of a policy that was fitted to these cases.

    A purchase that is followed at once by a branch on the same test becomes one node with both.
    """
    policy = joined(policy)
    tree = Tree(instance.schema, _nodes(policy, instance), instance.n_objects, origin, models=_models(policy))
    return replace(tree, known=_known(tree, instance))


def joined(policy: Policy) -> Policy:
    """The same policy, where a purchase branches itself if the next thing to do is a branch on it."""
    nodes: list[Node] = []
    waiting, given = deque([0]), 1
    while waiting:
        node = policy.nodes[waiting.popleft()]
        after = policy.nodes[node.child] if isinstance(node, Buy) else None
        if isinstance(node, Buy) and isinstance(after, Branch) and after.test == node.test:
            node = BuyAndBranch(node.test, node.child, node.model, node.counts, after.children, after.goes)
        children = _children(node)
        waiting.extend(children)
        nodes.append(_renumbered(node, tuple(range(given, given + len(children)))))
        given += len(children)
    return replace(policy, nodes=tuple(nodes))


@dataclass(frozen=True, slots=True, eq=False)
class BuyAndBranch(Buy):
    """A test is paid, and tells cases apart at once; `child` means nothing."""

    children: tuple[int, ...]
    goes: NDArray[np.int64]


def _renumbered(node: Node, children: tuple[int, ...]) -> Node:
    if isinstance(node, End):
        return node
    if isinstance(node, (Branch, BuyAndBranch)):
        return replace(node, children=children)
    return replace(node, child=children[0])


def _nodes(policy: Policy, instance: Instance) -> Nodes:
    size, n_outcomes = len(policy.nodes), instance.schema.n_outcomes
    test, parent, otherwise = (np.full(size, -1, dtype=np.int32) for _ in range(3))
    first_branch = np.full(size, -1, dtype=np.int64)
    branches: list[int] = []
    for number, node in enumerate(policy.nodes):
        if isinstance(node, End):
            continue
        goes = _goes(node, int(n_outcomes[node.test]))
        test[number], otherwise[number], first_branch[number] = node.test, goes[-1], len(branches)
        parent[np.unique(goes)] = number
        branches += goes[:-1].tolist()
    counts = np.array([node.counts for node in policy.nodes], dtype=np.int64)
    nodes = Nodes(
        test=test,
        parent=parent,
        counts=counts,
        paid=np.zeros(size, dtype=np.int64),
        first_branch=first_branch,
        branches=np.array(branches, dtype=np.int32),
        fallback=np.zeros(size, dtype=bool),
        otherwise=otherwise,
        probabilities=_probabilities(policy, counts, parent),
    )
    spent = spending(nodes, charges(test, parent, instance.schema.table), n_outcomes)
    return replace(nodes, paid=spent.paid)


def _goes(node: Buy | Branch, n_outcomes: int) -> NDArray[np.int32]:
    """Per outcome the child, and a last one for an outcome that is not on the list."""
    if isinstance(node, (Branch, BuyAndBranch)):
        return np.array(node.children, dtype=np.int32)[node.goes]
    return np.full(n_outcomes + 1, node.child, dtype=np.int32)


def _probabilities(policy: Policy, counts: NDArray[np.int64], parent: NDArray[np.int32]) -> NDArray[np.float64] | None:
    """Those of plain ends; above them, the shares of the known cases."""
    if policy.models:
        return None
    shares = class_shares(counts, parent)
    for number, node in enumerate(policy.nodes):
        if isinstance(node, End) and node.probabilities is not None:
            shares[number] = node.probabilities
    return shares


def _models(policy: Policy) -> LeafModels | None:
    if not policy.models:
        return None
    of_tests = {model.tests: number for number, model in enumerate(policy.models)}
    paid: dict[int, frozenset[int]] = {0: frozenset()}
    of_node = []
    for number, node in enumerate(policy.nodes):  # parents come first
        for child in _children(node):
            assert not isinstance(node, End)
            paid[child] = paid[number] | {node.test}
        of_node.append(of_tests.get(tuple(sorted(paid[number])), NO_MODEL))
    used = sorted({test for model in policy.models for test in model.tests})
    bases = {test: policy.bases[test] for test in used}
    return LeafModels(bases, policy.models, np.array(of_node, dtype=np.int32), policy.sure)


def _children(node: Node) -> tuple[int, ...]:
    if isinstance(node, End):
        return ()
    return node.children if isinstance(node, (Branch, BuyAndBranch)) else (node.child,)


def _known(tree: Tree, instance: Instance) -> Known:
    weights = instance.weight_units.astype(object)
    answers, labels, schema = tree.answers(instance.codes), instance.labels, instance.schema
    is_referred = answers >= instance.n_classes
    is_wrong = (answers != labels) & ~is_referred
    paid = tree.units(instance.codes)
    counted = paid[instance.weight_units > 0]
    answered = np.zeros((len(schema.answer_names), instance.n_classes), dtype=np.int64)
    np.add.at(answered, (answers, labels), instance.weight_units)
    scale = tree.schema.table.scale
    return Known(
        errors=schema.cases(int(weights[is_wrong].sum())),
        loss=schema.loss(int((weights * schema.loss_table.units[labels, answers]).sum())),
        referred=schema.cases(int(weights[is_referred].sum())),
        mean_cost=Fraction(int((weights * paid.astype(object)).sum()), int(weights.sum())) / scale,
        max_cost=Fraction(int(counted.max())) / scale,
        answered=tuple(map(tuple, answered.tolist())),
    )


assert LEAF == NO_BRANCH == -1  # what _nodes fills up with

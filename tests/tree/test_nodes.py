"""Nodes: the answer of each and what it loses, against a reference in fractions."""

from __future__ import annotations

import copy
import pickle
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import reference
from hypothesis import given
from hypothesis import strategies as st
from support import to_instance

import budgetree as bt
from budgetree.problem import LossTable
from budgetree.problem.units import plain_number
from budgetree.tree.nodes import known_by_counts
from losing import exact_losses, losses_for


def least(rows: list[list[Fraction]], counts: list[int]) -> tuple[int, Fraction]:
    """The first answer of least loss, and that loss."""
    totals = [
        sum((count * row[answer] for count, row in zip(counts, rows, strict=True)), Fraction(0))
        for answer in range(len(rows[0]))
    ]
    return totals.index(min(totals)), min(totals)


@given(st.data())
def test_every_node_gives_the_answer_of_least_loss(data: st.DataObject) -> None:
    instance = to_instance(reference.random_problem(random.Random(data.draw(st.integers(0, 10**6)))))
    losses = data.draw(losses_for(instance.n_classes))
    tree = bt.grow(instance.with_losses(losses))
    nodes, rows = tree.nodes, exact_losses(losses, tree.class_names)
    loss = errors = referred = Fraction(0)
    for node in range(len(nodes)):
        counts = [Fraction(count) / tree.schema.weight_scale for count in nodes.counts[node].tolist()]
        answer, least_loss = least(rows, counts)
        assert nodes.label[node] == answer
        assert tree.schema.loss(nodes.lost[node]) == least_loss
        if nodes.is_leaf[node]:
            loss += least_loss
            referred += sum(counts) if answer >= len(counts) else 0
            errors += sum(counts) - counts[answer] if answer < len(counts) else 0
    assert (tree.exact_loss, tree.exact_errors, tree.referred) == (loss, errors, plain_number(referred))
    assert tree.schema.loss(nodes.loss) == loss


@given(st.integers(0, 10**6))
def test_without_losses_the_loss_is_the_errors(seed: int) -> None:
    tree = bt.grow(to_instance(reference.random_problem(random.Random(seed))))
    nodes = tree.nodes
    assert nodes.loss_table is None
    assert (nodes.lost == nodes.wrong).all()
    assert (tree.loss, tree.exact_loss, tree.referred) == (tree.errors, tree.exact_errors, 0)
    table = replace(nodes, loss_table=LossTable.plain(tree.class_names))
    assert (table.label == nodes.label).all()
    assert (table.lost == nodes.lost).all()


def test_what_answers_cost_is_kept_when_nodes_are_copied_or_pruned() -> None:
    losses = bt.Losses({"well": 9}, answers={"refer": 0.25})
    tree = bt.grow(bt.Instance([[0, 1], [0, 0], [1, 1], [1, 0]], ["well", "ill", "ill", "well"], losses=losses))
    stop = np.zeros(len(tree.nodes), dtype=bool)
    stop[0] = True
    for nodes in (copy.deepcopy(tree.nodes), pickle.loads(pickle.dumps(tree.nodes)), tree.nodes):
        assert nodes.loss_table == tree.schema.loss_table
        assert nodes.has_same_arrays(tree.nodes)
        pruned = nodes.pruned(stop, tree.schema.n_outcomes)
        assert pruned.label.tolist() == [2]
        assert (pruned.errors, known_by_counts(pruned, tree.schema).referred, tree.schema.loss(pruned.loss)) == (
            0,
            4,
            1,
        )
        assert not nodes.has_same_arrays(pruned)

"""Steps: what they say of every budget is what the tree cut there gets wrong."""

from __future__ import annotations

import random

import reference
from support import grown, to_instance

import budgetree as bt
from budgetree.learn.greedy.portfolio import AT_LEAVES, MAX_COST, join_steps, steps_of_nodes


def test_every_cut_gets_wrong_what_its_steps_say() -> None:
    rng = random.Random(5)
    for _ in range(60):
        instance = to_instance(reference.random_problem(rng))
        tree = bt.grow(instance, bt.Powers(3))
        table = instance.schema.costs
        steps = steps_of_nodes(tree.nodes, instance.schema.loss_table)
        at_root = instance.class_order.leaf_loss
        assert steps.summaries[:, AT_LEAVES].tolist() == [tree.nodes.errors]
        assert steps.summaries[:, MAX_COST].tolist() == [max(grown(tree.nodes).paid)]
        for budget in {0, *steps.need.tolist()}:
            saved = steps.gain[steps.need <= budget].sum()
            assert tree.cut(table.amount(budget)).nodes.errors == at_root - saved


def test_joined_steps_are_those_of_each_tree_in_order() -> None:
    instance = bt.datasets.load("house_votes")
    trees = [bt.grow(instance, bt.Powers(power)) for power in (2, 3, 5)]
    parts = [steps_of_nodes(tree.nodes, instance.schema.loss_table) for tree in trees]
    joined = join_steps([join_steps(parts[:2]), parts[2]])
    assert joined.owner.tolist() == [i for i, part in enumerate(parts) for _ in part.need]
    for i, part in enumerate(parts):
        assert (joined.need[joined.owner == i] == part.need).all()
        assert (joined.gain[joined.owner == i] == part.gain).all()
    assert joined.summaries[:, AT_LEAVES].tolist() == [tree.nodes.errors for tree in trees]
    assert len(join_steps([])) == 0

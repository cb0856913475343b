"""Found: a tree that some method came up with, by what it loses and the least budget that buys it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from budgetree.distributed import AnyCases
from budgetree.tree import Tree
from budgetree.tree.nodes import leaf_of
from budgetree.tree.provenance import Method, Origin


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Loss and budget in units; the tree itself is made when asked for."""

    loss: int  # errors where no losses are given
    need: int
    source: str  # who found it, for people to read
    tree: Callable[[], Tree]


class BestFound:
    """The trees that no other beats, cheapest first: a staircase that only ever moves down and to the left.

    loss │■
         │   ■          ■ kept: a larger budget loses less
         │       □      □ not kept: ■ at its left loses no more and needs no larger budget
         │     ■
         └──────────── need
    """

    def __init__(self, trees: Iterable[Found] = ()) -> None:
        self._kept: list[Found] = []
        self.add(*trees)

    def add(self, *trees: Found) -> None:
        """Keeps each tree unless another is at least as good and no costlier."""
        for new in trees:
            if not any(old.loss <= new.loss and old.need <= new.need for old in self._kept):
                unbeaten = [old for old in self._kept if old.loss < new.loss or old.need < new.need]
                self._kept = sorted([*unbeaten, new], key=lambda found: found.need)

    def best(self, budget: int) -> Found:
        """The tree with the least loss within a budget."""
        return [found for found in self._kept if found.need <= budget][-1]

    def next_better(self, loss: int) -> Found | None:
        """The cheapest tree that loses less."""
        return next((found for found in self._kept if found.loss < loss), None)

    def __iter__(self) -> Iterator[Found]:
        return iter(self._kept)


def found_tree(tree: Tree, source: str) -> Found:
    """A tree by what it really loses and costs, not by a search's word."""
    schema = tree.schema
    loss = tree.exact_loss * schema.weight_scale * schema.loss_table.scale if tree.known else tree.nodes.loss
    return Found(round(loss), tree.need, source, partial(_given, tree))


def found_leaf(instance: AnyCases) -> Found:
    """The tree without any test, which every budget buys."""
    return Found(instance.class_order.leaf_loss, 0, "single leaf", partial(_single_leaf, instance))


def _given(tree: Tree) -> Tree:
    """A tree that need not be made; a function with a name, so that frontiers can be pickled."""
    return tree


def _single_leaf(instance: AnyCases) -> Tree:
    return Tree(instance.schema, leaf_of(instance.class_order.counts), instance.n_objects, Origin(Method.LEAF))

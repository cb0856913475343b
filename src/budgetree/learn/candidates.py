"""Candidate: a tree that some method found, by what it loses and the least budget that buys it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from budgetree.distributed import AnyCases
from budgetree.tree import Tree
from budgetree.tree.builder import grown_tree
from budgetree.tree.grown import leaf_of
from budgetree.tree.provenance import Bounds, Method, Origin


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """Loss and budget in units; the tree itself is made when asked for."""

    loss: int  # errors where no losses are given
    required_budget: int
    source: str  # what found it, for people to read
    make: Callable[[], Tree]

    def bounds(self, *, searched: bool, **fields: Any) -> Bounds:
        return Bounds.of(self.loss, self.required_budget, searched=searched, **fields)


class Candidates:
    """The trees that no other beats, cheapest first: a staircase that only ever moves down and to the left.

    loss │■
         │   ■          ■ kept: a larger budget loses less
         │       □      □ not kept: ■ at its left loses no more and needs no larger budget
         │     ■
         └──────────── required budget
    """

    def __init__(self, trees: Iterable[Candidate] = ()) -> None:
        self._kept: list[Candidate] = []
        self.add(*trees)

    def add(self, *trees: Candidate) -> None:
        """Keeps each tree unless another is at least as good and no costlier."""
        for new in trees:
            if not any(old.loss <= new.loss and old.required_budget <= new.required_budget for old in self._kept):
                kept = [old for old in self._kept if old.loss < new.loss or old.required_budget < new.required_budget]
                self._kept = sorted([*kept, new], key=lambda found: found.required_budget)

    def best(self, budget: int) -> Candidate:
        return [found for found in self._kept if found.required_budget <= budget][-1]

    def next_better(self, loss: int) -> Candidate | None:
        """The cheapest tree that loses less."""
        return next((found for found in self._kept if found.loss < loss), None)

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self._kept)


def candidate_of(tree: Tree, source: str) -> Candidate:
    """A tree by what it really loses and costs, not by a search's word."""
    return Candidate(tree.nodes.loss, tree.need, source, partial(given, tree))


def leaf_candidate(instance: AnyCases) -> Candidate:
    """The tree without any test but what every path begins with, which every budget buys."""
    least = instance.schema.costs.least_budget
    return Candidate(instance.class_order.leaf_loss, least, "single leaf", partial(_single_leaf, instance))


def given(tree: Tree) -> Tree:
    """A tree that need not be made; a function with a name, so that frontiers and curves can be pickled."""
    return tree


def _single_leaf(instance: AnyCases) -> Tree:
    grown, table = leaf_of(instance.class_order.counts), instance.fingerprint
    return grown_tree(instance.schema, grown, instance.n_objects, Origin(Method.LEAF, table=table))

"""The tree that `budgetree fit` is asked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import click

from budgetree.learn import Frontier, Point, frontier
from budgetree.learn._frontier import frontier_for_new
from budgetree.learn.proofs import tree_for_budget, tree_for_error
from budgetree.problem import Instance
from budgetree.problem.prices import TOLERANCE
from budgetree.problem.units import as_fraction
from budgetree.proof import Certificate, certify
from budgetree.proof._certify import DEFAULT_SECONDS
from budgetree.proof.leaf_count import leaf_count_bound
from budgetree.services.progress import on_terminal
from budgetree.services.words import visible
from budgetree.tree import Tree

SEARCH_SHARE = 0.5  # of a time limit, where a certificate is made too: for the file, or for the bound that is asked for


@dataclass(frozen=True, slots=True)
class Wish:
    """Either a budget or a max_error, and how to search."""

    budget: float | None
    max_error: float | None
    method: str
    time_limit: float | None
    min_cases: int
    folds: int
    objective: str
    leaves: str
    sure: float
    is_certified: bool = False  # whether a certificate is asked for

    @property
    def wants_bound(self) -> bool:
        """Whether the question is how cheap a tree without errors can be."""
        return self.max_error == 0

    @property
    def search_seconds(self) -> float | None:
        """The time for finding the tree."""
        if self.time_limit is None or not (self.wants_bound or self.is_certified):
            return self.time_limit
        return SEARCH_SHARE * self.time_limit

    @property
    def proof_seconds(self) -> float:
        """The time for a certificate."""
        return DEFAULT_SECONDS if self.time_limit is None else (1 - SEARCH_SHARE) * self.time_limit


def bound_reporter(instance: Instance, wish: Wish) -> Callable[[Tree | None], None]:
    """Says to whoever watches what is known so far of how cheap a tree without errors can be; else does nothing."""
    if not wish.wants_bound or instance.losses is not None or not on_terminal():
        return lambda tree: None
    start, amount, least = time.monotonic(), instance.schema.wording.amount, counted_bound(instance, 0)

    def tell(tree: Tree | None) -> None:
        bound, found = least, ""
        if tree is not None and tree.proven is not None:
            bound = max(least, tree.proven.least_cost)
            found = f"found one that costs {amount(tree.exact_max_cost)}; "
        words = f"{found}no tree without errors costs less than {amount(bound)} in the worst case."
        click.echo(visible(f"{time.monotonic() - start:4.1f} s: {words}"), err=True)

    return tell


def find_tree(instance: Instance, groups: Any, wish: Wish) -> tuple[Frontier, Point, Tree]:
    """What was found, the point of it that is wanted, and its tree with what is proven about it."""
    if wish.objective == "new":
        learner = {"sure": None if wish.sure == 1 else wish.sure, "leaves": wish.leaves}
        found = frontier_for_new(
            instance, [wish.budget], learner, folds=wish.folds, groups=groups, time_limit=wish.time_limit
        )
        return found, found[-1], found[-1].tree
    found = frontier(
        instance,
        method=wish.method,  # type: ignore[arg-type]
        max_budget=wish.budget,
        time_limit=wish.search_seconds,
        folds=wish.folds,
        groups=groups,
        min_cases=wish.min_cases,
    )
    if wish.max_error is None:
        return found, found[-1], tree_for_budget(found, wish.budget)
    return found, found.cheapest(max_error=wish.max_error), tree_for_error(found, wish.max_error)


def counted_bound(instance: Instance, max_error: float) -> Fraction:
    """What no tree with so few errors costs less than, by the leaves that it needs: known at once."""
    n_cases = instance.schema.cases(int(instance.class_order.counts.sum()))
    return leaf_count_bound(instance, (as_fraction(max_error) + TOLERANCE) * n_cases)


def with_bounds(instance: Instance, tree: Tree, wish: Wish, proof: Certificate | None) -> Tree:
    """The tree with the best lower bound on the cost of trees for this max_error that is known or quickly found.

    The certificate, if there is one, is of this tree. Without one it is made where no error is allowed and nothing else
    settles how cheap a tree can be: it is about trees that make no more errors than this one.
    """
    if wish.max_error is None or instance.losses is not None:
        return tree
    tree = _raised(tree, counted_bound(instance, wish.max_error))
    if not wish.wants_bound or tree.statement.is_proven:
        return tree
    if proof is None:
        proof = certify(instance, tree, time_limit=wish.proof_seconds)
    return _raised(tree, as_fraction(proof.lower_bound))


def _raised(tree: Tree, bound: Fraction) -> Tree:
    """The same tree, with a bound on the cost of others that is at least this."""
    proven = tree.proven
    assert proven is not None
    return replace(tree, proven=replace(proven, least_cost=max(proven.least_cost, min(bound, tree.exact_max_cost))))

"""Validation: what to expect on new cases, by learning again and again without some of the rows.

    rows       ░░░░████████████████     a fold is held out; everything is learned again from the rest, from raw values
               ████░░░░████████████     on (levels, categories, duplicates, search, choice of size), and the rows held
               ████████░░░░████████     out are predicted by a tree that has never seen them
               …                        each row is wrong once or right once: their mean is the error on new cases

Errors on known cases say how well a tree fits the table; only rows that it was not learned from say how it will do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.folds import DEFAULT_FOLDS, HOLD_OUT_FROM, make_folds
from budgetree.problem import Instance
from budgetree.services.clock import Clock
from budgetree.tree import Tree

SIGNIFICANT = 2.0  # standard errors

# Learns from some of the rows, within the time; then the tree for each budget can be asked for.
Learn = Callable[[Instance, Clock], Callable[[Any], Tree]]


@dataclass(frozen=True, slots=True)
class FoldSettings:
    """How rows are held out. groups: one value per raw row; rows of one group are held out together."""

    n_folds: int = DEFAULT_FOLDS
    groups: tuple[Any, ...] | None = None
    seed: int = 0

    def folds(self, instance: Instance) -> NDArray[np.int64]:
        """The fold of each raw row."""
        return make_folds(instance.row_labels, self.n_folds, groups=self.groups, seed=self.seed)


@dataclass(frozen=True, slots=True)
class NewError:
    """The share of new cases that a tree is expected to get wrong, and how sure that number is."""

    error: float
    se: float  # its standard error

    def exceeds(self, known_error: float) -> bool:
        """Whether the known cases make the tree look significantly better than it is."""
        return self.error - known_error > SIGNIFICANT * self.se


@dataclass(frozen=True, slots=True)
class Validation:
    """What was held out, and what came of it for each budget that was asked for."""

    new_errors: tuple[NewError, ...]  # none where no fold was finished
    n_folds: int  # asked for
    n_done: int
    n_rows: int  # predicted
    is_hold_out: bool  # one fifth stood for all folds

    def __str__(self) -> str:
        """How the numbers came about, for people."""
        if not self.n_done:
            return "error on new cases: not known, because the time was over before a fold was finished"
        if self.is_hold_out:
            return f"error on new cases: on one fifth of the rows, {self.n_rows}, held out"
        left_out = "" if self.n_done == self.n_folds else f" ({self.n_folds - self.n_done} left out: no time)"
        return f"error on new cases: cross-validated, {self.n_done} of {self.n_folds} folds{left_out}"


def check_folds(folds: Any, groups: Any, instance: Instance) -> FoldSettings | None:
    """The settings; None where nothing is to be held out."""
    if isinstance(folds, bool) or not isinstance(folds, (int, np.integer)) or folds < 0 or folds == 1:
        raise ValueError(f"folds is {folds!r}; expected 0 (no estimate for new cases) or a whole number from 2 on.")
    if groups is not None:
        groups = tuple(groups)
        if len(groups) != instance.n_rows:
            raise ValueError(f"groups: {len(groups)} value(s) for {instance.n_rows} row(s); expected one for each.")
        if len(set(groups)) < 2:
            raise ValueError("groups: all rows are in one group; at least two are needed to hold one out.")
    # A fold without a case of its own says nothing, and neither does a table of one case.
    n_folds = min(int(folds), instance.n_rows if groups is None else len(set(groups)))
    return FoldSettings(n_folds, groups) if n_folds >= 2 else None


def cross_validate(
    instance: Instance, learn: Learn, budgets: Sequence[Any], settings: FoldSettings, clock: Clock
) -> Validation:
    """The error on new cases of what is learned, for each budget; as many folds as the time suffices for."""
    folds = settings.folds(instance)
    held_out = sorted(set(folds[folds >= 0].tolist()))
    labels, weights = instance.row_labels, instance.row_weights
    wrong = np.zeros((len(budgets), instance.n_rows), dtype=bool)
    done = np.zeros(instance.n_rows, dtype=bool)
    n_done = 0
    for place, fold in enumerate(held_out):
        if clock.is_over:
            break
        rows, rest = np.flatnonzero(folds == fold), np.flatnonzero(folds != fold)
        if not weights[rest].any():
            continue
        left = clock.seconds_left
        share = clock.share(None if left is None else left / (len(held_out) - place))
        part = instance.rows(rest)
        tree_for = learn(part, share)
        trees = [tree_for(budget) for budget in budgets]
        codes: dict[int, NDArray[np.uint8]] = {}  # trees of one search share a schema
        for position, tree in enumerate(trees):
            if id(tree.schema) not in codes:
                codes[id(tree.schema)] = _codes(tree, part, instance, rows)
            answers = tree.answers(codes[id(tree.schema)])
            wrong[position, rows] = answers != labels[rows]
        done[rows] = True
        n_done += 1
    settled = np.flatnonzero(done & (weights > 0))
    groups = None if settings.groups is None else np.unique(np.asarray(settings.groups), return_inverse=True)[1]
    errors = (
        [] if not len(settled) else [_new_error(row[settled], weights[settled], _of(groups, settled)) for row in wrong]
    )
    is_hold_out = instance.n_rows >= HOLD_OUT_FROM
    return Validation(tuple(errors), len(held_out), n_done, len(settled), is_hold_out)


def _codes(tree: Tree, part: Instance, whole: Instance, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The rows as the tree reads them, which may not be as the instance that it was learned from does."""
    if whole.raw is None or tree.schema is part.schema:
        return part.codes_of(whole, rows)
    return tree.schema.encode(whole.raw.tests.take(rows), tree.tests_used)


def _of(groups: NDArray[np.int64] | None, rows: NDArray[np.int64]) -> NDArray[np.int64] | None:
    return None if groups is None else groups[rows]


def _new_error(wrong: NDArray[np.bool_], weights: NDArray[np.float64], groups: NDArray[np.int64] | None) -> NewError:
    """The weighted mean, and its standard error; rows of one group count as one draw.

    One more right and one more wrong row keep the standard error of a tree without errors above 0.
    """
    total = float(weights.sum())
    mean = float(weights @ wrong) / total
    n_draws = len(wrong) if groups is None else len(np.unique(groups))
    cautious = (mean * n_draws + 1) / (n_draws + 2)
    if groups is None:
        spread = float(np.sqrt((weights**2).sum())) / total
        return NewError(mean, spread * float(np.sqrt(cautious * (1 - cautious))))
    deviations = np.bincount(groups, weights=weights * (wrong - mean))
    per_group = np.bincount(groups, weights=weights)
    floor = float(np.sqrt((per_group**2).sum())) / total * float(np.sqrt(cautious * (1 - cautious) / len(wrong)))
    return NewError(mean, max(float(np.sqrt((deviations**2).sum())) / total, floor))

"""Validation: what to expect on new cases, by learning again and again without some of the rows.

    rows       ░░░░████████████████     a fold is held out; everything is learned again from the rest, from raw values
               ████░░░░████████████     on (levels, categories, duplicates, search, choice of size), and the rows held
               ████████░░░░████████     out are predicted by a tree that has never seen them
               …                        each row is wrong once or right once: their mean is the error on new cases;
                                        with losses, what they lose is averaged as well

Errors on known cases say how well a tree fits the table; only rows that it was not learned from say how it will do.
What the refits buy and answer also shows how stable the pathway is, without further fits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.distributed import AnyCases, DistributedCases
from budgetree.errors import SettingError
from budgetree.problem import Instance, drawing
from budgetree.problem.duplicates import Copies, dealing_order
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.progress import ProgressReport, no_report
from budgetree.services.words import counted
from budgetree.tree import Tree
from budgetree.tree.leaves import is_whole
from budgetree.tree.provenance import Estimate, NewError, NewLoss, Objective, Stability
from budgetree.tree.walk import Walk

DEFAULT_FOLDS = 5
HOLD_OUT_FROM = 50_000  # rows; from there on one fifth stands for all folds
HOLD_OUT_PARTS = 5
NEVER_HELD_OUT = -1

Groups = tuple[Any, ...]  # one value per row
# Learns from some of the rows, of these groups, within the time; then the tree for each budget can be asked for.
Learn = Callable[[Instance, Groups | None, Clock], Callable[[Any], Tree]]


@dataclass(frozen=True, slots=True, eq=False)
class KnownRows:
    """Rows to hold out, and per row its group where some belong together.

    n_copies  rows of the table that repeat another, where that is why they belong together; 0 where groups are named
    n_raw     the rows of the table among which they are
    positions per row, its position among the rows of the cases; None where it is the same
    """

    instance: Instance
    groups: Groups | None = None
    n_copies: int = 0
    n_raw: int = 0
    positions: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, cases: AnyCases, objective: Objective = Objective.NEW, groups: Any = None) -> KnownRows:
        """Those that are looked at: all, or of a large table some that are drawn, wherever it lies.

        A row of a whole weight k is k equal rows. Groups that are named count, and else copies: rows that are equal and
        that chance does not explain. Merged rows are one case; to trees for new cases, which read numbers as they are,
        only those that are equal before they are coded.
        """
        is_new, named = objective is Objective.NEW, check_row_groups(cases, groups)
        known = cls(cases if isinstance(cases, Instance) else cases.drawn, named)
        if is_new:
            known = known.drawn()
        n_raw, source = known.instance.n_rows, known.instance.source
        is_merged = source is not None and source.duplicates == "merge"
        rows, positions = known.instance.unrolled(merged=is_merged and not is_new and named is None)
        raw = positions if known.positions is None else known.positions[positions]
        if named is not None:
            return cls(rows, known.groups_of(positions), n_raw=n_raw, positions=raw)
        copies = None if is_merged and not is_new else rows.copies(by_chance=not is_merged)
        if copies is None:
            return cls(rows, n_raw=n_raw, positions=raw)
        of_table = Copies(copies.group[np.unique(positions, return_index=True)[1]])  # a weight is not a row
        return cls(rows, tuple(copies.group.tolist()), of_table.n_copies, n_raw, raw)

    def take(self, positions: NDArray[np.int64]) -> KnownRows:
        """Only these, some perhaps several times, coded as they are."""
        raw = positions if self.positions is None else self.positions[positions]
        rows, groups = self.instance.recoded({}, positions), self.groups_of(positions)
        return KnownRows(rows, groups, self.n_copies, self.n_raw, raw)

    def drawn(self) -> KnownRows:
        """Those of a large table that are looked at, else all."""
        positions = drawing.drawn_rows(self.instance)
        return self if positions is None else self.take(positions)

    def learned_from(self) -> KnownRows:
        """All; where there are as many as are drawn of a large table, but for the fifth that judges what is learned."""
        if self.instance.n_rows < drawing.MAX_ROWS:
            return self
        return self.take(np.flatnonzero(self.folds() != 0))

    @property
    def is_large(self) -> bool:
        """Whether one fifth stands for all folds."""
        return self.instance.n_rows >= HOLD_OUT_FROM

    def folds(self, n_folds: int = DEFAULT_FOLDS, repeat: int = 0) -> NDArray[np.int64]:
        """The fold of each row; `repeat` says which of many deals it is."""
        ranks = self.instance.row_ranks
        return make_folds(self.instance.row_labels, n_folds, ranks, groups=self.groups, repeat=repeat)

    def parts(self, n_folds: int, repeat: int = 0) -> list[NDArray[np.int64]]:
        """Per fold the positions of its rows, where others are left to learn from."""
        folds, counts = self.folds(n_folds, repeat), self.instance.row_weights > 0
        numbers = (fold for fold in np.unique(folds[folds >= 0]).tolist() if counts[folds != fold].any())
        return [np.flatnonzero(folds == fold) for fold in numbers]

    def in_order(self) -> tuple[NDArray[np.int64], NDArray[np.int64] | None]:
        """The rows in an order that does not depend on the table's, as sums of floats do; and the group of each."""
        ranks = self.instance.row_ranks
        if self.groups is None:
            return self.instance.row_order, None
        number = group_numbers(self.groups, ranks)
        return np.lexsort((number, ranks)), number

    def groups_of(self, positions: NDArray[np.int64]) -> Groups | None:
        return None if self.groups is None else tuple(self.groups[row] for row in positions.tolist())


@dataclass(frozen=True, slots=True)
class Validation:
    """What was held out, and what came of it for each budget that was asked for."""

    estimates: tuple[Estimate, ...]  # none where no fold was finished
    n_folds: int  # asked for
    n_done: int
    n_rows: int  # predicted
    is_hold_out: bool  # one fifth stood for all folds
    n_copies: int = 0  # rows held out together with another, because they repeat it
    # Per pair of budgets, by how many standard errors of the difference the second loses less; none where no fold was.
    advantages: tuple[tuple[float, ...], ...] = field(default=(), repr=False)

    @property
    def how(self) -> str:
        """How the estimates were made, as a sentence."""
        if not self.n_done:
            return "not known, because the time was over before a fold was finished"
        copies = counted(self.n_copies, "copy", "copies")
        together = f", {copies} together with the row repeated" if self.n_copies else ""
        if self.is_hold_out:
            return f"on {self.n_rows:,} rows held out{together}"
        n_missing = self.n_folds - self.n_done
        left_out = f" ({n_missing} left out: no time)" if n_missing else ""
        return f"cross-validated, {self.n_done} of {counted(self.n_folds, 'fold')}{left_out}{together}"

    def __str__(self) -> str:
        return f"error on new cases: {self.how}"


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The rows that were held out.

    learned_from  the weight of the rows that each tree was learned from. Other rows would have made other trees, which
                  is why a mean is less certain than the rows held out alone say: by 1 + held out / learned from in the
                  variance (Nadeau and Bengio 2003, the corrected resampled t-test)
    """

    weights: NDArray[np.float64]
    groups: NDArray[np.int64] | None = None  # rows of one group count as one draw
    learned_from: float = math.inf

    def error(self, wrong: NDArray[np.bool_]) -> NewError:
        """The share that is wrong."""
        return NewError(*self._mean(wrong.astype(np.float64), 1.0))

    def loss(self, lost: NDArray[np.float64], largest: float) -> NewLoss:
        """What a row loses on average, where it may lose as much as the largest."""
        return NewLoss(*self._mean(lost, largest))

    def advantages(self, lost: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
        """Of budget × row, per pair of budgets by how many standard errors the second loses less than the first.

        The standard error is of the differences row by row: what makes a row hard is the same for both. One more draw
        that is in favour of either keeps it above 0.
        """
        weights, groups, total = self.weights, self.groups, float(self.weights.sum())
        n_draws = lost.shape[1] if groups is None else len(np.unique(groups))
        means = lost @ weights / total
        difference = means[:, None] - means
        square = (_squared_distances(lost * np.sqrt(weights)) / total * n_draws + 2 * largest**2) / (n_draws + 2)
        cautious = difference * n_draws / (n_draws + 2)
        variance = float((weights**2).sum()) * np.maximum(square - cautious**2, 0.0)
        if groups is not None:
            deviations = weights * (lost - means[:, None])
            by_group = np.array([np.bincount(groups, weights=of_budget) for of_budget in deviations])
            variance = np.maximum(variance, _squared_distances(by_group) * n_draws / max(n_draws - 1, 1))
        error = np.sqrt(variance * (1 + total / self.learned_from)) / total
        return np.asarray(difference / np.maximum(error, np.finfo(np.float64).tiny))

    def _mean(self, values: NDArray[np.float64], largest: float) -> tuple[float, float]:
        """The weighted mean and its standard error.

        One more draw that loses nothing and one that loses the most keep the standard error of a tree without errors
        above 0.
        """
        weights, groups = self.weights, self.groups
        total = float(weights.sum())
        mean = float(weights @ values) / total
        n_draws = len(values) if groups is None else len(np.unique(groups))
        cautious = (mean * n_draws + largest) / (n_draws + 2)
        square = (float(weights @ values**2) / total * n_draws + largest**2) / (n_draws + 2)
        # As if every row were a draw of its own: where rows of a group go wrong together, the mean is less certain.
        variance = float((weights**2).sum()) * max(square - cautious**2, 0.0)
        if groups is not None:
            deviations = np.bincount(groups, weights=weights * (values - mean))
            variance = max(variance, float((deviations**2).sum()) * n_draws / max(n_draws - 1, 1))
        return mean, math.sqrt(variance * (1 + total / self.learned_from)) / total


def _squared_distances(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of every two."""
    products = vectors @ vectors.T
    own = products.diagonal()
    return np.asarray(np.maximum(own[:, None] + own - 2 * products, 0.0))


def check_folds(folds: Any, rows: KnownRows) -> int:
    """How many there are for these rows; 0 where nothing is to be held out."""
    if not is_whole(folds) or folds < 0 or folds == 1:
        raise SettingError.refusing("folds", folds, "0 (no estimate for new cases) or a whole number from 2 on")
    instance = rows.instance
    if instance.losses is None and instance.has_one_row_per_class:
        return 0  # a class that is held out is in no part: all would be wrong, whatever is learned
    # A fold without a case or group of its own says nothing, and neither does a table of one.
    n_folds = min(int(folds), instance.n_rows if rows.groups is None else len(set(rows.groups)))
    return n_folds if n_folds > 1 else 0


def check_row_groups(cases: AnyCases, groups: Any) -> Groups | None:
    """Per row its group; an error for rows in partitions, which have no order that groups could have, too."""
    if groups is None:
        return None
    if isinstance(cases, DistributedCases):
        message = "groups: the cases are in shards, whose rows have no order; leave groups out."
        raise SettingError(message, subject="groups")
    return check_groups(groups, cases.n_rows)


def check_groups(groups: Any, n_rows: int) -> Groups:
    """One hashable value per row, of at least two different ones."""
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise SettingError.refusing("groups", groups, "one value per row, such as a list of patients")
    values = tuple(groups)
    if len(values) != n_rows:
        message = f"groups: {counted(len(values), 'value')} for {counted(n_rows, 'row')}; expected one for each."
        raise SettingError(message, subject="groups", found=len(values), expected=n_rows)
    try:
        n_groups = len(set(values))
    except TypeError as error:
        message = "groups: a value is unhashable; expected numbers or text, one for each row."
        raise SettingError(message, subject="groups", found=groups) from error
    for row, value in enumerate(values):
        if value is None or value != value:
            message = f"groups: row {row} has none; expected a group for each row, if only one of its own."
            raise SettingError(message, subject="groups", found=value)
    if n_groups < 2:
        message = "groups: all rows are in one group; at least two are needed to hold one out."
        raise SettingError(message, subject="groups", found=n_groups, expected=2)
    return values


@dataclass(frozen=True, slots=True, eq=False)
class Refit:
    """What was learned without the rows of a fold, for each budget, and what it says of them."""

    rows: NDArray[np.int64]  # held out
    trees: Sequence[Tree]
    walks: Sequence[Walk]  # of the rows held out


def bought_by(tree: Tree) -> tuple[str | None, frozenset[str]]:
    """The first test that a tree buys, None where its first node buys nothing; and all that it buys."""
    names, nodes = tree.test_names, tree.nodes
    first = names[int(nodes.test[0])] if nodes.is_buy[0] else None
    return first, frozenset(names[test] for test in tree.tests_used)


def refit_folds(
    rows: KnownRows,
    learn: Learn,
    budgets: Sequence[Any],
    n_folds: int,
    clock: Clock,
    *,
    repeat: int = 0,
    min_seconds: float = 0.0,
    report: ProgressReport = no_report,
    part: Instance | None = None,
) -> Iterator[Refit]:
    """Fold by fold, what is learned without it; as many as a time limit allows, else all.

    min_seconds  a fold that would have fewer is left out: its trees would not be those of all rows
    part         where one fold is held out, the rows of all others, if they are at hand
    """
    instance, parts = rows.instance, rows.parts(n_folds, repeat)
    for index, out in enumerate(parts):
        seconds = clock.seconds_of(1 / (len(parts) - index))
        if clock.is_out_of_time or (not clock.counts_work and _is_too_late(instance, clock, seconds, min_seconds)):
            return
        report(index, len(parts), f"fold {index + 1} of {len(parts)}")
        others = np.delete(np.arange(instance.n_rows), out)
        rest = instance.rows(others) if part is None else part
        try:
            tree_for = learn(rest, rows.groups_of(others), clock.share(seconds))
            refits = list[Tree]()
            for budget in budgets:
                if refits and clock.is_out_of_time:
                    raise OutOfTimeError
                refits.append(tree_for(budget))
        except OutOfTimeError:
            return
        yield Refit(out, refits, walk_rows(refits, rest, instance, out))


def cross_validate(
    rows: KnownRows,
    learn: Learn,
    budgets: Sequence[Any],
    n_folds: int,
    clock: Clock,
    *,
    trees: Sequence[Tree] = (),
    part: Instance | None = None,
    **how: Any,
) -> Validation:
    """The error on new cases of what is learned, for each budget; as many folds as a time limit allows, else all.

    trees  per budget, what is learned from all rows: for the stability of each
    part   and what else `refit_folds` knows
    """
    instance, weights = rows.instance, rows.instance.row_weights
    answers = np.zeros((len(budgets), instance.n_rows), dtype=np.int64)
    costs = np.zeros((len(budgets), instance.n_rows))
    is_done = np.zeros(instance.n_rows, dtype=bool)
    bought = list[list[tuple[str | None, frozenset[str]]]]()
    for refit in refit_folds(rows, learn, budgets, n_folds, clock, part=part, **how):
        for index, walk in enumerate(refit.walks):
            answers[index, refit.rows], costs[index, refit.rows] = walk.answers, walk.cost
        bought.append(list(map(bought_by, refit.trees)))
        is_done[refit.rows] = True
    order, number = rows.in_order()
    held = order[(is_done & (weights > 0))[order]]
    sizes = (len(rows.parts(n_folds)), len(bought), len(held))
    found = Validation((), *sizes, is_hold_out=rows.is_large, n_copies=rows.n_copies)
    if not len(held):
        return found
    answers, labels, weight, total = answers[:, held], instance.row_labels[held], weights[held], weights[order].sum()
    # On average over the folds done: what was not held out at the same time.
    learned_from = float(total - weight.sum() / len(bought))
    held_out = HeldOut(weight, None if number is None else number[held], learned_from)
    losses = instance.schema.loss_table
    lost = losses.units[labels, answers] / float(losses.scale)
    largest = float(losses.largest) / float(losses.scale)
    wrong = (answers != labels) & (answers < instance.n_classes)  # what is not a class is not an error
    mean_costs = (costs[:, held] @ weight / weight.sum()).tolist()
    again = walk_rows(trees, instance, instance, held) if trees and not clock.is_out_of_time else []
    estimates = [
        Estimate(
            held_out.error(wrong[index]),
            False,
            found.how,
            None if instance.losses is None else held_out.loss(lost[index], largest),
            mean_cost=mean_costs[index],
            recalls=_recalls(answers[index], labels, weight, instance.n_classes),
        )
        for index in range(len(budgets))
    ]
    for index, (tree, walk) in enumerate(zip(trees, again, strict=False)):
        same = float(weight @ (walk.answers == answers[index])) / float(weight.sum())
        stability = _stability(tree, [of_fold[index] for of_fold in bought], same, learned_from / float(total))
        estimates[index] = replace(estimates[index], stability=stability)
    advantages = tuple(map(tuple, held_out.advantages(lost, largest).tolist()))
    return replace(found, estimates=tuple(estimates), advantages=advantages)


def _is_too_late(instance: Instance, clock: Clock, seconds: float | None, min_seconds: float) -> bool:
    """Whether a fold has too few seconds, or the time would be over before its rows are coded."""
    left, plan = clock.seconds_left, clock.plan
    if seconds is None or left is None or seconds < min_seconds:
        return seconds is not None
    n_tests = 0 if instance.source is None else instance.n_tests
    return left < n_tests * (plan.seconds_per_test + plan.seconds_per_cell * instance.n_rows)


def _stability(
    tree: Tree, refits: Sequence[tuple[str | None, frozenset[str]]], same_answers: float, learned_from: float
) -> Stability:
    """How stable a tree is, by what the refits buy; `learned_from`: the share of the rows that each of them saw."""
    first, own = bought_by(tree)
    every = own.union(*(used for _, used in refits))
    return Stability(
        n_refits=len(refits),
        learned_from=round(learned_from, 6),
        first_test=first,
        same_first=sum(its == first for its, _ in refits) / len(refits),
        tests=tuple((name, sum(name in used for _, used in refits) / len(refits)) for name in sorted(every)),
        same_answers=same_answers,
    )


def _recalls(
    answers: NDArray[np.int64], labels: NDArray[np.int64], weights: NDArray[np.float64], n_classes: int
) -> tuple[float | None, ...]:
    """Per class, the share of its rows that are answered so; None where there are none."""
    total = np.bincount(labels, weights=weights, minlength=n_classes)
    found = np.bincount(labels, weights=weights * (answers == labels), minlength=n_classes)
    return tuple(part / whole if whole else None for part, whole in zip(found.tolist(), total.tolist(), strict=True))


def walk_rows(trees: Sequence[Tree], part: Instance, whole: Instance, rows: NDArray[np.int64]) -> list[Walk]:
    """Per tree that was learned from the part, where rows of the whole end in it."""
    codes: dict[int, NDArray[np.uint8]] = {}  # trees of one search share a schema
    walks = []
    for tree in trees:
        if id(tree.schema) not in codes:  # as the tree reads them, which may not be as the part does
            if whole.source is None or tree.schema is part.schema:
                codes[id(tree.schema)] = part.codes_of(whole, rows)
            else:
                codes[id(tree.schema)] = tree.schema.encoded(whole.source.tests.take(rows), tree.tests_used)
        walks.append(tree.walk_codes(codes[id(tree.schema)]))
    return walks


def make_folds(
    labels: NDArray[np.integer[Any]],
    n_folds: int,
    ranks: NDArray[np.int64],
    *,
    groups: Sequence[Any] | None = None,
    repeat: int = 0,
) -> NDArray[np.int64]:
    """The fold of each row; NEVER_HELD_OUT for the rows of a large table that are only learned from.

        rows    a a b b a b a b …      classes are spread evenly over the folds; rows of one group (a patient, a
        fold    0 1 0 1 2 2 0 3 …      machine) are always in the same fold, or what is held out would be known already

    Rows are dealt in turn along an order that depends on their ranks in the canonical order alone, not on where they
    stand in the table. All budgets and all methods are tried on the same folds.
    """
    is_large = len(labels) >= HOLD_OUT_FROM
    n_parts = HOLD_OUT_PARTS if is_large else n_folds
    if groups is None:
        folds = deal(labels, n_parts, ranks, repeat)
    else:
        folds = deal_groups(labels, group_numbers(groups, ranks, repeat), n_parts)
    return np.where(folds == 0, 0, NEVER_HELD_OUT) if is_large else folds


def group_numbers(groups: Sequence[Any], ranks: NDArray[np.int64], repeat: int = 0) -> NDArray[np.int64]:
    """Per row the number of its group: groups are ordered as rows are, by the rows that they hold."""
    ranks_of: dict[Any, list[int]] = {}
    for row in np.argsort(ranks, kind="stable").tolist():
        ranks_of.setdefault(groups[row], []).append(int(ranks[row]))
    held = [tuple(of_rows) for of_rows in ranks_of.values()]
    group_ranks = {of_rows: rank for rank, of_rows in enumerate(sorted(set(held)))}
    order = dealing_order(np.array([group_ranks[of_rows] for of_rows in held]), repeat)
    numbers = dict(zip(ranks_of, np.argsort(order).tolist(), strict=True))
    return np.array([numbers[group] for group in groups], dtype=np.int64)


def deal(
    labels: NDArray[np.integer[Any]], n_folds: int, ranks: NDArray[np.int64], repeat: int = 0
) -> NDArray[np.int64]:
    """Class by class, like cards: the next class goes on where the last one ended."""
    order = dealing_order(ranks, repeat)
    by_class = order[np.argsort(labels[order], kind="stable")]
    folds = np.empty(len(labels), dtype=np.int64)
    folds[by_class] = np.arange(len(labels)) % n_folds
    return folds


def deal_groups(labels: NDArray[np.integer[Any]], group: NDArray[np.int64], n_folds: int) -> NDArray[np.int64]:
    """The largest groups first, each to the fold whose classes it leaves most even; then single rows, like cards."""
    n_groups, n_classes = int(group.max()) + 1, int(labels.max()) + 1
    n_folds = min(n_folds, n_groups)
    counts = np.zeros((n_groups, n_classes + 1))
    np.add.at(counts, (group, labels), 1)
    counts[:, n_classes] = sizes = counts.sum(axis=1)  # the rows are spread evenly too, so that no fold stays empty
    share = counts / np.maximum(counts.sum(axis=0), 1)  # so that rare classes matter as much as common ones
    in_fold = np.zeros((n_folds, n_classes + 1))
    fold_of = np.empty(n_groups, dtype=np.int64)
    order = np.argsort(-sizes, kind="stable")
    for number in order[: int((sizes > 1).sum())].tolist():
        # Adding to one fold changes the sum of squares by 2·(what is there)·(what comes); the rest is the same for all.
        fold_of[number] = int((in_fold @ share[number]).argmin())
        in_fold[fold_of[number]] += share[number]
    in_fold *= np.maximum(counts.sum(axis=0), 1)  # as rows again
    for label in range(n_classes):
        single = np.flatnonzero((sizes == 1) & (counts[:, label] == 1))
        smallest = np.argsort(in_fold[:, n_classes], kind="stable")
        filled = np.rint(in_fold[smallest, label])[:, None] + np.arange(len(single))  # before each card that it may get
        fold_of[single] = smallest[np.argsort(filled, axis=None, kind="stable")[: len(single)] // max(len(single), 1)]
        in_fold[:, [label, n_classes]] += np.bincount(fold_of[single], minlength=n_folds)[:, None]
    folds: NDArray[np.int64] = fold_of[group]
    return folds

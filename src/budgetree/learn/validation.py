"""Validation: what to expect on new cases, by learning again and again without some of the rows.

    rows       ░░░░████████████████     a fold is held out; everything is learned again from the rest, from raw values
               ████░░░░████████████     on (levels, categories, duplicates, search, choice of size), and the rows held
               ████████░░░░████████     out are predicted by a tree that has never seen them
               …                        each row is wrong once or right once: their mean is the error on new cases;
                                        with losses, what they lose is averaged as well

Errors on known cases say how well a tree fits the table; only rows that it was not learned from say how it will do.
What the refits buy and answer says how firm the pathway is, at no further fit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import SettingError
from budgetree.problem import Instance
from budgetree.problem.duplicates import dealing_order
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.progress import ProgressReport, no_report
from budgetree.services.words import counted
from budgetree.tree import Tree
from budgetree.tree.leaves import is_whole
from budgetree.tree.provenance import NewError, NewLoss, Stability
from budgetree.tree.walk import Walk

DEFAULT_FOLDS = 5
HOLD_OUT_FROM = 50_000  # rows; from there on one fifth stands for all folds
HOLD_OUT_PARTS = 5
NEVER_HELD_OUT = -1

Groups = tuple[Any, ...]  # one value per row
# Learns from some of the rows, of these groups, within the time; then the tree for each budget can be asked for.
Learn = Callable[[Instance, Groups | None, Clock], Callable[[Any], Tree]]


@dataclass(frozen=True, slots=True)
class FoldSettings:
    """How rows are held out. groups: rows of one group are held out together. repeat: which of many deals it is."""

    n_folds: int = DEFAULT_FOLDS
    groups: Groups | None = None
    repeat: int = 0

    def folds(self, instance: Instance) -> NDArray[np.int64]:
        """The fold of each raw row."""
        labels, ranks = instance.row_labels, instance.row_ranks
        return make_folds(labels, self.n_folds, ranks, groups=self.groups, repeat=self.repeat)

    def parts(self, instance: Instance) -> list[NDArray[np.int64]]:
        """Per fold the positions of its rows, where others are left to learn from."""
        folds, counts = self.folds(instance), instance.row_weights > 0
        numbers = (fold for fold in np.unique(folds[folds >= 0]).tolist() if counts[folds != fold].any())
        return [np.flatnonzero(folds == fold) for fold in numbers]


@dataclass(frozen=True, slots=True)
class Validation:
    """What was held out, and what came of it for each budget that was asked for."""

    new_errors: tuple[NewError, ...]  # none where no fold was finished
    new_losses: tuple[NewLoss, ...]  # the same where losses are given, else none
    n_folds: int  # asked for
    n_done: int
    n_rows: int  # predicted
    is_hold_out: bool  # one fifth stood for all folds
    # Per pair of budgets, by how many standard errors of the difference the second loses less; none where no fold was.
    advantages: tuple[tuple[float, ...], ...] = field(default=(), repr=False)
    n_copies: int = 0  # rows held out together with another, because they repeat it
    stabilities: tuple[Stability, ...] = ()  # of the trees that were given, if there was time
    mean_costs: tuple[float, ...] = ()  # per budget, what a row held out cost
    recalls: tuple[tuple[float | None, ...], ...] = ()  # per budget and class: the share found

    @property
    def how(self) -> str:
        """The numbers came about, for people."""
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


def check_folds(folds: Any, groups: Groups | None, instance: Instance) -> FoldSettings | None:
    """The settings for these rows to hold out; None where nothing is to be held out."""
    if not is_whole(folds) or folds < 0 or folds == 1:
        raise SettingError.refusing("folds", folds, "0 (no estimate for new cases) or a whole number from 2 on")
    if instance.losses is None and instance.has_one_row_per_class:
        return None  # a class that is held out is in no part: all would be wrong, whatever is learned
    if groups is None:
        # A fold without a case of its own says nothing, and neither does a table of one case.
        n_folds = min(int(folds), instance.n_rows)
        return FoldSettings(n_folds) if n_folds >= 2 else None
    n_groups = len(set(groups))
    return FoldSettings(min(int(folds), n_groups), groups) if folds and n_groups > 1 else None


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
    instance: Instance,
    learn: Learn,
    budgets: Sequence[Any],
    settings: FoldSettings,
    clock: Clock,
    *,
    min_seconds: float = 0.0,
    report: ProgressReport = no_report,
    part: Instance | None = None,
) -> Iterator[Refit]:
    """Fold by fold, what is learned without it; as many as a time limit allows, else all. As in `cross_validate`."""
    parts = settings.parts(instance)
    for index, out in enumerate(parts):
        seconds = clock.seconds_of(1 / (len(parts) - index))
        if clock.is_out_of_time or (not clock.counts_work and _is_too_late(instance, clock, seconds, min_seconds)):
            return
        report(index, len(parts), f"fold {index + 1} of {len(parts)}")
        others = np.delete(np.arange(instance.n_rows), out)
        rest = instance.rows(others) if part is None else part
        groups = None if settings.groups is None else tuple(settings.groups[row] for row in others.tolist())
        try:
            tree_for = learn(rest, groups, clock.share(seconds))
            refits = list[Tree]()
            for budget in budgets:
                if refits and clock.is_out_of_time:
                    raise OutOfTimeError
                refits.append(tree_for(budget))
        except OutOfTimeError:
            return
        yield Refit(out, refits, walk_rows(refits, rest, instance, out))


def cross_validate(
    instance: Instance,
    learn: Learn,
    budgets: Sequence[Any],
    settings: FoldSettings,
    clock: Clock,
    *,
    trees: Sequence[Tree] = (),
    min_seconds: float = 0.0,
    report: ProgressReport = no_report,
    part: Instance | None = None,
) -> Validation:
    """The error on new cases of what is learned, for each budget; as many folds as a time limit allows, else all.

    trees        per budget, what is learned from all rows: how firm each is is found out, too
    min_seconds  a fold that could not have so long is left out: what is learned in a hurry says little
    part         where one fold is held out, the rows of all others, if they are at hand
    """
    weights = instance.row_weights
    counts = weights > 0
    answers = np.zeros((len(budgets), instance.n_rows), dtype=np.int64)
    costs = np.zeros((len(budgets), instance.n_rows))
    is_done = np.zeros(instance.n_rows, dtype=bool)
    bought = list[list[tuple[str | None, frozenset[str]]]]()
    for refit in refit_folds(
        instance, learn, budgets, settings, clock, min_seconds=min_seconds, report=report, part=part
    ):
        for index, walk in enumerate(refit.walks):
            answers[index, refit.rows], costs[index, refit.rows] = walk.answers, walk.cost
        bought.append(list(map(bought_by, refit.trees)))
        is_done[refit.rows] = True
    n_done = len(bought)
    # In an order that does not depend on that of the table: sums of floats do.
    number = None if settings.groups is None else group_numbers(settings.groups, instance.row_ranks)
    order = instance.row_order if number is None else np.lexsort((number, instance.row_ranks))
    rows = order[(is_done & counts)[order]]
    # On average over the folds done: what was not held out at the same time.
    learned_from = float(weights[order].sum() - weights[rows].sum() / max(n_done, 1))
    held_out = HeldOut(weights[rows], None if number is None else number[rows], learned_from)
    answers = answers[:, rows]
    stabilities: list[Stability] = []
    if n_done and trees and not clock.is_out_of_time:
        again = walk_rows(trees, instance, instance, rows)
        share = learned_from / float(weights[order].sum())
        for index, (tree, walk) in enumerate(zip(trees, again, strict=True)):
            same = float(weights[rows] @ (walk.answers == answers[index])) / float(weights[rows].sum())
            stabilities.append(_stability(tree, [of_fold[index] for of_fold in bought], same, share))
    losses, has_losses = instance.schema.loss_table, instance.losses is not None
    lost = losses.units[instance.row_labels[rows], answers] / float(losses.scale)
    largest = float(losses.largest) / float(losses.scale)
    wrong = (answers != instance.row_labels[rows]) & (
        answers < instance.n_classes
    )  # what is not a class is not an error
    return Validation(
        new_errors=tuple(held_out.error(of_rows) for of_rows in wrong if len(rows)),
        new_losses=tuple(held_out.loss(of_rows, largest) for of_rows in lost if len(rows) and has_losses),
        n_folds=len(settings.parts(instance)),
        n_done=n_done,
        n_rows=len(rows),
        is_hold_out=instance.n_rows >= HOLD_OUT_FROM,
        stabilities=tuple(stabilities),
        advantages=tuple(map(tuple, held_out.advantages(lost, largest).tolist())) if len(rows) else (),
        mean_costs=tuple((costs[:, rows] @ weights[rows] / weights[rows].sum()).tolist()) if len(rows) else (),
        recalls=tuple(_recalls(of_tree, instance, rows) for of_tree in answers) if len(rows) else (),
    )


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
    """How firm a tree is, by what the refits buy; `learned_from`: the share of the rows that each of them saw."""
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


def _recalls(answers: NDArray[np.int64], instance: Instance, rows: NDArray[np.int64]) -> tuple[float | None, ...]:
    """Per class, the share of its rows that are answered so; None where there are none."""
    labels, weights = instance.row_labels[rows], instance.row_weights[rows]
    total = np.bincount(labels, weights=weights, minlength=instance.n_classes)
    found = np.bincount(labels, weights=weights * (answers == labels), minlength=instance.n_classes)
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

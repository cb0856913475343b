"""Free branches: where two groups of cases, separated by what is paid already, should buy different tests.

A branch costs nothing and is made on evidence alone. The best one always looks good on the cases that it was chosen
by; so its gain is measured on a fifth of the cases while the branch and both tests are chosen on the others.

Losses come as a table of candidates' losses summed by fold and outcome, one per paid test, in which every threshold
and every set of folds is a sum of a few rows. A case whose result is not known is no evidence for a branch on it: it
counts for neither side, and goes with the larger one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from budgetree.learn.predictive.basis import Basis
from budgetree.learn.predictive.select import mean_and_error

N_FOLDS = 5
GUARD = 2.0  # standard errors that the gain must exceed
TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """A branch on a paid test: which of its outcomes go left, and the candidate that is best on each side."""

    test: int
    left: NDArray[np.bool_]  # per outcome
    best_left: int
    best_right: int


@dataclass(frozen=True, slots=True, eq=False)
class Here:
    """The cases at a node, and what each candidate would lose on them."""

    losses: NDArray[np.float64]  # candidate × case, by weight
    weights: NDArray[np.float64]
    folds: NDArray[np.int64]
    codes: dict[int, NDArray[np.uint8]]  # per paid test
    min_weight: float  # on each side of a branch


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """Of one paid test, the losses and weights by outcome, fold by fold."""

    test: int
    basis: Basis
    present: NDArray[np.int64]  # known outcomes that some case here has
    losses: NDArray[np.float64]  # fold × present outcome × candidate
    weights: NDArray[np.float64]  # fold × present outcome


def best_split(here: Here, bases: Sequence[Basis]) -> Split | None:
    """The best branch, whatever the evidence."""
    return _best([_sums(here, test, bases[test]) for test in here.codes], np.ones(N_FOLDS, dtype=bool), here.min_weight)


def find_branch(
    here: Here, bases: Sequence[Basis], scales: NDArray[np.float64], least_gain: float = 0.0
) -> Split | None:
    """The best branch, where cross-fitted evidence says that its two sides should buy different tests.

    scales      per candidate, what one unit of its losses is in units of the gain
    least_gain  evidence for less is not enough
    """
    sums = [_sums(here, test, bases[test]) for test in here.codes]
    every_fold = np.ones(N_FOLDS, dtype=bool)
    best = _best(sums, every_fold, here.min_weight)
    if best is None or best.best_left == best.best_right:
        return None
    by_fold = np.stack([here.losses[:, here.folds == fold].sum(axis=1) for fold in range(N_FOLDS)])
    gain = np.zeros(len(here.weights))
    for fold in range(N_FOLDS):
        others = every_fold.copy()
        others[fold] = False
        split = _best(sums, others, here.min_weight * (N_FOLDS - 1) / N_FOLDS)
        judged = here.folds == fold
        if split is None or not judged.any():
            continue
        alone = int(by_fold[others].sum(axis=0).argmin())
        codes = here.codes[split.test][judged]
        bought = np.where(split.left[codes], split.best_left, split.best_right)
        after = here.losses[bought, np.flatnonzero(judged)] * scales[bought]
        saved = here.losses[alone, judged] * scales[alone] - after
        gain[judged] = np.where(codes == bases[split.test].missing, 0.0, saved)
    _, error = mean_and_error(gain / here.weights, here.weights)
    return best if gain.sum() > max(GUARD * error * here.weights.sum() + TOLERANCE, least_gain) else None


def _sums(here: Here, test: int, basis: Basis) -> _Sums:
    known = np.flatnonzero(here.codes[test] != basis.missing) if basis.missing is not None else slice(None)
    present, position = np.unique(here.codes[test][known], return_inverse=True)
    key = here.folds[known] * len(present) + position
    n_keys = N_FOLDS * len(present)
    losses = np.empty((n_keys, len(here.losses)))
    for candidate, of_case in enumerate(here.losses):
        losses[:, candidate] = np.bincount(key, of_case[known], n_keys)
    weights = np.bincount(key, here.weights[known], n_keys).astype(np.float64)
    shape = (N_FOLDS, len(present))
    return _Sums(test, basis, present.astype(np.int64), losses.reshape(*shape, -1), weights.reshape(shape))


def _best(sums: Sequence[_Sums], folds: NDArray[np.bool_], min_weight: float) -> Split | None:
    """The branch whose sides' best candidates save most against a single one; None where none does."""
    most, best = TOLERANCE, None
    for test in sums:
        losses, weights = test.losses[folds].sum(axis=0), test.weights[folds].sum(axis=0)
        whole, total = losses.sum(axis=0), weights.sum()
        # Row v: the left side's sums. An ordered test goes left up to v.
        left = np.cumsum(losses, axis=0) if test.basis.is_ordered else losses
        heavy = np.cumsum(weights) if test.basis.is_ordered else weights
        fits = np.flatnonzero((heavy >= min_weight) & (total - heavy >= min_weight))
        if not len(fits):
            continue
        right = whole - left[fits]
        saved = whole.min() - left[fits].min(axis=1) - right.min(axis=1)
        at = int(saved.argmax())
        if saved[at] > most:
            most, row = float(saved[at]), int(fits[at])
            outcomes, last = np.arange(test.basis.n_outcomes), test.present[row]
            goes_left = outcomes <= last if test.basis.is_ordered else outcomes == last
            if test.basis.missing is not None:
                goes_left[test.basis.missing] = 2 * heavy[row] >= total
            best = Split(test.test, goes_left, int(left[row].argmin()), int(right[at].argmin()))
    return best

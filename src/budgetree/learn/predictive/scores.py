"""Scores: how far probabilities are from what came true, and whether one kind is clearly worse than another."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CLEARLY = 3.0  # standard errors


def brier(probabilities: NDArray[np.float64], labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Per case, the squared distance of its probabilities from its class."""
    missing = probabilities.copy()
    missing[np.arange(len(labels)), labels] -= 1
    return np.asarray((missing**2).sum(axis=1))


def mean_and_error(values: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[float, float]:
    """The mean over cases and its standard error; a case of weight k counts as k equal cases."""
    total = float(weights.sum())
    mean = float((weights * values).sum()) / total
    return mean, float(np.sqrt((weights * (values - mean) ** 2).sum())) / total


def is_clearly_worse(losses: NDArray[np.float64], others: NDArray[np.float64], weights: NDArray[np.float64]) -> bool:
    """Whether the mean of losses is above that of others, case by case, beyond what chance makes likely."""
    excess, error = mean_and_error(losses - others, weights)
    return excess > CLEARLY * error

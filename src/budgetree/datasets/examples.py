"""The paper's two made-up instances."""

from __future__ import annotations

import numpy as np

from budgetree.problem import Instance


def synthetic() -> Instance:
    """1024 cases, ten binary tests: two tests settle all but four outliers, which need all ten.

    A case is a number from 0 to 1023 and the tests are its binary digits, the highest first. Each quarter of the
    numbers is a class, except that the first case of each quarter belongs to the next one.
    """
    number = np.arange(1024)
    codes = (number[:, None] >> np.arange(9, -1, -1)) & 1
    quarter = number // 256
    labels = np.where(number % 256 == 0, (quarter + 1) % 4, quarter)
    return Instance(codes, labels, test_names=[f"t{i}" for i in range(1, 11)], class_names=["1", "2", "3", "4"])


def figure1() -> Instance:
    """60 cases, two tests: t1 separates 20 triangles from the rest, t2 halves both classes."""
    circle, triangle = 0, 1
    cases = [(0, half, circle) for half in (0, 1) for _ in range(15)]
    cases += [(1, half, triangle) for half in (0, 1) for _ in range(10)]
    cases += [(0, half, triangle) for half in (0, 1) for _ in range(5)]
    table = np.array(cases)
    return Instance(table[:, :2], table[:, 2], test_names=["t1", "t2"], class_names=["circle", "triangle"])

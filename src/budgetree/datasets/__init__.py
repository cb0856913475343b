"""The paper's data, prepared as it says: nine sets, its synthetic example and the toy of its Figure 1.

data/README.md says where they come from.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable, Collection
from importlib import resources
from typing import Any

import numpy as np

from budgetree.data.column import Column
from budgetree.data.encoders import LevelPlan
from budgetree.data.frames import make_frame
from budgetree.data.table import Table
from budgetree.errors import SettingError
from budgetree.problem import Instance, Prices

__all__ = ["frame", "load", "names", "table"]

PAPER_LEVELS = 10

# Turney (1995), from Ontario's price schedule: both blood tests include one draw of 2.10, paid once per patient.
PIMA_PRICES = Prices(
    {"glucose": 15.51, "insulin": 20.68},
    shared={"blood draw": (2.10, ["glucose", "insulin"])},
    default=1,
)


# By name, which of its columns the paper rounds to levels; None: every one.
_ROUNDED: dict[str, tuple[str, ...] | None] = {
    "house_votes": (),
    "sonar": None,
    "ionosphere": None,
    "dna": (),
    "boston": None,
    "soybean": (),
    "pima": None,
    "wdbc": None,
    "mammographic": ("Age",),
}
_PRICES = {"pima": PIMA_PRICES}  # of the others each test costs 1


def _synthetic() -> Instance:
    """1024 cases, ten binary tests: two tests settle all but four outliers, which need all ten.

    A case is a number from 0 to 1023 and the tests are its binary digits, the highest first. Each quarter of the
    numbers is a class, except that the first case of each quarter belongs to the next one.
    """
    number = np.arange(1024)
    codes = (number[:, None] >> np.arange(9, -1, -1)) & 1
    quarter = number // 256
    labels = np.where(number % 256 == 0, (quarter + 1) % 4, quarter)
    return Instance(codes, labels, test_names=[f"t{i}" for i in range(1, 11)], class_names=["1", "2", "3", "4"])


def _figure1() -> Instance:
    """60 cases, two tests: t1 separates 20 triangles from the rest, t2 halves both classes."""
    circle, triangle = 0, 1
    cases = [(0, half, circle) for half in (0, 1) for _ in range(15)]
    cases += [(1, half, triangle) for half in (0, 1) for _ in range(10)]
    cases += [(0, half, triangle) for half in (0, 1) for _ in range(5)]
    table = np.array(cases)
    return Instance(table[:, :2], table[:, 2], test_names=["t1", "t2"], class_names=["circle", "triangle"])


_EXAMPLES: dict[str, Callable[[], Instance]] = {"synthetic": _synthetic, "figure1": _figure1}


def names() -> list[str]:
    """The names that `load` knows: the nine sets, then the paper's two examples.

    Returns
    -------
    list of str
        The names.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.datasets.names()[:3]
    ['house_votes', 'sonar', 'ionosphere']
    """
    return [*_ROUNDED, *_EXAMPLES]


def load(name: str, *, prices: Any = None) -> Instance:
    """A data set as the paper prepares it: 10 levels, identical cases merged.

    Parameters
    ----------
    name : str
        One of `names`.
    prices : number, dict or Prices, optional
        What tests cost; by default 1 each, except in pima, which has real prices.

    Returns
    -------
    Instance
        The known cases.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.datasets.load("house_votes")
    Instance(342 cases, 16 tests, 2 classes)
    """
    if name in _EXAMPLES:
        example = _EXAMPLES[name]()
        return example if prices is None else example.priced(prices)
    raw = _read(name)
    *tests, target = raw.names
    rounded = tests if (some := _ROUNDED[name]) is None else some
    return Instance.from_table(
        raw,
        target,
        prices=_PRICES.get(name) if prices is None else prices,
        levels=LevelPlan.of(dict.fromkeys(rounded, PAPER_LEVELS), "uniform"),
        duplicates="merge",
    )


def own_prices(name: str, without: Collection[str] = ()) -> Prices | None:
    """The prices that a data set comes with, but for some columns; None where each test costs 1."""
    return _PRICES[name].without(without) if name in _PRICES else None


def frame(name: str) -> Any:
    """The raw table, label last, as a data frame.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    data frame
        Of pandas, polars or pyarrow: the first that is installed.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.datasets.frame("pima").shape
    (768, 9)
    """
    return make_frame({column.name: column.to_list() for column in table(name).columns})


def table(name: str) -> Table:
    """The raw table, label last, for those who have no data frame library.

    Parameters
    ----------
    name : str
        One of `names`.

    Returns
    -------
    Table
        Its `names`, and a column of each.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.datasets.table("pima").names[-1]
    'diabetes'
    """
    if name not in _EXAMPLES:
        return _read(name)
    instance = _EXAMPLES[name]()
    columns = [Column(test, "code", values=instance.codes[:, i].tolist()) for i, test in enumerate(instance.test_names)]
    labels = Column("class", "label", values=instance.schema.classes[instance.labels].tolist())
    return Table(name, (*columns, labels), instance.n_objects)


def _read(name: str) -> Table:
    if name not in _ROUNDED:
        message = f"no data set is named {name!r}; the names are {', '.join(names())}."
        raise SettingError(message, subject="name", found=name, expected=names())
    packed = resources.files("budgetree.datasets").joinpath("data", f"{name}.csv.gz").read_bytes()
    header, *rows = csv.reader(io.StringIO(gzip.decompress(packed).decode("utf-8")))
    return Table(name, tuple(map(_column, header, zip(*rows, strict=True))), len(rows))


def _column(name: str, cells: tuple[str, ...]) -> Column:
    try:
        return Column(name, "float", numbers=np.array(cells, dtype=np.float64))
    except ValueError:
        return Column(name, "text", values=cells)

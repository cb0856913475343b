"""Data frames of any library and arrays as tables, and tables of answers as data frames."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.column import ABSENT, Coded, Column, are_exact, is_missing, plain_decimal, plain_value
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.data.table import MAX_COLUMNS, Table, check_width
from budgetree.errors import TableError, Where
from budgetree.services.words import counted, listed

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw

READABLE = "dfbhilqBHILQ?"  # NumPy's characters of the types that the core reads
MAX_COPIED = 100_000  # cells of a frame that are sooner copied than looked up column by column
SHORT = 4  # bytes of a whole number, which a float can always hold


def read_array(array: NDArray[Any]) -> Table:
    """A two-dimensional array, its columns called x0, x1, …; objects are numbers where all of a column are."""
    return Table("array", tuple(_array_column(f"x{index}", column) for index, column in enumerate(array.T)), len(array))


def read_raw(cases: Any, names: Sequence[str], only: Collection[str]) -> Table:
    """Some columns of a data frame, by name, or of rows that have one value for each of the names."""
    if not isinstance(cases, (np.ndarray, list, tuple)):
        return read_frame(cases, only=only)
    try:
        array = cases if isinstance(cases, np.ndarray) else np.array(cases, dtype=object)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != len(names):
        got = counted(array.shape[1], "column") if array.ndim == 2 else f"the shape {array.shape}"
        expected = f"a data frame, or rows with one value for each of {counted(len(names), 'test')}"
        message = f"cases: the array has {got}; expected {expected}, in the order {listed(names)}."
        raise TableError(message, subject="cases", found=array.shape, expected=(None, len(names)))
    wanted = [(name, column) for name, column in zip(names, array.T, strict=True) if name in only]
    return Table("array", tuple(_array_column(name, column) for name, column in wanted), len(array))


def _array_column(name: str, cells: NDArray[Any]) -> Column:
    dtype = str(cells.dtype)
    if cells.dtype.kind in "bfiu":
        numbers = cells.astype(np.float64)
        if cells.dtype.kind in "bf" or cells.dtype.itemsize <= SHORT or are_exact(numbers):
            return Column(name, dtype, numbers=numbers)
    return Column(name, dtype, values=cells.tolist()).with_numbers()


def read_frame(frame: Any, target: Any = None, only: Collection[str] | None = None) -> Table:
    """A pandas, polars or pyarrow table, or some columns of it; the target's values stay as they are."""
    import narwhals.stable.v2 as nw  # takes a while, and not everyone has a data frame

    try:
        native = nw.from_native(frame, eager_only=True)
        given = native.columns
        names = [str(name) for name in given]
        wanted = [at for at, name in enumerate(names) if only is None or name in only]
        series = [] if len(wanted) > MAX_COLUMNS else [native.get_column(given[at]) for at in wanted]
    except Exception as error:  # each library refuses in its own words
        expected = "a pandas, polars or pyarrow table with distinct column names"
        message = f"frame: expected {expected}, but got {type(frame).__name__}: {error}"
        raise TableError(message, subject="frame", found=type(frame).__name__, expected=expected) from error
    check_width(len(wanted), TableError, Where("frame"))
    if repeated := [name for name, count in Counter(names).items() if count > 1]:
        message = f"frame: the column name {min(repeated)!r} occurs more than once; names must differ."
        raise TableError(message, subject="frame", found=min(repeated))
    columns = tuple(
        Column(name, str(column.dtype), values=_values(column))
        if target is not None and name == str(target)
        else _column(name, column)
        for name, column in zip((names[at] for at in wanted), series, strict=True)
    )
    return Table("frame", columns, len(native), library=str(native.implementation.value))


def number_array(cases: Any) -> NDArray[Any] | None:
    """An array of numbers that the core can read where they are; None for anything else."""
    if type(cases) not in (np.ndarray, np.memmap):  # not one with a mask
        return None
    is_readable = cases.dtype.char in READABLE and cases.dtype.isnative and cases.flags.aligned
    return cases if is_readable else None


def pandas_columns(frame: Any, names: Sequence[str]) -> list[NDArray[Any] | None] | NDArray[Any] | None:
    """The columns of a pandas frame as they are in memory, without narwhals, which takes longer than one prediction.

    A small frame of numbers is a single array. None is for a column of something else, and instead of all of them for
    what is not such a frame or lacks a name.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(frame, pandas.DataFrame):
        return None
    columns = frame.columns
    if not columns.is_unique or columns.inferred_type != "string":
        return None
    try:
        positions = [columns.get_loc(name) for name in names]
    except KeyError:
        return None
    if frame.size <= MAX_COPIED and (array := _numbers(frame.to_numpy())) is not None:
        return array[:, positions]
    return [_numbers(frame.iloc[:, at].to_numpy()) for at in positions]


def _numbers(cells: Any) -> NDArray[Any] | None:
    """Truth values are not numbers in a frame."""
    array = number_array(cells)
    return None if array is None or array.dtype.kind == "b" else array


def make_frame(content: dict[str, list[Any]], library: str | None = None) -> Any:
    """A data frame in the library named, or in the first one that is installed."""
    import narwhals.stable.v2 as nw

    installed = (name for name in FRAME_LIBRARIES if importlib.util.find_spec(name) is not None)
    backend: Any = library or next(installed, None)
    if backend is None:
        raise ImportError("a data frame needs a library for it: pip install pandas (or polars, or pyarrow).")
    for key, column in content.items():
        if set(map(type, column)) == {int, float}:  # some libraries ask for one type
            content = content | {key: list(map(float, column))}
    return nw.from_dict(content, backend=backend).to_native()


def code_series(series: Any) -> Coded:
    """A column of any library, each different value once; TypeError where they cannot be compared."""
    import narwhals.stable.v2 as nw

    try:
        known = nw.from_native(series, series_only=True)
    except TypeError:  # some other container
        return Coded.of(series.to_pylist() if hasattr(series, "to_pylist") else series.to_list())
    return Coded.of(_values(known))


def _column(name: str, series: nw.Series[Any]) -> Column:
    import narwhals.stable.v2 as nw

    dtype = str(series.dtype)
    if not series.dtype.is_numeric():
        column = Column(name, dtype, values=_values(series), order=_order(series))
        return column.with_numbers() if series.dtype == nw.Object else column
    if series.dtype.is_integer():
        extremes = [extreme for extreme in (series.min(), series.max()) if not is_missing(extreme)]
        if any(abs(int(extreme)) > LARGEST_EXACT for extreme in extremes):
            return Column(name, dtype, values=series.to_list()).with_numbers()
    numbers = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    if series.dtype == nw.Decimal and not are_exact(numbers):
        values = [None if is_missing(value) else plain_decimal(value) for value in series.to_list()]
        return Column(name, dtype, values=values).with_numbers()
    return Column(name, dtype, numbers=numbers).with_numbers()


def _order(series: nw.Series[Any]) -> tuple[Any, ...] | None:
    """The values of an ordered dtype, those that no row has among them."""
    import narwhals.stable.v2 as nw

    if isinstance(series.dtype, nw.Enum):  # as pandas' ordered categories are called, too
        return tuple(map(plain_value, series.dtype.categories))
    kind = getattr(series.to_native(), "type", None)
    if getattr(kind, "ordered", False):  # a dictionary of pyarrow's, where every chunk has the same one
        chunks = series.to_native().unify_dictionaries().chunks
        return tuple(chunks[0].dictionary.to_pylist()) if chunks else None
    return None


def _values(series: nw.Series[Any]) -> Sequence[Any]:
    """Each different value once, where the library finds them; objects and what is nested one by one."""
    import narwhals.stable.v2 as nw

    library = str(series.implementation.value)
    is_plain = series.dtype not in (nw.Object, nw.List, nw.Struct, nw.Array, nw.Unknown, nw.Decimal)
    if not is_plain or library not in FRAME_LIBRARIES:
        return series.to_list()
    try:
        distinct, positions = FRAME_LIBRARIES[library](series.to_native())
        is_few = len(distinct) <= np.iinfo(np.int8).max
        return Coded.of_distinct(distinct, positions.astype(np.int8 if is_few else np.int32))
    except Exception:  # a kind of value that the library cannot compare
        return series.to_list()


def _of_pandas(series: Any) -> tuple[Sequence[Any], NDArray[Any]]:
    positions, distinct = series.factorize()
    return distinct.tolist(), positions


def _of_polars(series: Any) -> tuple[Sequence[Any], NDArray[Any]]:
    import polars as pl

    distinct = series.unique().drop_nulls()
    if series.dtype == pl.String:  # twice as fast as replacing values
        positions = series.cast(pl.Enum(distinct)).to_physical().cast(pl.Int32)
    else:
        codes = pl.Series(range(len(distinct)), dtype=pl.Int32)
        positions = series.replace_strict(distinct, codes, default=None, return_dtype=pl.Int32)
    return distinct.to_list(), positions.fill_null(ABSENT).to_numpy()


def _of_pyarrow(column: Any) -> tuple[Sequence[Any], NDArray[Any]]:
    if hasattr(column.type, "index_type"):  # a dictionary already, of values that may be there twice
        column = column.cast(column.type.value_type)
    encoded = column.dictionary_encode().unify_dictionaries()
    chunks = [chunk.indices.fill_null(ABSENT).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    if not chunks:
        return [], np.empty(0, dtype=np.int32)
    return encoded.chunk(0).dictionary.to_pylist(), np.concatenate(chunks)


FRAME_LIBRARIES = {"pandas": _of_pandas, "polars": _of_polars, "pyarrow": _of_pyarrow}

"""Reading: what a user says about a file, where the file itself does not say it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from budgetree.problem.tables.number_format import NumberFormat

# What spreadsheets and statistics programs write for a cell without a value. "None" and "?" are not among them: they
# may be answers, and are outcomes of their own in any case.
MISSING_CELLS = frozenset({"", "#N/A", "<NA>", "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null"})


@dataclass(frozen=True, slots=True)
class Reading:
    """How cells are written, and which part of a file to read, where the file itself does not say it.

    Parameters
    ----------
    missing : sequence of str, default ()
        Texts that stand for a missing value, beside the usual ones (an empty cell, NA, N/A, NULL, NaN).
    decimal : {'.', ','}, optional
        The decimal mark; by default as the file has it.
    thousands : str, optional
        What stands between thousands: a comma, a point, an apostrophe or a space.
    encoding : str, optional
        Of a file of text, as Python calls it.
    sheet : str, optional
        Of a workbook, by its name or number; needed where several hold something.
    drop : sequence of str, default ()
        Columns that are no tests.

    Raises
    ------
    ValueError
        Where a mark is none, or both marks are the same.

    Examples
    --------
    >>> import budgetree as bt
    >>> reading = bt.Reading(decimal=",", thousands=".", missing=["?"], drop=["patient"])
    >>> "?" in reading.missing_cells
    True
    """

    missing: Sequence[str] = ()
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    drop: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.decimal not in (None, ".", ","):
            raise ValueError(f"decimal is {self.decimal!r}; expected '.' or ','.")
        if self.thousands is not None and (len(self.thousands) != 1 or self.thousands.isalnum()):
            raise ValueError(f"thousands is {self.thousands!r}; expected one mark, such as ',' or '.' or a space.")
        if self.thousands is not None and self.thousands == self.decimal:
            raise ValueError(f"decimal and thousands are both {self.decimal!r}; expected two different marks.")

    @property
    def missing_cells(self) -> frozenset[str]:
        """Every text that stands for a missing value."""
        return MISSING_CELLS | {text.strip() for text in self.missing}

    def number_format(self, guess: str = ".") -> NumberFormat:
        """How numbers are written; the guess is for what nobody has said.

        :meta private:
        """
        if self.decimal is not None:
            return NumberFormat(self.decimal, self.thousands)
        if self.thousands in (".", ","):
            return NumberFormat("," if self.thousands == "." else ".", self.thousands)
        return NumberFormat(guess, self.thousands, is_guess=True)

"""All exceptions and warnings of budgetree.

    ValueError
    └── BudgetreeError          what was given is not what was expected
        ├── SettingError        an argument or option; `subject` names it
        ├── TableError          the rows or columns of a table; `subject` is a column
        ├── ResultError         a value that a test cannot show; `subject` is the test
        ├── PricesError         the price list
        │   └── NoPriceError    … which lacks the price of a test or of an outcome
        ├── LossesError         what wrong answers cost
        ├── LabelsError         the user's own names for tests, outcomes and classes
        ├── ImpurityError       an impurity, or the counts that it is asked about
        ├── TreeError           something that this tree does not have or allow
        ├── FileError           a file that cannot be read as what it should be
        │   ├── TableFileError  … a table
        │   ├── ModelFileError  … a model (Tree.from_json)
        │   └── CertificateError  … a certificate (Certificate.from_json)
        └── TooLargeError       the instance is beyond what exact search can hold

    OSError
    └── ConnectionError
        └── ClusterError        a Dask cluster does not answer, or one of its workers died for good

    ImportError
    └── CoreError               the native core is missing or cannot be used

Bad input never raises anything else than a BudgetreeError or, for a file that does not exist, an OSError; an extra that
is not installed is an ImportError that names it. Programs read the fields of an error, people its sentence: no code
looks into a sentence, and what is put in front of one or behind it comes from a field.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Self

from budgetree._internal import internal


@dataclass(frozen=True, slots=True)
class Where:
    """The place that an error is about: a file (or a frame, a document), and a place in it."""

    source: str = ""  # "" where it is named later, by who opened it
    line: int | None = None
    entry: str | None = None  # of a document: tests.mri; of a workbook: sheet 'Data', cell C4

    def __str__(self) -> str:
        line = None if self.line is None else f"line {self.line}"
        return ", ".join(part for part in (self.source, line, self.entry) if part)


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do, where that is another sentence in Python than on the command line."""

    in_python: str
    on_command_line: str


class BudgetreeError(ValueError):
    """What was given is not what was expected; it is a ValueError.

    Attributes
    ----------
    message : str
        The sentence, without the place and without a remedy that depends on who asks.
    subject : str, optional
        What the error is about: the name of an argument, a test, a column.
    found, expected : object, optional
        What was given, and what would have been right.
    where : Where, optional
        The file and the place in it.
    remedy : Remedy, optional
        What to do.

    Examples
    --------
    >>> from budgetree.errors import SettingError, Where
    >>> error = SettingError("folds is 1; expected 2 or more.", subject="folds", found=1)
    >>> error.subject, error.found
    ('folds', 1)
    >>> print(error.at(Where("settings.toml", line=3)))
    settings.toml, line 3: folds is 1; expected 2 or more.
    """

    def __init__(
        self,
        message: str,
        *,
        subject: str | None = None,
        found: object = None,
        expected: object = None,
        where: Where | None = None,
        remedy: Remedy | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.subject = subject
        self.found = found
        self.expected = expected
        self.where = where
        self.remedy = remedy

    @classmethod
    @internal
    def refusing(cls, subject: str, found: object, words: str, expected: object = None, of: str = "") -> Self:
        """That something is not what was expected; `expected` is that in values, by default its words."""
        message = f"{of}{subject} is {found!r:.80}; expected {words}."
        return cls(message, subject=subject, found=found, expected=words if expected is None else expected)

    @internal
    def at(self, where: Where) -> BudgetreeError:
        """The same error, said of this place unless it has one already; where only the source is missing, of this."""
        if self.where is None:
            self.where = where
        elif not self.where.source:
            self.where = replace(self.where, source=where.source)
        return self

    @internal
    def on_command_line(self) -> str:
        """The sentences for someone who typed a command."""
        return self._sentences("" if self.remedy is None else self.remedy.on_command_line)

    def __str__(self) -> str:
        return self._sentences("" if self.remedy is None else self.remedy.in_python)

    def _sentences(self, remedy: str) -> str:
        place = "" if self.where is None else f"{self.where}: "
        return f"{place}{self.message}{remedy and ' '}{remedy}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.message, self.__dict__)


def _again(kind: type[BudgetreeError], message: str, fields: dict[str, Any]) -> BudgetreeError:
    """An error that was pickled, whatever its class asks for."""
    error = kind.__new__(kind, message)
    error.args = (message,)
    error.__dict__.update(fields)
    return error


class SettingError(BudgetreeError):
    """An argument or an option that is out of its range, or does not go with another one."""


class TableError(BudgetreeError):
    """A table whose rows or columns are not what was expected."""


class ResultError(BudgetreeError):
    """A value that a test cannot show."""


class PricesError(BudgetreeError):
    """A price list that is wrong in itself, or does not fit the tests."""


class NoPriceError(PricesError):
    """A price list lacks the price of the tests found, or of the outcomes found of the test that it is about."""


class LossesError(BudgetreeError):
    """Losses that are wrong in themselves, or do not fit the classes."""


class LabelsError(BudgetreeError):
    """Display names that are wrong in themselves, or do not fit the tests and classes."""


class ImpurityError(BudgetreeError):
    """An impurity with wrong parameters, or counts that it is not defined for."""


class TreeError(BudgetreeError):
    """Something that this tree does not have or does not allow."""


class FileError(BudgetreeError):
    """A file that cannot be read as what it should be."""

    holds: ClassVar[str] = "a whole JSON document"  # what is expected

    @classmethod
    @internal
    def of(cls, error: BudgetreeError, where: Where) -> FileError:
        """This kind of error, with the fields of another one: what a file holds is wrong in itself."""
        found = error if isinstance(error, cls) else cls(error.message)
        found.__dict__.update(error.__dict__)
        found.at(where)
        return found


class TableFileError(FileError):
    """A file that cannot be read as a table."""


class ModelFileError(FileError):
    """The file cannot be read as a model; a ValueError.

    Examples
    --------
    >>> import budgetree as bt
    >>> from pathlib import Path
    >>> _ = Path("pathway.json").write_text("{}")
    >>> bt.Tree.from_json("pathway.json")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    budgetree.errors.ModelFileError: pathway.json: this is not a budgetree model; expected ...
    """

    holds = "a model, as `Tree.to_json` and `budgetree fit -o` write it"


class CertificateError(FileError):
    """The file or document is not a certificate; a ValueError.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Certificate({})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    budgetree.errors.CertificateError: this is not a certificate; expected ...
    """

    holds = "a certificate, as `Certificate.to_json` and `budgetree fit --certificate` write it"


class TooLargeError(BudgetreeError):
    """The instance is beyond what exact search can hold."""


class ClusterState(Enum):
    """What became of a Dask cluster."""

    NO_ANSWER = "no scheduler answers at the address"
    NO_WORKERS = "there is no worker"
    WORKERS_DIED = "a task was given up because workers died of it"
    SCHEDULER_GONE = "the scheduler ended"


class ClusterError(ConnectionError):
    """A Dask cluster that does not answer, or a worker of it that died for good; `state` says which."""

    def __init__(self, message: str, state: ClusterState) -> None:
        super().__init__(message)
        self.message, self.state = message, state

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.state)


class CoreError(ImportError):
    """The native core is missing or cannot be used."""

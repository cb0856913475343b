"""Everything that budgetree raises or warns with and that has a name of its own.

    ValueError                  what was given is not what was expected; most messages are plain ValueErrors
    ├── FileError               a file is not what it should be; the message names it, the place and the remedy
    │   ├── TableFileError      … a table
    │   ├── ModelFileError      … a model (Tree.from_json)
    │   └── CertificateError    … a certificate (Certificate.from_json)
    ├── NoPriceError            a price list lacks the price of a test or of an outcome
    └── TooLargeError           the instance is beyond what exact search can hold

    OSError
    └── ConnectionError
        └── ClusterError        a Dask cluster is not there, or a worker of it died for good

    ImportError
    └── CoreError               there is a native core that cannot be used

    UserWarning
    └── PlainPythonWarning      budgetree runs without its native core

Bad input never raises anything else than a ValueError or, for a file that is not there, an OSError; an extra that is
not installed is an ImportError that names it.
"""

from __future__ import annotations

from collections.abc import Sequence


class FileError(ValueError):
    """A file that cannot be read as what it should be; the message names the file, the place and the remedy."""


class TableFileError(FileError):
    """A file that cannot be read as a table."""


class ModelFileError(FileError):
    """A file that cannot be read as a model; it is a ValueError.

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


class CertificateError(FileError):
    """A file or a document that is not a certificate; it is a ValueError.

    Examples
    --------
    >>> import budgetree as bt
    >>> bt.Certificate({})  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    budgetree.errors.CertificateError: document: this is not a certificate: expected ...
    """


class NoPriceError(ValueError):
    """A price list lacks the price of tests, or of outcomes of one test."""

    def __init__(self, message: str, names: Sequence[str], test: str | None = None) -> None:
        super().__init__(message)
        self.names = tuple(names)  # without a price
        self.test = test  # whose outcomes they are; None where they are tests

    def __reduce__(self) -> tuple[type, tuple[str, tuple[str, ...], str | None]]:
        return type(self), (str(self), self.names, self.test)


class TooLargeError(ValueError):
    """The instance is beyond what exact search can hold."""


class ClusterError(ConnectionError):
    """A Dask cluster that is not there, or a worker of it that died for good."""


class CoreError(ImportError):
    """There is a native core that cannot be used."""


class PlainPythonWarning(UserWarning):
    """budgetree runs without its native core."""

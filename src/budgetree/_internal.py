"""`@internal`: marks names that several packages of budgetree use, but that are not in its public reference."""

from __future__ import annotations

from inspect import cleandoc
from typing import TypeVar

Function = TypeVar("Function")


def internal(function: Function) -> Function:
    """A method that is left out of the reference and may change; below @property or @classmethod.

    >>> print(internal(lambda: None).__doc__)
    :meta private:
    """
    function.__doc__ = f"{cleandoc(function.__doc__ or '')}\n\n:meta private:".strip()
    return function

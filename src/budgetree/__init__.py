"""budgetree finds the best decision tree that a testing budget can buy.

The public names are listed in __init__.pyi. Each is imported when it is first asked for, so that the command line
answers at once and neither scikit-learn nor matplotlib, an extra, is loaded where it is not used. Even what reads that
list waits until then: while this file is imported, Ctrl-C cannot be caught yet (start.py).
"""

from budgetree._version import __version__ as __version__


def __getattr__(name: str) -> object:
    import sys

    import lazy_loader

    here = globals()
    here["__getattr__"], here["__dir__"], here["__all__"] = lazy_loader.attach_stub(__name__, __file__)
    return getattr(sys.modules[__name__], name)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))  # type: ignore[call-overload, no-any-return]

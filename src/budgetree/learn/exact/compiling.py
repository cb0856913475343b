"""How the kernels are compiled: those that Python calls are cached; those they call need no way in from Python.

The kernels only use arrays they are given, so numba need not count references; without that, and without wrappers and a
cache of their own for the inner functions, compiling takes half the time.
"""

from __future__ import annotations

from typing import Any

from numba import njit
from numba.core.options import DefaultOptions

_SHARED: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
if hasattr(DefaultOptions, "_nrt"):  # an option that numba does not document
    _SHARED["_nrt"] = False

_INNER = _SHARED | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

kernel: Any = njit(cache=True, **(_SHARED | {"no_cfunc_wrapper": True}))
part_of_kernel: Any = njit(**_INNER)

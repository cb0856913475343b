"""The same trees from a Dask cluster: `budgetree.dask.grow(frame, target)`, `frontier`, DaskBudgetTreeClassifier.

Learning needs class counts alone, so many workers count and the driver chooses; no row ever comes to the driver.
"""

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError("budgetree.dask needs Dask with its data frames: pip install 'budgetree[dask]'.") from error

from budgetree.dask.estimator import DaskBudgetTreeClassifier
from budgetree.dask.verbs import frontier, grow
from budgetree.distributed.dask_cases import DaskCases

__all__ = ["DaskBudgetTreeClassifier", "DaskCases", "frontier", "grow"]

"""The same trees from a Dask cluster: `budgetree.dask.fit(frame, target)`, `grow`, DaskBudgetTreeClassifier, ….

For known cases learning needs class counts alone: many workers count, and the driver chooses. For new cases the driver
learns from 250,000 rows at most, which are drawn from all partitions.
"""

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError("budgetree.dask needs Dask with its data frames: pip install 'budgetree[dask]'.") from error

from budgetree.dask.estimator import DaskBudgetTreeClassifier
from budgetree.dask.verbs import fit, frontier, grow, predictive
from budgetree.distributed.dask_cases import DaskCases

__all__ = ["DaskBudgetTreeClassifier", "DaskCases", "fit", "frontier", "grow", "predictive"]

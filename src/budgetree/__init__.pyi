# The public names and where they live: the only list of them.
from . import datasets as datasets
from ._version import __version__ as __version__
from .distributed.store import Shards as Shards
from .errors import CertificateError as CertificateError, ModelFileError as ModelFileError
from .estimators import (
    BudgetTreeClassifier as BudgetTreeClassifier,
    OptimalBudgetTreeClassifier as OptimalBudgetTreeClassifier,
)
from .evaluation import Evaluation as Evaluation, evaluate as evaluate
from .impurity import (
    Counterexample as Counterexample,
    Entropy as Entropy,
    Gini as Gini,
    HingedPairs as HingedPairs,
    HingedProduct as HingedProduct,
    Impurity as Impurity,
    ObjectPairs as ObjectPairs,
    Pairs as Pairs,
    Polynomial as Polynomial,
    Powers as Powers,
    check_admissible as check_admissible,
)
from .learn import (
    Frontier as Frontier,
    Result as Result,
    fit as fit,
    frontier as frontier,
    grow as grow,
    optimal as optimal,
    predictive as predictive,
    ratios as ratios,
    tradeoff as tradeoff,
)
from .problem import (
    Instance as Instance,
    Labels as Labels,
    Limit as Limit,
    Losses as Losses,
    Prices as Prices,
    Reading as Reading,
)
from .proof import Certificate as Certificate, certify as certify
from .show.plots import plot_frontier as plot_frontier, plot_tree as plot_tree
from .tree import (
    Consultation as Consultation,
    Ensemble as Ensemble,
    Fixed as Fixed,
    Majority as Majority,
    Model as Model,
    Points as Points,
    Split as Split,
    Totals as Totals,
    Tree as Tree,
    TreeBuilder as TreeBuilder,
    Walk as Walk,
)

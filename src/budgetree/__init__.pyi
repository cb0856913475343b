# The public names and where they live: the only list of them.
from . import datasets as datasets
from ._version import __version__ as __version__
from .distributed.store import (
    Shards as Shards,
)
from .errors import (
    CertificateError as CertificateError,
)
from .errors import (
    ModelFileError as ModelFileError,
)
from .estimators import BudgetTreeClassifier as BudgetTreeClassifier
from .estimators import OptimalBudgetTreeClassifier as OptimalBudgetTreeClassifier
from .evaluate import Evaluation as Evaluation
from .evaluate import evaluate as evaluate
from .impurity import (
    Counterexample as Counterexample,
)
from .impurity import (
    Entropy as Entropy,
)
from .impurity import (
    Gini as Gini,
)
from .impurity import (
    HingedPairs as HingedPairs,
)
from .impurity import (
    HingedProduct as HingedProduct,
)
from .impurity import (
    Impurity as Impurity,
)
from .impurity import (
    ObjectPairs as ObjectPairs,
)
from .impurity import (
    Pairs as Pairs,
)
from .impurity import (
    Polynomial as Polynomial,
)
from .impurity import (
    Powers as Powers,
)
from .impurity import (
    check_admissible as check_admissible,
)
from .learn import (
    Frontier as Frontier,
)
from .learn import (
    Result as Result,
)
from .learn import (
    fit as fit,
)
from .learn import (
    frontier as frontier,
)
from .learn import (
    grow as grow,
)
from .learn import (
    optimal as optimal,
)
from .learn import (
    predictive as predictive,
)
from .learn import (
    tradeoff as tradeoff,
)
from .problem import (
    Instance as Instance,
)
from .problem import (
    Labels as Labels,
)
from .problem import (
    Losses as Losses,
)
from .problem import (
    Prices as Prices,
)
from .problem import (
    Reading as Reading,
)
from .proof import (
    Certificate as Certificate,
)
from .proof import (
    certify as certify,
)
from .show.plots import (
    plot_frontier as plot_frontier,
)
from .show.plots import (
    plot_tree as plot_tree,
)
from .tree import (
    Consultation as Consultation,
)
from .tree import (
    Ensemble as Ensemble,
)
from .tree import (
    Fixed as Fixed,
)
from .tree import (
    Majority as Majority,
)
from .tree import (
    Model as Model,
)
from .tree import (
    Points as Points,
)
from .tree import (
    Split as Split,
)
from .tree import (
    Totals as Totals,
)
from .tree import (
    Tree as Tree,
)
from .tree import (
    TreeBuilder as TreeBuilder,
)
from .tree import (
    Walk as Walk,
)

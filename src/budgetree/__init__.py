"""budgetree finds the best decision tree that a testing budget can buy.

The public names are listed in __init__.pyi. Each is imported when it is first asked for, so that the command line
answers at once and nobody needs an extra (scikit-learn, matplotlib) that they do not use.
"""

import lazy_loader

from budgetree._version import __version__ as __version__

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

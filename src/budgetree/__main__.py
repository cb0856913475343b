"""`python -m budgetree`: the command line."""

import sys

from budgetree.start import main

if __name__ == "__main__":
    sys.exit(main())

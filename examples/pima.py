"""A diagnostic pathway for diabetes with real prices: what every budget buys, and the tree to follow for one.

python examples/pima.py
"""

import budgetree as bt


def main() -> None:
    pima = bt.datasets.load("pima")
    print(pima, pima.prices, sep="\n")
    print("\nWhat no patient may exceed, and what that buys:")
    frontier = bt.frontier(pima)
    print(frontier)
    print("\nThe pathway for a budget of 2, without a blood sample:")
    print(frontier.best(budget=2).tree.to_text())


if __name__ == "__main__":
    main()

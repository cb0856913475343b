"""A diagnostic pathway for diabetes with real prices: what a budget buys, and the tree to follow.

python examples/pima.py
"""

import budgetree as bt


def main() -> None:
    pima = bt.datasets.load("pima")
    print(pima, pima.prices, sep="\n")
    print("\nWhat no patient may exceed, and what that buys:")
    for budget in (0, 1, 2, 3, 5, 20, 25, 45):
        tree = min(
            (bt.grow(pima, impurity, budget=budget).trim() for impurity in (bt.Pairs(), bt.HingedPairs(10))),
            key=lambda tree: (tree.errors, tree.max_cost),
        )
        print(
            f"  budget {budget:>2}: worst case {tree.max_cost:>5}, mean {tree.mean_cost:5.2f}, {tree.errors:>3} errors"
        )
    print("\nThe pathway for a budget of 2 (no blood sample):")
    print(bt.grow(pima, bt.HingedPairs(30), budget=2).trim().to_text())


if __name__ == "__main__":
    main()

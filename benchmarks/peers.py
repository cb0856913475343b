"""budgetree and its peers on the same tables in one run: errors at equal worst-case cost, and seconds.

    pip install '.[bench]'
    python benchmarks/peers.py                 the paper's nine sets, the synthetic one, and pima at its real prices
    python benchmarks/peers.py --quick         three small ones
    python benchmarks/peers.py --csv FILE      every number in a file as well

Every method is asked the same: if no case may cost more than B, how few of the known cases can be wrong? The cost of a
path is the sum of the prices of the different tests on it, a shared fee once; a tree's is that of its dearest path. No
peer takes such a ceiling as it is, so each gets a sweep over the parameters that it has, and the best tree within B
counts. Every tree, ours included, is read into one form, walked here, and must predict what its maker says.

scikit-learn   every depth from 1 to 20 and a list of leaf counts, gini and entropy, outcome codes as numbers and
               one-hot; where prices differ, also without the columns that a budget cannot buy
LightGBM       one tree; its penalties for the cost of features over a grid of trade-offs and depths, outcome codes as
               numbers and as categories; and every affordable set of columns as interaction constraints, where these
               are not too many, which is a ceiling in effect
pystreed       optimal binary trees, codes cut at every level: at unit prices the task "accuracy" for every depth, at
               other prices the task "cost-sensitive" over a grid of prices for an error, also without the columns
               that a budget cannot buy

Seconds are the clock's and hold the fits of the whole sweep, not our checks. budgetree's kernels are loaded, and
compiled if need be, before the clock starts. Peers work on one thread; so does budgetree, but for the long exact
searches (dna's), which take two.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import csv
import itertools
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray
from pystreed import CostSpecifier, FeatureCostSpecifier, STreeDClassifier, STreeDCostSensitiveClassifier
from sklearn.tree import DecisionTreeClassifier

import budgetree as bt

UNIT_BUDGETS = ("1", "2", "3", "4", "5")
PIMA_BUDGETS = ("2", "4", "6", "19.61", "21.61", "27.78")
OUR_PATIENCE = 20.0  # seconds for a frontier; only dna needs more to be proven
PEER_PATIENCE = {"dna": 25.0}  # seconds for one tree of pystreed
SHORT_PATIENCE = 3.0  # the same on the other sets

SKLEARN_DEPTHS = range(1, 21)
SKLEARN_LEAVES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
COUPLED_TRADEOFFS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # against a gain that is summed over the rows
LAZY_TRADEOFFS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)  # charged for every row, so smaller
LIGHTGBM_DEPTHS = (1, 2, 3, 4, 5, 8, -1)
MOST_CONSTRAINTS = 5000  # sets of columns; LightGBM goes through all of them at every node
PYSTREED_DEPTHS = (1, 2, 3, 4, 5)
COST_DEPTHS = (1, 2, 3, 4)  # one more does not end within the patience
ERROR_PRICES = (2, 5, 10, 20, 30, 50, 75, 100, 200, 500, 1000, 10000)

# ---------------------------------------------------------------------------------------------------- one form of tree


@dataclass(frozen=True, slots=True)
class Leaf:
    label: int


@dataclass(frozen=True, slots=True)
class Split:
    """A test of a column of the table; a binary one sends some of the outcomes left and the others right."""

    column: int
    branches: tuple[tuple[frozenset[int], Leaf | Split], ...]  # outcome codes, and where they lead


def path_cost(columns: Iterable[str], prices: bt.Prices) -> Fraction:
    """What these tests cost one case: each once, and every shared fee once."""
    different = set(columns)
    cost = sum((Fraction(prices.tests.get(name, prices.default)) for name in different), Fraction(0))
    return cost + sum(shared.fee for shared in prices.shared.values() if different & set(shared.tests))


def max_cost(tree: Leaf | Split, instance: bt.Instance) -> Fraction:
    """The cost of the dearest path that the tree has."""
    paths: set[frozenset[str]] = set()  # many paths buy the same tests, and exact fractions are slow

    def below(node: Leaf | Split, bought: frozenset[str]) -> None:
        if isinstance(node, Leaf):
            paths.add(bought)
            return
        bought |= {instance.test_names[node.column]}
        for _, child in node.branches:
            below(child, bought)

    below(tree, frozenset())
    return max(path_cost(path, instance.prices) for path in paths)


def predict(tree: Leaf | Split, codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """The label of every row, by walking the tree."""
    labels = np.full(len(codes), -1)

    def below(node: Leaf | Split, rows: NDArray[np.intp]) -> None:
        if isinstance(node, Leaf):
            labels[rows] = node.label
            return
        found = codes[rows, node.column]
        for outcomes, child in node.branches:
            taken = np.zeros(256, dtype=bool)  # by code; np.isin takes several times as long on so few rows
            taken[list(outcomes)] = True
            below(child, rows[taken[found]])

    below(tree, np.arange(len(codes)))
    return labels


def binary_split(column: int, left: Iterable[int], n_outcomes: int, children: Sequence[Leaf | Split]) -> Split:
    outcomes = frozenset(left)
    return Split(column, ((outcomes, children[0]), (frozenset(range(n_outcomes)) - outcomes, children[1])))


# ------------------------------------------------------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class Case:
    """A table at certain prices, and the budgets to compare at."""

    name: str
    instance: bt.Instance
    budgets: tuple[Fraction, ...]
    unit: bool  # every test costs 1
    cost_depths: Sequence[int] = COST_DEPTHS  # of pystreed's trees at prices that differ

    @property
    def title(self) -> str:
        return f"{self.name}{'' if self.unit else ', real prices'}"

    @property
    def patience(self) -> float:
        return PEER_PATIENCE.get(self.name, SHORT_PATIENCE)

    def n_outcomes(self, column: int) -> int:
        return len(self.instance.outcome_names[column])

    def pools(self) -> list[list[int]]:
        """The columns that some budget can buy, each for itself: all that a peer can be told of a ceiling."""
        prices = [path_cost([name], self.instance.prices) for name in self.instance.test_names]
        pools = [[column for column, price in enumerate(prices) if price <= budget] for budget in self.budgets]
        return [pool for pool, _ in itertools.groupby(pools)]


@dataclass(frozen=True, slots=True)
class Result:
    """A tree: its errors, what it costs, and whether its maker ended its search."""

    max_cost: Fraction
    errors: int
    finished: bool = True


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a method has to offer for a case: the best tree for each budget, or why there is none."""

    cells: Mapping[Fraction, Result] = field(default_factory=dict)
    seconds: float | None = None
    n_trees: int = 0
    note: str = ""


def judged(case: Case, tree: Leaf | Split, predicted: NDArray[Any], finished: bool = True) -> Result:
    """Errors and cost by our own walk, which must agree with what the tree's maker predicts."""
    labels = predict(tree, case.instance.codes)
    assert np.array_equal(labels, predicted), "the walk over the tree and its maker's predictions differ"
    return Result(max_cost(tree, case.instance), int((labels != case.instance.labels).sum()), finished)


def best_within(results: Sequence[Result], budget: Fraction) -> Result:
    """The fewest errors within a budget; of equals the cheapest."""
    return min((each for each in results if each.max_cost <= budget), key=lambda each: (each.errors, each.max_cost))


def majority(case: Case) -> Result:
    """No test at all: what every method can do within any budget."""
    counts = np.bincount(case.instance.labels)
    return Result(Fraction(0), int(counts.sum() - counts.max()))


def timed(fit: Callable[[Any], Any], settings: Iterable[Any]) -> tuple[float, list[tuple[Any, Any]]]:
    """The seconds of all fits together, and every setting with its model."""
    start = time.perf_counter()
    fitted = [(setting, fit(setting)) for setting in settings]
    return time.perf_counter() - start, fitted


def swept(case: Case, seconds: float, results: Sequence[Result], note: str = "") -> Sweep:
    everything = [majority(case), *results]
    cells = {budget: best_within(everything, budget) for budget in case.budgets}
    return Sweep(cells, seconds, len(results), note)


# ----------------------------------------------------------------------------------------------------------- budgetree


def read_budgetree(node: Mapping[str, Any], instance: bt.Instance) -> Leaf | Split:
    if "test" not in node:
        return Leaf(instance.class_names.index(node["label"]))
    column = instance.test_names.index(node["test"])
    names = instance.outcome_names[column]
    below = node["children"].items()
    branches = ((frozenset([names.index(name)]), read_budgetree(child, instance)) for name, child in below)
    return Split(column, tuple(branches))


def of_frontier(case: Case, frontier: bt.Frontier, seconds: float) -> Sweep:
    cells, instance = {}, case.instance
    for budget in case.budgets:
        point = frontier.best(budget=budget)
        tree = read_budgetree(point.tree.to_dict(), instance)
        predicted = [instance.class_names.index(label) for label in point.tree.predict(instance.codes)]
        result = judged(case, tree, np.array(predicted))
        assert result == Result(Fraction(str(point.max_cost)), int(point.errors)), "the walk and the frontier differ"
        # A cheaper point stands for this budget too, but only if the search got as far as this budget.
        proven = point.proven and (result.max_cost == budget or frontier.complete or point.errors == 0)
        cells[budget] = replace(result, finished=proven)
    return Sweep(cells, seconds, len(frontier))


def budgetree_greedy(case: Case) -> Sweep:
    bt.frontier(case.instance, method="greedy", progress=False)
    start = time.perf_counter()
    frontier = bt.frontier(case.instance, method="greedy", progress=False)
    seconds = time.perf_counter() - start
    sweep = of_frontier(case, frontier, seconds)
    cells = {budget: replace(cell, finished=True) for budget, cell in sweep.cells.items()}
    return replace(sweep, cells=cells)  # a greedy growth always ends; it claims no proof


def budgetree_exact(case: Case) -> Sweep:
    bt.frontier(case.instance, method="exact", max_budget=case.budgets[2], progress=False)  # loads the kernels
    start = time.perf_counter()
    frontier = bt.frontier(case.instance, method="exact", time_limit=OUR_PATIENCE, progress=False)
    return of_frontier(case, frontier, time.perf_counter() - start)


# -------------------------------------------------------------------------------------------------------- scikit-learn


def one_hot(case: Case, pool: Sequence[int]) -> tuple[NDArray[np.float32], list[tuple[int, int | None]]]:
    """A binary column for every outcome that occurs, and which column and outcome it stands for."""
    codes = case.instance.codes
    owners = [(column, int(code)) for column in pool for code in np.unique(codes[:, column])]
    return np.stack([codes[:, column] == code for column, code in owners], axis=1).astype(np.float32), owners


def as_numbers(case: Case, pool: Sequence[int]) -> tuple[NDArray[np.float32], list[tuple[int, int | None]]]:
    return case.instance.codes[:, pool].astype(np.float32), [(column, None) for column in pool]


def read_sklearn(model: DecisionTreeClassifier, case: Case, owners: Sequence[tuple[int, int | None]]) -> Leaf | Split:
    grown = model.tree_

    def read(at: int) -> Leaf | Split:
        if grown.children_left[at] < 0:
            return Leaf(int(model.classes_[grown.value[at, 0].argmax()]))
        column, outcome = owners[grown.feature[at]]
        codes = range(case.n_outcomes(column))
        if outcome is None:
            left = [code for code in codes if code <= grown.threshold[at]]
        else:
            left = [code for code in codes if code != outcome]
        children = [read(grown.children_left[at]), read(grown.children_right[at])]
        return binary_split(column, left, len(codes), children)

    return read(0)


def sklearn_tree(case: Case) -> Sweep:
    labels = case.instance.labels
    sizes = [{"max_depth": depth} for depth in SKLEARN_DEPTHS] + [{"max_leaf_nodes": n} for n in SKLEARN_LEAVES]
    settings = [size | {"criterion": criterion} for size in sizes for criterion in ("gini", "entropy")]
    encodings = [as_numbers]
    if case.instance.codes.max() > 1:  # one-hot columns of a binary table say nothing new
        encodings.append(one_hot)
    total, results = 0.0, []
    for encoding, pool in itertools.product(encodings, case.pools()):
        table, owners = encoding(case, pool)
        seconds, fitted = timed(
            lambda setting, table=table: DecisionTreeClassifier(**setting, random_state=0).fit(table, labels), settings
        )
        total += seconds
        results += [judged(case, read_sklearn(model, case, owners), model.predict(table)) for _, model in fitted]
    return swept(case, total, results)


# ------------------------------------------------------------------------------------------------------------ LightGBM

ONE_EXACT_TREE = {
    "objective": "binary",
    "boost_from_average": False,  # else a leaf's sign is not that of its majority
    "learning_rate": 1.0,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0.0,
    "min_data_in_bin": 1,
    "min_data_per_group": 1,
    "cat_smooth": 0.0,
    "cat_l2": 0.0,
    "max_cat_to_onehot": 1,
    "feature_pre_filter": False,
    "num_leaves": 4096,
    "num_threads": 1,
    "deterministic": True,
    "verbose": -1,
}


def affordable_sets(case: Case, budget: Fraction) -> list[list[int]] | None:
    """Every largest set of columns that the budget buys together; None if these are too many to list."""
    names, prices = case.instance.test_names, case.instance.prices
    columns = range(len(names))
    if case.unit:
        size = min(int(budget), len(names))
        few = comb(len(names), size) <= MOST_CONSTRAINTS
        return [list(chosen) for chosen in itertools.combinations(columns, size)] if few else None
    if 2 ** len(names) > MOST_CONSTRAINTS:
        return None
    subsets = [set(some) for size in columns for some in itertools.combinations(columns, size + 1)]
    bought = [some for some in subsets if path_cost((names[column] for column in some), prices) <= budget]
    return [sorted(some) for some in bought if not any(some < other for other in bought)]


def lightgbm_settings(case: Case) -> Iterator[dict[str, Any]]:
    prices = [float(path_cost([name], case.instance.prices)) for name in case.instance.test_names]
    grids = (
        ("cegb_penalty_feature_coupled", COUPLED_TRADEOFFS),  # once for the whole tree
        ("cegb_penalty_feature_lazy", LAZY_TRADEOFFS),  # for every row that reaches the test
    )
    for penalty, tradeoffs in grids:
        for tradeoff, depth in itertools.product(tradeoffs, LIGHTGBM_DEPTHS):
            yield {penalty: prices, "cegb_tradeoff": tradeoff, "max_depth": depth}
    for budget in case.budgets:
        constraints = affordable_sets(case, budget)
        if constraints is not None:
            yield {"interaction_constraints": constraints}


def read_lightgbm(node: Mapping[str, Any], case: Case) -> Leaf | Split:
    if "leaf_value" in node:
        return Leaf(int(node["leaf_value"] > 0))
    column, threshold = node["split_feature"], node["threshold"]
    if node["decision_type"] == "==":
        left = [int(code) for code in threshold.split("||")]
    else:
        left = [code for code in range(case.n_outcomes(column)) if code <= threshold]
    children = [read_lightgbm(node[f"{side}_child"], case) for side in ("left", "right")]
    return binary_split(column, left, case.n_outcomes(column), children)


def lightgbm_tree(case: Case) -> Sweep:
    instance = case.instance
    if instance.n_classes != 2:
        return Sweep(note=f"LightGBM: with {instance.n_classes} classes it grows {instance.n_classes} trees, not one")
    table, total, results = instance.codes.astype(np.float64), 0.0, []
    settings = list(lightgbm_settings(case))
    for categorical in ([], list(range(instance.n_tests))):
        data = lightgbm.Dataset(table, instance.labels, categorical_feature=categorical, params=ONE_EXACT_TREE)
        seconds, fitted = timed(
            lambda setting, data=data: lightgbm.train(ONE_EXACT_TREE | setting, data, num_boost_round=1), settings
        )
        total += seconds
        for _, model in fitted:
            tree = read_lightgbm(model.dump_model()["tree_info"][0]["tree_structure"], case)
            results.append(judged(case, tree, (model.predict(table, raw_score=True) > 0).astype(int)))
    left_out = [budget for budget in case.budgets if affordable_sets(case, budget) is None]
    note = (
        f"LightGBM: more than {MOST_CONSTRAINTS} affordable sets, not listed, at B = {spelled(left_out)}"
        if left_out
        else ""
    )
    return swept(case, total, results, note)


# ------------------------------------------------------------------------------------------------------------ pystreed


def cut_at_levels(case: Case, pool: Sequence[int]) -> tuple[NDArray[np.intc], list[tuple[int, int]]]:
    """A binary column "at most this outcome" for every boundary between outcomes, and what it stands for."""
    codes = case.instance.codes
    owners = [(column, int(code)) for column in pool for code in np.unique(codes[:, column])[:-1]]
    return np.stack([codes[:, column] <= code for column, code in owners], axis=1).astype(np.intc), owners


def read_pystreed(node: Any, case: Case, owners: Sequence[tuple[int, int]]) -> Leaf | Split:
    if node.is_leaf_node():
        return Leaf(int(node.label))
    column, last = owners[node.feature]
    # Its left branch is where the binary feature is 0: above the boundary.
    above = range(last + 1, case.n_outcomes(column))
    children = [read_pystreed(child, case, owners) for child in (node.left_child, node.right_child)]
    return binary_split(column, above, case.n_outcomes(column), children)


def fit_accuracy(case: Case, table: NDArray[np.intc], depth: int) -> STreeDClassifier:
    solver = STreeDClassifier(
        "accuracy",
        max_depth=depth,
        max_num_nodes=2**depth - 1,
        time_limit=case.patience,
        use_similarity_lower_bound=False,  # as in exact.py
    )
    return solver.fit(table, case.instance.labels)


def pystreed_prices(case: Case, owners: Sequence[tuple[int, int]]) -> list[FeatureCostSpecifier]:
    """The price list in pystreed's words.

    A column's binary features are a range, paid once on a path. A shared fee is a group: the first of its columns costs
    its price and the fee, the others get a discount.
    """
    instance, specifiers = case.instance, []
    for column, name in enumerate(instance.test_names):
        features = [index for index, (owner, _) in enumerate(owners) if owner == column]
        if not features:
            continue
        alone = path_cost([name], instance.prices)
        shares = [shared for shared in instance.prices.shared.items() if name in shared[1].tests]
        assert len(shares) <= 1, "pystreed has one group for a feature"
        group, fee = (shares[0][0], shares[0][1].fee) if shares else (f"only {name}", Fraction(0))
        specifiers.append(FeatureCostSpecifier(float(alone), float(alone - fee), group, features[0], features[-1]))
    return specifiers


def fit_costs(
    case: Case, table: NDArray[np.intc], specifiers: list[FeatureCostSpecifier], depth: int, error_price: float
) -> STreeDCostSensitiveClassifier:
    n_classes = case.instance.n_classes
    errors = [[0.0 if said == true else error_price for said in range(n_classes)] for true in range(n_classes)]
    solver = STreeDCostSensitiveClassifier(max_depth=depth, time_limit=case.patience)
    return solver.fit(table, case.instance.labels, CostSpecifier(errors, specifiers))


def pystreed_trees(case: Case) -> Sweep:
    return pystreed_depths(case) if case.unit else pystreed_costs(case)


def pystreed_depths(case: Case) -> Sweep:
    table, owners = cut_at_levels(case, range(case.instance.n_tests))
    seconds, fitted = timed(lambda depth: fit_accuracy(case, table, depth), PYSTREED_DEPTHS)
    results = [judged_pystreed(case, model, table, owners) for _, model in fitted]
    late = [depth for depth, model in fitted if not model.fit_result.is_optimal()]
    if not late:
        return swept(case, seconds, results)
    sweep = swept(case, seconds, results, f"pystreed: stopped after {case.patience:g} s at depth {spelled(late)}")
    # Within d tests the best binary tree has a depth of at least d: unknown if that search was cut short.
    cells = {budget: replace(cell, finished=budget < min(late)) for budget, cell in sweep.cells.items()}
    return replace(sweep, cells=cells)


def pystreed_costs(case: Case) -> Sweep:
    total, results = 0.0, []
    for pool in case.pools():
        table, owners = cut_at_levels(case, pool)
        prices = pystreed_prices(case, owners)
        seconds, fitted = timed(
            lambda setting, table=table, prices=prices: fit_costs(case, table, prices, *setting),
            itertools.product(case.cost_depths, ERROR_PRICES),
        )
        total += seconds
        results += [judged_pystreed(case, model, table, owners) for _, model in fitted]
    late = sum(not result.finished for result in results)
    note = f"pystreed: {late} of {len(results)} searches stopped after {case.patience:g} s" if late else ""
    return swept(case, total, results, note)


def judged_pystreed(case: Case, model: Any, table: NDArray[np.intc], owners: Sequence[tuple[int, int]]) -> Result:
    tree = read_pystreed(model.get_tree(), case, owners)
    return judged(case, tree, model.predict(table), model.fit_result.is_optimal())


# ------------------------------------------------------------------------------------------------------------- reports

METHODS: dict[str, Callable[[Case], Sweep]] = {
    "greedy": budgetree_greedy,
    "exact": budgetree_exact,
    "scikit-learn": sklearn_tree,
    "LightGBM": lightgbm_tree,
    "pystreed": pystreed_trees,
}
PEERS = ("scikit-learn", "LightGBM", "pystreed")
WIDTH = 13

CANNOT = """What each can do. "Sweep": not as a parameter, only by trying others until a tree happens to fit.

                          budgetree   scikit-learn  LightGBM      pystreed
worst-case ceiling        yes         sweep         sets, 1)      sweep, 2)
tests of many outcomes    yes         no            subsets, 3)   no
a column's price once     yes         no            yes, 4)       yes
shared fees               yes         no            in sets, 1)   yes, one per column
prices per outcome        yes         no            no            no
proof of the fewest       yes         no            no            for a depth, or mean cost
errors against cost       frontier    no            sweep         sweep, 5)
more than two classes     yes         yes           a tree each   yes

1) by listing every affordable set of columns as interaction constraints; 34,220 of them for three tests of sonar's 60.
2) at unit prices and binary tests a depth is a ceiling; else it bounds the splits, not what they cost.
3) a category split sends a subset of the outcomes each way: two branches.
4) its penalties count a column once for the tree or once for a row; they are weighed against the gain, not added up.
5) the task "cost-sensitive" minimises the mean cost of tests and errors, not the worst case."""

EXPLAINED = """No binary tree can beat a proven exact one at equal cost. Once a test is paid, its outcome is known,
and our split uses all of it; the thresholds that a binary tree puts on a paid column, as often as it likes and free of
charge, only join some of them. Such a tree has fewer leaves and may do better on new cases, which are not counted
here. Where our search was stopped (*), a peer may be ahead."""


def spelled(budgets: Iterable[Fraction | int]) -> str:
    return ", ".join(f"{float(budget):g}" for budget in budgets)


def cell_text(sweep: Sweep, budget: Fraction) -> str:
    if budget not in sweep.cells:
        return "- "
    cell = sweep.cells[budget]
    return f"{cell.errors}{' ' if cell.finished else '*'}"


def error_table(case: Case, sweeps: Mapping[str, Sweep]) -> list[str]:
    instance = case.instance
    shape = f"{instance.n_objects} cases, {instance.n_tests} tests, {instance.n_classes} classes"
    lines = [f"{case.title}: {shape}; errors within a worst-case cost of B"]
    lines.append(f"{'B':>7}" + "".join(f"{name:>{WIDTH}} " for name in METHODS))
    for budget in case.budgets:
        texts = "".join(f"{cell_text(sweep, budget):>{WIDTH + 1}}" for sweep in sweeps.values())
        lines.append(f"{float(budget):>7g}{texts}")
    trees = "".join(f"{sweep.n_trees or '-':>{WIDTH}} " for sweep in sweeps.values())
    lines.append(f"{'trees':>7}" + trees)
    if any(not cell.finished for sweep in sweeps.values() for cell in sweep.cells.values()):
        lines.append("  * the search was stopped by its time limit: not proven")
    return lines + [f"  {sweep.note}" for sweep in sweeps.values() if sweep.note]


def seconds_table(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]]) -> list[str]:
    lines = ["Seconds for the whole sweep, or the whole frontier; kernels loaded and compiled before"]
    lines.append(f"{'':>22}" + "".join(f"{name:>{WIDTH}}" for name in METHODS))
    for case, sweeps in outcomes:
        texts = ["-" if sweep.seconds is None else f"{sweep.seconds:.3f}" for sweep in sweeps.values()]
        lines.append(f"{case.title:>22}" + "".join(f"{text:>{WIDTH}}" for text in texts))
    return lines


def fewer_errors(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]], ours: str) -> list[str]:
    """Where a peer has fewer errors than one of our methods, at the same budget."""
    lines = []
    for case, sweeps in outcomes:
        for peer in PEERS:
            for budget, cell in sweeps[peer].cells.items():
                mine = sweeps[ours].cells[budget]
                if cell.errors < mine.errors:
                    lines.append(f"  {case.title}, B = {float(budget):g}: {peer} {cell.errors}, {ours} {mine.errors}")
    return lines


def less_time(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]], ours: str) -> list[str]:
    lines = []
    for case, sweeps in outcomes:
        mine = sweeps[ours].seconds
        for peer in PEERS:
            seconds = sweeps[peer].seconds
            if seconds is not None and seconds < mine:
                lines.append(f"  {case.title}: {peer} {seconds:.3f} s, {ours} {mine:.3f} s")
    return lines


def wins(outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]]) -> list[str]:
    lines = []
    for ours in ("exact", "greedy"):
        for what, found in (("fewer errors", fewer_errors(outcomes, ours)), ("less time", less_time(outcomes, ours))):
            lines.append(f"Where a peer has {what} than budgetree's {ours} frontier: {len(found) or 'nowhere'}")
            lines += found
    return lines


def write_csv(path: Path, outcomes: Sequence[tuple[Case, Mapping[str, Sweep]]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["data", "prices", "budget", "method", "errors", "max_cost", "finished", "trees", "seconds"])
        for case, sweeps in outcomes:
            for name, sweep in sweeps.items():
                for budget in case.budgets:
                    cell = sweep.cells.get(budget)
                    values = ["", "", ""] if cell is None else [cell.errors, float(cell.max_cost), int(cell.finished)]
                    seconds = "" if sweep.seconds is None else f"{sweep.seconds:.4f}"
                    prices = "unit" if case.unit else "real"
                    writer.writerow([case.name, prices, float(budget), name, *values, sweep.n_trees, seconds])


def cases(quick: bool) -> Iterator[Case]:
    names = ["house_votes", "synthetic"] if quick else [*bt.datasets.names()[:9], "synthetic"]
    for name in names:
        yield Case(name, bt.datasets.load(name, prices=1), tuple(map(Fraction, UNIT_BUDGETS)), unit=True)
    depths = COST_DEPTHS[:-1] if quick else COST_DEPTHS
    yield Case("pima", bt.datasets.load("pima"), tuple(map(Fraction, PIMA_BUDGETS)), unit=False, cost_depths=depths)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="three small sets only")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write every number to a file as well")
    wanted = parser.parse_args()
    bt.warm_up()
    outcomes: list[tuple[Case, Mapping[str, Sweep]]] = []
    for case in cases(wanted.quick):
        sweeps = {name: method(case) for name, method in METHODS.items()}
        outcomes.append((case, sweeps))
        print("\n".join(error_table(case, sweeps)), end="\n\n", flush=True)
    for lines in (seconds_table(outcomes), CANNOT.splitlines(), wins(outcomes), EXPLAINED.splitlines()):
        print("\n".join(lines), end="\n\n")
    if wanted.csv:
        write_csv(wanted.csv, outcomes)


if __name__ == "__main__":
    main()

"""Trees put together by TreeBuilder: a few that show one thing each, and random ones with every kind of node and leaf.

tree, cases = random_tree(7)        # prices by outcome, fees, sometimes losses
rows = random_rows(tree, 7)         # raw values, some missing and some that no known case has
"""

from __future__ import annotations

import math
import random
from collections import deque
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import budgetree as bt
from budgetree.errors import TreeError
from budgetree.problem import PathState
from budgetree.problem.cost_model import NotAllowedError, mask_of
from budgetree.tree import Ensemble, Fixed, Majority, Model, Points, Split, Totals, Tree, TreeBuilder
from budgetree.tree.builder import OpenEnd
from budgetree.tree.leaves import SCORE_UNIT, Leaf
from budgetree.tree.nodes import Kind
from new_cases import PRICES, new_frame

MAX_NODES = 60
CLASSES = ("well", "ill", "worse", "unsure")
AGE, COLOUR, DOSE, GRADE = range(4)  # the tests of new_cases


@cache
def known_cases() -> bt.Instance:
    """The table of new_cases: age, colour (three prices), dose and grade (with a fee), three classes."""
    return bt.Instance.from_frame(new_frame(5), "class", prices=PRICES)


def buy_and_branch(builder: TreeBuilder, end: OpenEnd, test: int | str) -> list[OpenEnd]:
    """A side for each outcome, and last for results that are not listed."""
    return builder.branch(builder.buy(end, test), test)


@cache
def plain_tree() -> bt.Tree:
    """Bought and branched on at once, as greedy and exact search do; unlisted results have a leaf of their own."""
    builder = TreeBuilder(known_cases())
    first, *others = buy_and_branch(builder, builder.root, "colour")
    for end in [*others, *buy_and_branch(builder, first, "grade")]:
        builder.leaf(end)
    return builder.build()


@cache
def early_tree() -> bt.Tree:
    """Bought early, branched on later, and not always."""
    builder = TreeBuilder(known_cases())
    end = builder.buy(builder.buy(builder.root, "age"), "colour")
    red, other = builder.branch(end, Split.by_result(COLOUR, (1, 0, 1, 1)))
    builder.leaf(red)
    for side in builder.branch(other, Split.by_result(AGE, _halves("age"))):
        builder.leaf(builder.buy(side, "dose"))
    return builder.build()


@cache
def confident_tree() -> bt.Tree:
    """As the learner for new cases makes them: stop where the model is sure, else buy the next test."""
    builder = TreeBuilder(known_cases())
    end, bought = builder.root, list[int]()
    for test in (AGE, COLOUR, DOSE):
        end = builder.buy(end, test)
        bought.append(test)
        if test != DOSE:
            model = scores(random.Random(test), builder, bought, boosted=False)
            stop, end = builder.branch(end, Split.by_confidence(model, 0.8))
            builder.leaf(stop, model)
    low, high = builder.branch(end, Split.by_result(AGE, _halves("age")))
    builder.leaf(low, Fixed((0.5, 0.25, 0.25)))
    builder.leaf(high, scores(random.Random(9), builder, bought, boosted=False))
    return builder.build()


@cache
def points_tree() -> bt.Tree:
    """Three ways by points; two of them answer, and one goes on to a leaf with points of its own."""
    builder = TreeBuilder(known_cases())
    end = builder.buy(builder.buy(builder.root, "colour"), "grade")
    n_grades = int(builder.schema.n_outcomes[GRADE])
    table = {COLOUR: (0, 5, 2, 0), GRADE: (*(min(grade, 3) for grade in range(n_grades)), 1)}
    low, middle, high = builder.branch(end, Split.by_points(table, cuts=(2, 7)))
    builder.leaf(low)
    builder.leaf(high)
    chances = ((0.75, 0.125, 0.125), (0.125, 0.75, 0.125), (0.25, 0.25, 0.5))
    builder.leaf(builder.buy(middle, "dose"), Points(Totals.of_points(table), (3, 5), chances))
    return builder.build()


@cache
def two_classes() -> bt.Instance:
    """The same table, where worse is ill."""
    return bt.Instance.from_frame(new_frame(5).replace({"class": {"worse": "ill"}}), "class", prices=PRICES)


@cache
def stages_tree() -> bt.Tree:
    """Stages: a boosted model of two classes says who is ill, who is well, and who goes on."""
    builder = TreeBuilder(two_classes())
    model = scores(random.Random(4), builder, [AGE, COLOUR], spread=1.0, boosted=True)
    end = builder.buy(builder.buy(builder.root, "age"), "colour")
    ill, between, well = builder.branch(end, Split.by_score(model, (-1_200_000, 1_400_000)))
    builder.leaf(ill, Fixed((0.9, 0.1), 0))
    builder.leaf(well, model)
    builder.leaf(builder.buy(between, "dose"), scores(random.Random(5), builder, [AGE, COLOUR, DOSE], boosted=True))
    return builder.build()


BUILT: dict[str, Callable[[], bt.Tree]] = {
    "plain": plain_tree, "early": early_tree, "confident": confident_tree, "points": points_tree,
    "stages": stages_tree,
}  # fmt: skip


def _halves(test: str) -> list[int]:
    """The lower outcomes on side 0, the others and what is not listed on side 1."""
    schema = known_cases().schema
    width = int(schema.n_outcomes[schema.test_names.index(test)])
    return [int(outcome >= width // 2) for outcome in range(width + 1)]


def scores(
    rng: random.Random, builder: TreeBuilder, tests: list[int], spread: float = 2.0, boosted: bool | None = None
) -> Model:
    """A model of these tests with scores at random, in whole millionths; boosted: a single score, and small trees."""
    n_totals = len(builder.schema.class_names)
    n_totals = 1 if n_totals == 2 and (boosted or (boosted is None and rng.random() < 0.6)) else n_totals

    def row() -> list[int]:
        return [round(rng.uniform(-spread, spread) * SCORE_UNIT) for _ in range(n_totals)]

    tests = sorted(tests)
    widths = {test: int(builder.schema.n_outcomes[test]) + 1 for test in tests}
    trees = (
        ensemble(rng, widths, rng.randint(1, 6), row) if boosted or (boosted is None and rng.random() < 0.5) else None
    )
    tables = []
    for test in tests:
        only_trees = trees is not None and rng.random() < 0.3
        tables.append([[0] * n_totals if only_trees else row() for _ in range(widths[test])])
    points = tuple(np.array(table, dtype=np.int32) for table in tables)
    return Model(Totals(tuple(tests), points, np.array(row(), dtype=np.int64), trees))


def ensemble(
    rng: random.Random, widths: dict[int, int], n_trees: int, row: Callable[[], list[int]], max_ends: int = 6
) -> Ensemble:
    """Small trees at random, in no order that the learner would have to keep; widths: results per test."""
    arrays: dict[str, list[Any]] = {name: [] for name in Ensemble.__slots__ if name != "start"}
    starts = []
    for _ in range(n_trees):
        starts.append(_new_end(arrays, row()))
        ends = [starts[-1]]
        for _ in range(rng.randrange(max_ends)):
            test = rng.choice(sorted(widths, key=str)) if widths else None
            if test is None or widths[test] < 2:
                break
            node, n_outcomes = ends.pop(rng.randrange(len(ends))), widths[test] - 1
            arrays["test"][node], arrays["cut"][node] = test, rng.randrange(n_outcomes)
            arrays["by_equal"][node], arrays["default_left"][node] = rng.random() < 0.3, rng.random() < 0.5
            arrays["missing"][node] = rng.choice([-1, n_outcomes - 1, rng.randrange(n_outcomes)])
            for side in rng.sample(["left", "right"], 2):
                arrays[side][node] = _new_end(arrays, row())
                ends.append(arrays[side][node])
    return Ensemble(start=starts, **arrays)  # type: ignore[arg-type]


def _new_end(arrays: dict[str, list[Any]], value: list[int]) -> int:
    nothing = {"test": -1, "cut": 0, "by_equal": False, "left": -1, "right": -1, "default_left": False, "missing": -1}
    for name, entry in (nothing | {"value": value}).items():
        arrays[name].append(entry)
    return len(arrays["value"]) - 1


def random_tree(seed: int, *, losses: bool | None = None, scored: bool = True) -> tuple[bt.Tree, bt.Instance]:
    """A valid tree with its known cases; without `scored`, no points and no models."""
    rng = random.Random(seed)
    cases = _random_cases(rng, rng.random() < 0.3 if losses is None else losses)
    builder = TreeBuilder(cases)
    ends, n_nodes = deque([builder.root]), 0
    while ends:
        end, n_nodes = ends.popleft(), n_nodes + 1
        bought = list(end.state.tests)
        left = sorted(set(range(cases.n_tests)) - set(bought))
        if n_nodes + len(ends) > MAX_NODES or rng.random() < 0.05 * len(bought):
            builder.leaf(end, _random_leaf(rng, builder, bought, scored))
        elif left and (not bought or rng.random() < 0.5):
            test = rng.choice(left)
            ends += buy_and_branch(builder, end, test) if rng.random() < 0.3 else [builder.buy(end, test)]
        elif bought and rng.random() < 0.8:
            ends += _random_branch(rng, builder, end, bought, scored)
        else:
            builder.leaf(end, _random_leaf(rng, builder, bought, scored))
    return builder.build(), cases


def random_rows(tree: bt.Tree, seed: int, n_rows: int = 150) -> list[dict[str, Any]]:
    """Raw values by test: known ones, ones between and beyond them, missing ones, and texts that no known case has."""
    rng, rows = random.Random(seed), []
    for _ in range(n_rows):
        row: dict[str, Any] = {}
        for name in tree.test_names:
            value = (
                rng.choice("abcdz") if name.startswith("text") else round(rng.uniform(-1, 11), rng.choice([0, 1, 6]))
            )
            row[name] = None if rng.random() < 0.1 else value
        rows.append(row)
    return rows


def random_codes(tree: bt.Tree, seed: int, n_rows: int = 300) -> NDArray[np.int64]:
    """Outcomes of every test, also ones that are not listed."""
    return np.random.default_rng(seed).integers(0, tree.schema.n_outcomes + 2, (n_rows, len(tree.test_names)))


def odd_tree(seed: int) -> tuple[bt.Tree, int]:
    """A tree of steps that seldom fit, and how many did; where one is refused, another is tried."""
    rng = random.Random(seed)
    cases = _random_cases(rng, rng.random() < 0.3)
    builder = TreeBuilder(cases if rng.random() < 0.8 else cases.schema)
    ends, n_fitting = deque([builder.root]), 0
    while ends:
        end = ends.popleft()
        try:
            if len(ends) > MAX_NODES:
                builder.leaf(end)
            elif rng.random() < 0.5:
                ends.append(builder.buy(end, _odd(rng, cases.n_tests)))
            elif end.state.tests and rng.random() < 0.7:
                ends += builder.branch(end, _odd_split(rng, builder, end))
            else:
                builder.leaf(end, _odd_leaf(rng, builder, end))
            n_fitting += 1
        except (TreeError, NotAllowedError):
            if rng.random() < 0.8:
                ends.append(end)  # which is as open as before
            else:
                builder.leaf(end)
    return builder.build(), n_fitting


def frame_of_rows(rows: list[dict[str, Any]]) -> pd.DataFrame:
    """The rows as a frame; a missing number is NaN, a missing text None."""
    return pd.DataFrame(
        {
            name: pd.Series([row[name] for row in rows], dtype=object if name.startswith("text") else float)
            for name in rows[0]
        }
    )


def _random_cases(rng: random.Random, has_losses: bool) -> bt.Instance:
    """Numbers and texts, some missing, with weights of duplicates, prices by outcome and fees."""
    n_rows, n_classes = rng.randint(4, 60), rng.randint(1, 4)
    names = [f"text{i}" for i in range(rng.randint(1, 3))] + [f"number{i}" for i in range(rng.randint(1, 3))]
    rng.shuffle(names)
    columns: dict[str, Any] = {}
    prices: dict[str, Any] = {}
    for name in names:
        may_miss = rng.random() < 0.4
        if name.startswith("text"):
            values = [rng.choice("abcd"[: rng.randint(2, 4)]) for _ in range(n_rows)]
            prices[name] = {value: rng.randint(0, 6) for value in set(values)} if not may_miss else rng.randint(0, 6)
        else:
            values = [float(rng.randint(0, 10)) for _ in range(n_rows)]
            prices[name] = rng.choice([0, 1, 2.5, 4])
        missing = {i for i in range(1, n_rows) if may_miss and rng.random() < 0.2}
        columns[name] = [None if i in missing else value for i, value in enumerate(values)]
    shared = {
        f"fee{i}": (rng.choice([0.5, 1, 3]), rng.sample(names, rng.randint(1, len(names))))
        for i in range(rng.randint(0, 2))
    }
    columns["class"] = [CLASSES[i if i < n_classes else rng.randrange(n_classes)] for i in range(n_rows)]
    losses = None
    if has_losses:
        found = sorted(set(columns["class"]))
        rows = {true: {said: rng.randint(0, 9) for said in found if said != true} for true in found}
        losses = bt.Losses(rows, answers={"refer": rng.randint(1, 4)} if rng.random() < 0.7 else None)
    frame = frame_of_rows([{name: columns[name][row] for name in names} for row in range(n_rows)])
    frame["class"] = columns["class"]
    return bt.Instance.from_frame(frame, "class", prices=bt.Prices(prices, shared=shared), losses=losses)


def _odd(rng: random.Random, limit: int) -> Any:
    """Mostly a whole number below the limit."""
    odd = [math.nan, math.inf, -1, 0.5, 1.5, True, None, "x", 2**31, -(2**40), np.int64(1), np.float32(0.5)]
    return rng.randrange(limit) if rng.random() < 0.97 else rng.choice(odd)


def _odd_chances(rng: random.Random, n_classes: int) -> Any:
    chances: list[Any] = list(_chances(rng, n_classes + (rng.random() < 0.05)))
    if rng.random() < 0.2:
        chances[rng.randrange(len(chances))] = _odd(rng, 2)
    return np.array(chances) if rng.random() < 0.3 else chances


def _odd_totals(rng: random.Random, builder: TreeBuilder, end: OpenEnd, n_totals: int) -> Totals:
    tests = sorted(_some(rng, list(end.state.tests))) if rng.random() < 0.9 else [_odd(rng, 3) for _ in range(2)]
    n_outcomes = dict(enumerate(builder.schema.n_outcomes.tolist()))
    widths = [n_outcomes.get(test, 1) + 1 for test in tests]
    rows = [[[_odd(rng, 9) for _ in range(n_totals)] for _ in range(width)] for width in widths]
    intercept: Any = [_odd(rng, 9) for _ in range(n_totals)]
    trees = _odd_trees(rng, dict(zip(tests, widths, strict=True)), n_totals) if rng.random() < 0.3 else None
    return Totals(tuple(tests), tuple(map(np.array, rows)), np.array(intercept), trees)


def _odd_trees(rng: random.Random, widths: dict[int, int], n_totals: int) -> Ensemble:
    """Small trees, an entry of which may be something else."""
    trees = ensemble(rng, widths, rng.randint(1, 3), lambda: [rng.randrange(9) for _ in range(n_totals)])
    arrays: dict[str, Any] = {name: getattr(trees, name).tolist() for name in Ensemble.__slots__}
    changed = arrays[rng.choice(Ensemble.__slots__)]
    changed[rng.randrange(len(changed))] = _odd(rng, 2) if rng.random() < 0.9 else [_odd(rng, 2)]
    return Ensemble(**arrays) if rng.random() < 0.5 else trees


def _odd_split(rng: random.Random, builder: TreeBuilder, end: OpenEnd) -> Split:
    kind, n_classes = rng.randrange(4), len(builder.schema.class_names)
    cuts = [_odd(rng, 9) for _ in range(rng.randrange(3))]
    if kind == 0:
        test = rng.choice(end.state.tests)
        n_results = int(builder.schema.n_outcomes[test]) + (rng.random() < 0.9)
        return Split.by_result(test, [_odd(rng, 2) for _ in range(n_results)])
    if kind == 1:
        return Split.by_points(_odd_totals(rng, builder, end, rng.choice([1, 1, 1, 2])), cuts)
    if kind == 2:
        return Split.by_score(Model(_odd_totals(rng, builder, end, rng.choice([1, 1, 1, 2]))), cuts)
    confidence = rng.choice([0.5, 0.8, 1, math.nan, 0, -1, 1.5, None, "0.5", np.float32(0.7)])
    return Split.by_confidence(Model(_odd_totals(rng, builder, end, rng.choice([n_classes, 2]))), confidence)


def _odd_leaf(rng: random.Random, builder: TreeBuilder, end: OpenEnd) -> Any:
    kind, n_classes = rng.randrange(4), len(builder.schema.class_names)
    if kind == 0:
        return _odd(rng, 2)
    if kind == 1:
        return Fixed(_odd_chances(rng, n_classes), rng.choice([None, _odd(rng, 2)]))
    if kind == 2:
        return Model(_odd_totals(rng, builder, end, rng.choice([n_classes, 2])))
    cuts: Any = [_odd(rng, 9) for _ in range(rng.randrange(3))]
    chances: Any = [_odd_chances(rng, n_classes) for _ in range(len(cuts) + (rng.random() < 0.9))]
    return Points(_odd_totals(rng, builder, end, rng.choice([1, 1, 1, 2])), cuts, chances)


def _random_branch(
    rng: random.Random, builder: TreeBuilder, end: OpenEnd, bought: list[int], scored: bool
) -> list[OpenEnd]:
    kind = rng.choice(["result", "result", "points", "model", "model"]) if scored else "result"
    if kind == "model" and len(builder.schema.class_names) > 1:
        model = scores(rng, builder, _some(rng, bought), spread=1.0)
        if model.totals.n_totals == 1 and rng.random() < 0.7:
            cuts = sorted(rng.sample(range(-2 * SCORE_UNIT, 2 * SCORE_UNIT), rng.randint(1, 3)))
            first, *others, last = builder.branch(end, Split.by_score(model, cuts))
            builder.leaf(first, rng.choice([model, Fixed((1.0, 0.0), 0), None]))
            builder.leaf(last, rng.choice([model, Fixed((0.0, 1.0), 1), None]))
            return others
        stop, on = builder.branch(end, Split.by_confidence(model, rng.choice([0.4, 0.6, 0.75, 0.95])))
        if rng.random() < 0.3:
            return [stop, on]  # without an answer there
        builder.leaf(stop, model)
        return [on]
    if kind == "points":
        cuts = sorted(rng.sample(range(-2, 9), rng.randint(1, 3)))
        return builder.branch(end, Split.by_points(_random_points(rng, builder, bought), cuts))
    test = rng.choice(bought)
    n_results = int(builder.schema.n_outcomes[test]) + 1
    sides = [rng.randrange(rng.randint(1, n_results)) for _ in range(n_results)]
    numbers = {side: number for number, side in enumerate(dict.fromkeys(sides))}
    return builder.branch(end, Split.by_result(test, [numbers[side] for side in sides]))


def _random_leaf(rng: random.Random, builder: TreeBuilder, bought: list[int], scored: bool) -> Leaf:
    n_classes = len(builder.schema.class_names)
    kind = rng.randrange((5 if n_classes > 1 else 4) if scored else 3)
    if kind < 2:
        return Majority()
    if kind == 2:
        answer = rng.randrange(len(builder.schema.answer_names)) if rng.random() < 0.3 else None
        return Fixed(_chances(rng, n_classes), answer)
    if kind == 3:
        cuts = sorted(rng.sample(range(-2, 9), rng.randint(1, 3)))
        chances = tuple(_chances(rng, n_classes) for _ in range(len(cuts) + 1))
        return Points(_random_points(rng, builder, bought), tuple(cuts), chances)
    return scores(rng, builder, _some(rng, bought))


def _random_points(rng: random.Random, builder: TreeBuilder, bought: list[int]) -> Totals:
    widths = {test: int(builder.schema.n_outcomes[test]) + 1 for test in _some(rng, bought)}
    table = {test: [rng.randint(-2, 5) for _ in range(width)] for test, width in widths.items()}
    return Totals.of_points(table, intercept=rng.randint(-1, 2))


def _some(rng: random.Random, bought: list[int]) -> list[int]:
    return rng.sample(bought, rng.randint(0, len(bought)))


def _chances(rng: random.Random, n_classes: int) -> tuple[float, ...]:
    """Sixteenths, so that they add up to 1 exactly."""
    parts = [0] * n_classes
    for _ in range(16):
        parts[rng.randrange(n_classes)] += 1
    return tuple(part / 16 for part in parts)


def state_at(tree: Tree, node: int) -> PathState:
    """What a case has bought and spent when it comes to a node, and which results are still possible."""
    costs, nodes = tree.schema.costs, tree.nodes
    state = costs.start
    for above, child in pairwise(nodes.path(node)):
        test = int(nodes.test[above])
        if nodes.kind[above] == Kind.BUY:
            state = costs.after_buying(state, test)
        elif nodes.kind[above] == Kind.BY_RESULT:
            state = costs.after_seeing(state, test, mask_of(at == child for at in nodes.below(above).tolist()))
    return state


def late_branch_tree() -> bt.Tree:
    """Two tests of one stage, and a branch by the first, which costs 5 where fewer cases go, and else 1."""
    codes = [[0, 0, 0], [0, 1, 1], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    prices = {"a": {"0": 1, "1": 5}, "b": 1, "c": 10}
    builder = bt.TreeBuilder(bt.Instance(codes, [0, 1, 1, 0, 1], test_names=["a", "b", "c"], prices=prices))
    most, *others = builder.branch(builder.buy(builder.buy(builder.root, "a"), "b"), "a")
    for end in [*others, *builder.branch(builder.buy(most, "c"), "c")]:
        builder.leaf(end)
    return builder.build()

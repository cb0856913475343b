"""What benchmarks/new_cases.py prints: a table per measure, the goals, where ours loses; and how two runs differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from new_cases_tables import GROUPS, SETS
from numpy.typing import NDArray
from scipy.stats import t as student

N_FOLDS = 5
MEASURES = ("error, %", "Brier", "log loss", "mean cost, % of the budget", "seconds")
SCORES = 3  # of them are to be low
LEVEL, MAX_WORSE = 0.01, 0.01  # significance, and in how many comparisons ours may be significantly worse
MIN_FOLDS = 10  # in five, only what is beyond three standard deviations of the folds is significant at 1 %
MAX_COST = 0.65  # of the old learner's
N_LISTED = 12

Row = tuple[str, str, float, int, list[float], str]  # method, set, budget, fold, measures, leaves and tests
Cell = tuple[str, float]  # set, budget
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Results:
    """Measures by method, set and budget: one row for each fold."""

    table: dict[tuple[str, str, float], dict[int, Numbers]]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Results:
        table: dict[tuple[str, str, float], dict[int, Numbers]] = {}
        for method, name, budget, fold, measures, *_ in rows:
            values = np.array(measures[: len(MEASURES)], dtype=float)
            values[0] *= 100
            values[3] *= 100 / budget
            table.setdefault((method, name, budget), {})[fold] = values
        return cls(table)

    def cells(self, *methods: str) -> list[Cell]:
        """Those that all these methods were measured in, in the order of sets."""
        names = list(SETS)
        cells = {(name, budget) for _, name, budget in self.table}
        shared = [cell for cell in cells if all((method, *cell) in self.table for method in methods)]
        return sorted(shared, key=lambda cell: (names.index(cell[0]), cell[1]))

    def folds(self, method: str, cell: Cell) -> dict[int, Numbers]:
        return self.table[method, *cell]

    def mean(self, method: str, cell: Cell) -> Numbers:
        return np.mean(list(self.folds(method, cell).values()), axis=0)


def gaps(one: dict[int, Numbers], other: dict[int, Numbers]) -> Numbers:
    """By how much the other is higher, in the folds that both have: a row for each, a column for each measure."""
    return np.array([other[fold] - one[fold] for fold in sorted(one.keys() & other.keys())]).reshape(-1, len(MEASURES))


def p_value(differences: Numbers) -> float:
    """Of the corrected resampled t-test: folds share training cases, so they vary too little."""
    n = len(differences)
    if n < 2:
        return 1.0
    variance = differences.var(ddof=1) * (1 / n + 1 / (N_FOLDS - 1))
    if variance == 0:
        return 1.0
    return float(2 * student.sf(abs(differences.mean()) / np.sqrt(variance), n - 1))


def column_of(cell: Cell) -> int:
    """Which of its set's budgets it is: sets with and without prices are in the same columns."""
    return list(SETS[cell[0]].budgets).index(cell[1]) if cell[1] in SETS[cell[0]].budgets else -1


def report(results: Results, methods: Sequence[str], peers: Sequence[str], old: Results) -> None:
    methods = [method for method in methods if results.cells(method)]
    peers = [method for method in peers if method in methods]
    for group in GROUPS:
        of_group = [cell for cell in results.cells(*methods) if SETS[cell[0]].group == group]
        if of_group:
            for measure in range(len(MEASURES)):
                print_table(results, methods, group, of_group, measure)
    if "ours" in methods:
        print_goals(results, peers)
        print_old(results, old)
        print_losses(results, peers)


def print_table(results: Results, methods: Sequence[str], group: str, cells: Sequence[Cell], measure: int) -> None:
    """Means over sets; of all but ours, the difference from ours and its standard error over sets."""
    columns = sorted({column_of(cell) for cell in cells})
    n_sets = len({name for name, _ in cells})
    heads = [f"B={SETS[cells[0][0]].budgets[c]:g}" if group != "priced" else f"budget {c + 1}" for c in columns]
    print(f"\n{MEASURES[measure]}; {group}, mean of {n_sets} sets (difference from ours ± standard error over sets)")
    print(f"{'':22}" + "".join(f"{head:>25}" for head in [*heads, "all"]))
    for method in methods:
        line = f"{method:22}"
        for column in [*columns, None]:
            here = [cell for cell in cells if column is None or column_of(cell) == column]
            values = np.array([results.mean(method, cell)[measure] for cell in here])
            shown = _shown(values.mean(), measure)
            if method != "ours" and "ours" in methods:
                apart = values - np.array([results.mean("ours", cell)[measure] for cell in here])
                by_set = np.array(
                    [apart[[c[0] == name for c in here]].mean() for name in dict.fromkeys(c[0] for c in here)]
                )
                shown += f" ({_shown(apart.mean(), measure, sign='+')}±{_shown(_se(by_set), measure)})"
            line += f"{shown:>25}"
        print(line)


def _shown(value: float, measure: int, sign: str = "") -> str:
    digits = {0: 2, 1: 4, 2: 4, 3: 0, 4: 2}[measure]
    return f"{value:{sign}.{digits}f}"


def _se(values: Numbers) -> float:
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def print_goals(results: Results, peers: Sequence[str]) -> None:
    print("\nGoals")
    cells = results.cells("ours", *peers)
    for measure in range(SCORES):
        above = []
        for is_priced in (False, True):
            for column in sorted({column_of(cell) for cell in cells}):
                here = [c for c in cells if column_of(c) == column and (SETS[c[0]].group == "priced") == is_priced]
                means = {m: np.mean([results.mean(m, c)[measure] for c in here]) for m in [*peers, "ours"] if here}
                best = min(means, key=means.__getitem__, default="ours")
                if best != "ours" and means[best] < means["ours"]:
                    budget = SETS[here[0][0]].budgets[column]
                    at = f"budget {column + 1}, priced" if is_priced else f"B={budget:g}"
                    above.append(f"{at}: {_shown(means['ours'] - means[best], measure, '+')} above {best}")
        verdict = f"NOT met ({'; '.join(above)})" if above else "met"
        print(f"  lowest mean {MEASURES[measure]} of all at every budget: {verdict}")
    for measure in range(SCORES):
        pairs = [(peer, cell) for peer in peers for cell in results.cells("ours", peer)]
        worse, better = [], 0
        for peer, cell in pairs:
            apart = gaps(results.folds("ours", cell), results.folds(peer, cell))[:, measure]
            if p_value(apart) < LEVEL:
                better += apart.mean() > 0
                if apart.mean() < 0:
                    worse.append(f"{cell[0]} B={cell[1]:g} {peer}")
        share = len(worse) / max(len(pairs), 1)
        verdict = "met" if share <= MAX_WORSE else "NOT met"
        fewest = min(
            (len(results.folds("ours", cell).keys() & results.folds(p, cell).keys()) for p, cell in pairs), default=0
        )
        if fewest < MIN_FOLDS and share <= MAX_WORSE:
            verdict = f"no verdict, {fewest} folds are too few for the test"
        counts = f"worse in {len(worse)} of {len(pairs)} comparisons ({share:.1%}), better in {better}"
        print(f"  {MEASURES[measure]}, significantly {counts}: {verdict} (≤ {MAX_WORSE:.0%})  {'; '.join(worse)}")


def print_old(results: Results, old: Results) -> None:
    """What ours costs beside the old learner, and whether it loses as little."""
    cells = [cell for cell in results.cells("ours") if ("ours", *cell) in old.table]
    pairs = [(results.folds("ours", cell), old.folds("ours", cell)) for cell in cells]
    pairs = [(now, before) for now, before in pairs if now.keys() & before.keys()]
    if not pairs:
        return
    apart = np.array([-gaps(now, before).mean(axis=0) for now, before in pairs])
    names = [cell[0] for cell in cells if results.folds("ours", cell).keys() & old.folds("ours", cell).keys()]
    apart = np.array([apart[[name == own for own in names]].mean(axis=0) for name in dict.fromkeys(names)])  # by set
    costs = [[np.mean([part[f][3] for f in a.keys() & b.keys()]) for part in (a, b)] for a, b in pairs]
    now, before = np.sum(costs, axis=0)
    is_equal = all(apart[:, m].mean() <= _se(apart[:, m]) for m in range(SCORES))
    verdict = "met" if now <= MAX_COST * before and is_equal else "NOT met"
    print(f"  mean cost {now / before:.0%} of the old learner's in {len(pairs)} cells: {verdict} (≤ {MAX_COST:.0%})")
    print(f"  beside it, mean of {len(apart)} sets ± standard error over sets:")
    for m in range(SCORES):
        print(f"    {MEASURES[m]} {_shown(apart[:, m].mean(), m, '+')} ± {_shown(_se(apart[:, m]), m)}")


def print_losses(results: Results, peers: Sequence[str]) -> None:
    """The cells in which ours is farthest behind the best of its peers."""
    for measure in (0, 1):
        found = []
        for peer in peers:
            for cell in results.cells("ours", peer):
                apart = gaps(results.folds("ours", cell), results.folds(peer, cell))[:, measure]
                found.append((float(apart.mean()), *cell, peer, p_value(apart)))
        print(f"\nFarthest behind a peer, {MEASURES[measure]}")
        for gap, name, budget, peer, p in sorted(found)[:N_LISTED]:
            values = f"{_shown(gap, measure):>8} from {_shown(results.mean('ours', (name, budget))[measure], measure)}"
            print(f"  {name:14} B={budget:<5g} {peer:18} {values}, p = {p:.3f}")


def compare(results: Results, other: Results, methods: Sequence[str]) -> None:
    """Ours now minus ours in another file, in the folds that both have."""
    for method in methods:
        cells = [cell for cell in results.cells(method) if (method, *cell) in other.table]
        found = {cell: gaps(other.folds(method, cell), results.folds(method, cell)) for cell in cells}
        found = {cell: apart.mean(axis=0) for cell, apart in found.items() if len(apart)}
        if not found:
            continue
        print(f"\n{method}: this run minus the other, {len(found)} cells (± standard error over sets)")
        print(f"{'':16}" + "".join(f"{name:>28}" for name in MEASURES))
        by_set = {
            name: [apart for (n, _), apart in found.items() if n == name] for name in dict.fromkeys(n for n, _ in found)
        }
        means = {name: np.mean(values, axis=0) for name, values in by_set.items()}
        for name, values in means.items():
            print(f"{name:16}" + "".join(f"{_shown(values[m], m, '+'):>28}" for m in range(len(MEASURES))))
        whole = np.array(list(means.values()))
        line = (f"{_shown(whole[:, m].mean(), m, '+')} ± {_shown(_se(whole[:, m]), m)}" for m in range(len(MEASURES)))
        print(f"{'all':16}" + "".join(f"{text:>28}" for text in line))
        for measure in (0, 1):
            extremes = sorted((float(apart[measure]), cell) for cell, apart in found.items())
            for title, part in (("best", extremes[:5]), ("worst", extremes[:-6:-1])):
                shown = ", ".join(f"{name} B={budget:g} {_shown(gap, measure, '+')}" for gap, (name, budget) in part)
                print(f"  {title} by {MEASURES[measure]}: {shown}")

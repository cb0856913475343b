"""What benchmarks/new_cases.py prints: per set, on average, and who wins where, losses included."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student  # comes with scikit-learn

N_FOLDS = 5
MEASURES = ("error", "brier", "log loss", "mean cost", "seconds", "nodes")
ERROR, BRIER, SECONDS = 0, 1, 4
TOLERANCE = 1e-12

Row = tuple[str, str, float, int, list[float]]  # method, set, budget, fold, measures
Cell = tuple[str, float]  # set, budget


@dataclass(frozen=True)
class Results:
    """Measures by method, set, budget and fold."""

    table: dict[tuple[str, str, float], dict[int, list[float]]]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Results:
        table: dict[tuple[str, str, float], dict[int, list[float]]] = {}
        for method, name, budget, fold, measures in rows:
            table.setdefault((method, name, budget), {})[fold] = measures
        return cls(table)

    def cells(self, method: str, names: Sequence[str]) -> list[Cell]:
        """Those that a method was measured in."""
        return sorted((name, budget) for m, name, budget in self.table if m == method and name in names)

    def mean(self, method: str, cells: Iterable[Cell], measure: int) -> float:
        return float(np.mean([[m[measure] for m in self.table[method, *cell].values()] for cell in cells]))

    def gaps(self, method: str, other: str, cell: Cell) -> NDArray[np.float64]:
        """By how much the other's error is larger, in the folds that both have."""
        one, two = self.table[method, *cell], self.table[other, *cell]
        return np.array([two[fold][ERROR] - one[fold][ERROR] for fold in sorted(one.keys() & two.keys())])


def significance(differences: NDArray[np.float64]) -> int:
    """1 or −1 where the corrected resampled t-test says so: folds share training cases, so they vary too little."""
    n = len(differences)
    variance = differences.var(ddof=1) * (1 / n + 1 / (N_FOLDS - 1))
    t = 0.0 if variance == 0 else differences.mean() / np.sqrt(variance)
    return int(np.sign(t)) if abs(t) > student.ppf(0.975, n - 1) else 0


def report(rows: Iterable[Row], methods: Sequence[str], sets: Sequence[str], priced: str) -> None:
    results = Results.of(rows)
    methods = [m for m in methods if results.cells(m, [*sets, priced])]
    for name in (*sets, priced):
        print_set(results, methods, name)
    for title, names in (("unit prices", sets), (priced, [priced])):
        print_means(results, methods, title, names)
        for mine in ("ours", "ours, plain"):
            if results.cells(mine, names):
                print_wins(results, mine, [m for m in methods if m != mine], title, names)
    slowest = {}
    for name, budget in results.cells("ours", sets):
        seconds = max(m[SECONDS] for m in results.table["ours", name, budget].values())
        slowest[name] = max(seconds, slowest.get(name, 0))
    print("\nslowest fit of ours to all budgets, seconds: " + ", ".join(f"{s} {v:.2f}" for s, v in slowest.items()))


def print_set(results: Results, methods: Sequence[str], name: str) -> None:
    budgets = sorted({budget for _, s, budget in results.table if s == name})
    if not budgets:
        return
    print(f"\n{name}: error in %\n{'':24}" + "".join(f"{f'B={b:g}':>8}" for b in budgets) + "    mean   Brier      s")
    for method in methods:
        cells = results.cells(method, [name])
        if not cells:
            continue
        errors = [100 * results.mean(method, [cell], ERROR) for cell in cells]
        seconds = [results.mean(method, [cell], SECONDS) for cell in cells]
        together = max(seconds) if method.startswith("ours") or method == "known" else sum(seconds)
        numbers = "".join(f"{error:8.1f}" for error in errors)
        print(f"{method:24}{numbers}{np.mean(errors):8.2f}{results.mean(method, cells, BRIER):8.3f}{together:7.2f}")


def print_means(results: Results, methods: Sequence[str], title: str, names: Sequence[str]) -> None:
    all_cells = {cell for method in methods for cell in results.cells(method, names)}
    if not all_cells:
        return
    print(f"\nmean of {len(all_cells)} cells, {title}\n{'':24}" + "".join(f"{m:>11}" for m in MEASURES))
    for method in methods:
        cells = results.cells(method, names)
        if not cells:
            continue
        means = [np.mean([results.mean(method, [cell], k) for cell in cells]) for k in range(len(MEASURES))]
        note = "" if len(cells) == len(all_cells) else f"   in {len(cells)} cells only"
        print(f"{method:24}{100 * means[0]:11.2f}" + "".join(f"{value:11.3f}" for value in means[1:]) + note)


def print_wins(results: Results, mine: str, others: Sequence[str], title: str, names: Sequence[str]) -> None:
    print(f"\n{mine + ' against':24}better equal worse   significantly better / worse, {title}")
    for other in others:
        cells = [cell for cell in results.cells(other, names) if cell in results.cells(mine, names)]
        if not cells:
            continue
        gaps = {cell: results.gaps(mine, other, cell) for cell in cells}
        means = {cell: float(gap.mean()) for cell, gap in gaps.items()}
        verdicts = {cell: significance(gap) for cell, gap in gaps.items()}
        better, worse = (sum(sign * mean > TOLERANCE for mean in means.values()) for sign in (1, -1))
        lost = [f"{name} B={budget:g}" for (name, budget), verdict in verdicts.items() if verdict < 0]
        counts = f"{better:6}{len(cells) - better - worse:6}{worse:6}"
        print(f"{other:24}{counts}{sum(v > 0 for v in verdicts.values()):12} / {len(lost)}  {', '.join(lost)}")
        behind = sorted((mean, cell) for cell, mean in means.items() if mean < -TOLERANCE)
        if behind:
            print("    behind: " + ", ".join(f"{s} B={b:g} {100 * mean:+.1f}" for mean, (s, b) in behind))

"""What the paper sees in its experiments, looked at again with the optimum beside it."""

from __future__ import annotations

from budgetree.learn import frontier, grow
from budgetree.proof import certify
from budgetree.reproduce.claims import Claim, Evidence, verdict
from budgetree.reproduce.panels import HINGED, POWERS, Panel
from budgetree.reproduce.sets import SetSize

FEW_TESTS = (1, 2, 3)
SMALL_ERROR = 0.05  # what we take the paper's "little error" to mean
PARTLY_PROVEN = "proven but for the best found so far, which has a star"
NAMED = ("house_votes", "dna", "wdbc", "mammographic")  # by the paper, as those that few tests classify


def synthetic(panel: Panel) -> Claim:
    """Two tests for all but four objects, ten for all."""
    all_right = panel.exact.cheapest(max_error=0)
    certificate = certify(panel.instance, grow(panel.instance), progress=False)
    greedy, n = dict(panel.curves["Pairs"]), panel.instance.n_objects
    least = min(errors for budget, errors in panel.exact.bounds if budget < all_right.max_cost)
    holds = (least, all_right.max_cost, greedy[2], greedy[10]) == (4, 10, 4, 0) and certificate.lower_bound == 10
    return Claim(
        "Synthetic example, Figures 3 and 4",
        "Two tests classify all but 4 of 1024 objects (0.39 %); without errors it takes 10 tests, and that is optimal.",
        f"Pairs makes {greedy[2]} errors ({greedy[2] / n:.2%}) with 2 tests and {greedy[10]} with 10. Proven: no tree "
        f"makes fewer than {least} with fewer than {all_right.max_cost} tests, and every error-free one has a worst "
        f"case of at least {certificate.lower_bound}.",
        verdict(holds),
    )


def data_sets(sets: list[SetSize]) -> Claim:
    """The appendix's numbers."""
    words = ("rows", "unique objects", "tests")
    differences = [
        f"{size.name} has {mine} {word} (the paper says {theirs})"
        for size in sets
        for theirs, mine, word in zip(size.paper, size.ours, words, strict=True)
        if theirs not in (None, mine)
    ]
    given = sum(number is not None for size in sets for number in size.paper)
    return Claim(
        "Appendix, data sets",
        "Rows, unique objects after rounding to ten levels, and tests of the nine sets.",
        f"{given - len(differences)} of the {given} numbers agree. Errata: {'; '.join(differences)}.",
        verdict(not differences, in_part=True),
    )


def few_tests(evidence: Evidence) -> Claim:
    """The first trend, with the least errors that any tree makes."""
    named = [panel for panel in evidence.panels if panel.name in NAMED]
    others = [panel for panel in evidence.panels if panel.name not in NAMED]
    last = FEW_TESTS[-1]
    small = [panel.name for panel in named if _share(panel, last) <= SMALL_ERROR]
    is_open = any(panel.least(last) <= SMALL_ERROR * panel.instance.n_objects < _errors(panel, last) for panel in named)
    shares = [f"{panel.name} {', '.join(_marked(panel, tests) for tests in FEW_TESTS)}" for panel in named]
    asked = [(panel, tests) for panel in named for tests in FEW_TESTS] + [(panel, last) for panel in others]
    all_proven = all(panel.is_proven(tests) for panel, tests in asked)
    return Claim(
        "Section 5, first trend",
        "Many sets, such as house votes, DNA, breast cancer and mammography, can be classified with little error by "
        "few tests.",
        f"The least error of any tree with 1, 2 and 3 tests, {'proven' if all_proven else PARTLY_PROVEN}: "
        f"{'; '.join(shares)}. With 3 tests on the others: "
        f"{', '.join(f'{panel.name} {_marked(panel, last)}' for panel in others) or 'none'}. "
        f"Of the {len(named)} named, {len(small)} {'is' if len(small) == 1 else 'are'} below {SMALL_ERROR:.0%} then: "
        f"{', '.join(small) or 'none'}.",
        "not settled" if is_open else verdict(len(small) == len(named), in_part=bool(small)),
    )


def _errors(panel: Panel, tests: int) -> float:
    return panel.exact.best(budget=tests).errors


def _share(panel: Panel, tests: int) -> float:
    return _errors(panel, tests) / panel.instance.n_objects


def _marked(panel: Panel, tests: int) -> str:
    """The least error with so many tests, with a star where a better tree is not ruled out."""
    return f"{_share(panel, tests):.1%}{'' if panel.is_proven(tests) else '*'}"


def two_trends(evidence: Evidence) -> list[Claim]:
    """Who is ahead at the smallest and at the largest budget where the two families differ."""
    ahead = {panel.name: _ahead(panel) for panel in evidence.panels}
    small = [name for name, winners in ahead.items() if winners[0] == HINGED]
    large = [name for name, winners in ahead.items() if winners[-1] != HINGED]
    rest = [name for name in ahead if name not in large]
    return [
        Claim(
            "Section 5, second trend, small budgets",
            "At small budgets hinged-Pairs makes fewer errors than Powers stopped early.",
            f"At the smallest budget where they differ it does on {len(small)} of {len(ahead)} sets.",
            verdict(len(small) == len(ahead), in_part=bool(small)),
        ),
        Claim(
            "Section 5, second trend, large budgets",
            "At large budgets Powers makes fewer errors than hinged-Pairs.",
            f"At the largest budget where they differ it does on {len(large)} of {len(ahead)} sets"
            + (f"; not on {', '.join(rest)}." if rest else "."),
            verdict(not rest, in_part=bool(large)),
        ),
    ]


def _ahead(panel: Panel) -> list[str]:
    """The winner at each budget where the best Powers curve and HingedPairs differ, cheapest first."""
    winners = []
    for budget in range(1, panel.longest + 1):
        powers = min(panel.errors(f"Powers({power})", budget) for power in POWERS)
        hinged = panel.errors(HINGED, budget)
        if powers != hinged:
            winners.append(HINGED if hinged < powers else "Powers")
    return winners


def portfolio(evidence: Evidence) -> Claim:
    """The best of several impurities at each budget, against the single one that is best on the whole."""
    sums, gains = [], []
    for panel in evidence.panels:
        budgets = range(1, panel.longest)
        single = min(sum(panel.errors(name, budget) for budget in budgets) for name in panel.curves)
        best = sum(min(panel.errors(name, budget) for name in panel.curves) for budget in budgets)
        greedy = frontier(panel.instance, method="greedy", progress=False, folds=0)
        ours = sum(greedy.best(budget=budget).errors for budget in budgets)
        optimum = sum(panel.exact.best(budget=budget).errors for budget in budgets)
        gains.append(1 - best / single)
        sums.append(
            f"{panel.name} {single:g}, {best:g}, {ours:g}, {f'{optimum:g}' if panel.exact.complete else 'open'}"
        )
    mean = sum(gains) / len(gains)
    return Claim(
        "Section 3, choice of the impurity",
        "Choosing the tree with the lowest error across impurity functions improves on any single one.",
        "Errors summed over all budgets below the largest, for the best single curve, the best of the "
        "paper's five at each "
        "budget, our greedy frontier (both hinges, each tree cut at the budget) and the optimum where it is proven: "
        f"{'; '.join(sums)}. Choosing saves {mean:.0%} of the errors on average, from {min(gains):.0%} to "
        f"{max(gains):.0%}.",
        verdict(mean > 0),
    )

"""What the paper sees in its experiments, looked at again with the optimum beside it."""

from __future__ import annotations

from budgetree.learn import frontier, grow
from budgetree.proof import certify
from budgetree.reproduce.claims import Claim, Evidence, verdict
from budgetree.reproduce.panels import HINGED, POWERS, Panel
from budgetree.reproduce.sets import SetSize

FEW_TESTS = (1, 2, 3)
LITTLE = 0.05
NAMED = ("house_votes", "dna", "wdbc", "mammographic")  # by the paper, as those that few tests classify


def synthetic(panel: Panel) -> Claim:
    """Two tests for all but four objects, ten for all."""
    two, all_right = panel.exact.best(budget=2), panel.exact.cheapest(max_error=0)
    certificate = certify(panel.instance, grow(panel.instance), progress=False)
    greedy, n = dict(panel.curves["Pairs"]), panel.instance.n_objects
    holds = (two.errors, all_right.max_cost, greedy[2], greedy[10]) == (4, 10, 4, 0) and certificate.lower_bound == 10
    return Claim(
        "Synthetic example, Figures 3 and 4",
        "Two tests classify all but 4 of 1024 objects (0.39 %); without errors it takes 10 tests, and that is optimal.",
        f"Pairs makes {greedy[2]} errors ({greedy[2] / n:.2%}) with 2 tests and {greedy[10]} with 10. Proven: "
        "no tree makes "
        f"fewer than {two.errors} with fewer than {all_right.max_cost} tests, and every error-free one has a "
        "worst case of "
        f"at least {certificate.lower_bound}.",
        verdict(holds),
    )


def data_sets(sets: list[SetSize]) -> Claim:
    """The appendix's numbers."""
    words = ("rows", "unique objects", "tests")
    differences = [
        f"{each.name} has {mine} {word} (the paper says {theirs})"
        for each in sets
        for theirs, mine, word in zip(each.paper, each.ours, words, strict=True)
        if theirs not in (None, mine)
    ]
    given = sum(number is not None for each in sets for number in each.paper)
    return Claim(
        "Appendix, data sets",
        "Rows, unique objects after rounding to ten levels, and tests of the nine sets.",
        f"{given - len(differences)} of the {given} numbers agree. Errata: {'; '.join(differences)}.",
        verdict(not differences, in_part=True),
    )


def few_tests(evidence: Evidence) -> Claim:
    """The first trend, with the least errors that any tree makes."""
    shares = {
        panel.name: [panel.exact.best(budget=tests).errors / panel.instance.n_objects for tests in FEW_TESTS]
        for panel in evidence.panels
    }
    named = {name: errors for name, errors in shares.items() if name in NAMED}
    told = [f"{name} {', '.join(f'{share:.1%}' for share in errors)}" for name, errors in named.items()]
    others = [f"{name} {errors[-1]:.1%}" for name, errors in shares.items() if name not in NAMED]
    little = [name for name, errors in named.items() if errors[-1] <= LITTLE]
    return Claim(
        "Section 5, first trend",
        "Many sets, such as house votes, DNA, breast cancer and mammography, can be classified with little "
        "error by few "
        "tests.",
        f"The least error of any tree with 1, 2 and 3 tests, proven: {'; '.join(told)}. With 3 tests on the others: "
        f"{', '.join(others)}. Of the four named, {len(little)} are below {LITTLE:.0%} then: {', '.join(little)}.",
        verdict(len(little) == len(named), in_part=bool(little)),
    )


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
    told, gains = [], []
    for panel in evidence.panels:
        budgets = range(1, panel.longest)
        single = min(sum(panel.errors(name, budget) for budget in budgets) for name in panel.curves)
        best = sum(min(panel.errors(name, budget) for name in panel.curves) for budget in budgets)
        greedy = frontier(panel.instance, method="greedy", progress=False)
        ours = sum(greedy.best(budget=budget).errors for budget in budgets)
        optimum = sum(panel.exact.best(budget=budget).errors for budget in budgets)
        gains.append(1 - best / single)
        told.append(
            f"{panel.name} {single:g}, {best:g}, {ours:g}, {f'{optimum:g}' if panel.exact.complete else 'open'}"
        )
    mean = sum(gains) / len(gains)
    return Claim(
        "Section 3, choice of the impurity",
        "Choosing the tree with the lowest error across impurity functions improves on any single one.",
        "Errors summed over all budgets below the largest, for the best single curve, the best of the "
        "paper's five at each "
        "budget, our greedy frontier (both hinges, each tree cut at the budget) and the proven optimum: "
        f"{'; '.join(told)}. Choosing saves {mean:.0%} of the errors on average, from {min(gains):.0%} to "
        f"{max(gains):.0%}.",
        verdict(mean > 0),
    )

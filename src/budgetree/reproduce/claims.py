"""The paper's claims tested on the data: what was found, and whether they hold. The texts are in claims.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import budgetree.impurity as impurities
from budgetree.impurity import HingedPairs, HingedProduct, Impurity, Pairs, Powers, check_admissible
from budgetree.learn import frontier, grow
from budgetree.problem import Instance
from budgetree.proof import certify
from budgetree.proof.paper_bounds import bounds_on_errors
from budgetree.reproduce.evidence import HINGED, POWERS, Evidence, Panel, by_outcome
from budgetree.services.words import counted

TEXTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
NOTHING_PROVEN = "No set's frontier was proven in this time, so there is nothing to compare with."
ALPHAS = (0, 1, Fraction(5, 2), 4)
MAX_COUNT = 7  # of each of three classes, in the enumeration of admissibility
SHARES = (Fraction(1, 100), Fraction(1, 20))  # of F(S): the δ's of early stopping that are tried
FEW_TESTS = (1, 2, 3)
SMALL_ERROR = 0.05  # what we take the paper's "little error" to mean
NAMED = ("house_votes", "dna", "wdbc", "mammographic")  # by the paper, as those that few tests classify


class Verdict(Enum):
    """Whether a claim holds."""

    HOLDS = "holds"
    IN_PART = "holds in part"
    FAILS = "does not hold"
    NOT_SETTLED = "not settled"

    @classmethod
    def of(cls, holds: bool, in_part: bool = False) -> Verdict:
        return cls.HOLDS if holds else cls.IN_PART if in_part else cls.FAILS


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of the paper."""

    where: str
    quote: str  # the paper's sentence
    says: str  # in our words
    result: str
    verdict: Verdict
    facts: dict[str, Any]  # the numbers of the result; none where there is nothing to compare with


Tried = tuple[Verdict | bool, dict[str, Any]]  # whether it holds, and the numbers that the text asks for


def log_factor(evidence: Evidence) -> Tried:
    """The main theorem: Pairs against the proven least worst case."""
    least = {panel.name: panel.exact[-1].max_cost for panel in evidence.proven}
    greedy = {panel.name: grow(panel.instance).max_cost for panel in evidence.proven}
    factors = [Pairs().guarantee(panel.instance.class_order.counts) for panel in evidence.proven]
    ratios = [greedy[name] / least[name] for name in least]
    pairs = ", ".join(f"{name} {greedy[name]} against {least[name]}" for name in least)
    holds = all(ratio <= factor for ratio, factor in zip(ratios, factors, strict=True))
    return holds, {"n_sets": len(least), "pairs": pairs, "largest": max(ratios), "factor": min(factors)}


def lower_bound(evidence: Evidence) -> Tried:
    """The lemma behind it: smallest R times F(S)."""
    pairs, holds = [], True
    for panel in evidence.proven:
        least = panel.exact[-1].max_cost
        bound = max(bound_at_root(panel.instance, impurity) for impurity in (Pairs(), *map(Powers, POWERS)))
        holds &= bound <= least
        pairs.append(f"{panel.name} {float(bound):.2f} of {least}")
    return holds, {"pairs": ", ".join(pairs)}


def bound_at_root(instance: Instance, impurity: Impurity, delta: Fraction = Fraction(0)) -> Fraction:
    """min over tests of R(t) · (F(S) − δ), in exact fractions; prices are 1."""
    whole, by_test = by_outcome(instance, impurity)
    gain = max((whole - max(parts.values()) for parts in by_test.values() if len(parts) > 1), default=Fraction(0))
    return (whole - delta) / gain if gain > 0 else Fraction(0)


def outcome_prices(_: Evidence) -> Tried:
    """The extension to prices by outcome, which the paper calls easy: a small instance where the lemma fails."""
    codes = [(1, 2, 2, 3), (1, 2, 0, 1), (0, 0, 2, 2), (2, 1, 1, 2), (1, 2, 2, 3)]
    tenths = {"0": (1, 1, 3), "1": (3, 2, 2), "2": (1, 1, 1), "3": (2, 3, 1, 3)}
    prices = {test: {str(code): Fraction(price, 10) for code, price in enumerate(row)} for test, row in tenths.items()}
    instance = Instance(codes, [0, 0, 1, 1, 0], weights=[1, 1, 4, 2, 4], prices=prices, test_names=list(tenths))
    whole, by_test = by_outcome(instance, Pairs())
    bound = whole * min(
        max(prices[test][str(code)] / (whole - part) for code, part in parts.items()) for test, parts in by_test.items()
    )
    tree = grow(instance)
    # What is refuted is the lemma as printed; the theorem, the other half of the result, is not.
    lemma_holds = tree.errors == 0 and tree.known_max_cost >= bound
    return Verdict.of(lemma_holds, in_part=True), {"bound": bound, "cost": tree.known_max_cost}


def admissible(_: Evidence) -> Tried:
    terms = [(1, (1, 1, 0)), (2, (0, 2, 1)), (1, (1, 1, 4))]
    tried: list[Impurity] = [Pairs(), *map(Powers, POWERS), impurities.Polynomial(terms)]
    tried += [kind(alpha) for kind in (HingedPairs, HingedProduct) for alpha in ALPHAS]
    refuted = [repr(impurity) for impurity in tried if check_admissible(impurity, 3, MAX_COUNT) is not None]
    but = f"but for {', '.join(refuted)}" if refuted else "the hinge of Figure 1 among them"
    return not refuted, {"max_count": MAX_COUNT, "n_functions": len(tried), "refuted": but}


def pairs_are_powers(evidence: Evidence) -> Tried:
    """Twice the function, the same tree; also why summing over ordered or unordered pairs does not matter."""
    trees = [(grow(panel.instance), grow(panel.instance, Powers(2))) for panel in evidence.panels]
    same = [np.array_equal(one.nodes.test, other.nodes.test) for one, other in trees]
    return all(same), {"same": sum(same), "n_sets": len(same)}


def not_admissible(_: Evidence) -> Tried:
    found = {repr(usual): check_admissible(usual, 2, 5) for usual in (impurities.Gini(), impurities.Entropy())}
    return all(found.values()), {"examples": "; ".join(f"{name}: {example}" for name, example in found.items())}


def figure1(evidence: Evidence) -> Tried:
    _, computed, printed = evidence.toy
    columns = "; ".join(
        f"{column.name}: R(t1) = {column.ratios['t1']}, R(t2) = {column.ratios['t2']}, takes {column.chosen}"
        for column in evidence.toy
    )
    holds = [column.chosen for column in evidence.toy] == ["t2", "t1", "t1"]
    return holds, {"columns": columns, "computed": computed.whole, "printed": printed.whole}


def early_stopping(evidence: Evidence) -> Tried:
    """Stopped trees against the lemma's lower bound, which holds for all trees that leave as little impurity."""
    ratios, factors = [], []
    for panel in evidence.panels:
        counts = panel.instance.class_order.counts
        for delta in (share * Fraction(Pairs()(counts)) for share in SHARES):
            least = -(-bound_at_root(panel.instance, Pairs(), delta) // 1)  # paths cost whole numbers here
            ratios.append(float(grow(panel.instance, Pairs(), delta=delta).max_cost / least))
            factors.append(Pairs().guarantee(counts))
    holds = all(ratio <= factor for ratio, factor in zip(ratios, factors, strict=True))
    return holds, {"n_cases": len(ratios), "largest": max(ratios), "factor": min(factors)}


def error_bound(evidence: Evidence) -> Tried:
    """Both bounds on the error of hinged trees, and how loose they are."""
    errors, holds = [], True
    for panel in evidence.panels:
        n = panel.instance.n_objects
        tree = grow(panel.instance, HingedPairs(n // 100))
        bounds = next(bound for bound in bounds_on_errors(tree) if bound["name"] == HINGED)
        really, plain, refined = tree.errors / n, *(float(Fraction(bounds[key])) for key in ("bound", "refined"))
        holds &= really <= min(plain, refined) + 1e-12
        errors.append(f"{panel.name} {really:.1%} ({plain:.0%}, {refined:.0%})")
    return holds, {"errors": ", ".join(errors)}


def embedding(evidence: Evidence) -> Tried:
    """Few errors mean that no leaf has any impurity."""
    impure = []
    for point in (point for panel in evidence.proven for point in panel.exact):
        leaves = point.tree.nodes.counts[point.tree.nodes.is_reached].astype(object)
        impure.append(bool(np.asarray(HingedPairs(point.errors).value(leaves)).any()))
    return not any(impure), {"n_trees": len(impure), "n_impure": sum(impure)}


def hinged_factor(evidence: Evidence) -> Tried:
    """The last theorem: hinged trees against the proven cheapest with as few errors."""
    ratios, holds = [], True
    for panel in evidence.proven:
        for point in (point for point in panel.exact if point.max_cost > 0):
            hinged = HingedPairs(point.errors)
            ratio = grow(panel.instance, hinged).max_cost / point.max_cost
            holds &= ratio <= hinged.guarantee(panel.instance.class_order.counts)
            ratios.append((ratio, f"{panel.name} with {counted(point.errors, 'error')} allowed"))
    largest, case = max(ratios)
    return holds, {"n_pairs": len(ratios), "largest": largest, "case": case}


def synthetic(evidence: Evidence) -> Tried:
    """Two tests for all but four objects, ten for all."""
    panel = evidence.synthetic
    cost, greedy = panel.exact.cheapest(max_error=0).max_cost, dict(panel.curves["Pairs"])
    found = {
        "with_2": greedy[2],
        "with_10": greedy[10],
        "least": min(errors for budget, errors in panel.exact.bounds if budget < cost),
        "cost": cost,
        "lower_bound": certify(panel.instance, grow(panel.instance), progress=False).lower_bound,
    }
    holds = found == {"with_2": 4, "with_10": 0, "least": 4, "cost": 10, "lower_bound": 10}
    return holds, found | {"share_with_2": greedy[2] / panel.instance.n_objects}


def data_sets(evidence: Evidence) -> Tried:
    differences = [difference for size in evidence.sets for difference in size.differences]
    given = sum(paper is not None for size in evidence.sets for paper, _ in size.numbers.values())
    found = {"agreeing": given - len(differences), "given": given, "differences": "; ".join(differences)}
    return Verdict.of(not differences, in_part=True), found


def few_tests(evidence: Evidence) -> Tried:
    """The first trend, with the least errors that any tree makes; a star where a better tree is not ruled out."""

    def share(panel: Panel, tests: int) -> float:
        return panel.exact.best(budget=tests).errors / panel.instance.n_objects

    def marked(panel: Panel, *numbers: int) -> str:
        shares = (f"{share(panel, tests):.1%}{'' if panel.is_proven(tests) else '*'}" for tests in numbers)
        return f"{panel.name} {', '.join(shares)}"

    last = FEW_TESTS[-1]
    named = [panel for panel in evidence.panels if panel.name in NAMED]
    others = [panel for panel in evidence.panels if panel.name not in NAMED]
    small = [panel.name for panel in named if share(panel, last) <= SMALL_ERROR]
    is_open = any(panel.least(last) / panel.instance.n_objects <= SMALL_ERROR < share(panel, last) for panel in named)
    asked = [(panel, tests) for panel in named for tests in FEW_TESTS] + [(panel, last) for panel in others]
    all_proven = all(panel.is_proven(tests) for panel, tests in asked)
    return Verdict.NOT_SETTLED if is_open else Verdict.of(len(small) == len(named), in_part=bool(small)), {
        "how": "proven" if all_proven else "proven but for the best found so far, which has a star",
        "all_proven": all_proven,
        "named": "; ".join(marked(panel, *FEW_TESTS) for panel in named),
        "others": ", ".join(marked(panel, last) for panel in others) or "none",
        "n_named": len(named),
        "small": counted(len(small), "is", "are"),
        "names": ", ".join(small) or "none",
    }


def small_budgets(evidence: Evidence) -> Tried:
    """Who is ahead at the smallest budget where the two families differ."""
    ahead = [_hinge_is_ahead(panel)[0] for panel in evidence.panels]
    return Verdict.of(all(ahead), in_part=any(ahead)), {"ahead": sum(ahead), "n_sets": len(ahead)}


def large_budgets(evidence: Evidence) -> Tried:
    n_sets, rest = len(evidence.panels), [panel.name for panel in evidence.panels if _hinge_is_ahead(panel)[-1]]
    found = {"ahead": n_sets - len(rest), "n_sets": n_sets, "but": f"; not on {', '.join(rest)}" if rest else ""}
    return Verdict.of(not rest, in_part=len(rest) < n_sets), found


def _hinge_is_ahead(panel: Panel) -> list[bool]:
    """At each budget where the best Powers curve and HingedPairs differ, cheapest first."""
    budgets = range(1, panel.longest + 1)
    powers = [min(panel.errors(f"Powers({power})", budget) for power in POWERS) for budget in budgets]
    hinged = [panel.errors(HINGED, budget) for budget in budgets]
    return [mine < theirs for mine, theirs in zip(hinged, powers, strict=True) if mine != theirs]


def portfolio(evidence: Evidence) -> Tried:
    """The best of several impurities at each budget, against the single one that is best on the whole."""
    sums, gains = [], []
    for panel in evidence.panels:
        budgets = range(1, panel.longest)
        single = min(sum(panel.errors(name, budget) for budget in budgets) for name in panel.curves)
        best = sum(min(panel.errors(name, budget) for name in panel.curves) for budget in budgets)
        greedy = frontier(panel.instance, method="greedy", progress=False, folds=0)
        ours, optimum = (sum(found.best(budget=budget).errors for budget in budgets) for found in (greedy, panel.exact))
        gains.append(1 - best / single)
        last = f"{optimum:g}" if panel.exact.complete else "open"
        sums.append(f"{panel.name} {single:g}, {best:g}, {ours:g}, {last}")
    mean = sum(gains) / len(gains)
    none = [panel.name for panel, gain in zip(evidence.panels, gains, strict=True) if gain <= 0]
    found = {"sums": "; ".join(sums), "mean": mean, "least": min(gains), "most": max(gains)}
    but = f"; nothing on {', '.join(none)}" if none else ""
    return Verdict.of(not none, in_part=mean > 0), found | {"but": but}


ON_PROVEN_FRONTIERS = (log_factor, lower_bound, embedding, hinged_factor)
TRIALS: tuple[Callable[[Evidence], Tried], ...] = (
    log_factor, lower_bound, outcome_prices, admissible, pairs_are_powers, not_admissible, figure1, early_stopping,
    error_bound, embedding, hinged_factor, synthetic, data_sets, few_tests, small_budgets, large_budgets, portfolio,
)  # fmt: skip


def tried(trial: Callable[[Evidence], Tried], evidence: Evidence) -> Claim:
    text = TEXTS[trial.__name__]
    if trial in ON_PROVEN_FRONTIERS and not evidence.proven:
        return Claim(text["where"], text["quote"], text["says"], NOTHING_PROVEN, Verdict.NOT_SETTLED, {})
    holds, facts = trial(evidence)
    verdict = holds if isinstance(holds, Verdict) else Verdict.of(holds)
    return Claim(text["where"], text["quote"], text["says"], text["found"].format(**facts), verdict, facts)

"""The paper's theorems and lemmas, tried: greedy trees against proven optima, functions against enumeration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.impurity import (
    Entropy,
    Gini,
    HingedPairs,
    HingedProduct,
    Impurity,
    Pairs,
    Polynomial,
    Powers,
    check_admissible,
)
from budgetree.learn import grow
from budgetree.problem import Instance
from budgetree.proof.error_bounds import bounds_on_errors
from budgetree.reproduce.claims import NOTHING_PROVEN, Claim, Evidence, verdict
from budgetree.reproduce.panels import POWERS
from budgetree.reproduce.toy import ToyColumn
from budgetree.services.words import counted
from budgetree.tree import Tree

ALPHAS = (0, 1, Fraction(5, 2), 4)
MAX_COUNT = 7  # of each of three classes, in the enumeration of admissibility
SHARES = (Fraction(1, 100), Fraction(1, 20))  # of F(S): the δ's of early stopping that are tried


def log_factor(evidence: Evidence) -> Claim:
    """The main theorem: Pairs against the proven least worst case."""
    pairs, ratios, factors = [], [], []
    for panel in evidence.proven:
        least, tree = panel.exact[-1].max_cost, grow(panel.instance)
        factors.append(Pairs().guarantee(panel.instance.class_order.counts))
        ratios.append(tree.max_cost / least)
        pairs.append(f"{panel.name} {tree.max_cost} against {least}")
    result, outcome = NOTHING_PROVEN
    if pairs:
        result = (
            f"Pairs against the proven least, on {len(pairs)} sets: {', '.join(pairs)}. The largest ratio is "
            f"{max(ratios):.2f}; the factor allows at least {min(factors):.1f}."
        )
        outcome = verdict(all(ratio <= factor for ratio, factor in zip(ratios, factors, strict=True)))
    return Claim(
        "Theorem 2.2",
        "The greedy rule's worst case is within ln F(S) + 1 times the least of any error-free tree, for every "
        "admissible F.",
        result,
        outcome,
    )


def lower_bound(evidence: Evidence) -> Claim:
    """The lemma behind it: smallest R times F(S)."""
    pairs, holds = [], True
    for panel in evidence.proven:
        least = panel.exact[-1].max_cost
        bound = max(bound_at_root(panel.instance, impurity) for impurity in (Pairs(), *map(Powers, POWERS)))
        holds &= bound <= least
        pairs.append(f"{panel.name} {float(bound):.2f} of {least}")
    result, outcome = NOTHING_PROVEN
    if pairs:
        result = (
            "The best such bound of Pairs and Powers 3 to 5 on the whole set, and the proven least: "
            f"{', '.join(pairs)}. It holds and is weak; `budgetree.certify` also bounds by other sets, by covers and "
            "by search."
        )
        outcome = verdict(holds)
    return Claim(
        "Lemma 2.1",
        "The smallest R times F(S) is a lower bound on the worst case of every error-free tree.",
        result,
        outcome,
    )


def bound_at_root(instance: Instance, impurity: Impurity, delta: Fraction = Fraction(0)) -> Fraction:
    """min over tests of R(t) · (F(S) − δ), in exact fractions; prices are 1."""
    counts = _class_counts(instance.labels, instance.n_classes)
    whole = Fraction(impurity(counts))
    ratios = []
    for test in range(instance.n_tests):
        column = instance.codes[:, test]
        parts = [_class_counts(instance.labels[column == code], instance.n_classes) for code in np.unique(column)]
        reductions = [whole - Fraction(impurity(part)) for part in parts]
        if len(parts) > 1 and min(reductions) > 0:
            ratios.append(1 / min(reductions))
    return min(ratios) * (whole - delta) if ratios else Fraction(0)


def outcome_prices() -> Claim:
    """The extension to prices by outcome, which the paper calls easy: a small instance where the lemma fails."""
    codes = np.array([(1, 2, 2, 3), (1, 2, 0, 1), (0, 0, 2, 2), (2, 1, 1, 2), (1, 2, 2, 3)])
    labels, weights = np.array([0, 0, 1, 1, 0]), np.array([1, 1, 4, 2, 4])
    tenths = ((1, 1, 3), (3, 2, 2), (1, 1, 1), (2, 3, 1, 3))
    prices = {
        str(test): {str(code): Fraction(price, 10) for code, price in enumerate(row)} for test, row in enumerate(tenths)
    }
    instance = Instance(codes, labels, weights=weights, prices=prices)

    def pairs(rows: NDArray[np.bool_]) -> int:
        return int(Pairs()(np.bincount(labels[rows], weights[rows], minlength=2).astype(int)))

    whole = pairs(np.ones(5, dtype=bool))
    bound = whole * min(
        max(Fraction(row[code], 10) / (whole - pairs(codes[:, test] == code)) for code in np.unique(codes[:, test]))
        for test, row in enumerate(tenths)
    )
    tree = grow(instance)
    return Claim(
        "Section 2, prices by outcome",
        "The result is said to extend easily to prices that depend on the outcome.",
        "Not so the lemma as it stands: on five weighted objects and four tests it bounds the worst case by "
        f"{bound}, but an "
        f"error-free tree has {tree.known_max_cost}, because the outcome that makes R large need not occur further "
        "down. With every "
        "test at its least price the bound holds; that is how certificates count.",
        verdict(tree.errors == 0 and tree.known_max_cost >= bound),
    )


def _class_counts(labels: NDArray[Any], n_classes: int) -> NDArray[Any]:
    return np.bincount(labels, minlength=n_classes)


def admissible() -> Claim:
    """The functions that the paper calls admissible."""
    terms = [(1, (1, 1, 0)), (2, (0, 2, 1)), (1, (1, 1, 4))]
    tried: list[Impurity] = [Pairs(), *map(Powers, POWERS), Polynomial(terms)]
    tried += [kind(alpha) for kind in (HingedPairs, HingedProduct) for alpha in ALPHAS]
    refuted = [repr(impurity) for impurity in tried if check_admissible(impurity, 3, MAX_COUNT) is not None]
    return Claim(
        "Lemmas 3.1 and 3.4, Corollaries 3.2 and 3.3",
        "Polynomials without singleton terms, Pairs, Powers and hinged-Pairs are admissible.",
        f"No counterexample among all class counts up to {MAX_COUNT} of three classes, for {len(tried)} functions"
        + (f", but for {', '.join(refuted)}." if refuted else ", the hinge of Figure 1 among them."),
        verdict(not refuted),
    )


def not_admissible() -> Claim:
    """The usual impurities, about which the paper says nothing."""
    found = {repr(impurity): check_admissible(impurity, 2, 5) for impurity in (Gini(), Entropy())}
    reasons = "; ".join(f"{name}: {counterexample}" for name, counterexample in found.items())
    return Claim(
        "Section 3",
        "Admissibility is a condition: not every impurity has it. (The paper names none that has not.)",
        f"{reasons}.",
        verdict(all(found.values())),
    )


def pairs_are_powers(evidence: Evidence) -> Claim:
    """Twice the function, the same tree; also why summing over ordered or unordered pairs does not matter."""
    same = [
        bool(np.array_equal(grow(panel.instance, Powers(2)).nodes.test, grow(panel.instance).nodes.test))
        for panel in evidence.panels
    ]
    return Claim(
        "Section 3, Pairs and Powers",
        "Pairs can be seen as Powers with l = 2.",
        f"Powers(2) is twice Pairs, and grows the same tree on {sum(same)} of {len(same)} sets: a factor changes no "
        "ratio. So it does not matter either that the formula of hinged-Pairs sums over ordered pairs, Figure 1 over "
        "unordered ones; only a δ would double.",
        verdict(all(same)),
    )


def figure1(toy: list[ToyColumn]) -> Claim:
    """The toy and its erratum."""
    pairs, computed, printed = toy
    columns = [
        f"{column.name}: R(t1) = {column.ratios['t1']}, R(t2) = {column.ratios['t2']}, takes {column.chosen}"
        for column in toy
    ]
    return Claim(
        "Figure 1 and its computation",
        "With Pairs the rule takes t2, which tells nothing about the classes; with hinged-Pairs it takes t1.",
        f"{'; '.join(columns)}. Erratum: the computation leaves out the −α² of the formula ({computed.whole} "
        "where the formula "
        f"gives {printed.whole}); by the formula both tests leave nothing and tie, and our tie rule takes t1, "
        "which leaves "
        "fewer errors.",
        verdict((pairs.chosen, computed.chosen, printed.chosen) == ("t2", "t1", "t1")),
    )


def early_stopping(evidence: Evidence) -> Claim:
    """Stopped trees against the lemma's lower bound, which holds for all trees that owe as little."""
    worst, allowed, tried, holds = 0.0, 0.0, 0, True
    for panel in evidence.panels:
        start = Fraction(Pairs()(panel.instance.class_order.counts))
        for share in SHARES:
            tree = grow(panel.instance, Pairs(), delta=share * start)
            least = -(-bound_at_root(panel.instance, Pairs(), share * start) // 1)  # paths cost whole numbers here
            factor = Pairs().guarantee(panel.instance.class_order.counts)
            tried, ratio = tried + 1, float(tree.max_cost / least)
            holds &= ratio <= factor
            worst, allowed = max(worst, ratio), min(allowed or factor, factor)
    return Claim(
        "Lemma 4.1 and Theorem 4.2",
        "Stopped where a leaf owes at most δ, the greedy tree is within O(log n) of the cheapest tree that "
        "owes as little.",
        f"Pairs stopped at 1 % and 5 % of F(S), against the lower bound of Lemma 4.1: in {tried} cases at "
        f"most {worst:.2f} "
        f"times the bound, where the factor allows at least {allowed:.1f}.",
        verdict(holds),
    )


def error_bound(evidence: Evidence) -> Claim:
    """Both bounds on the error of hinged trees, and how loose they are."""
    errors, holds = [], True
    for panel in evidence.panels:
        n = panel.instance.n_objects
        tree = grow(panel.instance, HingedPairs(n // 100))
        bounds = next(bound for bound in bounds_on_errors(tree) if bound["name"] == "HingedPairs")
        really, plain, refined = tree.errors / n, *(float(Fraction(bounds[key])) for key in ("bound", "refined"))
        holds &= really <= min(plain, refined) + 1e-12
        errors.append(f"{panel.name} {really:.1%} ({plain:.0%}, {refined:.0%})")
    return Claim(
        "Lemmas 4.3 and 4.4",
        "A tree whose leaves owe nothing by hinged-Pairs with α = εn has an error of at most k(k − 1)lε, and "
        "of a refined "
        "bound that leaves small leaves aside.",
        f"Trees grown with ε = 1 %: their errors and, in brackets, both bounds: {', '.join(errors)}. They hold "
        "and say little; "
        "the plain one is beyond 100 % where a tree has many leaves or classes.",
        verdict(holds),
    )


def embedding(evidence: Evidence) -> Claim:
    """Few errors mean no debt."""
    trees = [(point.tree, point.errors) for panel in evidence.proven for point in panel.exact]
    broken = sum(_owes(tree, HingedPairs(errors)) for tree, errors in trees)
    result, outcome = NOTHING_PROVEN
    if trees:
        result = (
            f"{len(trees)} optimal trees, each with α its own number of errors: {broken} of them owe anything. The "
            "other inclusion is the bound above."
        )
        outcome = verdict(not broken)
    return Claim(
        "Lemma 4.5",
        "A tree with at most εn errors owes nothing by hinged-Pairs with α = εn; and what owes nothing has few errors.",
        result,
        outcome,
    )


def _owes(tree: Tree, impurity: Impurity) -> bool:
    leaves = tree.nodes.counts[tree.nodes.is_leaf].astype(object)
    return bool(np.asarray(impurity.value(leaves)).any())


def hinged_factor(evidence: Evidence) -> Claim:
    """The last theorem: hinged trees against the proven cheapest with as few errors."""
    ratios, holds = [], True
    for panel in evidence.proven:
        for point in panel.exact:
            if point.max_cost > 0:
                hinged = HingedPairs(point.errors)
                ratio = grow(panel.instance, hinged).max_cost / point.max_cost
                holds &= ratio <= hinged.guarantee(panel.instance.class_order.counts)
                ratios.append((ratio, f"{panel.name} with {counted(point.errors, 'error')} allowed"))
    result, outcome = NOTHING_PROVEN
    if ratios:
        worst, where = max(ratios)
        result = (
            f"{len(ratios)} pairs of a number of errors and its proven least worst case: the largest ratio is "
            f"{worst:.2f} ({where}). The tree itself may make more than εn errors, as the paper's bound allows."
        )
        outcome = verdict(holds)
    return Claim(
        "Theorem 4.6",
        "Grown with hinged-Pairs and α = εn, the tree costs at most O(log n) times the cheapest tree with error ε.",
        result,
        outcome,
    )

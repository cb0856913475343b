"""What results say: one place that makes the sentences of proofs, objectives and recommendations from their fields.

`fit`, `show`, `report` and the page all say what `statement` says. A claim is about what was asked: of a tree for a
budget it is about errors (or loss, where losses are given), of a tree for a max_error it is about cost. That no tree
makes fewer than no errors is never a proof that none is cheaper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from budgetree.problem import Instance, Schema, drawing
from budgetree.problem.cost_model import OF_PATHS, RuleKind
from budgetree.problem.units import plain_number
from budgetree.services.clock import Ended
from budgetree.services.words import counted, listed, show_number, with_more
from budgetree.tree.provenance import (
    Bounds,
    Estimate,
    LeafChoice,
    Objective,
    ObjectiveChoice,
    ProofState,
    Reason,
    Stability,
)


@dataclass(frozen=True, slots=True)
class _Verbs:
    """What trees do with errors or losses."""

    fewer: str
    more: str
    may: str


ERRORS = _Verbs("makes fewer errors", "makes more errors", "make fewer errors")
LOSS = _Verbs("loses less", "loses more", "lose less")
MAX_TESTS = 6  # named one by one
MAX_RECALLS = 4  # classes whose shares are listed one by one
EARLY = "The search ended early; this is the best so far."


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is known, in English, and as what others make a sentence of: its kind, and plain numbers."""

    kind: str
    sentence: str
    fields: Mapping[str, Any] = field(default_factory=dict)  # costs, losses and cases as the user counts them

    @property
    def content(self) -> dict[str, Any]:
        """For JSON, without the sentence."""
        return {"kind": self.kind, **self.fields}


@dataclass(frozen=True, slots=True)
class Statement:
    """What may be claimed of a tree."""

    is_proven: bool  # what was asked for cannot be done better
    facts: tuple[Fact, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        return tuple(fact.sentence for fact in self.facts)

    def __str__(self) -> str:
        return ("proven: " if self.is_proven else "not proven: ") + " ".join(self.sentences)


def statement(
    bounds: Bounds | None,
    loss: int,
    max_cost: int,
    schema: Schema,
    *,
    ended: Ended,
    for_new: bool = False,
    choice: LeafChoice | None = None,
    blanks: Sequence[str] = (),
) -> Statement:
    """What is known of other trees than one with this loss and this max_cost, in units.

    Of a tree for new cases nothing is proven, however few known ones it gets wrong.

    blanks  the tests whose blanks the tree takes for results
    """
    verbs = ERRORS if schema.losses is None else LOSS
    early = () if ended is Ended.COMPLETE else (Fact("early", EARLY),)
    shown = "A blank is a result here, with a branch of its own"
    others = (Fact("blanks", f"{shown}: {listed(blanks)}.", {"tests": list(blanks)}),) if blanks else ()
    if bounds is None or for_new:
        if bounds is None and loss == max_cost == 0 and not early:  # that needs no search
            return Statement(True, (Fact("neither", f"No tree costs less or {verbs.fewer}."),))
        worse = () if choice is None or choice.is_good_enough else (_leaves(choice),)
        return Statement(False, (Fact("open", f"Another tree may be cheaper or {verbs.may}."), *worse, *early, *others))
    about = _about_loss if bounds.max_error is None else _about_cost
    is_proven, facts = bounds.state is ProofState.OPTIMAL, about(bounds, max_cost, schema, verbs)
    if bounds.min_cases > 1:
        asked = f"Only trees with at least {bounds.min_cases} cases at every outcome were asked for"
        asked = f"{asked}; outcomes that share a leaf count one by one."
        facts = (Fact("min_cases", asked, {"cases": bounds.min_cases}), *facts)
    if bounds.ignores & OF_PATHS:
        rules = [str(rule) for rule in RuleKind if rule in bounds.ignores]
        left_out = f"This bound does not count on {' and '.join(rules)}; with them it might be higher."
        facts = (*facts, Fact("ignores", left_out, {"rules": rules}))
    return Statement(is_proven, (*facts, *(() if is_proven else early), *others))


def _about_loss(bounds: Bounds, max_cost: int, schema: Schema, verbs: _Verbs) -> tuple[Fact, ...]:
    amount = schema.costs.amount
    within = "at any budget" if bounds.within is None else f"within a budget of {_cost(bounds.within, schema)}"
    budget: dict[str, Any] = {"budget": None if bounds.within is None else amount(bounds.within)}
    if bounds.state is ProofState.OPTIMAL:
        best = Fact("least", f"No tree {within} {verbs.fewer}.", budget)
        is_cheapest = max_cost and bounds.least_cost == max_cost
        return (best, Fact("costlier", f"Any tree that costs less in the worst case {verbs.more}."))[
            : 1 + bool(is_cheapest)
        ]
    least = schema.loss(bounds.least_loss)
    few = counted(least, "error") if least else "no errors"
    might = f"make as few as {few}" if verbs is ERRORS else f"lose as little as {show_number(least)}"
    return (Fact("might", f"Some tree {within} might {might}.", {**budget, "least": plain_number(least)}),)


def _about_cost(bounds: Bounds, max_cost: int, schema: Schema, verbs: _Verbs) -> tuple[Fact, ...]:
    few = f"with at most {show_number(bounds.max_error * 100)} % wrong" if bounds.max_error else "without errors"
    share, amount = {"max_error": float(bounds.max_error or 0)}, schema.costs.amount
    if bounds.state is ProofState.OPTIMAL:
        than = f" than {_cost(max_cost, schema)}" if max_cost else ""
        best = f"No tree {few} costs less{than} in the worst case."
        return (Fact("cheapest", best, {**share, "cost": amount(max_cost) if max_cost else None}),)
    if bounds.least_cost:
        least = f"No tree {few} costs less than {_cost(bounds.least_cost, schema)} in the worst case."
        unknown = f"Whether some tree costs less than {_cost(max_cost, schema)} is not known."
        return (
            Fact("cheapest", least, {**share, "cost": amount(bounds.least_cost)}),
            Fact("cheaper_unknown", unknown, {"cost": amount(max_cost)}),
        )
    return (Fact("no_bound", f"No lower bound on the cost of a tree {few} is known.", share),)


def _cost(units: int, schema: Schema) -> str:
    return schema.wording.amount(Fraction(units) / schema.costs.scale)


def _leaves(choice: LeafChoice) -> Fact:
    fields = {name: getattr(choice, name) for name in ("kind", "best", "excess", "standard_error")}
    return Fact("leaves", leaves_sentence(choice), {"choice": fields | {"scores": dict(choice.scores)}})


def leaves_sentence(choice: LeafChoice) -> str:
    """What the kind of leaf that was asked for costs.

    >>> leaves_sentence(LeafChoice("points", (("points", 0.198), ("model", 0.174)), "model", 0.024, 0.006))
    'Points have a Brier score of 0.198 on cases held out, a model 0.174: 0.024 ± 0.006 less.'
    """
    names = {"tree": "a plain tree", "points": "points", "model": "a model"}
    scores = dict(choice.scores)
    kind, verb = names[choice.kind], "have" if choice.kind == "points" else "has"
    own = f"{kind[0].upper()}{kind[1:]} {verb} a Brier score of {scores[choice.kind]:.3f} on cases held out"
    best = f"{names[choice.best]} {scores[choice.best]:.3f}"
    return f"{own}, {best}: {choice.excess:.3f} ± {choice.standard_error:.3f} less."


def cases_sentence(cases: Instance, objective: Objective) -> str:
    """Which rows count, and how columns of numbers become outcomes.

    >>> import budgetree as bt
    >>> from budgetree.tree.provenance import Objective
    >>> cases_sentence(bt.datasets.load("pima"), Objective.KNOWN)
    'cases: 753, of 768 rows, of which identical ones are merged; numbers in at most 10 levels of equal width'
    """
    rows, counted_rows = cases.source, "every row counts"
    if rows is not None and rows.duplicates == "merge" and objective is Objective.KNOWN:
        counted_rows = f"{cases.n_objects}, of {counted(len(rows), 'row')}, of which identical ones are merged"
    if objective is Objective.NEW and cases.n_rows > drawing.MAX_ROWS:
        counted_rows = (
            f"{drawing.MAX_ROWS:,} of {cases.n_rows:,} rows, sampled by content; one fifth estimates the error"
        )
    if rows is None:
        return f"cases: {counted_rows}; outcomes as given"
    if objective is Objective.NEW:
        return f"cases: {counted_rows}; numbers as they are"
    width = "with about as many cases each" if rows.levels.binning == "quantile" else "of equal width"
    return f"cases: {counted_rows}; numbers in at most {counted(rows.levels.others, 'level')} {width}"


def copies_sentence(n_copies: int, n_rows: int) -> str:
    """That rows are repeated, what is made of it, and what to do where that is wrong.

    >>> copies_sentence(200, 400)
    '200 of 400 rows are exact copies of another row: copies are held out together, as one case. Where rows belong together in another way, or are different cases, name the column that tells cases apart: --groups COL.'
    """  # noqa: E501
    verb = "is an exact copy" if n_copies == 1 else "are exact copies"
    found = f"{n_copies} of {counted(n_rows, 'row')} {verb} of another row: copies are held out together, as one case."
    remedy = "Where rows belong together in another way, or are different cases, name the column that tells cases apart"
    return f"{found} {remedy}: --groups COL."


def stability_sentence(stability: Stability, schema: Schema) -> str:
    """What comes back when a tree is learned again from some of the rows.

    >>> import budgetree as bt
    >>> schema = bt.Instance([[0, 1], [1, 0]], [0, 1], test_names=["age", "scan"]).schema
    >>> said = stability_sentence(Stability(5, 0.8, "age", 0.8, (("age", 1.0), ("scan", 0.4)), 0.934), schema)
    >>> for part in said.split("; "):
    ...     print(part)
    stability: 4 of 5 trees learned again from 80 % of the rows begin with age
    trees with each test: age 5, scan 2
    93 % of the answers are the same
    """
    n, words = stability.n_refits, dict(zip(schema.test_names, schema.wording.tests, strict=True))
    begin = "buy no test" if stability.first_test is None else f"begin with {words[stability.first_test]}"
    times = {words[name]: round(share * n) for name, share in stability.tests}
    bought = [f"{name} {count}" for name, count in sorted(times.items(), key=lambda entry: -entry[1])]
    by = f"trees with each test: {with_more(bought[:MAX_TESTS], len(bought) - MAX_TESTS)}; " if bought else ""
    trees = f"{round(stability.same_first * n)} of {counted(n, 'tree')} learned again from"
    rows, same = (f"{100 * share:.0f} %" for share in (stability.learned_from, stability.same_answers))
    return f"stability: {trees} {rows} of the rows {begin}; {by}{same} of the answers are the same"


def estimate_sentences(estimate: Estimate | None, schema: Schema, positive: int) -> list[str]:
    """What stands below the error on new cases: what rows held out cost and showed, and how firm the tree is."""
    if estimate is None:
        return []
    firm = estimate.stability
    sentences = held_out_sentence(estimate, schema, positive), "" if firm is None else stability_sentence(firm, schema)
    return [sentence for sentence in sentences if sentence]


def held_out_sentence(estimate: Estimate, schema: Schema, positive: int) -> str:
    """What the rows held out cost, and how many of each class were found; "" where that is not known.

    >>> import budgetree as bt
    >>> schema = bt.Instance([[0], [1]], ["ill", "well"]).schema
    >>> from budgetree.tree.provenance import NewError
    >>> known = Estimate(NewError(0.2, 0.1), False, "", mean_cost=2.5, recalls=(0.94, 0.7))
    >>> held_out_sentence(known, schema, 0)
    'on the rows held out: mean cost 2.5, sensitivity 94 % (ill), specificity 70 %'
    """
    if estimate.mean_cost is None:
        return ""
    words = schema.wording
    cost = f"on the rows held out: mean cost {words.with_unit(f'{estimate.mean_cost:.3g}')}"
    if len(words.classes) == 2:
        sensitivity, specificity = (share_words(estimate.recalls[label]) for label in (positive, 1 - positive))
        return f"{cost}, sensitivity {sensitivity} ({words.classes[positive]}), specificity {specificity}"
    shares = [share for share in estimate.recalls if share is not None]
    if len(words.classes) > MAX_RECALLS:
        return f"{cost}, share found: at least {share_words(min(shares))} of each class"
    each = zip(words.classes, map(share_words, estimate.recalls), strict=True)
    return f"{cost}, share found: {', '.join(f'{name} {share}' for name, share in each)}"


def share_words(share: float | None) -> str:
    """A share of cases; "-" where there was no case."""
    return "-" if share is None else f"{100 * share:.0f} %"


def objective_sentence(choice: ObjectiveChoice) -> str:
    """Which cases trees are for, and why.

    >>> from budgetree.tree.provenance import Objective
    >>> objective_sentence(ObjectiveChoice(Objective.NEW, Reason.ROWS, 768, 2))
    'objective: new cases (768 rows of 2 classes)'
    """
    size = f"{counted(choice.n_rows, 'row')} of {counted(choice.n_classes, 'class', 'classes')}"
    why = {
        Reason.ASKED: "as asked",
        Reason.FACTS: f"{choice.n_small} of {counted(choice.n_classes, 'class', 'classes')} have fewer than three rows",
        Reason.ROWS: size,
        Reason.SETTING: f"{choice.setting} is about them",
    }
    return f"objective: {choice.objective} cases ({why[choice.reason]})"

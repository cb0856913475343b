"""evaluate: figures for a pathway, or for the procedure that learns one, on cases that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from budgetree.errors import Remedy, SettingError
from budgetree.evaluation.cases import Cases, Ints, Judged, divide
from budgetree.evaluation.measures import compare, measure, measure_cost, measure_groups
from budgetree.evaluation.metrics import at_prevalence, decision_curve
from budgetree.evaluation.result import Evaluation, Refits, Setup
from budgetree.learn._fit import for_one_tree, make_request
from budgetree.learn.routes import find_frontier, learn_again, split_time
from budgetree.learn.settings import FitRequest, at_least_one, check_instance
from budgetree.learn.validation import (
    DEFAULT_FOLDS,
    KnownRows,
    Refit,
    bought_by,
    refit_folds,
    walk_rows,
)
from budgetree.problem import Instance
from budgetree.problem.units import non_negative
from budgetree.services.progress import ProgressReport, progress_bar
from budgetree.services.words import listed, no_such
from budgetree.tree import Tree, Walk
from budgetree.tree.provenance import Objective

DEFAULT_REPEATS = 3


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked beside the figures that there always are."""

    positive: Any
    prevalence: float | None
    worth: float | None
    by: Any


def evaluate(
    subject: Instance | Tree,
    cases: Any = None,
    *,
    target: str | None = None,
    other: Tree | None = None,
    positive: Any = None,
    prevalence: float | None = None,
    worth: Any = None,
    by: Any = (),
    groups: Any = None,
    budget: Any = None,
    folds: int = DEFAULT_FOLDS,
    repeats: int = DEFAULT_REPEATS,
    progress: bool | None = None,
    names: tuple[str, str] = ("the pathway", "the other"),
    **settings: Any,
) -> Evaluation:
    """Estimate discrimination, calibration, net benefit and cost on new cases, with 95 % intervals.

    Given known cases, it evaluates the procedure: everything is learned again without the held-out cases, which are
    then predicted. Given a tree, it evaluates that pathway on other cases.

    Parameters
    ----------
    subject : Instance or Tree
        The known cases, from which a pathway is learned as by `fit`; or a pathway.
    cases : data frame or Instance, optional
        For a pathway: cases that it was not learned from.
    target : str, optional
        The column of a data frame that has the right answer.
    other : Tree, optional
        A second pathway, to compare with the first case by case.
    positive : optional
        The class that sensitivity, calibration and net benefit are about; by default the one whose miss costs most,
        else the rarer of two.
    prevalence : float, optional
        PPV and NPV are also given for this share of positive cases.
    worth : number, optional
        What finding one case is worth, in the unit of prices; tests then count as harm in the net benefit.
    by : str, sequence or dict, optional
        Columns whose groups are also looked at one by one: "sex", "age:40,60" (cut there), or {either: a value per
        row} where the column is not a test.
    groups : sequence, optional
        One value per row, where several rows belong together (a patient's).
    budget : number, optional
        The most that a case may cost; None for no limit.
    folds, repeats : int, optional
        The cases are held out in so many parts, so many times; by default 5 and 3.
    progress : bool, optional
        Whether to show a progress bar; by default on a terminal.
    names : tuple of str, optional
        What the two pathways are called.
    **settings
        Others of `fit` for known cases: objective, method, time_limit, min_cases, leaves, confidence, impurities,
        threads.

    Returns
    -------
    Evaluation
        The figures; printed, a table.

    Raises
    ------
    ValueError
        Where a setting is not what was expected, or nothing can be held out.

    Examples
    --------
    >>> import budgetree as bt
    >>> cases, new = bt.datasets.frame("pima").iloc[:500], bt.datasets.frame("pima").iloc[500:]
    >>> tree = bt.fit(bt.Instance.from_frame(cases, "diabetes"), budget=2, folds=0).tree
    >>> found = bt.evaluate(tree, new, target="diabetes", by="age:30,50")
    >>> print(found.overall.by_class[found.positive].sensitivity)
    57 % (46 to 67)
    """
    share = None if prevalence is None else float(non_negative(prevalence, "prevalence", "expected a share of 1"))
    if share is not None and not 0 < share < 1:
        message = f"prevalence is {prevalence}; expected a share of the cases above 0 and below 1, such as 0.02."
        raise SettingError(message, subject="prevalence", found=prevalence, expected=(0, 1))
    value = None if worth is None else float(non_negative(worth, "worth", "expected an amount above 0"))
    if value == 0:
        message = "worth is 0; expected what one found case is worth, in the unit of prices."
        raise SettingError(message, subject="worth", found=worth)
    question = Question(positive, share, value, by)
    if isinstance(subject, Tree):
        if given := settings | ({} if budget is None else {"budget": budget}):
            message = f"{listed(sorted(given))}: a finished pathway is evaluated; expected no settings for learning."
            raise SettingError(message, subject=min(given))
        return _pathway(subject, cases, target, other, groups, names, question)
    check_instance(subject)
    if cases is not None or other is not None:
        message = "cases and other are for a pathway (a Tree) that is judged on new cases; leave them out."
        raise SettingError(message, subject="cases")
    if settings.get("max_error") is not None:
        message = "max_error: each fold would choose another budget; expected a budget."
        remedy = "Find the budget with fit first, then evaluate with"
        raise SettingError(message, subject="max_error", remedy=Remedy(f"{remedy} budget=.", f"{remedy} --budget."))
    repeats = at_least_one(repeats, "repeats", "a whole number of at least 1")
    request = make_request(subject, budget=budget, folds=folds, groups=groups, **settings)
    if not request.folds or request.rows is None:
        message = "folds: no case can be held out."
        why = "Expected at least 2 folds, and at least two cases of some class."
        raise SettingError(f"{message} {why}", subject="folds", found=folds)
    return _procedure(subject, request, request.rows, repeats, progress, question)


def _procedure(
    instance: Instance, request: FitRequest, rows: KnownRows, repeats: int, progress: bool | None, question: Question
) -> Evaluation:
    whole, n_folds = rows.instance, request.folds
    repeats = 1 if rows.is_large else repeats
    if request.time_limit is not None:
        request = replace(request, time_limit=request.time_limit / (repeats + 1))
    request = for_one_tree(instance, replace(request, folds=0))
    found = find_frontier(request, instance, progress)
    tree, (learn, budgets, part) = found[-1].tree, learn_again(request, found)
    cases, position = Cases.held_out(instance, rows)
    kept, parts = list[Refit](), list[Judged]()
    with progress_bar("learned again", progress) as report:
        for repeat in range(repeats):
            clock, shown = split_time(request)[0], _shifted(report, repeat, repeats)
            with clock.listening():
                how: dict[str, Any] = {"repeat": repeat, "report": shown, "part": part}
                for refit in refit_folds(rows, learn, budgets[-1:], n_folds, clock, **how):
                    at = position[refit.rows]
                    judged = Judged.of(refit.walks[0], cases, at, tree.test_names, fold=len(kept), repeat=repeat)
                    order = np.argsort(at)
                    parts.append(judged.take(order[judged.weights[order] > 0]))
                    kept.append(refit)
    if not kept:
        message = "time_limit: it was over before a pathway had been learned without a fold; give more time."
        raise SettingError(message, subject="time_limit", found=request.time_limit)
    weights, n_parts = whole.row_weights, len(rows.parts(n_folds))
    total = float(weights.sum())
    held_out = sum(float(weights[refit.rows].sum()) for refit in kept) / len(kept)
    judged = Judged.joined(parts, 1 + held_out / (total - held_out))
    limit = None if request.within is None else instance.schema.costs.amount(request.within)
    setup = Setup(
        "procedure",
        cases.n_missing,
        n_folds=n_parts,
        n_repeats=repeats,
        n_left_out=repeats * n_parts - len(kept),
        n_groups=None if rows.groups is None or rows.n_copies else len(set(rows.groups)),
        n_copies=rows.n_copies,
        n_cases=total,
        budget=None if limit is None else tree.schema.wording.amount(limit),
        is_for_new=request.objective is Objective.NEW,
        is_hold_out=rows.is_large,
    )
    evaluation = _measured(tree, judged, cases, setup, question)
    again = None if part is not None else _refits(tree, kept, whole, 1 - held_out / total)
    return replace(evaluation, refits=again)


def _shifted(report: ProgressReport, repeat: int, repeats: int) -> ProgressReport:
    """A bar over all repeats."""

    def shown(done: float, total: float, words: str = "") -> None:
        times = f", repeat {repeat + 1} of {repeats}" if repeats > 1 else ""
        report(repeat * total + done, repeats * total, f"{words}{times}")

    return shown


def _refits(tree: Tree, kept: list[Refit], whole: Instance, learned_from: float) -> Refits:
    """How often the same comes out."""
    first, (_, used) = _first_stage(tree), bought_by(tree)
    trees = [refit.trees[0] for refit in kept]
    rows = np.concatenate([refit.rows for refit in kept])
    own = walk_rows([tree], whole, whole, np.arange(whole.n_rows))[0].answers[rows]
    again = np.concatenate([refit.walks[0].answers for refit in kept])
    return Refits(
        n_refits=len(kept),
        learned_from=learned_from,
        first=first,
        same_first=sum(set(_first_stage(refit)) == set(first) for refit in trees),
        same_tests=sum(bought_by(refit)[1] == used for refit in trees),
        same_answers=float(np.average(own == again, weights=whole.row_weights[rows])),
    )


def _first_stage(tree: Tree) -> tuple[str, ...]:
    """What is bought before the first branch."""
    node, bought = 0, list[str]()
    while tree.nodes.is_buy[node]:
        bought.append(tree.test_names[int(tree.nodes.test[node])])
        node = int(tree.nodes.below(node)[0])
    return tuple(bought)


def _seems_known(tree: Tree, walk: Walk, new: Cases) -> bool:
    reached = np.zeros(tree.nodes.counts.shape)
    np.add.at(reached, (walk.leaf, new.labels), new.weights)
    at_leaves = tree.nodes.counts[tree.nodes.is_leaf] / float(tree.schema.weight_scale)
    return np.allclose(reached[tree.nodes.is_leaf], at_leaves)


def _pathway(
    tree: Tree,
    given: Any,
    target: str | None,
    other: Tree | None,
    groups: Any,
    names: tuple[str, str],
    question: Question,
) -> Evaluation:
    if given is None:
        message = "cases: a pathway is judged by cases that it was not learned from; give a table with their classes."
        raise SettingError(message, subject="cases")
    cases, walk_of = Cases.of(given, target, groups, tree)
    walk, every = walk_of(tree), np.arange(len(cases.labels))
    judged = Judged.joined([Judged.of(walk, cases, every, tree.test_names)])
    setup = Setup(
        "pathway",
        cases.n_missing,
        cases.n_without,
        float(cases.weights @ (walk.unlisted >= 0)),
        n_groups=None if groups is None else len(np.unique(cases.draw)),
        n_cases=float(cases.weights.sum()),
        seems_known=_seems_known(tree, walk, cases),
    )
    evaluation = _measured(tree, judged, cases, setup, question)
    if other is None:
        return evaluation
    at = _answers_of(other, tree)
    second = Judged.of(walk_of(other), cases, every, other.test_names)
    chances = second.chances[:, np.argsort(at[: len(tree.class_names)])]
    second = replace(second, answers=at[second.answers], chances=chances)
    versus = compare(judged, second, tree.schema, names, evaluation.positive, question.worth)
    return replace(evaluation, comparison=versus, other=second)


def _answers_of(other: Tree, tree: Tree) -> Ints:
    """Per answer of the other pathway, its position among those of the first, which must have all of them."""
    known = {str(name): position for position, name in enumerate(tree.answer_names)}
    same_classes = set(map(str, other.class_names)) == set(map(str, tree.class_names))
    if not same_classes or not {str(name) for name in other.answer_names} <= set(known):
        message = f"other: it answers {listed(other.answer_names)}, the first pathway {listed(tree.answer_names)}."
        remedy = "Both must know the same classes; give the one with more answers first."
        raise SettingError(f"{message} {remedy}", subject="other", found=other.answer_names)
    return np.array([known[str(name)] for name in other.answer_names], dtype=np.int64)


def _measured(tree: Tree, judged: Judged, cases: Cases, setup: Setup, question: Question) -> Evaluation:
    """Everything that is asked for, of cases that were judged."""
    schema, sample, prevalence, worth = tree.schema, judged.sample, question.prevalence, question.worth
    overall = measure(judged, schema)
    label, why = _positive(question.positive, overall.n_by_class, tree)
    if label is None and (prevalence is not None or worth is not None):
        message = "positive is missing: prevalence and worth are about one class; expected its name."
        remedy = Remedy('Give positive="class".', "Use --positive CLASS.")
        raise SettingError(message, subject="positive", expected=tuple(tree.class_names), remedy=remedy)
    curve, adjusted = None, None
    if label is not None:
        is_class, is_found = judged.labels == label, judged.answers == label
        curve = decision_curve(sample, is_class, judged.chances[:, label], judged.cost, worth)
        cleared = ~is_found & (judged.answers < len(tree.class_names))
        adjusted = None if prevalence is None else at_prevalence(sample, is_class, is_found, cleared, prevalence)
    groups = measure_groups(judged, divide(question.by, cases.column, cases.row), schema)
    figures = (overall, label, why, prevalence, adjusted, curve, measure_cost(judged, tree), groups)
    return Evaluation(tree, judged, cases.row, setup, *figures, library=cases.library)


def _positive(named: Any, counts: Sequence[float], tree: Tree) -> tuple[int | None, str]:
    """The class that is named, or else the one whose miss costs most or that is rarer."""
    if named is None:
        return tree.schema.loss_table.positive(counts)
    names = [str(name) for name in tree.class_names]
    if str(named) not in names:
        raise SettingError(
            f"positive: {no_such('class', str(named), names)}", subject="positive", found=named, expected=tuple(names)
        )
    return names.index(str(named)), "named"

"""Evaluation: what was measured, as text, data and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from budgetree._internal import internal
from budgetree.data.frames import make_frame
from budgetree.evaluation.cases import Ints, Judged
from budgetree.evaluation.measures import Comparison, Cost, Measures, Subgroup
from budgetree.evaluation.metrics import RATES, ClassMeasures, DecisionCurve, Measured
from budgetree.learn.settings import check_choice
from budgetree.tree import Tree

FIGURE_COLUMNS = ("by", "group", "class", "measure", "value", "low", "high")  # of Evaluation.to_frame


@dataclass(frozen=True, slots=True)
class Refits:
    """How much of a pathway is the same when it is learned again from some of the cases."""

    n_refits: int
    learned_from: float  # the share of the cases that each saw
    first: tuple[str, ...]  # what the pathway of all cases buys first
    same_first: int  # refits that buy the same first
    same_tests: int  # refits that use the same set of tests
    same_answers: float  # to cases that the refit has not seen, the share that is the pathway's own answer


@dataclass(frozen=True, slots=True)
class Setup:
    """What was judged, and by what."""

    kind: str  # "procedure": learned again in folds; "pathway": a fixed one, on other cases
    n_missing: int  # cells that are empty
    n_without: int = 0  # rows that do not say what is right
    n_unlisted: float = 0  # cases with a result that no known case had
    n_folds: int | None = None
    n_repeats: int | None = None
    n_left_out: int = 0  # refits for which there was no time
    n_groups: int | None = None  # where rows belong together
    n_copies: int = 0
    n_cases: float = 0  # that are there, judged or not
    seems_known: bool = False  # every leaf gets as many cases of each class as it was learned from
    budget: str | None = None  # for display; None for no limit
    is_for_new: bool = True
    is_hold_out: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """Figures for a paper about a pathway, or a procedure, on cases that it has not seen.

    `evaluate` makes one; printed, it is the table, the costs and a paragraph for the methods section.

    Attributes
    ----------
    tree : Tree
        The pathway; of a procedure, the one learned from all cases.
    judged : Judged
        What was answered to each case, with probabilities and costs.
    rows : array of int
        Per case, its row in the table.
    setup : Setup
        What was judged, and by what.
    overall : Measures
        Error, loss, Brier score, log loss, confusion, and per class (`by_class`) sensitivity, specificity, PPV, NPV,
        AUC and calibration. Each is a `Measured` with `value`, `low` and `high`, or None where it is not defined.
    positive : int or None
        The position of the class that sensitivity is about.
    positive_why : str
        Why it is that one: "named", "loss" or "rarer".
    prevalence : float or None
        As it was asked for.
    at_prevalence : tuple or None
        PPV and NPV at that prevalence.
    decision_curve : DecisionCurve or None
        Net benefit over thresholds, of the positive class.
    cost : Cost
        Worst and mean, by class, by stage, and how often each test is done.
    subgroups : tuple of Subgroup
        The same figures per group.
    refits : Refits or None
        How stable the pathway is.
    comparison : Comparison or None
        Paired differences from a second pathway.
    other : Judged or None
        What the second pathway answered.
    library : str or None
        The data frame library that the cases came from.

    Examples
    --------
    >>> import budgetree as bt
    >>> found = bt.evaluate(bt.datasets.load("pima"), budget=2, repeats=1)
    >>> print(found.overall.error, found.overall.by_class[found.positive].auc)
    30 % (26 to 33) 0.73 (0.69 to 0.77)
    >>> found.to_text().splitlines()[1], found.to_dict()["classes"], len(found.to_frame()) > 20
    ('768 cases: 500 neg, 268 pos', ['neg', 'pos'], True)
    >>> found.plot("decision curve").get_ylabel()
    'net benefit (found cases per case)'
    """

    tree: Tree
    judged: Judged
    rows: Ints  # per case, its row in the table
    setup: Setup
    overall: Measures
    positive: int | None
    positive_why: str
    prevalence: float | None
    at_prevalence: tuple[Measured | None, Measured | None] | None  # PPV, NPV
    decision_curve: DecisionCurve | None
    cost: Cost
    subgroups: tuple[Subgroup, ...] = ()
    refits: Refits | None = None
    comparison: Comparison | None = None
    other: Judged | None = None  # the second pathway's
    library: str | None = None

    @property
    @internal
    def positive_measures(self) -> ClassMeasures | None:
        """Of the positive class."""
        return None if self.positive is None else self.overall.by_class[self.positive]

    @property
    def methods(self) -> str:
        """A paragraph for the methods section."""
        from budgetree.evaluation.report import methods_paragraph

        return methods_paragraph(self)

    def to_text(self) -> str:
        """Tables and sentences for a terminal."""
        from budgetree.evaluation.report import render_text

        return render_text(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON and for the report page."""
        from budgetree.evaluation.report import summary

        return summary(self)

    def to_frame(self) -> Any:
        """A row per figure: group, class, measure, value, low, high.

        Returns
        -------
        data frame
            Of the library that the cases came from.
        """
        columns = zip(FIGURE_COLUMNS, zip(*self.figures(), strict=True), strict=True)
        return make_frame({name: list(column) for name, column in columns}, self.library)

    @internal
    def figures(self) -> list[tuple[Any, ...]]:
        """The rows of `to_frame`."""
        found: list[tuple[Any, ...]] = []

        def add(where: tuple[str, str], label: str, name: str, value: Measured | None) -> None:
            numbers = (None, None, None) if value is None else (value.value, value.low, value.high)
            found.append((*where, label, name, *numbers))

        whole = [Subgroup("", "all", self.overall)]
        for group in (*whole, *self.subgroups):
            where, of = (group.by, group.group), group.measures
            add(where, "", "n", Measured(of.n))
            for name in ("error", "loss", "brier", "log_loss", "mean_cost"):
                if name != "loss" or of.loss is not None:
                    add(where, "", name, getattr(of, name))
            for label, measures in zip(self.tree.schema.wording.classes, of.by_class, strict=True):
                add(where, label, "n", Measured(measures.n))
                for name in RATES:
                    add(where, label, name, getattr(measures, name))
        if self.at_prevalence is not None and self.positive is not None:
            label = self.tree.schema.wording.classes[self.positive]
            for name, value in zip(("ppv", "npv"), self.at_prevalence, strict=True):
                add(("", "all"), label, f"{name} at a prevalence of {self.prevalence:g}", value)
        if (versus := self.comparison) is not None:
            where = ("difference", f"{versus.names[1]} less {versus.names[0]}")
            for name in ("error", "loss", "cost"):
                add(where, "", name, getattr(versus, name))
            for of_threshold in versus.net_benefit:
                add(where, "", f"net benefit at {of_threshold.threshold:g}", of_threshold.difference)
        return found

    @internal
    def predictions(self) -> dict[str, list[Any]]:
        """Per case and repeat its row, answer, probabilities, cost and tests, as columns."""
        schema, judged = self.tree.schema, self.judged
        order = np.lexsort((judged.repeat, self.rows[judged.case]))
        columns: dict[str, list[Any]] = {"row": (self.rows[judged.case][order] + 1).tolist()}
        if self.setup.n_repeats is not None and self.setup.n_repeats > 1:
            columns["repeat"] = (judged.repeat[order] + 1).tolist()
        columns["class"] = [schema.class_names[label] for label in judged.labels[order].tolist()]
        for suffix, of in (("", judged), (" of the other", self.other)):
            if of is None:
                continue
            columns[f"answer{suffix}"] = [schema.answer_names[answer] for answer in of.answers[order].tolist()]
            for label, name in enumerate(schema.class_names):
                columns[f"probability of {name}{suffix}"] = of.chances[order, label].round(6).tolist()
            columns[f"cost{suffix}"] = of.cost[order].tolist()
            names = np.array(of.test_names, dtype=object)
            columns[f"tests{suffix}"] = ["; ".join(names[done]) for done in of.tests[order]]
        return columns

    def plot(self, figure: Literal["calibration", "decision curve"] = "calibration", *, ax: Any = None) -> Any:
        """Draw observed shares against predicted probabilities, or net benefit against thresholds.

        Parameters
        ----------
        figure : {'calibration', 'decision curve'}, default 'calibration'
            Which of the two.
        ax : matplotlib axes, optional
            Axes to draw in; by default those of a new figure.

        Returns
        -------
        matplotlib axes
            The axes drawn in.

        Raises
        ------
        ValueError
            Where there is no positive class.
        """
        from budgetree.evaluation.plots import draw_calibration, draw_decision_curve

        check_choice("figure", figure, ("calibration", "decision curve"))
        return (draw_calibration if figure == "calibration" else draw_decision_curve)(self, ax)

    def _repr_html_(self) -> str:
        from budgetree.evaluation.report import render_html

        return render_html(self)

    def __repr__(self) -> str:
        return self.to_text()

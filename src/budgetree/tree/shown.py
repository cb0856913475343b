"""Shown: how a tree presents itself. Everything is done by `show`, the layer above, when it is asked for.

This is the one way up from `tree`: users expect `tree.to_text()`, and who only predicts need not load any of it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from budgetree._internal import internal
from budgetree.errors import SettingError

if TYPE_CHECKING:
    from budgetree.show.drawing import Drawing
    from budgetree.show.export.rules import Rule
    from budgetree.show.outline import Outline
    from budgetree.show.text import Words
    from budgetree.tree.tree import Tree

MAX_LEAVES = 40  # of a picture; what is beyond is folded


class Shown:
    """The part of a Tree that is for people and for other programs."""

    @property
    def _tree(self) -> Tree:
        return cast("Tree", self)

    def to_text(self, max_depth: int | None = None, *, confusion: bool = False) -> str:
        """The tree for people: test and price, outcome, running cost, class counts.

        Parameters
        ----------
        max_depth : int, optional
            What is deeper is folded.
        confusion : bool, default False
            Whether a table follows: how many known cases of each class get each answer.

        Returns
        -------
        str
            A line per branch.

        Raises
        ------
        ValueError
            Where `max_depth` is no whole number of at least 0.

        Examples
        --------
        >>> import budgetree as bt
        >>> print(bt.optimal(bt.datasets.load("figure1"), budget=1).tree.to_text(confusion=True))
        60 cases, 2 leaves; worst case 1, mean 1; 10 errors (16.7%)
        t1? costs 1  [circle 30, triangle 30]
        ├─ 0: → circle, spent 1  [circle 30, triangle 10]
        └─ 1: → triangle, spent 1  [triangle 20]
        answers by class:
          answer    circle  triangle
          circle        30        10
          triangle       0        20
        """
        from budgetree.show.text import render

        _check_size("max_depth", 0 if max_depth is None else max_depth, 0)
        return render(self._tree, max_depth, with_confusion=confusion)

    def rules(self) -> tuple[Rule, ...]:
        """One rule per path through the tree.

        Returns
        -------
        tuple of Rule
            With `conditions`, `label`, `cost`, `cases` and `errors`.

        Raises
        ------
        ValueError
            Where the rules together would fill the memory.

        Examples
        --------
        >>> import budgetree as bt
        >>> rule = bt.optimal(bt.datasets.load("figure1"), budget=1).tree.rules()[1]
        >>> rule.conditions, rule.label, rule.cost
        ((('t1', ('1',)),), 'triangle', 1)
        """
        from budgetree.show.export.rules import rules_of

        return rules_of(self._tree)

    def to_rules(self) -> str:
        """What `rules` returns, for people: one per line, with what each costs.

        Returns
        -------
        str
            A line per path.

        Examples
        --------
        >>> import budgetree as bt
        >>> print(bt.optimal(bt.datasets.load("figure1"), budget=1).tree.to_rules())
        if t1 is 0 then circle  [costs 1; right for 30 of 40]
        if t1 is 1 then triangle  [costs 1; right for 20 of 20]
        """
        return "\n".join(map(str, self.rules()))

    def to_dot(self) -> str:
        """The tree in Graphviz' language.

        Returns
        -------
        str
            A digraph.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).to_dot().splitlines()[0]
        'digraph tree {'
        """
        from budgetree.show.export.dot import to_dot

        return to_dot(self._tree)

    def to_python(self, name: str = "predict") -> str:
        """The source of a function that needs nothing but Python.

        It takes a case, a mapping from tests to raw values; None and NaN are missing values. A tree learned from codes
        takes codes.

        Parameters
        ----------
        name : str, default 'predict'
            What the function is called.

        Returns
        -------
        str
            Python source.

        Raises
        ------
        ValueError
            Where the name is none that Python allows.

        Examples
        --------
        >>> import budgetree as bt
        >>> names = {}
        >>> exec(bt.grow(bt.datasets.load("pima"), budget=2).to_python(), names)
        >>> names["predict"]({"age": 42, "pregnant": 3})
        'neg'
        """
        from budgetree.show.export.python import to_python

        return to_python(self._tree, name)

    def to_sql(self, *, backslash_escapes: bool | None = None) -> str:
        """An expression in standard SQL, over columns called as the tests are; NULL is a missing value.

        It gives what `predict` does, but for NaN, which databases take for a number. A plain tree is CASE within CASE.
        A tree with models adds up their scores in a scalar subquery; where it answers by losses, and where it has more
        than two classes and stops early, it also needs the function EXP.

        Parameters
        ----------
        backslash_escapes : bool, optional
            Where a name or value has a backslash: whether the engine takes it for the beginning of an escape (MySQL,
            BigQuery, Snowflake, Spark) or as it is (standard SQL). Without that it is refused.

        Returns
        -------
        str
            The expression, for `SELECT … FROM cases`.

        Raises
        ------
        ValueError
            Where a backslash could mean two things.

        Examples
        --------
        >>> import budgetree as bt
        >>> print(bt.optimal(bt.datasets.load("figure1"), budget=1).tree.to_sql(), end="")
        CASE
          WHEN "t1" IN (0) THEN
            'circle'
          WHEN "t1" IN (1) THEN
            'triangle'
          ELSE 'circle'
        END
        """
        from budgetree.show.export.sql import to_sql

        return to_sql(self._tree, backslash_escapes)

    def to_javascript(self, name: str = "predict", *, module: bool = True) -> str:
        """The source of a function in JavaScript that needs no library.

        It takes an object of raw values by test, and returns {answer, probabilities: [{class, probability}, …], cost,
        tests}: what `predict`, `predict_proba`, `cost` and `tests_done` say of the case. null, undefined and NaN are
        missing values; dates are texts such as 2024-02-29.

        Parameters
        ----------
        name : str, default 'predict'
            What the function is called.
        module : bool, default True
            An ES module that exports the function; False: a script that defines it.

        Returns
        -------
        str
            JavaScript source.

        Raises
        ------
        ValueError
            Where the name is none that JavaScript allows.

        Examples
        --------
        >>> import budgetree as bt
        >>> "export const triage" in bt.grow(bt.datasets.load("figure1")).to_javascript("triage")
        True
        """
        from budgetree.show.export.javascript import to_javascript

        return to_javascript(self._tree, name, module=module)

    def to_pmml(self) -> str:
        """A PMML 4.4 document: a TreeModel with a branch for every outcome or group of outcomes.

        It predicts what `predict` does, and gives the probabilities of `predict_proba`. What a path has cost at most is
        in each node's Extension "cost".

        Returns
        -------
        str
            The document.

        Raises
        ------
        ValueError
            Where leaves are models: PMML has no tree of that kind.

        Examples
        --------
        >>> import budgetree as bt
        >>> "<TreeModel" in bt.grow(bt.datasets.load("figure1")).to_pmml()
        True
        """
        from budgetree.show.export.pmml import to_pmml

        return to_pmml(self._tree)

    def draw(self, *, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> Drawing:
        """The tree as shapes on a plane, folded where it has more leaves than fit; `plot_tree` and `to_svg` paint them.

        Parameters
        ----------
        max_leaves : int, default 40
            A larger tree is folded where the fewest cases pass.
        max_depth : int, optional
            No more tests than this on a path are drawn.

        Returns
        -------
        Drawing
            Its width, height and shapes.

        Raises
        ------
        ValueError
            Where a limit is no whole number, or too small.

        Examples
        --------
        >>> import budgetree as bt
        >>> len(bt.grow(bt.datasets.load("figure1")).draw(max_depth=0).shapes)
        5
        """
        from budgetree.show.drawing import draw

        _check_size("max_leaves", max_leaves, 1)
        _check_size("max_depth", 0 if max_depth is None else max_depth, 0)
        return draw(self._tree, max_leaves, max_depth)

    def to_svg(self, *, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> str:
        """The tree as an SVG picture.

        Parameters
        ----------
        max_leaves, max_depth : int, optional
            As in `draw`.

        Returns
        -------
        str
            The picture.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).to_svg()[:4]
        '<svg'
        """
        from budgetree.show.drawing import to_svg

        return to_svg(self.draw(max_leaves=max_leaves, max_depth=max_depth))

    def summary(self) -> str:
        """One line: size, worst and mean cost, errors; where losses are given, the loss.

        Returns
        -------
        str
            The line.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).summary()
        '60 cases, 4 leaves; worst case 2, mean 2; 10 errors (16.7%)'
        """
        from budgetree.show.text import summary_line

        return summary_line(self._tree)

    @cached_property
    @internal
    def outline(self) -> Outline:
        """Which outcomes share a branch, for everything that shows the tree."""
        from budgetree.show.outline import Outline

        return Outline(self._tree)

    @property
    @internal
    def words(self) -> Words:
        """What the tree's nodes, prices and counts are called."""
        from budgetree.show.text import Words

        return Words(self._tree)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x: auto">{self.to_svg()}</div>'


def _check_size(name: str, size: Any, least: int) -> None:
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < least:
        message = f"{name} is {size!r}; expected a whole number of at least {least}."
        raise SettingError(message, subject=name, found=size, expected=least)

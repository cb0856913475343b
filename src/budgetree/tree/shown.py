"""Shown: how a tree presents itself. Everything is done by `show`, the layer above, when it is asked for.

This is the one way up from `tree`: users expect `tree.to_text()`, and who only predicts need not load any of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from budgetree._internal import internal

if TYPE_CHECKING:
    from budgetree.show.drawing import Drawing
    from budgetree.show.export.rules import Rule
    from budgetree.show.outline import Outline
    from budgetree.show.text import Words
    from budgetree.tree.tree import Tree


class Shown:
    """The part of a Tree that is for people and for other programs."""

    @property
    def _tree(self) -> Tree:
        return cast("Tree", self)

    def export(self, format: str, **options: Any) -> Any:  # noqa: A002 - as pandas and others call it
        """The tree in another language; the methods `to_…` do the same, and document the options.

        Parameters
        ----------
        format : {'text', 'rules', 'python', 'javascript', 'sql', 'pmml', 'onnx', 'dot', 'svg'}
            Which.
        **options
            As the method `to_…` of that name takes them.

        Returns
        -------
        str
            What belongs into a file; of ONNX bytes.

        Raises
        ------
        ValueError
            Where there is no such format, or the tree cannot be written in it.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).export("python", name="diagnose").splitlines()[0]
        'def diagnose(case):'
        """
        from budgetree.show.export import export

        return export(self._tree, format, **options)

    def _text(self, format: str, **options: Any) -> str:  # noqa: A002 - as above
        return cast("str", self.export(format, **options))

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
        return self._text("text", max_depth=max_depth, confusion=confusion)

    def rules(self) -> tuple[Rule, ...]:
        """One rule per path through the tree.

        Returns
        -------
        tuple of Rule
            With `conditions`, `label`, `cost`, `cases` and `errors`.

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
        """What `rules` returns, for people.

        Returns
        -------
        str
            A line per path, and the points that rules speak of.

        Examples
        --------
        >>> import budgetree as bt
        >>> print(bt.optimal(bt.datasets.load("figure1"), budget=1).tree.to_rules())
        if t1 is 0 then circle  [costs 1; right for 30 of 40]
        if t1 is 1 then triangle  [costs 1; right for 20 of 20]
        """
        return self._text("rules")

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
        return self._text("dot")

    def to_python(self, name: str = "predict", *, full: bool = False) -> str:
        """The source of a function of a mapping from tests to raw values (codes, where it was learned from codes).

        Parameters
        ----------
        name : str, default 'predict'
            What the function is called.
        full : bool, default False
            The function returns a dict with the answer, the probability of each class, the cost and the tests; else
            the answer.

        Returns
        -------
        str
            Python source that needs nothing but Python; None and NaN are missing values.

        Examples
        --------
        >>> import budgetree as bt
        >>> names = {}
        >>> exec(bt.grow(bt.datasets.load("pima"), budget=2).to_python(), names)
        >>> names["predict"]({"age": 42, "pregnant": 3})
        'neg'
        """
        return self._text("python", name=name, full=full)

    def to_sql(
        self,
        *,
        backslash_escapes: bool | None = None,
        full: bool = False,
        table: str = "cases",
        columns: Sequence[str] = (),
    ) -> str:
        """An expression in standard SQL, over columns called as the tests are; NULL is a missing value, NaN a number.

        Where a tree with models answers by losses, or stops early and has more than two classes, it needs EXP; and for
        probabilities.

        Parameters
        ----------
        backslash_escapes : bool, optional
            Where a name or value has a backslash: whether the engine takes it for the beginning of an escape (MySQL,
            BigQuery, Snowflake, Spark) or as it is (standard SQL). Without that it is refused.
        full : bool, default False
            A whole query instead, with a column `answer`, one for the probability of each class, such as `probability
            of ill`, and `cost`.
        table : str, default 'cases'
            What the query reads.
        columns : sequence of str, optional
            Columns of the table that stand beside the answers of a query, such as the number of a case.

        Returns
        -------
        str
            The expression, for `SELECT … FROM cases`; or the query.

        Examples
        --------
        >>> import budgetree as bt
        >>> print(bt.optimal(bt.datasets.load("figure1"), budget=1).tree.to_sql(), end="")
        CASE
          WHEN "t1" IN (0) THEN
            'circle'
          WHEN "t1" IN (1) THEN
            'triangle'
          ELSE
            'circle'
        END
        """
        asked: dict[str, Any] = {"full": full, "table": table, "columns": columns}
        return self._text("sql", backslash_escapes=backslash_escapes, **asked)

    def to_javascript(self, name: str = "predict", *, module: bool = True) -> str:
        """The source of a function that takes raw values by test, and returns answer, probabilities, cost and tests.

        Parameters
        ----------
        name : str, default 'predict'
            What the function is called.
        module : bool, default True
            An ES module that exports the function; False: a script that defines it.

        Returns
        -------
        str
            JavaScript that needs no library; null, undefined and NaN are missing values, dates are texts.

        Examples
        --------
        >>> import budgetree as bt
        >>> "export const triage" in bt.grow(bt.datasets.load("figure1")).to_javascript("triage")
        True
        """
        return self._text("javascript", name=name, module=module)

    def to_pmml(self) -> str:
        """A PMML 4.4 document with the answers and probabilities of a tree without points and models.

        Returns
        -------
        str
            A TreeModel; what a path has cost at most is in each node's Extension "cost".

        Examples
        --------
        >>> import budgetree as bt
        >>> "<TreeModel" in bt.grow(bt.datasets.load("figure1")).to_pmml()
        True
        """
        return self._text("pmml")

    def to_onnx(self) -> bytes:
        """An ONNX model, with operators of `ai.onnx` and `ai.onnx.ml` alone; needs the extra `onnx`.

        Its inputs are the tests that some path buys, by name, each a column of n rows: numbers as float64, where NaN is
        missing, and all else as texts, where "" is missing. Its outputs are `answer`, `probabilities` (a column per
        class, in the order of `class_names`) and `cost`.

        Returns
        -------
        bytes
            What belongs into a file, and what `onnxruntime.InferenceSession` takes.

        Raises
        ------
        TreeError
            Where a test has values of several kinds, or numbers that a float64 does not hold.
        ImportError
            Where onnx is missing.

        Examples
        --------
        >>> import budgetree as bt
        >>> model = bt.grow(bt.datasets.load("pima"), budget=2).to_onnx()
        >>> import numpy as np, onnxruntime  # doctest: +SKIP
        >>> session = onnxruntime.InferenceSession(model)  # doctest: +SKIP
        >>> session.run(["answer"], {"age": np.array([[42.0]]), "pregnant": np.array([[3.0]])})  # doctest: +SKIP
        [array(['neg'], dtype=object)]
        """
        return cast("bytes", self.export("onnx"))

    def draw(self, *, max_leaves: int = 40, max_depth: int | None = None) -> Drawing:
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

        Examples
        --------
        >>> import budgetree as bt
        >>> len(bt.grow(bt.datasets.load("figure1")).draw(max_depth=0).shapes)
        5
        """
        from budgetree.show.drawing import draw

        return draw(self._tree, max_leaves=max_leaves, max_depth=max_depth)

    def to_svg(self, *, max_leaves: int = 40, max_depth: int | None = None) -> str:
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
        return self._text("svg", max_leaves=max_leaves, max_depth=max_depth)

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
        '60 cases, 2 leaves; worst case 2, mean 2; 10 errors (16.7%)'
        """
        from budgetree.show.text import summary_line

        return summary_line(self._tree)

    @cached_property
    @internal
    def outline(self) -> Outline:
        """The tree as people read it, for everything that shows it."""
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

"""Shown: how a tree presents itself. Everything is done by `show`, the room above, when it is asked for.

This is the one way up from `tree`: users expect `tree.to_text()`, and who only predicts need not load any of it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

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

        With confusion=True a table follows: how many known cases of each class get each answer.
        """
        from budgetree.show.text import render

        _check_size("max_depth", 0 if max_depth is None else max_depth, 0)
        return render(self._tree, max_depth, with_confusion=confusion)

    def rules(self) -> tuple[Rule, ...]:
        """One rule per path through the tree: its conditions, class, cost, known cases and errors."""
        from budgetree.show.export.rules import rules_of

        return rules_of(self._tree)

    def to_rules(self) -> str:
        """The rules for people, one per line, with what each costs."""
        return "\n".join(map(str, self.rules()))

    def to_dot(self) -> str:
        """The tree in Graphviz' language."""
        from budgetree.show.export.dot import to_dot

        return to_dot(self._tree)

    def to_python(self, name: str = "predict") -> str:
        """The source of a function `name(case)` that needs nothing but Python; case[test] is a raw value.

        None and NaN are missing values. A tree learned from codes takes codes.
        """
        from budgetree.show.export.python import to_python

        return to_python(self._tree, name)

    def to_sql(self, *, backslash_escapes: bool | None = None) -> str:
        """An expression in standard SQL, over columns called as the tests are; NULL is a missing value.

        `SELECT {tree.to_sql()} FROM cases` gives what predict does. A plain tree is CASE within CASE. A tree with
        models adds up their scores in a scalar subquery; where it answers by losses, and where it has more than two
        classes and stops early (sure=), it also needs the function EXP.

        Where a name or value has a backslash, say whether the engine takes it for the beginning of an escape (MySQL,
        BigQuery, Snowflake, Spark) or as it is (standard SQL); without that it is refused.
        """
        from budgetree.show.export.sql import to_sql

        return to_sql(self._tree, backslash_escapes)

    def to_javascript(self, name: str = "predict", *, module: bool = True) -> str:
        """The source of a function `name(values)` that needs no library; values[test] is a raw value.

        It returns {answer, probabilities: [{class, probability}, …], cost, tests}: what predict, predict_proba, cost
        and tests_done say of the case. null, undefined and NaN are missing values; dates are texts such as 2024-02-29.
        An ES module that exports the function, or with module=False a script that defines it.
        """
        from budgetree.show.export.javascript import to_javascript

        return to_javascript(self._tree, name, module=module)

    def to_pmml(self) -> str:
        """A PMML 4.4 document: a TreeModel with a branch for every outcome or group of outcomes.

        It predicts what predict does, and gives predict_proba's probabilities. What a path has cost at most is in each
        node's Extension "cost". A tree whose leaves are models is refused: PMML has no tree of that kind.
        """
        from budgetree.show.export.pmml import to_pmml

        return to_pmml(self._tree)

    def draw(self, *, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> Drawing:
        """The tree as shapes, folded where it has more leaves than fit; see plot_tree and to_svg."""
        from budgetree.show.drawing import draw

        _check_size("max_leaves", max_leaves, 1)
        _check_size("max_depth", 0 if max_depth is None else max_depth, 0)
        return draw(self._tree, max_leaves, max_depth)

    def to_svg(self, *, max_leaves: int = MAX_LEAVES, max_depth: int | None = None) -> str:
        """The tree as an SVG picture."""
        from budgetree.show.svg import to_svg

        return to_svg(self.draw(max_leaves=max_leaves, max_depth=max_depth))

    def summary(self) -> str:
        """One line: size, worst and mean cost, errors; where losses are given, the loss."""
        from budgetree.show.text import summary_line

        return summary_line(self._tree)

    @cached_property
    def outline(self) -> Outline:
        """Which outcomes share a branch, for everything that shows the tree."""
        from budgetree.show.outline import Outline

        return Outline(self._tree)

    @property
    def words(self) -> Words:
        """What the tree's nodes, prices and counts are called."""
        from budgetree.show.text import Words

        return Words(self._tree)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x: auto">{self.to_svg()}</div>'


def _check_size(name: str, size: Any, least: int) -> None:
    if isinstance(size, bool) or not isinstance(size, (int, np.integer)) or size < least:
        raise ValueError(f"{name} is {size!r}; expected a whole number of at least {least}.")

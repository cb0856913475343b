"""Tree: which test first, which next after each outcome, what it costs and what it gets wrong."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.frames import read_frame, read_raw
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.data.table import Table
from budgetree.errors import TreeError
from budgetree.problem import Schema, check_codes
from budgetree.problem.schema import MANY_ROWS
from budgetree.problem.units import plain_number
from budgetree.services.clock import Ended
from budgetree.tree import changes
from budgetree.tree.confusion import Confusion
from budgetree.tree.consultation import Consultation, FetchOptions
from budgetree.tree.explanation import Explanation, explain
from budgetree.tree.model import file as model_file
from budgetree.tree.nodes import Kind, Nodes
from budgetree.tree.provenance import Bounds, Estimate, Method, Origin
from budgetree.tree.walk import Reader, Walk, walk_codes, walk_columns

if TYPE_CHECKING:
    from budgetree.messages import Statement
    from budgetree.show.drawing import Drawing
    from budgetree.show.export.rules import Rule
    from budgetree.show.outline import Outline
    from budgetree.show.text import Words

UNKNOWN = Origin()


class ResourceCost(NamedTuple):
    """What a tree takes of a resource: at worst, on average over the known cases, and the most that it may."""

    worst: int | float
    mean: float
    limit: int | float | None


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A decision tree with its prices: which test first, which next after each outcome. It is immutable.

    `grow`, `optimal`, `frontier` and `predictive` make one, and `from_json` reads one.

    Attributes
    ----------
    schema : Schema
        The names of tests, outcomes and classes, the prices and the losses.
    nodes : Nodes
        What it does: nodes that buy a test, branch on what was bought, or answer.
    n_objects : int
        The known cases that it was learned from.
    origin : Origin
        How it was learned; `str()` is readable.
    bounds : Bounds or None
        What is known about other trees for the same cases and prices, in units; `statement` is readable.
    estimate : Estimate or None
        What to expect on new cases.
    ended : Ended
        Whether its search was complete, or why it ended.

    Examples
    --------
    >>> import budgetree as bt
    >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
    >>> tree.summary()
    '753 cases, 16 leaves; worst case 2, mean 1.997; 216 errors (28.7%)'
    >>> print(tree.trim().to_text(max_depth=0, confusion=True))
    753 cases, 15 leaves; worst case 2, mean 1.716; 216 errors (28.7%)
    → … neg  [neg 486, pos 267]
    answers by class:
      answer  neg  pos
      neg     426  156
      pos      60  111
    >>> tree.to_svg(max_leaves=4)[:4], len(tree.to_onnx()) > 1000
    ('<svg', True)

    New cases, a table of them or one by one:

    >>> frame = bt.datasets.frame("pima").head(3)
    >>> tree.predict(frame).tolist(), tree.predict_proba(frame).round(2)[0].tolist()
    (['neg', 'neg', 'pos'], [0.5, 0.5])
    >>> tree.walk(frame).cost.tolist(), tree.walk(frame).tests[0]
    ([2.0, 2.0, 2.0], ('age', 'pregnant'))
    >>> codes = tree.encode(frame)
    >>> tree.predict_codes(codes).tolist()
    ['neg', 'neg', 'pos']
    >>> tree.ask({"age": 42, "pregnant": 3}).prediction
    'neg'
    >>> import asyncio
    >>> async def fetch(test):
    ...     return {"age": 42, "pregnant": 3}[test]
    >>> asyncio.run(tree.ask_async(fetch)).spent
    2
    >>> print(tree.explain({"age": 42, "pregnant": 3}))
    neg: 87.5%
      neg has 64.5% at first
      age is 42 (37.7 to 44.3): 64.5% → 46.1%
      pregnant is 3 (2.8 to 4.7): 46.1% → 87.5%

    Other trees of it:

    >>> tree.cut(1).max_cost, tree.priced(5).max_cost, tree.replace(0, tree.cut(1)).max_cost
    (1, 10, 1)
    >>> print(tree.with_labels({"tests": {"age": "How old?"}}).export("rules").splitlines()[0])
    if How old? is 21.0 to 24.3 and triceps is 0 to 60 then neg  [costs 2; right for 181 of 212]
    >>> rule = tree.rules()[0]
    >>> rule.label, rule.cost, sorted(tree.to_dict())
    ('neg', 2, ['children', 'counts', 'label', 'test'])
    >>> tree.to_json("pathway.json")
    >>> bt.Tree.from_json("pathway.json") == tree
    True
    """

    schema: Schema
    nodes: Nodes
    n_objects: int
    origin: Origin = UNKNOWN
    bounds: Bounds | None = None
    estimate: Estimate | None = None
    ended: Ended = Ended.COMPLETE

    def __post_init__(self) -> None:
        mine, its = self.schema.loss_table, self.nodes.loss_table
        if mine is not its and mine != its:
            expected = "the losses that its nodes answer by; learn a tree from cases with the other ones (with_losses)"
            message = f"schema: the tree is given other losses, {self.schema.losses!r:.60}; expected {expected}."
            raise TreeError(message, subject="schema", found=self.schema.losses, expected=expected)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}  # nothing that was computed since

    @property
    def test_names(self) -> tuple[str, ...]:
        """The names of the tests, also of those that no path does."""
        return self.schema.test_names

    @property
    def class_names(self) -> tuple[Any, ...]:
        """The classes."""
        return self.schema.class_names

    @property
    def answer_names(self) -> tuple[Any, ...]:
        """What the tree may answer: the classes, and whatever else the losses allow."""
        return self.schema.answer_names

    @cached_property
    def max_cost(self) -> int | float:
        """What no case exceeds, known or new: also one that shows an outcome never seen at some node."""
        return plain_number(self.exact_max_cost)

    @cached_property
    def known_max_cost(self) -> int | float:
        """The cost of the costliest path that a known case takes: the paper's worst case.

        It is below `max_cost` only where prices depend on outcomes and no known case showed the costly one there.
        """
        return plain_number(self.exact_known_max_cost)

    @cached_property
    def exact_known_max_cost(self) -> Fraction:
        """`known_max_cost`, to the last digit."""
        spent = self.nodes.known_spent[self.nodes.is_reached]
        return Fraction(int(spent.max(initial=0))) / self.schema.costs.scale

    @property
    @internal
    def need(self) -> int:
        """The least budget that buys the tree, in price units."""
        return int(self.nodes.spent.max())

    @cached_property
    def mean_cost(self) -> float:
        """The mean cost over the known cases, by weight."""
        return float(self.exact_mean_cost)

    @cached_property
    def exact_mean_cost(self) -> Fraction:
        """`mean_cost`, to the last digit."""
        total = int(self.nodes.counts[0].sum())
        return Fraction(self.nodes.total_spent[0], max(total, 1)) / self.schema.costs.scale

    @property
    def costs(self) -> dict[str, ResourceCost]:
        """By resource: what no case exceeds, the mean over the known cases, and the limit; first the price.

        Its limit is the budget that the tree was learned or cut for, where that is known.
        """
        nodes, total, resources = self.nodes, max(int(self.nodes.counts[0].sum()), 1), self.schema.costs.resources
        limits = [None if one.limit >= LARGEST_EXACT else one.amount(one.limit) for one in resources]
        if self.bounds is not None and self.bounds.within is not None:
            limits[0] = resources[0].amount(self.bounds.within)
        elif (budget := self.origin.last_budget) is not None:
            limits[0] = plain_number(budget)
        return {
            resource.name: ResourceCost(resource.amount(most), float(Fraction(spent, total) / resource.scale), limit)
            for resource, most, spent, limit in zip(
                resources, nodes.all_spent.max(axis=1), nodes.total_spent, limits, strict=True
            )
        }

    @property
    def errors(self) -> int | float:
        """The known cases that the tree gives another class than theirs, by weight."""
        return plain_number(self.exact_errors)

    @cached_property
    def exact_errors(self) -> Fraction:
        """`errors`, to the last digit."""
        return self.schema.cases(self.nodes.errors)

    @property
    def loss(self) -> int | float:
        """What the answers to the known cases cost, by weight; without losses, the errors."""
        return plain_number(self.exact_loss)

    @cached_property
    def exact_loss(self) -> Fraction:
        """`loss`, to the last digit."""
        return self.schema.loss(self.nodes.loss)

    @cached_property
    def referred(self) -> int | float:
        """The known cases whose answer is not a class, by weight; they are not errors, and have their loss."""
        return plain_number(self.schema.cases(self.nodes.referred))

    @cached_property
    def confusion(self) -> Confusion:
        """Which answers the known cases of each class get."""
        return Confusion.of_units(self.schema, self.nodes.answered.tolist())

    @cached_property
    def exact_max_cost(self) -> Fraction:
        """`max_cost`, to the last digit."""
        return Fraction(self.need) / self.schema.costs.scale

    @property
    def statement(self) -> Statement:
        """What was proven about other trees, in words."""
        from budgetree.messages import statement  # the layer above, when it is asked for

        loss, for_new = round(self.exact_loss / self.schema.loss(1)), self.origin.method == Method.PREDICTIVE
        choice, blanks = self.origin.choice, self._branching_blanks
        return statement(
            self.bounds, loss, self.need, self.schema, ended=self.ended, for_new=for_new, choice=choice, blanks=blanks
        )

    @property
    def _branching_blanks(self) -> list[str]:
        """What the tests are called whose blanks, where known cases have them, go another way than most results."""
        found, nodes = set[int](), self.nodes
        for node in np.flatnonzero(nodes.kind == Kind.BY_RESULT).tolist():
            test = int(nodes.test[node])
            encoder = self.schema.encoder(test)
            if encoder is not None and encoder.has_missing and test not in found:
                *below, blank, _ = nodes.below(node).tolist()
                cases = nodes.counts[below].sum(axis=1)
                if nodes.counts[blank].any() and blank != below[int(cases.argmax())]:
                    found.add(test)
        return [self.schema.wording.tests[test] for test in sorted(found)]

    @property
    def n_leaves(self) -> int:
        """The leaves as they are shown: outcomes whose subtrees ask, cost and answer the same share one."""
        return self.outline.leaves((0,))

    @property
    def depth(self) -> int:
        """The most tests on a path."""
        return int(self.nodes.n_bought.max())

    @property
    def n_fallbacks(self) -> int:
        """Nodes where every ratio of the impurity was infinite and Pairs chose instead."""
        return int(self.nodes.fallback.sum())

    @cached_property
    def tests_used(self) -> frozenset[int]:
        """The positions of the tests that some path does."""
        return frozenset(self.nodes.columns.tolist())

    def walk(self, cases: Any) -> Walk:
        """Follow cases down, all at once; answers, probabilities and costs are parts of what it returns.

        Parameters
        ----------
        cases : data frame or array-like
            Raw values as in the table of known cases: a frame with a column per test that the tree may ask for, or rows
            with one value per test, in the order of that table's columns (`schema.input_columns`).

        Raises
        ------
        ValueError
            Where a column that the tree asks for is absent, or holds texts where numbers were learned.
        """
        walk = None if self.reader is None else self.reader.walk(cases)
        if walk is not None:
            return walk
        return self.walk_table(
            read_raw(cases, self.schema.input_columns, [self.test_names[test] for test in self.nodes.columns])
        )

    @cached_property
    @internal
    def reader(self) -> Reader | None:
        """What walks numbers without a copy; None where the cases were given as codes."""
        encoders = self.schema.encoders
        return None if encoders is None else Reader(self.nodes, self.schema, encoders)

    @internal
    def walk_table(self, table: Table) -> Walk:
        """`walk` for a table that was read: the columns that the tree may ask for, by name."""
        return walk_columns(self.nodes, self.schema, self.schema.encode_columns(table, self.nodes.columns))

    @internal
    def walk_codes(self, codes: Any) -> Walk:
        """`walk` for outcome codes."""
        return walk_codes(self.nodes, self.schema, check_codes(codes, len(self.test_names)))

    def predict(self, cases: Any) -> NDArray[Any]:
        """The answer for each case, with a warning where more than 5 % of at least 20 have an unknown category.

        Parameters
        ----------
        cases : data frame or array-like
            Raw values, as in `walk`, which also says what it refuses; outcome codes are for `predict_codes`.
        """
        return self.schema.answers[self._walked(cases).answers]

    def _walked(self, cases: Any) -> Walk:
        """`walk`, with a warning where many rows have a category that no known case had."""
        walk, tests = self.walk(cases), self.schema.categories_of(self.tests_used)
        if tests and len(walk.leaf) >= MANY_ROWS:
            table = read_raw(cases, self.schema.input_columns, [self.test_names[test] for test in tests])
            self.schema.warn_of_unknown(table, tests)
        return walk

    def predict_codes(self, codes: Any) -> NDArray[Any]:
        """The answer for each row of outcome codes.

        Parameters
        ----------
        codes : array-like of int
            A row per case, a column per test, as `encode` makes them and `Instance.codes` has them.
        """
        return self.schema.answers[self.walk_codes(codes).answers]

    def predict_proba(self, cases: Any) -> NDArray[np.float64]:
        """The probability of each class, in the order of `class_names`, for each case.

        It is the share of the class among the known cases where the row ends, or what the leaf's points or model say.

        Parameters
        ----------
        cases : data frame or array-like
            Raw values, as in `walk`.
        """
        return self._walked(cases).probabilities

    def cut(self, budget: Any) -> Tree:
        """The tree with every test left out that could take a path over the budget, or this one where none has to go.

        Parameters
        ----------
        budget : number or None
            What no case may exceed; None for no limit.
        """
        return changes.cut(self, budget)

    def trim(self) -> Tree:
        """The tree with every node made a leaf whose leaves all give the same answer."""
        return changes.trim(self)

    def priced(self, prices: Any) -> Tree:
        """The same tree at other prices, of which nothing is proven.

        Learning again may give a better tree.

        Parameters
        ----------
        prices : number, dict or Prices, optional
            What tests cost; None for 1 each.
        """
        return changes.priced(self, prices)

    def replace(self, node: int, tree: Tree, cases: Any = None) -> Tree:
        """The tree with another one in the place of a node; what was bought above is not bought again.

        Parameters
        ----------
        node : int
            Its number in `nodes`.
        tree : Tree
            For the same tests and classes: one that was learned from the cases that come there, or any other where
            `cases` are given.
        cases : Instance, optional
            The known cases, to count them again.

        Raises
        ------
        TreeError
            Where the trees do not fit, or there is no such node.
        """
        return changes.replace_node(self, node, tree, cases)

    def encode(self, frame: Any) -> NDArray[np.uint8]:
        """The codes of new cases, rows × tests, from a table like that of the known cases; 255 is a new value.

        Parameters
        ----------
        frame : data frame
            Extra columns do not matter, and columns of tests that the tree never does may be absent.
        """
        return self.schema.encode(read_frame(frame, only=self.test_names), self.tests_used)

    def ask(self, fetch: Callable[[str], Any] | Mapping[str, Any], **options: Unpack[FetchOptions]) -> Consultation:
        """Follow one case to its end, looking up a raw value only where the path needs that test.

        Parameters
        ----------
        fetch : callable or mapping
            `fetch(name)`, or `fetch[name]`, is the raw value of that test, as in the table of known cases.
        **options
            `handle_unknown` and `on_error`, as in `Consultation.fetch`.
        """
        consultation = Consultation(self)
        consultation.fetch(fetch, **options)
        return consultation

    async def ask_async(self, fetch: Callable[[str], Awaitable[Any]], **options: Unpack[FetchOptions]) -> Consultation:
        """`ask`, where results are awaited: tests that are bought in any case, or all together, at the same time.

        Parameters
        ----------
        fetch : callable
            `await fetch(name)` is the raw value of that test, as in the table of known cases.
        **options
            `handle_unknown` and `on_error`, as in `Consultation.fetch`.
        """
        consultation = Consultation(self)
        await consultation.fetch_async(fetch, **options)
        return consultation

    def explain(self, case: Mapping[str, Any]) -> Explanation:
        """Why this case is predicted as it is: how each paid answer moved the probability of the predicted class.

        Parameters
        ----------
        case : mapping
            Raw values by the names of tests; they are looked up, and refused, as in `ask`.
        """
        return explain(self.ask(case))

    def to_dict(self) -> dict[str, Any]:
        """The tree as nested dictionaries, which say what they are by their keys.

        {"test", "counts", "label", "children": {outcome: …}} where a test is bought and its result decides; {"buy", …,
        "then"} where nothing depends on it yet; {"confidence", …, "sure", "else"}, {"chances", …, "sides"}, {"points",
        "cuts", …, "sides"} where totals decide; {"counts", "label"} in leaves, with "by" where a model or points
        answer. A subtree that several outcomes lead to stands at the first; "same" has the others: {outcome: first}.
        """
        return model_file.as_dict(self)

    def export(self, format: str, **options: Any) -> Any:  # noqa: A002 - as pandas and others call it
        """The tree in another language; `budgetree show --as` writes the same.

        Where a tree with models answers by losses, or stops early and has more than two classes, SQL needs EXP.

        Parameters
        ----------
        format : {'text', 'stages', 'rules', 'python', 'javascript', 'sql', 'pmml', 'onnx', 'dot', 'svg'}
            A line per branch, stages for paper, a rule per path; a function in Python or JavaScript that needs nothing
            else; an expression in standard SQL over columns called as the tests are; a PMML 4.4 TreeModel; an ONNX
            model (see `to_onnx`); a digraph for Graphviz; a picture.
        **options
            text: `max_depth`, `confusion`; svg: `max_leaves`, `max_depth`.
            python: `name` of the function, 'predict'; `full`: it returns a dict with the answer, the probability of
            each class, the cost and the tests, else the answer. None and NaN are missing values.
            javascript: `name`; `module`: an ES module, True, or a script. null, undefined and NaN are missing values.
            sql: `full`: a query with columns for the answer, each probability and the cost, from `table`, 'cases',
            beside its `columns`; `backslash_escapes`: whether the engine takes a backslash for the beginning of an
            escape (MySQL, BigQuery, Snowflake, Spark), without which names with one are refused. NULL is missing.

        Returns
        -------
        str
            What belongs into a file; of ONNX bytes.

        Raises
        ------
        ValueError
            Where there is no such format, or the tree cannot be written in it.
        """
        from budgetree.show.export import export

        return export(self, format, **options)

    def to_text(self, max_depth: int | None = None, *, confusion: bool = False) -> str:
        """The tree for people: test and price, outcome, running cost, class counts.

        Parameters
        ----------
        max_depth : int, optional
            What is deeper is folded.
        confusion : bool, default False
            Whether a table follows: how many known cases of each class get each answer.
        """
        return str(self.export("text", max_depth=max_depth, confusion=confusion))

    def to_svg(self, *, max_leaves: int = 40, max_depth: int | None = None) -> str:
        """The tree as an SVG picture.

        Parameters
        ----------
        max_leaves : int, default 40
            A larger tree is folded where the fewest cases pass.
        max_depth : int, optional
            No more tests than this on a path are drawn.
        """
        return str(self.export("svg", max_leaves=max_leaves, max_depth=max_depth))

    def to_onnx(self) -> bytes:
        """An ONNX model, with operators of `ai.onnx` and `ai.onnx.ml` alone; needs the extra `onnx`.

        Its inputs are the tests that some path buys, by name, each a column of n rows: numbers as float64, where NaN is
        missing, and all else as texts, where "" is missing. Its outputs are `answer`, `probabilities` (a column per
        class, in the order of `class_names`) and `cost`.

        Raises
        ------
        TreeError
            Where a test has values of several kinds, or numbers that a float64 does not hold.
        ImportError
            Where onnx is missing.
        """
        return bytes(self.export("onnx"))

    def rules(self) -> tuple[Rule, ...]:
        """One rule per path through the tree."""
        from budgetree.show.export.rules import rules_of

        return rules_of(self)

    def summary(self) -> str:
        """One line: size, worst and mean cost, errors; where losses are given, the loss."""
        from budgetree.show.text import summary_line

        return summary_line(self)

    @internal
    def draw(self, *, max_leaves: int = 40, max_depth: int | None = None) -> Drawing:
        """The tree as shapes on a plane, folded where it has more leaves than fit."""
        from budgetree.show.drawing import draw

        return draw(self, max_leaves=max_leaves, max_depth=max_depth)

    @cached_property
    @internal
    def outline(self) -> Outline:
        """The outline for everything that shows it."""
        from budgetree.show.outline import Outline

        return Outline(self)

    @property
    @internal
    def words(self) -> Words:
        """What the tree's nodes, prices and counts are called."""
        from budgetree.show.text import Words

        return Words(self)

    def _repr_html_(self) -> str:
        from budgetree.show.svg import to_html

        return to_html(self)

    def with_labels(self, labels: Any) -> Tree:
        """The same tree, shown in other words.

        Parameters
        ----------
        labels : Labels, dict or None
            What tests, outcomes and classes are called; None for the names of the table.

        Raises
        ------
        ValueError
            For names that the tree does not have, and labels that could not be told apart.
        """
        return replace(self, schema=self.schema.labelled(labels))

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write a model file; an existing one is replaced only once the new one is complete.

        Parameters
        ----------
        path : str or path
            The file.
        """
        model_file.write(path, self)

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Tree:
        """Read a model file; nothing in it is ever executed.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        ModelFileError
            Where the file is not a model; the message names the place.
        OSError
            Where there is no such file.
        """
        return model_file.read(path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self._key == other._key and self.nodes == other.nodes

    @property
    def _key(self) -> tuple[Any, ...]:
        """Everything that trees are compared by, but for their nodes."""
        schema = self.schema
        names = (schema.test_names, schema.outcome_names, schema.class_names)
        amounts = (schema.prices, schema.weight_scale, schema.encoders, schema.loss_table)
        return names, amounts, self.n_objects

    def __hash__(self) -> int:
        return hash((self.n_objects, self.nodes.test.tobytes()))

    def __repr__(self) -> str:
        return f"Tree({self.summary()})"

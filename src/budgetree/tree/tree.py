"""Tree: which test first, which next after each outcome, what it costs and what it gets wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.frames import read_frame
from budgetree.problem import Schema, check_codes
from budgetree.problem.units import plain_number
from budgetree.services.clock import Ended
from budgetree.tree import changes
from budgetree.tree.confusion import Confusion
from budgetree.tree.consultation import Consultation, HandleUnknown
from budgetree.tree.explanation import Explanation, explain
from budgetree.tree.leaf_models import NO_MODEL, LeafModels, softmax
from budgetree.tree.model import file as model_file
from budgetree.tree.nodes import Charges, Nodes, charges, known_by_counts
from budgetree.tree.proven import Proven, Statement, state
from budgetree.tree.provenance import Expected, Known, Method, Origin
from budgetree.tree.purchases import Spending, spending
from budgetree.tree.routing import Ends, first_unknown, tests_on_path, walk
from budgetree.tree.shown import Shown

UNKNOWN = Origin()


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Shown):
    """A decision tree with its prices: which test first, which next after each outcome; it never changes.

    `grow`, `optimal`, `frontier` and `predictive` make one, and `from_json` reads one.

    Attributes
    ----------
    schema : Schema
        The names of tests, outcomes and classes, the prices and the losses.
    nodes : Nodes
        The tree as arrays, numbered breadth first.
    n_objects : int
        The known cases that it was learned from.
    origin : Origin
        What made it; `str()` of it is for people to read.
    proven : Proven or None
        What is known about other trees for the same cases and prices; `statement` says it in words.
    models : LeafModels or None
        What answers, in a tree for new cases whose leaves are models.
    known : Known or None
        What the known cases paid and got, where the counts do not say it.
    expected : Expected or None
        What was found out about new cases.
    ended : Ended
        Whether the search that found it was complete, or what ended it.

    Examples
    --------
    >>> import budgetree as bt
    >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
    >>> tree.max_cost, tree.errors, tree.n_leaves
    (2, 216, 59)
    >>> print(tree.to_text(max_depth=1))
    753 cases, 59 leaves; worst case 2, mean 1.997; 216 errors (28.7%)
    age? costs 1  [neg 486, pos 267]
    ├─ 21.0 to 24.3: → … neg, spent 1  [neg 181, pos 31]
    ├─ 24.3 to 31.0: → … neg, spent 1  [neg 133, pos 59]
    ├─ 31.0 to 37.7: → … neg, spent 1  [neg 58, pos 56]
    ├─ 37.7 to 44.3: → … pos, spent 1  [neg 47, pos 55]
    ├─ 44.3 to 51.0: → … pos, spent 1  [neg 27, pos 33]
    ├─ 51.0 to 57.7: → … pos, spent 1  [neg 12, pos 19]
    ├─ 57.7 to 64.3: → … neg, spent 1  [neg 16, pos 10]
    ├─ 64.3 to 71.0: → … neg, spent 1  [neg 10, pos 4]
    └─ 71.0 to 81.0: → neg, spent 1  [neg 2]
    """

    schema: Schema
    nodes: Nodes
    n_objects: int
    origin: Origin = UNKNOWN
    proven: Proven | None = None
    models: LeafModels | None = None
    known: Known | None = None
    expected: Expected | None = None
    ended: Ended = Ended.COMPLETE

    def __post_init__(self) -> None:
        # Learners make nodes of counts alone; what they answer is the schema's to say.
        object.__setattr__(self, "nodes", self.nodes.answering(self.schema.loss_table))

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
        return plain_number(self.on_known.max_cost)

    @property
    @internal
    def need(self) -> int:
        """The least budget that buys the tree, in price units."""
        return int(self.worst_from[0])

    @cached_property
    def mean_cost(self) -> float:
        """The mean cost over the known cases, by weight."""
        return float(self.on_known.mean_cost)

    @cached_property
    @internal
    def on_known(self) -> Known:
        """What came of the known cases: as it was noted, or by the counts of the leaves."""
        return self.known or known_by_counts(self.nodes, self.schema)

    @property
    def errors(self) -> int | float:
        """The known cases that the tree gives another class than theirs, by weight."""
        return plain_number(self.exact_errors)

    @cached_property
    def exact_errors(self) -> Fraction:
        """`errors`, to the last digit."""
        return self.on_known.errors

    @property
    def loss(self) -> int | float:
        """What the answers to the known cases cost, by weight; without losses, the errors."""
        return plain_number(self.exact_loss)

    @cached_property
    def exact_loss(self) -> Fraction:
        """`loss`, to the last digit."""
        return self.on_known.loss

    @cached_property
    def referred(self) -> int | float:
        """The known cases whose answer is no class, by weight; they are no errors, and have their loss."""
        return plain_number(self.on_known.referred)

    @cached_property
    def confusion(self) -> Confusion:
        """Which answers the known cases of each class get."""
        return Confusion.of_units(self.schema, self.on_known.answered)

    @cached_property
    def exact_max_cost(self) -> Fraction:
        """`max_cost`, to the last digit."""
        return Fraction(self.need) / self.schema.costs.scale

    @property
    def statement(self) -> Statement:
        """What was proven about other trees, in words."""
        return state(
            self.proven,
            self.exact_loss,
            self.exact_max_cost,
            ended=self.ended,
            has_losses=self.schema.losses is not None,
            for_new=self.origin.method == Method.PREDICTIVE,
            amount=self.schema.wording.amount,
        )

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(self.nodes.is_leaf.sum())

    @property
    def depth(self) -> int:
        """The most tests on a path."""
        return len(self.nodes.levels) - 1 if self._spent is None else int(self._spent.n_tests.max())

    @property
    def n_fallbacks(self) -> int:
        """Nodes where every ratio of the impurity was infinite and Pairs chose instead."""
        return int(self.nodes.fallback.sum())

    @cached_property
    def tests_used(self) -> frozenset[int]:
        """The positions of the tests that some path does."""
        return frozenset(self.nodes.test[~self.nodes.is_leaf].tolist())

    def route(self, codes: Any) -> NDArray[np.int32]:
        """The node where each row of codes ends.

        Parameters
        ----------
        codes : array-like of int
            As in `predict`.

        Returns
        -------
        array of int
            Per row a leaf, or the node whose test showed an outcome never seen there.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).route([[0, 0], [1, 1]]).tolist()
        [3, 6]
        """
        return self._walk(codes).node

    def predict(self, codes: Any) -> NDArray[Any]:
        """The answer for each row of codes.

        Parameters
        ----------
        codes : array-like of int
            A row per case, a column per test, as `encode` makes them.

        Returns
        -------
        array
            Per row a class, or another answer that the losses allow.

        Raises
        ------
        ValueError
            Where the codes do not fit the tests.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
        >>> tree.predict(tree.encode(bt.datasets.frame("pima").head(3))).tolist()
        ['neg', 'neg', 'pos']
        """
        return self.schema.answers[self.answers(codes)]

    def answers(self, codes: Any) -> NDArray[np.int64]:
        """The position in `answer_names` for each row of codes.

        Parameters
        ----------
        codes : array-like of int
            As in `predict`.

        Returns
        -------
        array of int
            Per row the position of its answer.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).answers([[0, 0], [1, 1]]).tolist()
        [0, 1]
        """
        if self.models is None:
            return self.nodes.label[self.route(codes)]
        return self.schema.loss_table.best(self.predict_proba(codes))

    def predict_proba(self, codes: Any) -> NDArray[np.float64]:
        """The probability of each class for each row of codes.

        It is the share of the class among the known cases where the row ends; a tree for new cases has better ones.

        Parameters
        ----------
        codes : array-like of int
            As in `predict`.

        Returns
        -------
        array of float
            Rows × classes, in the order of `class_names`.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).predict_proba([[0, 0], [1, 1]]).tolist()
        [[0.75, 0.25], [0.0, 1.0]]
        """
        checked = check_codes(codes, len(self.test_names))
        end = self.route(checked)
        probabilities = self.nodes.shares[end]
        for node in np.unique(end).tolist():
            if self.models is not None and self.models.model(node) is not None:
                here = end == node
                probabilities[here] = self.models.probabilities(node, checked[here])
        return probabilities

    def cost(self, codes: Any) -> NDArray[np.float64]:
        """What each row's path costs.

        A path that stops at an outcome never seen there has done, and paid for, that test; an outcome that is in
        no price list costs what the test's costliest one does.

        Parameters
        ----------
        codes : array-like of int
            As in `predict`.

        Returns
        -------
        array of float
            Per row what its tests cost.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).cost([[0, 0], [1, 1]]).tolist()
        [2.0, 2.0]
        """
        return self._walk(codes).paid / float(self.schema.costs.scale)

    @internal
    def units(self, codes: Any) -> NDArray[np.int64]:
        """`cost` in whole price units."""
        return self._walk(codes).paid

    @internal
    def plain_cost(self, codes: Any) -> list[int | float]:
        """`cost` as people write it: 3 rather than 3.0."""
        units = self._walk(codes).paid.tolist()
        amounts = {unit: self.schema.costs.amount(unit) for unit in set(units)}
        return [amounts[unit] for unit in units]

    def tests_done(self, codes: Any) -> list[tuple[str, ...]]:
        """The tests on each row's path, in their order; also one whose outcome was never seen there.

        Parameters
        ----------
        codes : array-like of int
            As in `predict`.

        Returns
        -------
        list of tuples of str
            Per row the names of its tests.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).tests_done([[0, 0], [1, 1]])
        [('t2', 't1'), ('t2', 't1')]
        """
        ends = self.route(codes).tolist()
        names = {node: tuple(self.test_names[test] for test in tests_on_path(self.nodes, node)) for node in set(ends)}
        return [names[node] for node in ends]

    @internal
    def first_unknown(self, codes: Any) -> NDArray[np.int64]:
        """Per row, the position of the first test that it did and whose answer no known case had; -1 for none."""
        checked = check_codes(codes, len(self.test_names))
        return first_unknown(self.nodes, self.schema.n_outcomes, checked, self.route(checked))

    def cut(self, budget: Any) -> Tree:
        """The tree with every test left out that could take a path over the budget.

        Parameters
        ----------
        budget : number or None
            What no case may exceed; None for no limit.

        Returns
        -------
        Tree
            A smaller tree, or this one where nothing has to go.

        Raises
        ------
        ValueError
            Where the budget is negative or no number, or the tree is one for new cases.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("synthetic"))
        >>> tree.max_cost, tree.cut(2).max_cost, tree.cut(2).errors
        (10, 2, 4)
        """
        return changes.cut(self, budget)

    def trim(self) -> Tree:
        """The tree with every node made a leaf whose leaves all give the same answer.

        Returns
        -------
        Tree
            A smaller tree with the same answers, or this one where nothing can go.

        Raises
        ------
        ValueError
            Where the tree is one for new cases: what it buys also makes its probabilities.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
        >>> tree.n_leaves, tree.trim().n_leaves, tree.trim().errors == tree.errors
        (59, 54, True)
        """
        return changes.trim(self)

    def priced(self, prices: Any) -> Tree:
        """The same tree at other prices, of which nothing is proven.

        Learning again may give a better tree.

        Parameters
        ----------
        prices : number, dict or Prices, optional
            What tests cost; None for 1 each.

        Returns
        -------
        Tree
            With these prices.

        Raises
        ------
        ValueError
            Where the prices do not fit the tests, or the tree is one for new cases.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).priced({"t1": 5, "t2": 7}).max_cost
        12
        """
        return changes.priced(self, prices)

    def encode(self, frame: Any) -> NDArray[np.uint8]:
        """The codes of new cases, from a table like the one the tree was learned from.

        Parameters
        ----------
        frame : data frame
            Extra columns do not matter, and columns of tests that the tree never does may be absent.

        Returns
        -------
        array of uint8
            Rows × tests; a value that no known case had is 255.

        Raises
        ------
        ValueError
            Where a column that the tree asks for is absent, or holds texts where numbers were learned.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
        >>> tree.encode(bt.datasets.frame("pima").head(2)).shape
        (2, 8)
        """
        return self.schema.encode(read_frame(frame, only=self.test_names), self.tests_used)

    def ask(
        self, fetch: Callable[[str], Any] | Mapping[str, Any], *, handle_unknown: HandleUnknown = "stop"
    ) -> Consultation:
        """Follow one case down, looking up a raw value only where the path needs that test.

        Parameters
        ----------
        fetch : callable or mapping
            `fetch(name)`, or `fetch[name]`, is the raw value of that test, as in the table of known cases.
        handle_unknown : {'stop', 'error'}, default 'stop'
            A value that no known case had stops the path there, as in `predict`; "error" refuses it instead.

        Returns
        -------
        Consultation
            Finished: its `prediction`, `distribution`, `spent` and `history`.

        Raises
        ------
        ValueError
            Where a value is no number and numbers were learned; and what `fetch` raises passes through.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
        >>> tree.ask({"age": 42, "pregnant": 3}).prediction
        'neg'
        """
        consultation = Consultation(self)
        consultation.fetch(fetch, handle_unknown=handle_unknown)
        return consultation

    def explain(self, case: Mapping[str, Any]) -> Explanation:
        """Why this case is predicted as it is: how each paid answer moved the probability of the predicted class.

        Parameters
        ----------
        case : mapping
            Raw values by the names of tests; they are looked up, and refused, as in `ask`.

        Returns
        -------
        Explanation
            `print` shows it; `contributions` holds a record for each answer.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("pima"), budget=2)
        >>> print(tree.explain({"age": 42, "pregnant": 3}))
        neg: 87.5%
          neg has 64.5% at first
          age is 42 (37.7 to 44.3): 64.5% → 46.1%
          pregnant is 3 (2.8 to 4.7): 46.1% → 87.5%
        """
        return explain(self.ask(case))

    def to_dict(self) -> dict[str, Any]:
        """The tree as nested dictionaries.

        Returns
        -------
        dict
            {"test", "counts", "label", "children": {outcome: …}}; leaves have no "test" and no "children". Where
            several outcomes lead to one subtree, as in trees for new cases, it stands at the first of them, and "same"
            says so of the others: {outcome: first}.

        Examples
        --------
        >>> import budgetree as bt
        >>> sorted(bt.grow(bt.datasets.load("figure1")).to_dict())
        ['children', 'counts', 'label', 'test']
        """
        return model_file.as_dict(self)

    def with_labels(self, labels: Any) -> Tree:
        """The same tree, shown in other words.

        Parameters
        ----------
        labels : Labels, dict or None
            What tests, outcomes and classes are called; None for the names of the table.

        Returns
        -------
        Tree
            A new tree; this one stays as it is.

        Raises
        ------
        ValueError
            For names that the tree does not have, and labels that could not be told apart.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("figure1"), bt.HingedProduct(8))
        >>> print(tree.with_labels({"tests": {"t1": "Corners"}}).to_text().splitlines()[1])
        Corners? costs 1  [circle 30, triangle 30]
        """
        return replace(self, schema=self.schema.labelled(labels))

    def to_json(self, path: str | PathLike[str]) -> None:
        """Write a model file; an existing one is replaced only once the new one is complete.

        Parameters
        ----------
        path : str or path
            The file.

        Raises
        ------
        OSError
            Where it cannot be written.

        Examples
        --------
        >>> import budgetree as bt
        >>> tree = bt.grow(bt.datasets.load("figure1"))
        >>> tree.to_json("pathway.json")
        >>> bt.Tree.from_json("pathway.json") == tree
        True
        """
        model_file.write(path, self)

    @classmethod
    def from_json(cls, path: str | PathLike[str]) -> Tree:
        """Read a model file; nothing in it is ever executed.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Tree
            As it was written.

        Raises
        ------
        ModelFileError
            Where the file is no model; the message names the place.
        OSError
            Where there is no such file.

        Examples
        --------
        >>> import budgetree as bt
        >>> bt.grow(bt.datasets.load("figure1")).to_json("pathway.json")
        >>> bt.Tree.from_json("pathway.json")
        Tree(60 cases, 4 leaves; worst case 2, mean 2; 10 errors (16.7%))
        """
        return model_file.read(path, cls)

    @cached_property
    @internal
    def charges(self) -> Charges:
        """What doing each node's test costs there."""
        return charges(self.nodes.test, self.nodes.parent, self.schema.costs)

    @cached_property
    @internal
    def costliest_after(self) -> NDArray[np.int64]:
        """Per node, what a case has paid after its test, at worst."""
        return self.nodes.paid + self.charges.costliest

    @cached_property
    @internal
    def worst_from(self) -> NDArray[np.int64]:
        """Per node, the most that the tests from there on can cost."""
        nodes = self.nodes
        if self._spent is not None:
            return self._spent.worst_from
        most = self.costliest_after.copy()
        for first, last in reversed(nodes.levels[1:]):
            np.maximum.at(most, nodes.parent[first:last], most[first:last])
        return most - nodes.paid

    @cached_property
    @internal
    def may_stop(self) -> NDArray[np.bool_]:
        """Per node, whether a case stops before its test where the answer is sure."""
        if self.models is None or self.models.sure is None:
            return np.zeros(len(self.nodes), dtype=bool)
        may_stop = (self.models.of_node != NO_MODEL) & ~self.nodes.is_leaf & ~self.charges.repeated
        for node in np.flatnonzero(may_stop).tolist():
            model = self.models.models[self.models.of_node[node]]
            if not model.tests:  # it says the same of every case
                may_stop[node] = softmax(model.intercept[None]).max() >= self.models.sure
        return np.asarray(may_stop)

    @cached_property
    def _spent(self) -> Spending | None:
        """What paths have paid and may still pay; None where counts and prices per node say it."""
        return None if self.nodes.otherwise is None else spending(self.nodes, self.charges, self.schema.n_outcomes)

    def _walk(self, codes: Any) -> Ends:
        return walk(self, check_codes(codes, len(self.test_names)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return self._key == other._key and self.nodes.has_same_arrays(other.nodes)

    @property
    def _key(self) -> tuple[Any, ...]:
        """Everything that trees are compared by, but for their nodes."""
        schema = self.schema
        names = (schema.test_names, schema.outcome_names, schema.class_names)
        amounts = (schema.prices, schema.weight_scale, schema.encoders, schema.loss_table)
        return names, amounts, self.n_objects, self.models, self.known

    def __hash__(self) -> int:
        return hash((self.n_objects, self.nodes.test.tobytes()))

    def __repr__(self) -> str:
        return f"Tree({self.summary()})"

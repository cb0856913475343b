"""Consultation: one case, one test at a time, with what was spent and what may still come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.column import is_missing
from budgetree.data.encoders import UNSEEN
from budgetree.errors import SettingError, TreeError
from budgetree.problem.labels import outcome_of
from budgetree.problem.results import code_of, possible_answers, read_answer
from budgetree.services.words import counted
from budgetree.tree.nodes import LEAF, NO_BRANCH
from budgetree.tree.routing import majority_branch

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

HandleUnknown = Literal["stop", "error"]


def check_handle_unknown(handle_unknown: object) -> None:
    """An error unless it is one of the two."""
    if handle_unknown not in ("stop", "error"):
        message = f"handle_unknown is {handle_unknown!r}; expected 'stop' or 'error'."
        raise SettingError(message, subject="handle_unknown", found=handle_unknown, expected=("stop", "error"))


@dataclass(frozen=True, slots=True)
class Step:
    """One test that was done.

    Attributes
    ----------
    test : str
        Its name.
    value : object
        As it was answered.
    outcome : str or None
        What the value stands for; None for one that no known case had.
    price : number
        What it cost, fees included.
    spent : number
        With everything before it.
    available : bool
        False where it could not be done, and was not paid.
    assumed : str or None
        Then, the outcomes whose branch was followed; None where nothing depends on it.
    test_label : str
        What the test is called.
    outcome_label : str or None
        What the outcome is called.
    is_labelled : bool
        Whether the label says all that the value does: "female" for 0.

    Examples
    --------
    >>> import budgetree as bt
    >>> case = bt.grow(bt.datasets.load("pima"), budget=2).ask({"age": 42, "pregnant": 3})
    >>> [(step.test, step.outcome, step.price) for step in case.history]
    [('age', '37.7 to 44.3', 1), ('pregnant', '2.8 to 4.7', 1)]
    """

    test: str
    value: Any
    outcome: str | None
    price: int | float
    spent: int | float
    available: bool = True
    assumed: str | None = None
    test_label: str = ""
    outcome_label: str | None = None
    is_labelled: bool = False


@dataclass(frozen=True, slots=True)
class _State:
    """Where the answers so far lead to, the price units they cost, and whether the path ends there."""

    node: int = 0
    units: int = 0
    fees: int = 0  # those paid so far, as bits
    met: int = 0  # those of every test so far, paid or not
    done: bool = False
    replaced: tuple[tuple[int, Step], ...] = ()  # what the last answer changed about steps before it


class Consultation:
    """Asks the tests of a tree one after the other.

    Parameters
    ----------
    tree : Tree
        The tree that is followed.

    Raises
    ------
    ValueError
        Where it is no tree.

    Examples
    --------
    >>> import budgetree as bt
    >>> case = bt.Consultation(bt.grow(bt.datasets.load("pima"), budget=2))
    >>> case.next_test, case.price
    ('age', 1)
    >>> case.answer(42)
    >>> case.next_test, case.spent, case.worst_case_remaining
    ('pregnant', 1, 1)
    """

    def __init__(self, tree: Tree) -> None:
        from budgetree.tree.tree import Tree  # Tree.ask makes consultations: the two know each other

        if not isinstance(tree, Tree):
            message = f"tree: expected a Tree, but got {type(tree).__name__}; a classifier's is its tree_."
            raise TreeError(message, subject="tree", found=tree)
        self.tree = tree
        # Each answer goes on from the last state, whatever is above it: nothing here is as long as the path, but for
        # lists that grow and shrink at their end.
        self._steps: list[Step] = []
        self._positions: dict[int, int] = {}  # of the step of each test that was answered
        self._row = np.full((1, len(tree.test_names)), UNSEEN, dtype=np.uint8)  # the codes so far
        self._states = [self._go_on(_State())]  # before any step, and after each

    @property
    def done(self) -> bool:
        """True when no test is left: at a leaf, where the answer is sure, or after an outcome that ends the path."""
        return self._state.done

    @property
    def next_test(self) -> str | None:
        """The test to do next; None when done."""
        return None if self.done else self.tree.test_names[self._test]

    @property
    def question(self) -> str | None:
        """What the next test is called; its name where it has no label, None when done."""
        return None if self.done else self.tree.schema.wording.tests[self._test]

    @property
    def help(self) -> str:
        """What the labels say to explain the next test; "" where they say nothing."""
        return "" if self.done else self.tree.schema.wording.test_help[self._test]

    @property
    def choices(self) -> tuple[str, ...]:
        """What the next test's outcomes are called, in the order of `outcomes`."""
        return () if self.done else self.tree.schema.wording.outcomes[self._test]

    @property
    def conclusion(self) -> str:
        """What the prediction is called."""
        return self.tree.schema.wording.answers[self.position]

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The names of the next test's outcomes; none when done."""
        return () if self.done else self.tree.schema.outcome_names[self._test]

    @property
    def expected(self) -> str:
        """What may be answered, in words; nothing when done."""
        return "" if self.done else possible_answers(self.tree.schema, self._test)

    @property
    def price(self) -> int | float:
        """What the next test costs, at its costliest outcome and with fees not yet paid; 0 when done."""
        if self.done:
            return 0
        return self._amount(self._price(self._test, UNSEEN, self._state.fees))

    @property
    def spent(self) -> int | float:
        """What the tests so far have cost."""
        return self._amount(self._state.units)

    @property
    def worst_case_remaining(self) -> int | float:
        """The most that the tests still to come can cost, whatever they show."""
        if self.done:
            return 0
        # A fee of a test that could not be done may still have to be paid for another.
        put_off = self._sum_of(self._state.met & ~self._state.fees)
        return self._amount(self.tree.worst_from[self._state.node] + put_off)

    @property
    def distribution(self) -> dict[Any, float]:
        """The probability of each class by the answers so far.

        It is the share of the class among the known cases that agree with them; in a tree with models, the model of
        what is paid says it.
        """
        return dict(zip(self.tree.class_names, self.shares.tolist(), strict=True))

    @property
    def prediction(self) -> Any:
        """The likeliest class, or what loses least; the answer when done, and the best guess before."""
        return self.tree.answer_names[self.position]

    @property
    @internal
    def position(self) -> int:
        """The position of the prediction in `answer_names`."""
        models, node = self.tree.models, self._state.node
        if models is None or models.model(node) is None:
            return int(self.tree.nodes.label[node])
        return int(self.tree.schema.loss_table.best(self.shares))

    @property
    @internal
    def shares(self) -> NDArray[np.float64]:
        """`distribution`, in the order of `class_names`."""
        return self._shares(self._state.node)

    @property
    @internal
    def node(self) -> int:
        """The number of the node where the answers lead to."""
        return self._state.node

    @property
    @internal
    def codes(self) -> dict[int, int]:
        """The outcome's code per test that was answered, in their order."""
        return {test: int(self._row[0, test]) for test in self._positions}

    @property
    @internal
    def shares_on_path(self) -> list[NDArray[np.float64]]:
        """The probabilities before any answer and after each, as the nodes on the path say them."""
        return [self.tree.nodes.shares[state.node] for state in self._states]

    @property
    def history(self) -> tuple[Step, ...]:
        """The tests done so far: a `Step` for each, with its test, value, outcome and price."""
        return tuple(self._steps)

    def answer(self, value: Any) -> None:
        """Give the next test's result.

        Parameters
        ----------
        value : object
            A raw value as in the table of known cases, an outcome's name or its label; None is a missing value. A tree
            for new cases takes a missing value wherever it comes.

        Raises
        ------
        ValueError
            Where the value stands for no outcome: the message says the possible ones, and the consultation stays where
            it is. Also where no test is left.

        Examples
        --------
        >>> import budgetree as bt
        >>> case = bt.Consultation(bt.grow(bt.datasets.load("figure1")))
        >>> case.answer("1")
        >>> case
        Consultation(1 test done, spent 1, next 't1')
        """
        self._check_open()
        if self.tree.nodes.otherwise is not None and is_missing(value):
            self._do(code_of(self.tree.schema, self._test, value), value)
        else:
            self._do(read_answer(self.tree.schema, self._test, value), value)

    def unavailable(self) -> None:
        """Say that the next test cannot be done: it is not paid, and the other tests have to answer.

        Where the tree has models, they take the result for the average one. Where the path depends on the result, the
        case goes on with the branch that most known cases took; `history` says which (`Step.assumed`).

        Raises
        ------
        ValueError
            Where no test is left.

        Examples
        --------
        >>> import budgetree as bt
        >>> case = bt.Consultation(bt.grow(bt.datasets.load("figure1")))
        >>> case.unavailable()
        >>> case.spent, case.history[0].assumed
        (0, '0')
        """
        self._check_open()
        self._do(UNSEEN, None, available=False)

    def undo(self) -> None:
        """Take the last answer back.

        Raises
        ------
        ValueError
            Where there is no answer to take back.

        Examples
        --------
        >>> import budgetree as bt
        >>> case = bt.Consultation(bt.grow(bt.datasets.load("figure1")))
        >>> case.answer("1")
        >>> case.undo()
        >>> case.spent
        0
        """
        if not self._steps:
            raise TreeError("undo: there is no answer to take back.", subject="undo")
        for position, step in reversed(self._states.pop().replaced):
            self._steps[position] = step
        test, _ = self._positions.popitem()
        self._row[0, test] = UNSEEN
        self._steps.pop()

    def fetch(self, fetch: Callable[[str], Any] | Mapping[str, Any], *, handle_unknown: HandleUnknown = "stop") -> None:
        """Do the remaining tests, looking up a raw value for each that the path needs.

        Parameters
        ----------
        fetch : callable or mapping
            `fetch(name)`, or `fetch[name]`, is the raw value of that test.
        handle_unknown : {'stop', 'error'}, default 'stop'
            A value that no known case had stops the path there; "error" refuses it instead.

        Raises
        ------
        ValueError
            Where a value is no number and numbers were learned; and what `fetch` raises passes through.

        Examples
        --------
        >>> import budgetree as bt
        >>> case = bt.Consultation(bt.grow(bt.datasets.load("pima"), budget=2))
        >>> case.answer(42)
        >>> case.fetch({"pregnant": 3})
        >>> case
        Consultation(2 tests done, spent 2, done: 'neg')
        """
        get = fetch.__getitem__ if isinstance(fetch, Mapping) else fetch
        check_handle_unknown(handle_unknown)
        while not self.done:
            value = get(self.tree.test_names[self._test])
            if handle_unknown == "error":
                self.answer(value)
            else:
                self._do(code_of(self.tree.schema, self._test, value), value)

    @property
    def _state(self) -> _State:
        return self._states[-1]

    @property
    def _test(self) -> int:
        return int(self.tree.nodes.test[self._state.node])

    def _check_open(self) -> None:
        if self.done:
            message = f"answer: no test is left; the answer is {self._concluded}. undo() takes a step back."
            raise TreeError(message, subject="answer", found=self.prediction)

    def _do(self, code: int, value: Any, *, available: bool = True) -> None:
        """One step down, and on as far as the answers are known."""
        schema, before, test = self.tree.schema, self._state, self._test
        child, assumed = self._way(before.node, code, available=available)
        price = self._price(test, code, before.fees) if available else 0
        units, fees = before.units + price, int(schema.costs.flags[test])
        outcome = label = None
        if code < schema.n_outcomes[test]:
            outcome, label = schema.outcome_names[test][code], schema.wording.outcomes[test][code]
        step = Step(
            test=schema.test_names[test],
            value=value,
            outcome=outcome,
            price=self._amount(price),
            spent=self._amount(units),
            available=available,
            assumed=assumed,
            test_label=schema.wording.tests[test],
            outcome_label=label,
            is_labelled=label != outcome and outcome_of(schema, test, str(value)) == code,
        )
        self._positions[test] = len(self._steps)
        self._steps.append(step)
        self._row[0, test] = code
        node, ends = (before.node, True) if child == NO_BRANCH else (child, False)
        fees_paid = before.fees | (fees if available else 0)
        self._states.append(self._go_on(_State(node, units, fees_paid, before.met | fees, ends)))

    def _go_on(self, state: _State) -> _State:
        """A test that the path meets again is not asked again, its answer is known."""
        nodes, node, done = self.tree.nodes, state.node, state.done
        replaced: list[tuple[int, Step]] = []
        while not done:
            test = int(nodes.test[node])
            if test == LEAF or self._is_sure(node):
                done = True
            elif test not in self._positions:
                break
            else:
                position = self._positions[test]
                step = self._steps[position]
                child, assumed = self._way(node, int(self._row[0, test]), available=step.available)
                if assumed is not None:
                    replaced.append((position, step))
                    self._steps[position] = replace(step, assumed=assumed)
                done = child == NO_BRANCH
                node = node if done else child
        return replace(state, node=node, done=done, replaced=tuple(replaced))

    def _way(self, node: int, code: int, *, available: bool) -> tuple[int, str | None]:
        """Where an answer leads from a node, and what was assumed for that."""
        return (self._child(node, code), None) if available else majority_branch(self.tree, node)

    def _child(self, node: int, code: int) -> int:
        """Where a result leads; NO_BRANCH where it ends the path."""
        nodes, child = self.tree.nodes, NO_BRANCH
        if code < self.tree.schema.n_outcomes[nodes.test[node]]:
            child = int(nodes.branches[nodes.first_branch[node] + code])
        return int(nodes.otherwise[node]) if child == NO_BRANCH and nodes.otherwise is not None else child

    def _price(self, test: int, code: int, fees: int) -> int:
        """What a test costs after these fees were paid; an outcome that is on no list costs what the costliest does."""
        table = self.tree.schema.costs
        is_listed = code < self.tree.schema.n_outcomes[test]
        own = table.amounts[test, code] if is_listed else table.costliest[test]
        return int(own) + self._sum_of(int(table.flags[test]) & ~fees)

    def _sum_of(self, fees: int) -> int:
        return sum(int(fee) for bit, fee in enumerate(self.tree.schema.costs.fees) if fees >> bit & 1)

    def _is_sure(self, node: int) -> bool:
        models = self.tree.models
        if models is None or models.sure is None or not self.tree.may_stop[node]:
            return False
        return bool(self._shares(node).max() >= models.sure)

    def _shares(self, node: int) -> NDArray[np.float64]:
        """The probability of each class at a node, by the answers so far."""
        models = self.tree.models
        if models is None or models.model(node) is None:
            return np.asarray(self.tree.nodes.shares[node])
        return np.asarray(models.probabilities(node, self._row)[0])

    def _amount(self, units: int) -> int | float:
        return self.tree.schema.costs.amount(units)

    def __repr__(self) -> str:
        at = f"next {self.question!r}" if not self.done else f"done: {self._concluded}"
        spent = self.tree.schema.wording.with_unit(str(self.spent))
        return f"Consultation({counted(len(self.history), 'test')} done, spent {spent}, {at})"

    @property
    def _concluded(self) -> str:
        """The prediction as Python writes it, or what it is called."""
        return repr(self.prediction if self.conclusion == str(self.prediction) else self.conclusion)

"""Consultation: one case, one test at a time, with what was spent and what may still come."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from budgetree.problem.tables.answers import code_of, possible_answers, read_answer
from budgetree.tree.nodes import LEAF, NO_BRANCH

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

HandleUnknown = Literal["stop", "error"]


def check_handle_unknown(handle_unknown: object) -> None:
    """An error unless it is one of the two."""
    if handle_unknown not in ("stop", "error"):
        raise ValueError(f"handle_unknown is {handle_unknown!r}; expected 'stop' or 'error'.")


@dataclass(frozen=True, slots=True)
class Step:
    """One test that was done."""

    test: str
    value: Any  # as it was answered
    outcome: str | None  # None for a value that no known case had
    price: int | float  # what it cost, fees included
    spent: int | float  # with everything before it


@dataclass(frozen=True, slots=True)
class _Answer:
    test: int
    code: int
    value: Any


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the answers so far lead to, the price units they cost, and whether the way ends there."""

    node: int
    units: int
    done: bool
    steps: tuple[Step, ...]


class Consultation:
    """Asks the tests of a tree one after the other.

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
            raise ValueError(f"tree: expected a Tree, but got {type(tree).__name__}; a classifier's is its tree_.")
        self.tree = tree
        self._answers: list[_Answer] = []
        self._place = self._walk([])

    @property
    def done(self) -> bool:
        """True when no test is left: at a leaf, or after an outcome that no known case showed here."""
        return self._place.done

    @property
    def next_test(self) -> str | None:
        """The test to do next; None when done."""
        return None if self.done else self.tree.test_names[self._test]

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
        node = self._place.node
        return self._amount(self.tree.charges.costliest[node])

    @property
    def spent(self) -> int | float:
        """What the tests so far have cost."""
        return self._amount(self._place.units)

    @property
    def worst_case_remaining(self) -> int | float:
        """The most that the tests still to come can cost, whatever they show."""
        return 0 if self.done else self._amount(self.tree.worst_from[self._place.node])

    @property
    def distribution(self) -> dict[Any, float]:
        """The share of each class among the known cases that agree with the answers so far."""
        counts = self.tree.nodes.counts[self._place.node]
        return dict(zip(self.tree.class_names, (counts / counts.sum()).tolist(), strict=True))

    @property
    def prediction(self) -> Any:
        """The most common class among them; the answer when done, and the best guess before."""
        return self.tree.class_names[self.tree.nodes.label[self._place.node]]

    @property
    def history(self) -> tuple[Step, ...]:
        """The tests done so far."""
        return self._place.steps

    def answer(self, value: Any) -> None:
        """Give the next test's result: a raw value as in the table of known cases, or an outcome's name.

        None is a missing value. A value that stands for no outcome is refused with the possible ones, and the
        consultation stays where it is.
        """
        self._check_open()
        self._do(_Answer(self._test, read_answer(self.tree.schema, self._test, value), value))

    def undo(self) -> None:
        """Take the last answer back."""
        if not self._answers:
            raise ValueError("undo: there is no answer to take back.")
        self._place = self._walk(self._answers[:-1])
        self._answers.pop()

    def fetch(self, fetch: Callable[[str], Any] | Mapping[str, Any], *, handle_unknown: HandleUnknown = "stop") -> None:
        """Do the remaining tests by calling fetch(name) for each that the path needs; see Tree.ask."""
        get = fetch.__getitem__ if isinstance(fetch, Mapping) else fetch
        check_handle_unknown(handle_unknown)
        while not self.done:
            value = get(self.tree.test_names[self._test])
            if handle_unknown == "error":
                self.answer(value)
            else:
                self._do(_Answer(self._test, code_of(self.tree.schema, self._test, value), value))

    @property
    def _test(self) -> int:
        return int(self.tree.nodes.test[self._place.node])

    def _check_open(self) -> None:
        if self.done:
            raise ValueError(f"answer: no test is left; the answer is {self.prediction!r}. undo() takes a step back.")

    def _do(self, answer: _Answer) -> None:
        answers = [*self._answers, answer]
        self._place = self._walk(answers)
        self._answers = answers

    def _walk(self, answers: list[_Answer]) -> _Place:
        """Down from the root; a test that the path meets again is not asked again, its answer is known."""
        nodes, schema, charges = self.tree.nodes, self.tree.schema, self.tree.charges
        known = {answer.test: answer for answer in answers}
        node, units = 0, 0
        steps: list[Step] = []
        while (test := int(nodes.test[node])) != LEAF:
            if test not in known:
                return _Place(node, units, False, tuple(steps))
            code, value = known[test].code, known[test].value
            seen = code < schema.n_outcomes[test]
            if not charges.repeated[node]:
                price = int(charges.price[node, code if seen else -1])
                units += price
                outcome = schema.outcome_names[test][code] if seen else None
                steps.append(Step(self.tree.test_names[test], value, outcome, self._amount(price), self._amount(units)))
            child = int(nodes.branches[nodes.first_branch[node] + code]) if seen else NO_BRANCH
            if child == NO_BRANCH:
                break
            node = child
        return _Place(node, units, True, tuple(steps))

    def _amount(self, units: int) -> int | float:
        return self.tree.schema.table.amount(units)

    def __repr__(self) -> str:
        at = f"next {self.next_test!r}" if not self.done else f"done: {self.prediction!r}"
        return f"Consultation({len(self.history)} tests done, spent {self.spent}, {at})"

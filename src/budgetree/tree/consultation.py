"""Consultation: one case, one test at a time, with what was spent and what may still come."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.data.column import is_missing
from budgetree.data.encoders import UNSEEN
from budgetree.errors import ResultError, SettingError, TreeError
from budgetree.problem import PathState
from budgetree.problem.cost_model import NotAllowedError
from budgetree.problem.labels import outcome_of
from budgetree.problem.results import code_of, possible_answers, read_answer
from budgetree.problem.units import plain_number
from budgetree.services.words import counted, no_such
from budgetree.tree.leaves import Fixed, Model, Points, Scored, class_scores, softmax
from budgetree.tree.nodes import Kind, Split

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree

HandleUnknown = Literal["stop", "error"]
OnError = Literal["raise", "unavailable"]
AVERAGE = "an average result"  # what points take a missing one for, to go on


def _check_choice(subject: str, found: object, expected: tuple[str, str]) -> None:
    if found not in expected:
        message = f"{subject} is {found!r}; expected {expected[0]!r} or {expected[1]!r}."
        raise SettingError(message, subject=subject, found=found, expected=expected)


def check_handle_unknown(handle_unknown: object) -> None:
    """An error unless it is one of the two."""
    _check_choice("handle_unknown", handle_unknown, ("stop", "error"))


class FetchOptions(TypedDict, total=False):
    """What `Consultation.fetch` and those who call it take."""

    handle_unknown: HandleUnknown
    on_error: OnError


@dataclass(frozen=True, slots=True)
class Step:
    """One test that was done.

    Attributes
    ----------
    test, test_label : str
        Its name, and what it is called.
    value : object
        As it was answered.
    outcome, outcome_label : str or None
        What the value stands for, and what that is called; None for one that no known case had.
    price, spent : number
        What it cost, with surcharges; and with everything before it.
    available : bool
        False where there is no result; it was paid only if the consultation says so (`charge_unavailable`).
    assumed : str or None
        Then, the outcomes whose branch says which tests come next, or an average result where points do; None where
        nothing depends on it, as where a model takes the average. No probability rests on it.
    known : bool
        Whether the result was known beforehand, and so was free.
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
    known: bool = False
    test_label: str = ""
    outcome_label: str | None = None
    is_labelled: bool = False


class MajorityBranch(NamedTuple):
    """The side of a branch by result on which a case without that result goes on."""

    child: int
    results: list[int]  # the outcomes that lead there
    words: str | None  # the same in words; None where nothing depends on it


def majority_branch(tree: Tree, node: int) -> MajorityBranch:
    """The child that most known cases came to; of equals the first."""
    nodes, test = tree.nodes, int(tree.nodes.test[node])
    below = nodes.below(node).tolist()
    possible = set(range(len(below)))
    lower, upper = node, int(nodes.parent[node])
    while not (nodes.is_buy[upper] and nodes.test[upper] == test):  # the test may have been branched on before
        if nodes.kind[upper] == Kind.BY_RESULT and nodes.test[upper] == test:
            possible &= set(np.flatnonzero(nodes.below(upper) == lower).tolist())
        lower, upper = upper, int(nodes.parent[upper])
    results = sorted(possible) or list(range(len(below)))
    child = max(dict.fromkeys(below[result] for result in results), key=lambda at: int(nodes.counts[at].sum()))
    leading = [result for result in results if below[result] == child]
    listed = [result for result in leading if result < len(below) - 1]
    words = " or ".join(tree.outline.names(test, listed)) or "none of the known"
    return MajorityBranch(child, listed, None if leading == results else words)


def possible_leaves(
    tree: Tree, row: NDArray[np.uint8], codes: Mapping[int, int], missing: Collection[int]
) -> list[int]:
    """The leaves that agree with the results so far; a test that is missing, or to come, may show anything."""
    nodes, found, stack = tree.nodes, list[int](), [0]
    while stack:
        node = stack.pop()
        test, below = int(nodes.test[node]), nodes.below(node).tolist()
        if nodes.is_leaf[node]:
            found.append(node)
        elif nodes.kind[node] == Kind.BY_RESULT and test in codes and test not in missing:
            stack.append(below[min(codes[test], len(below) - 1)])
        elif nodes.kind[node] == Kind.BY_TOTAL and codes.keys() >= set(nodes.splits[nodes.rule[node]].tests):
            sides = _possible_sides(nodes.splits[nodes.rule[node]], row, missing)
            stack += dict.fromkeys(below[side] for side in sides)
        else:
            stack += dict.fromkeys(below)
    return found


def _possible_sides(split: Split | Points, row: NDArray[np.uint8], missing: Collection[int]) -> range:
    """The sides that a row may go to, whatever the missing tests would have shown; a model takes the average for it."""
    assert split.totals is not None
    sums = split.totals.add_up(row)
    if isinstance(split, Split) and split.confidence is not None:
        side = 0 if softmax(class_scores(sums)).max() >= split.confidence else 1
        return range(side, side + 1)
    tables = () if isinstance(split, Split) and split.is_score else zip(split.tests, split.totals.points, strict=True)
    hidden = [points[:, 0] for test, points in tables if test in missing]
    if hidden and split.totals.trees is not None:
        return range(len(split.cuts) + 1)
    ends = [sums[0, 0] + sum(end(points) - points[-1] for points in hidden) for end in (np.min, np.max)]
    first, last = np.searchsorted(split.cuts, ends, side="right").tolist()
    return range(first, last + 1)


class _Assumed(NamedTuple):
    """What a case goes on with that has no result of a test."""

    words: str
    saved: NDArray[np.int64]  # per resource: what these results take less than the costliest


@dataclass(frozen=True, slots=True)
class _State:
    """Where the answers so far lead to and what they cost."""

    node: int
    path: PathState
    assumed: Mapping[int, _Assumed] = field(default_factory=dict)  # by test without a result, whose branch is followed
    cases: NDArray[np.float64] | None = None  # then, by class: the known cases that are still possible, in weight units
    refusal: NotAllowedError | None = None  # of the next test


class CaseCost(NamedTuple):
    """What a case has taken of a resource, the most that it may still take, and the next test alone."""

    spent: int | float
    remaining: int | float
    next: int | float


class Consultation:
    """Leads one case through a tree, test by test.

    Parameters
    ----------
    tree : Tree
        The tree that is followed.
    known : mapping, optional
        Results that are already known, by test name; they are free.
    charge_unavailable : bool, default False
        Whether a test without a result is charged, at the costliest result of the branch that is followed.

    Raises
    ------
    ValueError
        If it is not a tree, or a known result has an unknown test or outcome.

    Examples
    --------
    >>> import budgetree as bt
    >>> case = bt.Consultation(bt.grow(bt.datasets.load("pima"), budget=2))
    >>> case.next_test, case.price
    ('age', 1)
    >>> case.answer(42)
    >>> case.next_test, case.spent, case.worst_case_remaining
    ('pregnant', 1, 1)
    >>> case.undo()
    >>> case.unavailable()
    >>> case.spent, case.history[0].assumed, case.possible
    (0, '21.0 to 24.3', 753)
    >>> case.fetch({"triceps": 30})
    >>> case
    Consultation(2 tests done, spent 1, done: 'neg')
    >>> bt.Consultation(case.tree, known={"age": 42})
    Consultation(1 test done, spent 0, next 'pregnant')
    """

    def __init__(self, tree: Tree, *, known: Mapping[str, Any] | None = None, charge_unavailable: bool = False) -> None:
        from budgetree.tree.tree import Tree  # Tree.ask makes consultations: the two know each other

        if not isinstance(tree, Tree):
            message = f"tree: expected a Tree, but got {type(tree).__name__}; a classifier's is its tree_."
            raise TreeError(message, subject="tree", found=tree)
        self.tree, self.charge_unavailable, self._amount = tree, charge_unavailable, tree.schema.costs.amount
        # Each answer goes on from the last state, whatever is above it: nothing here is as long as the path, but for
        # lists that grow and shrink at their end.
        self._steps: dict[int, Step] = {}  # by test, in the order of the answers
        self._taken: dict[int, int] = {}  # what each was charged, in units
        self.row = np.full((1, len(tree.test_names)), UNSEEN, dtype=np.uint8)  # the codes so far
        names = tree.test_names
        for name in known or ():
            if name not in names:
                message = f"known: {no_such('test', str(name), names)}"
                raise SettingError(message, subject="known", found=name, expected=names)
        self._known = {names.index(name): value for name, value in (known or {}).items()}
        self._known_codes = {test: self._code(test, value) for test, value in self._known.items()}
        self.row[0, list(self._known_codes)] = list(self._known_codes.values())
        self._states = [self._go_on(_State(0, tree.schema.costs.start))]  # before any step, and after each
        self._do_known()

    @property
    def done(self) -> bool:
        """True when no test is left, or a rule forbids the next one."""
        return bool(self.tree.nodes.is_leaf[self._state.node]) or self.refusal is not None

    @property
    def refusal(self) -> NotAllowedError | None:
        """The rule that forbids the next test, as where a result that it needs is missing: the case ends there."""
        return self._state.refusal

    @property
    def next_test(self) -> str | None:
        """The test to do next; None when done."""
        return None if self.done else self.tree.test_names[self._test]

    @property
    def next_tests(self) -> tuple[str, ...]:
        """The tests that are bought next whatever they show, or all together: they may be done at the same time."""
        nodes, node, tests = self.tree.nodes, self.node, list[int]()
        unlocked = self.tree.schema.costs.unlocked(self._state.path)  # what needs another waits for it
        while nodes.is_buy[node] and unlocked[nodes.test[node]]:
            tests.append(int(nodes.test[node]))
            node = int(nodes.below(node)[0])
        return tuple(self.tree.test_names[test] for test in tests if test not in self._known)

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
        """What the next test costs, at its costliest outcome and with surcharges not yet paid; 0 when done."""
        return 0 if self.done else self._amount(int(self._charge[0].max()))

    @property
    def spent(self) -> int | float:
        """What the tests so far have cost."""
        return self._amount(self._state.path.spent[0])

    @property
    def costs(self) -> dict[str, CaseCost]:
        """By resource: what the tests so far have taken, the most that is still to come, and that of the next test."""
        resources = self.tree.schema.costs.resources
        due = [0] * len(resources) if self.done else self._charge.max(axis=1).tolist()
        amounts = zip(resources, self._state.path.spent, self._ahead, due, strict=True)
        return {of.name: CaseCost(*map(of.amount, units)) for of, *units in amounts}

    @property
    def _ahead(self) -> list[int]:
        """The most of each resource that the case can still take: over all results that go with its own."""
        nodes, costs, assumed = self.tree.nodes, self.tree.schema.costs, self._state.assumed
        if self.done:
            return [0] * len(costs.resources)
        if not (self._missing or self._known or nodes.branched_later):
            found: list[int] = nodes.worst_from[:, self.node].tolist()
            return found
        codes, later = self._known_codes | self.codes, nodes.branched_later
        # What each test without a result has saved of its charge by the branches so far.
        missing = {test: assumed[test].saved if test in assumed else self._saved(test, []) for test in self._missing}
        start = replace(costs.start, flags=self._state.path.flags)
        most, stack = [0] * len(costs.resources), [(self.node, start, missing)]
        while stack:
            node, path, saved = stack.pop()
            test, below, kind = int(nodes.test[node]), nodes.below(node).tolist(), nodes.kind[node]
            if kind == Kind.BUY and test in codes:
                shown = costs.after_result(path, test, codes[test], is_paid=False).flags
                stack.append((below[0], replace(path, flags=shown), saved))
            elif kind == Kind.LEAF or (kind == Kind.BUY and int(costs.needs[test]) & ~path.flags):
                most = list(map(max, most, path.spent))  # a case ends before a test that it may not have
            elif kind == Kind.BY_RESULT and test in saved:
                child, leading, _ = majority_branch(self.tree, node)
                now = self._saved(test, leading)
                path = replace(path, spent=tuple((np.array(path.spent) + saved[test] - now).tolist()))
                stack.append((child, path, {**saved, test: now}))
            elif kind == Kind.BY_RESULT and test in codes:
                stack.append((below[min(codes[test], len(below) - 1)], path, saved))
            else:
                if kind == Kind.BY_TOTAL:
                    sides = self._sides_ahead(nodes.splits[nodes.rule[node]], codes)
                    below = [below[side] for side in sides]
                for child in set(below):
                    state = nodes.state_below(node, child, path, costs)
                    if state.is_possible:  # and what the path may need again
                        results = state.results if kind == Kind.BUY else (r for r in state.results if r[0] in later)
                        stack.append((child, replace(state, results=tuple(results)), saved))
        return most

    def _sides_ahead(self, split: Split, codes: Mapping[int, int]) -> range:
        """The sides that the case may go to: of points, and where all is known, as what was known beforehand says."""
        unknown, is_points = set(split.tests) - codes.keys(), split.confidence is None and not split.is_score
        if self._known.keys() & set(split.tests) and (is_points or not unknown):
            return _possible_sides(split, self.row, unknown)
        return range(split.n_sides)

    @property
    def worst_case_remaining(self) -> int | float:
        """The most that the tests still to come can cost, whatever they show."""
        return self._amount(self._ahead[0])

    @property
    def distribution(self) -> dict[Any, float]:
        """The probability of each class by the answers so far.

        It is the share of the class among the known cases that agree with them, or what the points or the model of what
        is paid say. Where the path depends on a test without a result, it is the share among the cases of every leaf
        that is still possible.
        """
        return dict(zip(self.tree.class_names, self.shares.tolist(), strict=True))

    @property
    def possible(self) -> int | float:
        """How many known cases agree with the answers so far, by weight: those of every leaf still possible."""
        cases = self._state.cases
        units = int(self.tree.nodes.counts[self.node].sum()) if cases is None else round(cases.sum())
        return plain_number(self.tree.schema.cases(units))

    @property
    def prediction(self) -> Any:
        """The likeliest class, or what loses least; the answer when done, and the best guess before."""
        return self.tree.answer_names[self.position]

    @property
    @internal
    def position(self) -> int:
        """The position of the prediction in `answer_names`."""
        rule, table = self.rule, self.tree.schema.loss_table
        if rule is None and self._state.cases is None:
            return int(self.tree.nodes.label[self.node])
        if isinstance(rule, Model) and table.is_plain:
            return int(class_scores(rule.totals.add_up(self.row)).argmax())  # of equal ones the first
        return int(table.best(self.shares))

    @property
    @internal
    def shares(self) -> NDArray[np.float64]:
        """`distribution`, in the order of `class_names`."""
        rule = self.rule
        if rule is None:
            return self._shares_of(self._state)
        return np.asarray(rule.probabilities(rule.totals.add_up(self.row))[0])

    @property
    @internal
    def rule(self) -> Scored | None:
        """What adds up totals here: that of a leaf, or the model that was not sure enough to stop; None for neither."""
        nodes, node = self.tree.nodes, self.node
        if self._state.cases is not None:
            return None
        if nodes.is_leaf[node]:
            return nodes.scored(node)
        while (node := int(nodes.parent[node])) >= 0 and not nodes.is_buy[node]:
            if (rule := nodes.adds_up(node)) is not None:
                return rule
        return None

    @property
    @internal
    def is_early(self) -> bool:
        """Whether it is done because a model was sure enough."""
        nodes, above = self.tree.nodes, int(self.tree.nodes.parent[self.node])
        if not self.done or self._state.cases is not None or above < 0 or nodes.kind[above] != Kind.BY_TOTAL:
            return False
        split, below = nodes.splits[nodes.rule[above]], nodes.below(above)
        if split.confidence is not None:
            return bool(below[0] == self.node)
        return split.is_score and not nodes.is_leaf[below].all()

    @property
    @internal
    def node(self) -> int:
        """The number of the node where the answers lead to."""
        return self._state.node

    @property
    @internal
    def codes(self) -> dict[int, int]:
        """The outcome's code per test that was answered, in their order."""
        return {test: int(self.row[0, test]) for test in self._steps}

    @property
    @internal
    def shares_on_path(self) -> list[NDArray[np.float64]]:
        """The probabilities before any answer and after each, as the nodes on the path say them."""
        return [self._shares_of(state) for state in self._states]

    def _shares_of(self, state: _State) -> NDArray[np.float64]:
        """How likely each class is, as far as the known cases say it."""
        if state.cases is not None and state.cases.any():
            return np.asarray(state.cases / state.cases.sum())
        return np.asarray(self.tree.nodes.shares[state.node])

    @property
    def _missing(self) -> set[int]:
        return {test for test, step in self._steps.items() if not step.available}

    @property
    def history(self) -> tuple[Step, ...]:
        """The tests done so far: a `Step` for each, with its test, value, outcome and price."""
        steps, spent, assumed = [], 0, self._state.assumed
        for test, step in self._steps.items():
            words, saved = assumed.get(test, (None, (0,)))
            price = self._taken[test] - int(saved[0])
            spent += price
            steps.append(replace(step, assumed=words, price=self._amount(price), spent=self._amount(spent)))
        return tuple(steps)

    def answer(self, value: Any, *, insist: bool = False) -> None:
        """Give the next test's result.

        Parameters
        ----------
        value : object
            A raw value as in the table of known cases, an outcome's name or its label; None is a missing value. A tree
            for new cases takes a missing value wherever it comes.
        insist : bool, default False
            Take a category that no known case had, and a number far beyond the known ones, as `predict` does.

        Raises
        ------
        ValueError
            Where the value stands for no outcome, or is a number beyond the known range by more than a tenth of it: the
            message says what is possible, and the consultation stays where it is. Also where no test is left.
        """
        self._check_open()
        self._do(self._code(self._test, value, insist=insist), value)

    def _code(self, test: int, value: Any, *, insist: bool = False) -> int:
        """The outcome that a person means."""
        schema = self.tree.schema
        if self.tree.nodes.rules and is_missing(value):
            return code_of(schema, test, value)
        try:
            return read_answer(schema, test, value, any_number=insist)
        except ResultError:
            if not insist or (code := code_of(schema, test, value)) != UNSEEN:
                raise
            return code

    def unavailable(self) -> None:
        """Say that the next test has no result: the other tests have to answer.

        It is not paid, unless `charge_unavailable` was given. Where the path depends on the result, every leaf that it
        could lead to stays possible: probabilities are shares of the known cases of all of these. The next tests are
        those of the branch that most known cases took, or of an average result where points decide; `history` says
        which (`Step.assumed`). Models take it for the average one.

        Raises
        ------
        ValueError
            Where no test is left.
        """
        self._check_open()
        self._do(UNSEEN, None, available=False)

    def undo(self) -> None:
        """Take the last answer back; results known beforehand stay.

        Raises
        ------
        ValueError
            Where there is no answer to take back.
        """
        if all(step.known for step in self._steps.values()):
            raise TreeError("undo: there is no answer to take back.", subject="undo")
        is_known = True
        while is_known:
            test, step = self._steps.popitem()
            self._states.pop()
            self.row[0, test], is_known = self._known_codes.get(test, UNSEEN), step.known

    def fetch(
        self,
        fetch: Callable[[str], Any] | Mapping[str, Any],
        *,
        handle_unknown: HandleUnknown = "stop",
        on_error: OnError = "raise",
    ) -> None:
        """Do the remaining tests, looking up a raw value for each that the path needs.

        Parameters
        ----------
        fetch : callable or mapping
            `fetch(name)`, or `fetch[name]`, is the raw value of that test.
        handle_unknown : {'stop', 'error'}, default 'stop'
            A value that is not listed goes where the tree sends it, as in `predict`; "error" refuses it instead.
        on_error : {'raise', 'unavailable'}, default 'raise'
            What `fetch` raises passes through, and the case can go on from there; or the test is not available.

        Raises
        ------
        ValueError
            Where a value is not a number and numbers were learned.
        """
        get = fetch.__getitem__ if isinstance(fetch, Mapping) else fetch
        check_handle_unknown(handle_unknown)
        _check_choice("on_error", on_error, ("raise", "unavailable"))
        while not self.done:
            try:
                value = get(self.tree.test_names[self._test])
            except Exception as error:
                self._failed(error, on_error)
            else:
                self._do_fetched(value, handle_unknown)

    @internal
    async def fetch_async(
        self,
        fetch: Callable[[str], Awaitable[Any]],
        *,
        handle_unknown: HandleUnknown = "stop",
        on_error: OnError = "raise",
    ) -> None:
        """The same, with `next_tests` awaited together."""
        check_handle_unknown(handle_unknown)
        _check_choice("on_error", on_error, ("raise", "unavailable"))
        while not self.done:
            for value in await asyncio.gather(*map(fetch, self.next_tests), return_exceptions=True):
                if isinstance(value, BaseException):
                    self._failed(value, on_error)
                else:
                    self._do_fetched(value, handle_unknown)

    def _failed(self, error: BaseException, on_error: OnError) -> None:
        if on_error == "raise" or not isinstance(error, Exception):
            raise error
        self.unavailable()

    def _do_fetched(self, value: Any, handle_unknown: HandleUnknown) -> None:
        is_stopped = handle_unknown == "stop" or (self.tree.nodes.rules and is_missing(value))
        read = code_of if is_stopped else partial(read_answer, any_number=True)
        self._do(read(self.tree.schema, self._test, value), value)

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

    @property
    def _charge(self) -> NDArray[np.int64]:
        """Per resource, what the next test takes by outcome, and last where it is not listed."""
        return self.tree.schema.costs.charge(self._state.path, self._test)

    def _do(self, code: int, value: Any, *, available: bool = True) -> None:
        """One step down, and on as far as the answers are known."""
        self._take(code, value, available=available)
        self._do_known()

    def _do_known(self) -> None:
        while not self.done and self._test in self._known:
            self._take(self._known_codes[self._test], self._known[self._test], known=True)

    def _take(self, code: int, value: Any, *, available: bool = True, known: bool = False) -> None:
        schema, before, test = self.tree.schema, self._state, self._test
        n_outcomes, path = int(schema.n_outcomes[test]), before.path
        if known or available or self.charge_unavailable:
            path = schema.costs.after_result(path, test, code if available else None, is_paid=not known)
        outcome = label = None
        if code < n_outcomes:
            outcome, label = schema.outcome_names[test][code], schema.wording.outcomes[test][code]
        self._steps[test] = Step(
            test=schema.test_names[test],
            value=value,
            outcome=outcome,
            price=0,
            spent=0,
            available=available,
            known=known,
            test_label=schema.wording.tests[test],
            outcome_label=label,
            is_labelled=label != outcome and outcome_of(schema, test, str(value)) == code,
        )
        self.row[0, test], self._taken[test] = code, path.spent[0] - before.path.spent[0]
        child = int(self.tree.nodes.below(before.node)[0])
        self._states.append(self._go_on(_State(child, path, before.assumed)))

    def _go_on(self, state: _State) -> _State:
        """Through branches, which ask for nothing, to the next purchase or a leaf."""
        nodes, node, path, assumed = self.tree.nodes, state.node, state.path, state.assumed
        while nodes.kind[node] in (Kind.BY_RESULT, Kind.BY_TOTAL):
            test = int(nodes.test[node])
            if nodes.kind[node] == Kind.BY_RESULT and not self._steps[test].available:
                node, results, words = majority_branch(self.tree, node)
                if words is not None:
                    now = _Assumed(words, self._saved(test, results))
                    less = now.saved - (assumed[test].saved if test in assumed else 0)
                    path = replace(path, spent=tuple((np.array(path.spent) - less).tolist()))
                    assumed = {**assumed, test: now}
            elif nodes.kind[node] == Kind.BY_RESULT:
                node = int(nodes.below(node)[min(int(self.row[0, test]), int(nodes.n_outcomes[test]))])
            else:
                split = nodes.splits[nodes.rule[node]]
                assumed = self._averaged(split, assumed)
                node = int(nodes.below(node)[_possible_sides(split, self.row, ())[0]])
        if isinstance(rule := nodes.rule_of(node), Points):
            assumed = self._averaged(rule, assumed)
        refusal, test = None, int(nodes.test[node])
        if nodes.is_buy[node] and test not in self._known and not self.tree.schema.costs.is_plain:
            refusal = self.tree.schema.costs.refusal(path, test)
        return _State(node, path, assumed, self._cases() if assumed else None, refusal)

    def _averaged(self, split: Split | Points, assumed: Mapping[int, _Assumed]) -> Mapping[int, _Assumed]:
        """With the missing tests that decide there where a case goes on, or its answer."""
        missing = self._missing & set(split.tests)
        if len(_possible_sides(split, self.row, missing)) == 1:
            return assumed
        nothing = np.zeros(len(self.tree.schema.costs.resources), dtype=np.int64)
        return {**dict.fromkeys(missing, _Assumed(AVERAGE, nothing)), **assumed}

    def _saved(self, test: int, results: list[int]) -> NDArray[np.int64]:
        """Per resource, what a test that is charged without a result takes less if it is one of these."""
        amounts = self.tree.schema.costs.amounts[:, test]
        saved = amounts.max(axis=1) - amounts[:, results or slice(None)].max(axis=1)
        return np.asarray(saved if self.charge_unavailable else np.zeros_like(saved))

    def _cases(self) -> NDArray[np.float64]:
        """By class, the known cases of every leaf that is still possible; by its own rule where it has one."""
        nodes, codes = self.tree.nodes, self._known_codes | self.codes
        cases = np.zeros(nodes.counts.shape[1])
        for leaf in possible_leaves(self.tree, self.row, codes, self._missing):
            counts, rule = nodes.counts[leaf], nodes.rule_of(leaf)
            if isinstance(rule, Points) and codes.keys() >= set(rule.tests):
                sides = _possible_sides(rule, self.row, self._missing)
                cases += counts.sum() * np.array(rule.chances)[sides].mean(axis=0)
            elif isinstance(rule, Model) and codes.keys() >= set(rule.tests):
                cases += counts.sum() * rule.probabilities(rule.totals.add_up(self.row))[0]
            else:
                cases += counts.sum() * np.array(rule.chances) if isinstance(rule, Fixed) else counts
        return cases

    def __repr__(self) -> str:
        at = f"next {self.question!r}" if not self.done else f"done: {self._concluded}"
        spent = self.tree.schema.wording.amounts([cost.spent for cost in self.costs.values()])
        return f"Consultation({counted(len(self.history), 'test')} done, spent {spent}, {at})"

    @property
    def _concluded(self) -> str:
        """The prediction as Python writes it, or what it is called."""
        return repr(self.prediction if self.conclusion == str(self.prediction) else self.conclusion)

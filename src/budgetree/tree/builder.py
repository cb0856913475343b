"""TreeBuilder: makes a tree from its root down. Every learner builds through it, so no tree can break a rule."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.errors import TreeError
from budgetree.problem import Instance, PathState, Schema
from budgetree.problem.cost_model import mask_of
from budgetree.tree.leaves import Fixed, Leaf, Majority, Model, Points, is_whole, unfit
from budgetree.tree.nodes import NO_RULE, NO_TEST, Branch, Buy, Kind, Nodes, Split
from budgetree.tree.provenance import Origin
from budgetree.tree.walk import walk_codes

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree


@dataclass(slots=True, eq=False)
class Facts:
    """What known cases did at a node, where that is not counted but taken from another tree."""

    counts: NDArray[np.int64]
    shown: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # of a buy
    given: NDArray[np.int64] | None = None  # of a leaf with scores, or a branch by a model
    fallback: bool = False


@dataclass(slots=True, eq=False)
class OpenEnd:
    """Where something must still be put: a purchase, a branch or a leaf. Then it is that node."""

    number: int
    state: PathState  # what a case has bought and spent when it comes there
    facts: Facts = field(repr=False)  # at first, that no known case comes there
    step: int | Split | Leaf | None = field(default=None, repr=False)  # the test that is bought, how it branches, …
    children: list[OpenEnd] = field(default_factory=list, repr=False)  # per side

    @property
    def kind(self) -> Kind:
        """What it does."""
        if isinstance(self.step, Split):
            return Kind.BY_RESULT if self.step.totals is None else Kind.BY_TOTAL
        return Kind.BUY if isinstance(self.step, int) else Kind.LEAF


class TreeBuilder:
    """Builds a tree from its root down: buy a test, branch on what was bought, or answer.

    Parameters
    ----------
    cases : Instance or Schema
        The known cases, which are counted at every node when the tree is built; or only their schema.
    budget : number, optional
        The most that a case may cost.

    Attributes
    ----------
    root : OpenEnd
        Where to begin.

    Raises
    ------
    ValueError
        If the budget is not valid.

    Examples
    --------
    >>> import budgetree as bt
    >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"), budget=1)
    >>> builder.allowed(builder.root)
    [0, 1]
    >>> low, high, unlisted = builder.branch(builder.buy(builder.root, "t1"), "t1")
    >>> low.state.spent, builder.allowed(low)
    ((1,), [])
    >>> builder.leaf(low, bt.Fixed((0.7, 0.3)))
    >>> builder.leaf(high)
    >>> builder.leaf(unlisted)
    >>> builder.build()
    Tree(60 cases, 2 leaves; worst case 1, mean 1; 10 errors (16.7%))
    """

    def __init__(self, cases: Instance | Schema, *, budget: Any = None) -> None:
        self.schema = cases if isinstance(cases, Schema) else cases.schema
        self._cases = None if isinstance(cases, Schema) else cases
        self._costs = self.schema.costs.within(budget)
        self._ends: list[OpenEnd] = []
        self.root = self._open(self._costs.start)

    def allowed(self, end: OpenEnd) -> list[int]:
        """The positions of the tests that may be bought there: within the budget, and not bought before.

        Parameters
        ----------
        end : OpenEnd
            Where.
        """
        self._check_own(end)
        return [int(test) for test in self._costs.allowed(end.state)]

    def buy(self, end: OpenEnd, test: int | str) -> OpenEnd:
        """Pay for a test and all that is bought with it, whose results are known where cases go on, whatever they show.

        Parameters
        ----------
        end : OpenEnd
            Where.
        test : int or str
            Its position or its name.

        Raises
        ------
        NotAllowedError
            Where a rule forbids it: the budget or another limit, the order, or the test was bought before.
        TreeError
            Where there is no such test, or the end is of another builder.
        """
        self._check_own(end)
        number = self._test(test)
        for each in self._costs.given_by(number) if number not in end.state.tests else (number,):
            end = self.buy_alone(end, each)
        return end

    @internal
    def buy_alone(self, end: OpenEnd, test: int) -> OpenEnd:
        """The same for this test alone; what is bought with it must come next."""
        test = self._test(test)
        if (refusal := self._costs.refusal(end.state, test)) is not None:
            raise refusal
        self._check_complete(end, test)
        return self._close(end, test, [self._costs.after_buying(end.state, test)])[0]

    @internal
    def buy_all(self, end: OpenEnd, test: int) -> OpenEnd:
        """A test with all that must come before it, unless it was bought."""
        for each in self._costs.bundle(end.state, test) or ((test,) if test not in end.state.tests else ()):
            end = self.buy_alone(end, each)
        return end

    @internal
    def begin(self) -> OpenEnd:
        """The root, once all is bought that every path begins with."""
        end = self.root
        while (due := self._costs.missing(end.state)) is not None:
            end = self.buy_alone(end, due)
        return end

    @internal
    def must_go_on(self, end: OpenEnd) -> bool:
        """Whether no leaf may be put there, because more must be bought first."""
        return self._costs.missing(end.state) is not None

    def branch(self, end: OpenEnd, split: Split | int | str) -> list[OpenEnd]:
        """Send cases different ways, one end per side, by what was bought; it costs nothing.

        Parameters
        ----------
        end : OpenEnd
            Where.
        split : Split, int or str
            How; a test by its position or name has a side for each outcome, and one for results that are not listed.

        Raises
        ------
        TreeError
            Where the split reads a test that was not bought, or does not fit its outcomes or the classes.
        """
        self._check_own(end)
        if not isinstance(split, Split):
            number = self._test(split)
            split = Split.by_result(number, range(int(self.schema.n_outcomes[number]) + 1))
        self._check_step(end, split)
        states = [end.state] * split.n_sides
        if split.totals is None:
            masks = (mask_of(at == side for at in split.sides) for side in range(split.n_sides))
            states = [self._costs.after_seeing(end.state, split.test, mask) for mask in masks]
        return self._close(end, split, states)

    def leaf(self, end: OpenEnd, rule: Leaf | None = None) -> None:
        """Answer.

        Parameters
        ----------
        end : OpenEnd
            Where.
        rule : Majority, Fixed, Points or Model, optional
            By what; by default the known cases that come there decide.

        Raises
        ------
        TreeError
            Where the rule reads a test that was not bought, or does not fit the classes.
        """
        self._check_own(end)
        rule = Majority() if rule is None else rule
        if not isinstance(rule, Leaf):
            raise unfit("leaf", rule, "Majority, Fixed, Points or Model")
        self._check_step(end, rule)
        self._close(end, rule)

    @internal
    def add_grown(self, end: OpenEnd, grown: Nodes) -> None:
        """Put a tree there that splits by one test at a time; what no known case showed ends in a leaf of its own."""
        for above in self._ends[: end.number]:  # what was bought before, as far as the tree tells its results apart
            if isinstance(above.step, int):
                above.facts = facts = self._bought(grown.counts[0], above.step)
                for node in np.flatnonzero(grown.is_buy & (grown.test == above.step)).tolist():
                    shown = grown.shown[grown.results(node)]
                    facts.shown += shown
                    facts.shown[-1] -= shown.sum()
        self.add_nodes(end, grown)

    @internal
    def add_nodes(
        self,
        root: OpenEnd,
        nodes: Nodes,
        *,
        leaves: Mapping[int, Leaf] | None = None,  # what nodes become that are to be leaves
        leave_out: int = -1,
    ) -> OpenEnd | None:
        """Put a tree there, with what known cases did in it; the end that took the place of `leave_out`."""
        left_out, ends = None, deque([(0, root)])
        while ends:  # not by recursion: a tree may be deep
            node, end = ends.popleft()
            if node == leave_out:
                left_out = end
                continue
            record, leaf = nodes[node], None if self.must_go_on(end) else (leaves or {}).get(node)
            facts = Facts(nodes.counts[node], given=nodes.given.get(node), fallback=bool(nodes.fallback[node]))
            if leaf is not None:
                self.leaf(end, leaf)
                facts = replace(facts, fallback=False, given=facts.given if isinstance(leaf, Model) else None)
            elif isinstance(record, Buy):
                if record.test in end.state.tests:  # as a tree that is put into another may ask again
                    ends.append((record.child, end))
                    continue
                # A grown tree has the test alone that it branches on: what is bought with it is added.
                is_alone = nodes.is_buy[record.child] or self.must_go_on(end)
                for each in (record.test,) if is_alone else self._costs.given_by(record.test):
                    is_own = each == record.test
                    self.note(end, replace(facts, shown=record.shown) if is_own else self._bought(facts.counts, each))
                    end = self.buy_alone(end, each)
                ends.append((record.child, end))
                continue
            elif isinstance(record, Branch):
                ends.extend(zip(record.children, self.branch(end, record.split), strict=True))
            else:
                self.leaf(end, Majority() if isinstance(record, Majority) else record)
            self.note(end, facts)
        return left_out

    def _bought(self, counts: NDArray[np.int64], test: int) -> Facts:
        """Of a purchase whose results are not counted: as if none were listed."""
        shown = np.zeros(int(self.schema.n_outcomes[test]) + 1, dtype=np.int64)
        shown[-1] = counts.sum()
        return Facts(counts, shown)

    def build(self, *, origin: Origin | None = None, n_cases: int | None = None, **record: Any) -> Tree:
        """The tree, in which the known cases are counted; every open end must have become something.

        Parameters
        ----------
        origin : Origin, optional
            What made it.
        n_cases : int, optional
            How many known cases there are; by default those that were given to the builder.
        **record
            What else a Tree keeps: `bounds`, `estimate`, `ended`.

        Raises
        ------
        TreeError
            Where an end is open, or `n_cases` is not a number of cases.
        """
        from budgetree.tree.tree import Tree

        for end in self._ends:
            if end.step is None:
                message = f"build: node {end.number} is open; buy a test, branch, or make it a leaf."
                raise TreeError(message, subject="build", found=end.number)
        nodes = self._of_steps()
        if n_cases is None:
            n_cases = 0 if self._cases is None else self._cases.n_objects
        if not is_whole(n_cases) or n_cases < 0 or (n_cases > 0 and not nodes.counts[0].any()):
            raise unfit("n_cases", n_cases, "a whole number from 0 on, and 0 where no known case was counted")
        return Tree(self.schema, nodes, n_cases, origin or Origin(), **record)

    @internal
    def note(self, end: OpenEnd, facts: Facts) -> None:
        """What known cases did at a node, instead of counting them when the tree is built."""
        self._check_own(end)
        end.facts = facts

    def _open(self, state: PathState) -> OpenEnd:
        nothing = Facts(np.zeros(len(self.schema.class_names), dtype=np.int64))
        self._ends.append(OpenEnd(len(self._ends), state, nothing))
        return self._ends[-1]

    def _check_own(self, end: OpenEnd) -> None:
        if not (isinstance(end, OpenEnd) and end.number < len(self._ends) and self._ends[end.number] is end):
            raise unfit("end", end, "an open end that this builder has returned")

    def _close(self, end: OpenEnd, step: int | Split | Leaf, states: Sequence[PathState] = ()) -> list[OpenEnd]:
        self._check_own(end)
        if end.step is not None:
            message = f"node {end.number} was built before; an open end is used once."
            raise TreeError(message, subject="end", found=end.number)
        end.step, end.children = step, [self._open(state) for state in states]
        return end.children

    def _test(self, test: int | str) -> int:
        names = self.schema.test_names
        number = names.index(test) if isinstance(test, str) and test in names else test
        if not is_whole(number) or not 0 <= int(number) < len(names):
            message = f"there is no test {test!r}; expected a name or a position from 0 to {len(names) - 1}."
            raise TreeError(message, subject="test", found=test, expected=names)
        return int(number)

    def _check_complete(self, end: OpenEnd, test: int | None = None) -> None:
        """An error where a path goes on without what it must buy next."""
        due = self._costs.missing(end.state)
        if due is not None and due != test:
            name = self.schema.test_names[due]
            message = f"test {name!r} is missing here: {self._costs.duty(due)}. Buy it first."
            raise TreeError(message, subject="test", expected=name)

    def _check_step(self, end: OpenEnd, step: Split | Leaf) -> None:
        """An error where a branch or a leaf reads what was not bought, or does not fit the outcomes or the classes."""
        schema, what = self.schema, "branch" if isinstance(step, Split) else "leaf"
        for test in step.tests:
            if test not in end.state.tests:
                name = schema.test_names[self._test(test)]
                message = f"{what}: test {name!r} was not bought on this path; buy it first."
                raise TreeError(message, subject=what, found=name, expected=end.state.tests)
        totals = None if isinstance(step, (Majority, Fixed)) else step.totals
        for test, table in () if totals is None else zip(totals.tests, totals.points, strict=True):
            found, expected = len(table), int(schema.n_outcomes[test]) + 1
            if found != expected:
                name = schema.test_names[test]
                message = f"points: test {name!r} has {found}; expected {expected}, the last for an unlisted result."
                raise TreeError(message, subject="points", found=found, expected=expected)
        n_classes, n_answers = len(schema.class_names), len(schema.answer_names)
        if totals is None and isinstance(step, Split):
            n_results, sides = int(schema.n_outcomes[step.test]) + 1, set(step.sides)
            if len(step.sides) != n_results or sides != set(range(len(sides))):
                name = schema.test_names[step.test]
                wanted = f"{n_results} sides from 0 on, one for each outcome and one for a result that is not listed"
                message = f"branch: test {name!r} has the sides {step.sides}; expected {wanted}."
                raise TreeError(message, subject="sides", found=step.sides, expected=n_results)
        elif totals is not None and (isinstance(step, Model) or (isinstance(step, Split) and step.model is not None)):
            # A score per class; of two classes a single one is enough, and of one there is nothing to say.
            if not (totals.n_totals == n_classes > 1 or (totals.n_totals, n_classes) == (1, 2)):
                wanted = f"one for each of {n_classes} classes" if n_classes > 1 else "at least two classes for a model"
                message = f"{what}: there are {totals.n_totals} scores; expected {wanted}."
                raise TreeError(message, subject=what, found=totals.n_totals, expected=n_classes)
        elif isinstance(step, (Fixed, Points)):
            width = len(step.chances[0] if isinstance(step, Points) else step.chances)
            if width != n_classes:
                message = f"leaf: there are {width} chances; expected one for each of {n_classes} classes."
                raise TreeError(message, subject="leaf", found=width, expected=n_classes)
        if isinstance(step, Fixed) and step.answer is not None and not 0 <= step.answer < n_answers:
            raise unfit("answer", step.answer, f"a position from 0 to {n_answers - 1}")
        self._check_complete(end)

    def _of_steps(self) -> Nodes:
        """The nodes as arrays; then the known cases go through them."""
        built = [self.root]
        for end in built:  # breadth first; grows while it is read
            built += end.children
        renumbered = {end.number: index for index, end in enumerate(built)}
        children, splits, rules = list[int](), list[Split](), list[Fixed | Points | Model]()
        charges, shown = [np.zeros((len(self._costs.resources), 0), dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        given = dict[int, NDArray[np.int64]]()
        tests, rule = [NO_TEST] * len(built), [NO_RULE] * len(built)
        for number, node in enumerate(built):
            step, sides, facts = node.step, list(range(len(node.children))), node.facts
            if isinstance(step, int):
                tests[number] = step
                charges.append(self._costs.charge(node.state, step))
                shown.append(facts.shown if facts.shown.size else np.zeros(charges[-1].shape[1], dtype=np.int64))
            elif isinstance(step, Split) and step.totals is None:
                tests[number], sides = step.test, list(step.sides)
            elif isinstance(step, Split):
                rule[number] = len(splits)
                splits.append(step)
            elif isinstance(step, (Fixed, Points, Model)):
                rules += [] if step in rules else [step]
                rule[number] = rules.index(step)
            if isinstance(step, (Points, Model)) or (isinstance(step, Split) and step.model is not None):
                none = np.zeros((len(self.schema.answer_names), len(facts.counts)), dtype=np.int64)
                given[number] = none if facts.given is None else facts.given
            children += [renumbered[node.children[side].number] for side in sides]
        states, charge = [node.state for node in built], np.column_stack(charges)
        spent = np.array([[each * state.is_possible for each in state.spent] for state in states], dtype=np.int64).T
        nodes = Nodes(
            kind=np.array([node.kind for node in built], dtype=np.uint8),
            test=np.array(tests, dtype=np.int32),
            children=np.array(children, dtype=np.int32),
            all_charges=np.ascontiguousarray(charge),
            shown=np.concatenate(shown, dtype=np.int64),
            rule=np.array(rule, dtype=np.int32),
            counts=np.array([node.facts.counts for node in built]),
            all_spent=spent,
            known_spent=spent[0],
            fallback=np.array([node.facts.fallback for node in built]),
            n_outcomes=self.schema.n_outcomes,
            loss_table=self.schema.loss_table,
            splits=tuple(splits),
            rules=tuple(rules),
            given=given,
        )
        if self._cases is not None:
            nodes = _counted(nodes, self._cases)
        return replace(nodes, known_spent=_known_spent(nodes, self.schema))


def grown_tree(schema: Schema, grown: Nodes, n_cases: int, origin: Origin, **record: Any) -> Tree:
    """The tree that a learner has grown."""
    from budgetree.tree.tree import Tree

    if not schema.costs.has_duties:
        return Tree(schema, grown, n_cases, origin, **record)
    builder = TreeBuilder(schema)
    builder.add_grown(builder.begin(), grown)
    return builder.build(origin=origin, n_cases=n_cases, **record)


def _counted(nodes: Nodes, cases: Instance) -> Nodes:
    """The nodes with what the known cases do there."""
    codes, labels, weights = cases.codes, cases.labels, cases.weight_units
    leaf = walk_codes(nodes, cases.schema, codes).leaf
    rows = {int(node): np.flatnonzero(leaf == node) for node in np.flatnonzero(nodes.is_leaf)}
    counts, shown, given = np.zeros_like(nodes.counts), np.zeros_like(nodes.shown), dict[int, NDArray[np.int64]]()
    for node in range(len(nodes) - 1, -1, -1):  # children come after their parents
        if not nodes.is_leaf[node]:
            rows[node] = np.concatenate([rows[child] for child in dict.fromkeys(nodes.below(node).tolist())])
        here = rows[node]
        np.add.at(counts[node], labels[here], weights[here])
        if nodes.is_buy[node]:
            own = shown[nodes.results(node)]
            np.add.at(own, np.minimum(codes[here, nodes.test[node]], len(own) - 1), weights[here])
        if (rule := nodes.adds_up(node)) is not None:
            answers = nodes.loss_table.best(rule.probabilities(rule.totals.add_up(codes[here])))
            given[node] = np.zeros_like(nodes.given[node])
            np.add.at(given[node], (answers, labels[here]), weights[here])
    return replace(nodes, counts=counts, shown=shown, given=given)


def _known_spent(nodes: Nodes, schema: Schema) -> NDArray[np.int64]:
    """Per node, the most that known cases can have spent on arrival, by the results that they showed."""
    costs, reached, spent = schema.costs, nodes.counts.any(axis=1), nodes.spent
    if costs.depends_on_outcome:
        states = [costs.start] * len(nodes)
        for node in range(len(nodes)):
            for child in dict.fromkeys(nodes.below(node).tolist()):
                states[child] = nodes.state_below(node, child, states[node], costs)
                if nodes.is_buy[node]:
                    seen = mask_of(nodes.shown[nodes.results(node)])
                    states[child] = costs.after_seeing(states[child], int(nodes.test[node]), seen)
        spent = np.array([state.spent[0] for state in states], dtype=np.int64)
    return np.where(reached, spent, 0)

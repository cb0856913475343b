"""TreeBuilder: makes a tree from its root down. Every learner builds through it, so no tree can break a rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from budgetree._internal import internal
from budgetree.errors import TreeError
from budgetree.problem import Instance, PathState, Schema, check_codes
from budgetree.problem.cost_model import mask_of
from budgetree.tree.grown import NO_BRANCH, Grown
from budgetree.tree.leaves import Fixed, Leaf, Majority, Model, Points, Totals, is_whole, unfit
from budgetree.tree.nodes import NO_RULE, NO_TEST, Kind, Nodes, Split
from budgetree.tree.provenance import Origin

if TYPE_CHECKING:
    from budgetree.tree.tree import Tree


@dataclass(frozen=True, slots=True)
class OpenEnd:
    """A place of a tree in the making where something must still be put: a purchase, a branch or a leaf.

    Attributes
    ----------
    number : int
        The node that it will be.
    state : PathState
        What a case has bought and spent when it comes there.
    """

    number: int
    state: PathState


@dataclass(slots=True, eq=False)
class Facts:
    """What known cases did at a node, where that is not counted but taken from another tree."""

    counts: NDArray[np.int64]
    shown: NDArray[np.int64] | None = None  # of a buy
    given: NDArray[np.int64] | None = None  # of a leaf with scores, or a branch by a model
    fallback: bool = False


@dataclass(slots=True, eq=False)
class _Node:
    parent: int
    end: OpenEnd
    kind: Kind | None = None
    test: int = NO_TEST
    split: Split | None = None
    rule: Leaf | None = None
    children: list[int] = field(default_factory=list)  # per side
    charge: NDArray[np.int64] | None = None
    facts: Facts | None = None


class TreeBuilder:
    """Builds a tree from its root down: buy a test, branch on what was bought, or answer.

    Parameters
    ----------
    cases : Instance or Schema
        The known cases, which are counted at every node when the tree is built; or only what their codes mean.
    budget : number, optional
        What no case may exceed.

    Attributes
    ----------
    root : OpenEnd
        Where to begin.

    Raises
    ------
    ValueError
        Where the budget is not one.

    Examples
    --------
    >>> import budgetree as bt
    >>> cases = bt.datasets.load("figure1")
    >>> builder = bt.TreeBuilder(cases, budget=1)
    >>> for end in builder.branch(builder.buy(builder.root, "t1"), "t1"):
    ...     builder.leaf(end)
    >>> builder.build()
    Tree(60 cases, 2 leaves; worst case 1, mean 1; 10 errors (16.7%))
    """

    def __init__(self, cases: Instance | Schema, *, budget: Any = None) -> None:
        self.schema = cases if isinstance(cases, Schema) else cases.schema
        self._cases = None if isinstance(cases, Schema) else cases
        self._costs = self.schema.costs.within(budget)
        self._nodes: list[_Node] = []
        self._grown: Grown | None = None
        self.root = self._open(-1, self._costs.start)

    def allowed(self, end: OpenEnd) -> list[int]:
        """The tests that may be bought there, by all rules; of a panel the first.

        Parameters
        ----------
        end : OpenEnd
            Where.

        Returns
        -------
        list of int
            Their positions.

        Examples
        --------
        >>> import budgetree as bt
        >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"), budget=2)
        >>> builder.allowed(builder.root), builder.allowed(builder.buy(builder.root, "t1"))
        ([0, 1], [1])
        """
        self._node(end)
        return [int(test) for test in self._costs.allowed(end.state)]

    def buy(self, end: OpenEnd, test: int | str) -> OpenEnd:
        """Pay for a test, whose result is known from there on; with it, for all tests of its panel.

        Parameters
        ----------
        end : OpenEnd
            Where.
        test : int or str
            Its position or its name.

        Returns
        -------
        OpenEnd
            Where cases go on, whatever the test shows.

        Raises
        ------
        NotAllowedError
            Where a rule forbids it: the budget or another limit, the order, or the test was bought before.
        TreeError
            Where there is no such test, or the end is of another builder.

        Examples
        --------
        >>> import budgetree as bt
        >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
        >>> builder.buy(builder.root, "t1").state.spent
        (1,)
        """
        self._node(end)
        number = self._test(test)
        refusal = self._costs.refusal(end.state, number)
        for each in () if refusal is not None else self._costs.given_by(number):
            end = end if each in end.state.tests else self.buy_alone(end, each)
        if refusal is not None:
            raise refusal
        return end

    @internal
    def buy_alone(self, end: OpenEnd, test: int) -> OpenEnd:
        """The same for one test of a panel; the others must come next."""
        test = self._test(test)
        if (refusal := self._costs.refusal(end.state, test)) is not None:
            raise refusal
        due = self._costs.missing(end.state)
        if due is not None and test not in self._costs.given_by(due):
            raise self._not_complete(due)
        node = self._close(end, Kind.BUY)
        node.test, node.charge = test, self._costs.charge(end.state, test)
        child = self._open(end.number, self._costs.after_buying(end.state, test))
        node.children = [child.number]
        return child

    @internal
    def begin(self) -> OpenEnd:
        """The root, once all is bought that every path begins with."""
        end = self.root
        for test in self._costs.first:
            end = end if test in end.state.tests else self.buy_alone(end, test)
        return end

    def _not_complete(self, due: int) -> TreeError:
        """Where a path goes on without the rest of a panel, or of its beginning."""
        name, first = self.schema.test_names[due], due in self._costs.first
        rule = "every path begins with it" if first else "it is bought together with what was bought before it"
        message = f"test {name!r} is missing here: {rule}. Buy it first."
        return TreeError(message, subject="test", expected=name)

    def branch(self, end: OpenEnd, split: Split | int | str) -> list[OpenEnd]:
        """Send cases different ways by what was bought; it costs nothing.

        Parameters
        ----------
        end : OpenEnd
            Where.
        split : Split, int or str
            How; a test by its position or name has a side for each outcome, and one for results that are not listed.

        Returns
        -------
        list of OpenEnd
            One per side.

        Raises
        ------
        TreeError
            Where the split reads a test that was not bought, or does not fit its outcomes or the classes.

        Examples
        --------
        >>> import budgetree as bt
        >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
        >>> len(builder.branch(builder.buy(builder.root, "t1"), bt.Split.by_result(0, (0, 1, 1))))
        2
        """
        self._node(end)
        if not isinstance(split, Split):
            number = self._test(split)
            split = Split.by_result(number, range(int(self.schema.n_outcomes[number]) + 1))
        self._check_split(end, split)
        self._check_complete(end)
        node = self._close(end, Kind.BY_RESULT if split.totals is None else Kind.BY_TOTAL)
        node.test, node.split = split.test, split
        ends = []
        for side in range(split.n_sides):
            state = end.state
            if split.totals is None:
                state = self._costs.after_seeing(state, split.test, mask_of(at == side for at in split.sides))
            ends.append(self._open(end.number, state))
        node.children = [child.number for child in ends]
        return ends

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

        Examples
        --------
        >>> import budgetree as bt
        >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
        >>> builder.leaf(builder.root, bt.Fixed((0.7, 0.3)))
        >>> builder.build().n_leaves
        1
        """
        self._node(end)
        rule = Majority() if rule is None else rule
        if not isinstance(rule, Leaf):
            raise unfit("leaf", rule, "Majority, Fixed, Points or Model")
        self._check_bought(end, rule.tests, "leaf")
        self._check_leaf(rule)
        self._check_complete(end)
        self._close(end, Kind.LEAF).rule = rule

    @internal
    def add_grown(self, end: OpenEnd, grown: Grown) -> None:
        """Put a tree there that splits by one test at a time; what no known case showed ends in a leaf of its own.

        Parameters
        ----------
        end : OpenEnd
            Where.
        grown : Grown
            The tree as arrays.
        """
        if end.number == 0 and len(self._nodes) == 1 and self._costs.is_plain:
            self._close(end, Kind.LEAF)
            self._grown = grown
            return
        weight = grown.counts.sum(axis=1)
        for above in self._nodes[: end.number]:  # what was bought before; its results are not known here
            above.facts = self._bought(grown.counts[0], above.test)
        ends = {0: end}
        for node in range(len(grown)):
            here, counts = ends.pop(node), grown.counts[node]
            if grown.is_leaf[node]:
                self.leaf(here)
                self.note(here, Facts(counts))
                continue
            test = int(grown.test[node])
            children = grown.children(node, int(self.schema.n_outcomes[test]))
            below = sorted({int(child) for child in children if child != NO_BRANCH})
            sides = [below.index(child) if child != NO_BRANCH else len(below) for child in children]
            for each in () if test in here.state.tests else self._costs.given_by(test):
                facts, here = (here, self._bought(counts, each)), self.buy_alone(here, each)
                if each == test:
                    facts[1].fallback = bool(grown.fallback[node])
                    facts[1].shown = np.append(np.where(children == NO_BRANCH, 0, weight[children]), 0)
                self.note(*facts)
            *known, unseen = self.branch(here, Split.by_result(test, [*sides, len(below)]))
            self.note(here, Facts(counts))
            ends |= zip(below, known, strict=True)
            self.leaf(unseen)

    def _bought(self, counts: NDArray[np.int64], test: int) -> Facts:
        """Of a purchase whose results nobody has counted: as if none were listed."""
        shown = np.zeros(int(self.schema.n_outcomes[test]) + 1, dtype=np.int64)
        shown[-1] = counts.sum()
        return Facts(counts, shown)

    def build(self, *, origin: Origin | None = None, n_cases: int | None = None, **record: Any) -> Tree:
        """The tree; every open end must have become something.

        Parameters
        ----------
        origin : Origin, optional
            What made it.
        n_cases : int, optional
            How many known cases there are; by default those that were given to the builder.
        **record
            What else a Tree keeps: `bounds`, `estimate`, `ended`.

        Returns
        -------
        Tree
            The tree, in which the known cases are counted.

        Raises
        ------
        TreeError
            Where an end is open, or `n_cases` is not a number of cases.

        Examples
        --------
        >>> import budgetree as bt
        >>> builder = bt.TreeBuilder(bt.datasets.load("figure1"))
        >>> builder.leaf(builder.root)
        >>> builder.build()
        Tree(60 cases, 1 leaf; worst case 0, mean 0; 30 errors (50.0%))
        """
        from budgetree.tree.tree import Tree

        for number, node in enumerate(self._nodes):
            if node.kind is None:
                message = f"build: node {number} is open; buy a test, branch, or make it a leaf."
                raise TreeError(message, subject="build", found=number)
        nodes = self._of_steps() if self._grown is None else nodes_of_grown(self.schema, self._grown)
        if n_cases is None:
            n_cases = 0 if self._cases is None else self._cases.n_objects
        if not is_whole(n_cases) or n_cases < 0 or (n_cases > 0 and not nodes.counts[0].any()):
            raise unfit("n_cases", n_cases, "a whole number from 0 on, and 0 where no known case was counted")
        return Tree(self.schema, nodes, n_cases, origin or Origin(), **record)

    @internal
    def note(self, end: OpenEnd, facts: Facts) -> None:
        """What known cases did at a node, instead of counting them when the tree is built."""
        self._node(end).facts = facts

    def _open(self, parent: int, state: PathState) -> OpenEnd:
        end = OpenEnd(len(self._nodes), state)
        self._nodes.append(_Node(parent, end))
        return end

    def _node(self, end: OpenEnd) -> _Node:
        """The node of an end, which must be this builder's own."""
        number = end.number if isinstance(end, OpenEnd) else len(self._nodes)
        if number >= len(self._nodes) or self._nodes[number].end is not end:
            raise unfit("end", end, "an open end that this builder has returned")
        return self._nodes[number]

    def _close(self, end: OpenEnd, kind: Kind) -> _Node:
        node = self._node(end)
        if node.kind is not None:
            message = f"node {end.number} was built before; an open end is used once."
            raise TreeError(message, subject="end", found=end.number)
        node.kind = kind
        return node

    def _test(self, test: int | str) -> int:
        names = self.schema.test_names
        number = names.index(test) if isinstance(test, str) and test in names else test
        if not is_whole(number) or not 0 <= int(number) < len(names):
            message = f"there is no test {test!r}; expected a name or a position from 0 to {len(names) - 1}."
            raise TreeError(message, subject="test", found=test, expected=names)
        return int(number)

    def _check_bought(self, end: OpenEnd, tests: tuple[int, ...], what: str) -> None:
        for test in tests:
            if test not in end.state.tests:
                name = self.schema.test_names[self._test(test)]
                message = f"{what}: test {name!r} was not bought on this path; buy it first."
                raise TreeError(message, subject=what, found=name, expected=end.state.tests)

    @internal
    def must_go_on(self, end: OpenEnd) -> bool:
        """Whether no leaf may be put there, because a panel or the beginning of all paths is not complete."""
        return self._costs.missing(end.state) is not None

    def _check_complete(self, end: OpenEnd) -> None:
        if (due := self._costs.missing(end.state)) is not None:
            raise self._not_complete(due)

    def _check_split(self, end: OpenEnd, split: Split) -> None:
        self._check_bought(end, split.tests, "branch")
        if split.totals is not None:
            self._check_totals(split.totals)
            if split.model is not None:
                self._check_scores("branch", split.totals.n_totals)
            return
        n_results, sides = int(self.schema.n_outcomes[split.test]) + 1, set(split.sides)
        if len(split.sides) != n_results or sides != set(range(len(sides))):
            name = self.schema.test_names[split.test]
            expected = f"{n_results} sides from 0 on, one for each outcome and one for a result that is not listed"
            message = f"branch: test {name!r} has the sides {split.sides}; expected {expected}."
            raise TreeError(message, subject="sides", found=split.sides, expected=n_results)

    def _check_totals(self, totals: Totals) -> None:
        for test, table in zip(totals.tests, totals.points, strict=True):
            if len(table) != int(self.schema.n_outcomes[test]) + 1:
                name, expected = self.schema.test_names[test], int(self.schema.n_outcomes[test]) + 1
                message = (
                    f"points: test {name!r} has {len(table)}; expected {expected}, the last for an unlisted result."
                )
                raise TreeError(message, subject="points", found=len(table), expected=expected)

    def _check_scores(self, subject: str, found: int) -> None:
        """A model has a score per class; of two classes a single one is enough, and of one there is nothing to say."""
        n_classes = len(self.schema.class_names)
        if not (found == n_classes > 1 or (found, n_classes) == (1, 2)):
            expected = f"one for each of {n_classes} classes" if n_classes > 1 else "at least two classes for a model"
            message = f"{subject}: there are {found} scores; expected {expected}."
            raise TreeError(message, subject=subject, found=found, expected=n_classes)

    def _check_leaf(self, rule: Leaf) -> None:
        if isinstance(rule, Majority):
            return
        if isinstance(rule, (Points, Model)):
            self._check_totals(rule.totals)
        if isinstance(rule, Model):
            self._check_scores("leaf", rule.totals.n_totals)
        else:
            n_classes = len(self.schema.class_names)
            width = len(rule.chances[0] if isinstance(rule, Points) else rule.chances)
            if width != n_classes:
                message = f"leaf: there are {width} chances; expected one for each of {n_classes} classes."
                raise TreeError(message, subject="leaf", found=width, expected=n_classes)
        n_answers = len(self.schema.answer_names)
        if isinstance(rule, Fixed) and rule.answer is not None and not 0 <= rule.answer < n_answers:
            message = f"leaf: the answer is {rule.answer}; expected a position from 0 to {n_answers - 1}."
            raise TreeError(message, subject="answer", found=rule.answer, expected=n_answers - 1)

    def _of_steps(self) -> Nodes:
        """The nodes as arrays; then the known cases go through them."""
        n_outcomes, order = self.schema.n_outcomes, [0]
        for number in order:  # breadth first; grows while it is read
            order += self._nodes[number].children
        renumbered = {number: index for index, number in enumerate(order)}
        steps = [self._nodes[number] for number in order]
        children: list[int] = []
        charges: list[NDArray[np.int64]] = [np.zeros((len(self._costs.resources), 0), dtype=np.int64)]
        first, charge_at, rule, n_results = [], [], [], 0
        splits: list[Split] = []
        rules: list[Fixed | Points | Model] = []
        for node in steps:
            first.append(len(children) if node.children else -1)
            charge_at.append(n_results if node.charge is not None else -1)
            by_result = node.split is not None and node.split.totals is None
            sides = node.split.sides if node.split is not None and by_result else range(len(node.children))
            children += [renumbered[node.children[side]] for side in sides]
            if node.charge is not None:
                charges.append(node.charge)
                n_results += node.charge.shape[1]
            if node.split is not None and node.split.totals is not None:
                rule.append(len(splits))
                splits.append(node.split)
            elif node.rule is not None and not isinstance(node.rule, Majority):
                if node.rule not in rules:
                    rules.append(node.rule)
                rule.append(rules.index(node.rule))
            else:
                rule.append(NO_RULE)
        size, n_classes = len(steps), len(self.schema.class_names)
        states = [node.end.state for node in steps]
        spent = np.array([[each * state.is_possible for each in state.spent] for state in states], dtype=np.int64).T
        charge = np.ascontiguousarray(np.column_stack(charges))
        nodes = Nodes(
            kind=np.array([node.kind for node in steps], dtype=np.uint8),
            parent=np.array([-1, *(renumbered[node.parent] for node in steps[1:])], dtype=np.int32),
            test=np.array([node.test for node in steps], dtype=np.int32),
            first=np.array(first, dtype=np.int64),
            children=np.array(children, dtype=np.int32),
            charge_at=np.array(charge_at, dtype=np.int64),
            charges=charge[0],
            shown=np.zeros(n_results, dtype=np.int64),
            rule=np.array(rule, dtype=np.int32),
            counts=np.zeros((size, n_classes), dtype=np.int64),
            spent=spent[0],
            known_spent=spent[0],
            further_charges=charge[1:],
            further_spent=spent[1:],
            fallback=np.zeros(size, dtype=bool),
            n_outcomes=n_outcomes,
            loss_table=self.schema.loss_table,
            splits=tuple(splits),
            rules=tuple(rules),
        )
        counted = (
            _noted(nodes, [node.facts for node in steps]) if self._cases is None else count_cases(nodes, self._cases)
        )
        return with_known_spent(counted, self.schema)


def grown_tree(schema: Schema, grown: Grown, n_cases: int, origin: Origin, **record: Any) -> Tree:
    """The tree that a learner has grown."""
    builder = TreeBuilder(schema)
    builder.add_grown(builder.begin(), grown)
    return builder.build(origin=origin, n_cases=n_cases, **record)


def _noted(nodes: Nodes, noted: list[Facts | None]) -> Nodes:
    """The nodes with the facts that were noted; where nothing was, no known case came."""
    counts, shown = nodes.counts.copy(), nodes.shown.copy()
    nothing = np.zeros((len(nodes.loss_table.answers), counts.shape[1]), dtype=np.int64)
    given = dict.fromkeys(_scorers(nodes), nothing)
    fallback = nodes.fallback.copy()
    for number, facts in enumerate(noted):
        if facts is None:
            continue
        counts[number], fallback[number] = facts.counts, facts.fallback
        if facts.shown is not None:
            shown[nodes.results(number)] = facts.shown
        if facts.given is not None:
            given[number] = facts.given
    return _replaced(nodes, counts=counts, shown=shown, given=given, fallback=fallback)


def _replaced(nodes: Nodes, **changes: Any) -> Nodes:
    """The same nodes with other fields; dataclasses.replace would keep nothing else either."""
    return Nodes(**{name: getattr(nodes, name) for name in nodes.__dataclass_fields__} | changes)


def count_cases(nodes: Nodes, cases: Instance) -> Nodes:
    """The nodes with what the known cases do there."""
    from budgetree.tree.walk import walk_codes

    codes, labels, weights = check_codes(cases.codes), cases.labels, cases.weight_units
    counts, shown = np.zeros_like(nodes.counts), nodes.shown.copy()
    walk = walk_codes(nodes, cases.schema, codes)
    np.add.at(counts, (walk.leaf, labels), weights)
    for node in range(len(nodes) - 1, 0, -1):  # children come after their parents
        counts[nodes.parent[node]] += counts[node]
    at_node: dict[int, NDArray[np.int64]] = {
        int(leaf): np.flatnonzero(walk.leaf == leaf) for leaf in np.flatnonzero(nodes.is_leaf)
    }
    for node in range(len(nodes) - 1, -1, -1):
        if not nodes.is_leaf[node]:
            at_node[node] = np.concatenate([at_node[child] for child in dict.fromkeys(nodes.below(node).tolist())])
        if nodes.is_buy[node]:
            results, rows = nodes.results(node), at_node[node]
            width = results.stop - results.start
            np.add.at(shown[results], np.minimum(codes[rows, nodes.test[node]], width - 1), weights[rows])
    given = {}
    for node, rule in _scorers(nodes).items():
        rows = at_node[node]
        answers = nodes.loss_table.best(rule.probabilities(rule.totals.add_up(codes[rows])))
        given[node] = np.zeros((len(nodes.loss_table.answers), counts.shape[1]), dtype=np.int64)
        np.add.at(given[node], (answers, labels[rows]), weights[rows])
    return _replaced(nodes, counts=counts, shown=shown, given=given)


def _scorers(nodes: Nodes) -> Mapping[int, Points | Model]:
    """By node, what adds up totals there: leaves with scores, and branches by a model."""
    found: dict[int, Points | Model] = {}
    for node in range(len(nodes)):
        if (rule := nodes.scored(node)) is not None:
            found[node] = rule
        elif nodes.kind[node] == Kind.BY_TOTAL:
            model = nodes.splits[nodes.rule[node]].model
            if model is not None:
                found[node] = model
    return found


def with_known_spent(nodes: Nodes, schema: Schema) -> Nodes:
    """The nodes with the most that known cases can have spent on arrival, by the results that they showed."""
    costs, reached = schema.costs, nodes.counts.any(axis=1)
    if not costs.depends_on_outcome:
        return _replaced(nodes, known_spent=np.where(reached, nodes.spent, 0))
    states, spent = [costs.start] * len(nodes), np.zeros(len(nodes), dtype=np.int64)
    for node in range(len(nodes)):
        spent[node] = states[node].spent[0]
        if nodes.is_leaf[node]:
            continue
        below, test = nodes.below(node).tolist(), int(nodes.test[node])
        for child in dict.fromkeys(below):
            state = states[node]
            if nodes.is_buy[node]:
                seen = mask_of(nodes.shown[nodes.results(node)])
                state = costs.after_seeing(costs.after_buying(state, test), test, seen)
            elif nodes.kind[node] == Kind.BY_RESULT:
                state = costs.after_seeing(state, test, mask_of(at == child for at in below))
            states[child] = state
    return _replaced(nodes, known_spent=np.where(reached, spent, 0))


def nodes_of_grown(schema: Schema, grown: Grown) -> Nodes:
    """A grown tree as nodes, all at once: a buy, a branch by its result and a leaf for what no known case showed.

    grown   0: age ──► 1, 2                     nodes   0 buy age ─ 1 by age ─┬─ 2 …  (grown 1)
                                                                              ├─ 3 …  (grown 2)
                                                                              └─ 4 leaf, unseen
    """
    costs, n_outcomes, inner = schema.costs, schema.n_outcomes, ~grown.is_leaf
    start, branch, unseen = _numbers(grown)
    buy, tests, size = start[inner], grown.test[inner].astype(np.int64), len(grown) + 2 * int(inner.sum())
    kind = np.full(size, Kind.LEAF, dtype=np.uint8)
    kind[buy], kind[branch] = Kind.BUY, Kind.BY_RESULT
    test = np.full(size, NO_TEST, dtype=np.int32)
    test[buy] = test[branch] = tests
    parent = np.full(size, -1, dtype=np.int32)
    branch_of = np.full(len(grown), -1, dtype=np.int64)
    branch_of[inner] = branch
    parent[start[1:]] = branch_of[grown.parent[1:]]
    parent[branch], parent[unseen] = buy, branch
    width = n_outcomes[tests] + 1  # results of each purchase
    first_result = np.cumsum(width) - width
    n_children = np.zeros(size, dtype=np.int64)
    n_children[buy], n_children[branch] = 1, width
    first = np.where(n_children > 0, np.cumsum(n_children) - n_children, -1)
    # Per result of each purchase, the child: that of its outcome, or the leaf for what no known case showed.
    owner = np.repeat(np.arange(len(buy)), width)
    outcome = np.arange(len(owner)) - first_result[owner]
    is_listed = outcome < n_outcomes[tests[owner]]
    branches = np.full(len(owner), NO_BRANCH, dtype=np.int64)
    branches[is_listed] = grown.branches[grown.first_branch[inner][owner[is_listed]] + outcome[is_listed]]
    children = np.empty(int(n_children.sum()), dtype=np.int32)
    children[first[buy]] = branch
    children[first[branch][owner] + outcome] = np.where(branches == NO_BRANCH, unseen[owner], start[branches])
    charges = costs.charges(grown.flags(costs)[inner], tests)
    column = np.where(is_listed, outcome, charges.shape[1] - 1)
    counts = np.zeros((size, grown.counts.shape[1]), dtype=np.int64)
    counts[start] = grown.counts
    counts[branch] = grown.counts[inner]
    shown = np.where(branches == NO_BRANCH, 0, grown.counts.sum(axis=1)[branches])
    spent = np.zeros(size, dtype=np.int64)
    spent[start] = grown.paid
    most = grown.paid[inner] + charges[:, -1]
    spent[branch], spent[unseen] = most, most
    known_spent = spent.copy()
    if len(buy):
        # On the branch itself known cases have spent what the costliest result among them takes.
        seen = np.where(branches == NO_BRANCH, 0, grown.paid[branches])
        known_spent[branch] = np.maximum.reduceat(seen, first_result)
        known_spent[unseen] = 0
    charge_at = np.full(size, -1, dtype=np.int64)
    charge_at[buy] = first_result
    fallback = np.zeros(size, dtype=bool)
    fallback[buy] = grown.fallback[inner]
    return Nodes(
        kind=kind,
        parent=parent,
        test=test,
        first=first,
        children=children,
        charge_at=charge_at,
        charges=np.ascontiguousarray(charges[owner, column]),
        shown=shown,
        rule=np.full(size, NO_RULE, dtype=np.int32),
        counts=counts,
        spent=spent,
        known_spent=known_spent,
        further_charges=np.zeros((0, len(shown)), dtype=np.int64),
        further_spent=np.zeros((0, size), dtype=np.int64),
        fallback=fallback,
        n_outcomes=n_outcomes,
        loss_table=schema.loss_table,
    )


def walk_grown(schema: Schema, grown: Grown, codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The grown node where each row ends: a leaf, or the node whose test shows what no known case did there."""
    from budgetree.tree.walk import walk_codes

    start, branch, unseen = _numbers(grown)
    number = np.empty(len(start) + len(branch) + len(unseen), dtype=np.int64)
    number[start], number[unseen] = np.arange(len(grown)), np.flatnonzero(~grown.is_leaf)
    return np.asarray(number[walk_codes(nodes_of_grown(schema, grown), schema, codes).leaf])


def grown_of_nodes(nodes: Nodes) -> Grown | None:
    """The way back; None where the tree does not branch on each test as soon as it is bought, or totals decide."""
    order, tests, branches, parents, first = [0], list[int](), list[int](), [-1], list[int]()
    for number, node in enumerate(order):  # breadth first; grows while it is read
        first.append(-1 if nodes.is_leaf[node] else len(branches))
        if nodes.is_leaf[node]:
            if nodes.rule[node] != NO_RULE:
                return None
            tests.append(NO_TEST)
            continue
        branch = int(nodes.below(node)[0])
        if not nodes.is_buy[node] or nodes.kind[branch] != Kind.BY_RESULT or nodes.test[branch] != nodes.test[node]:
            return None
        tests.append(int(nodes.test[node]))
        below = [child if nodes.counts[child].any() else NO_BRANCH for child in nodes.below(branch)[:-1].tolist()]
        place = {child: len(order) + k for k, child in enumerate(sorted(set(below) - {NO_BRANCH}))}
        branches += [place.get(child, NO_BRANCH) for child in below]
        order += place
        parents += [number] * len(place)
    return Grown(
        test=np.array(tests, dtype=np.int32),
        parent=np.array(parents, dtype=np.int32),
        counts=nodes.counts[order],
        paid=nodes.known_spent[order],
        first_branch=np.array(first, dtype=np.int64),
        branches=np.array(branches, dtype=np.int32),
        fallback=nodes.fallback[order],
    ).answering(nodes.loss_table)


def _numbers(grown: Grown) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Breadth first: the number of each grown node, and of the branch and the unseen leaf of each inner one."""
    inner = np.flatnonzero(~grown.is_leaf)
    level = np.zeros(len(grown), dtype=np.int64)
    for number_of_level, (first, last) in enumerate(grown.levels):
        level[first:last] = number_of_level
    every = np.arange(len(grown))
    depth = np.concatenate([2 * level, 2 * level[inner] + 1, 2 * level[inner] + 2])
    above = np.concatenate([grown.parent, inner, inner])  # parents are numbered in the order of their branches
    is_unseen = np.concatenate([np.zeros(len(grown) + len(inner)), np.ones(len(inner))])
    number = np.empty(len(depth), dtype=np.int64)
    number[np.lexsort((np.concatenate([every, inner, inner]), is_unseen, above, depth))] = np.arange(len(depth))
    return number[: len(grown)], number[len(grown) : len(grown) + len(inner)], number[len(grown) + len(inner) :]

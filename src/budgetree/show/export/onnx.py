"""A tree as an ONNX model, of operators of ai.onnx and ai.onnx.ml alone.

    inputs        a column [n, 1] per test that some path buys, by its name: numbers as float64, else texts
    outcomes      comparisons with thresholds or values; LabelEncoder for texts
    totals        Gather from the points of each test, and a TreeEnsemble for small trees
    end           a TreeEnsemble over outcomes and totals: the instruction (program.py) at which a case ends
    outputs       answer [n], probabilities [n, classes], cost [n], and one more for each further resource

Everything up to the end is whole numbers in float64, so that cases go where `predict` leads them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, time
from decimal import Decimal
from functools import cached_property
from itertools import groupby
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.data.encoders import UNSEEN
from budgetree.data.number_format import LARGEST_EXACT
from budgetree.errors import TreeError
from budgetree.show.export.conditions import raw_values
from budgetree.show.export.program import Answer, ByPoints, ByResult, ByScores, BySure, Pay, program_of
from budgetree.show.text import summary_line
from budgetree.tree.leaves import SCORE_UNIT, Totals
from budgetree.tree.tree import Tree

OPSET, ML_OPSET, IR_VERSION = 18, 5, 10
LEQ, GTE, EQ = 0, 2, 4  # how a TreeEnsemble compares
AXIS = np.array([1], dtype=np.int64)


def to_onnx(tree: Tree) -> bytes:
    """The model, serialized."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs onnx: pip install 'budgetree[onnx]'.") from error
    return _Graph(tree, onnx).serialized()


class _Trees:
    """The nodes of a TreeEnsemble with one target; a child is a node's number, or ~ that of a leaf."""

    def __init__(self) -> None:
        # Per node: feature, mode, split, children, and 1 where NaN goes where the comparison holds.
        self.nodes: list[tuple[int, int, float, tuple[int, int], int]] = []
        self.leaves: list[tuple[int, float]] = []  # target and weight
        self.roots: list[int] = []

    def leaf(self, weight: float, target: int = 0) -> int:
        self.leaves.append((target, weight))
        return ~(len(self.leaves) - 1)

    def node(self, feature: int, mode: int, split: float, then: int, otherwise: int, default: int = 0) -> int:
        self.nodes.append((feature, mode, split, (then, otherwise), default))
        return len(self.nodes) - 1

    def root(self, node: int) -> None:
        """A tree must have a node; a mere leaf gets one with the same on both sides."""
        if node < 0:
            target, weight = self.leaves[~node]
            node = self.node(0, LEQ, 0.0, node, self.leaf(weight, target))
        self.roots.append(node)

    def runs(self, feature: int, ends: Sequence[int]) -> int:
        """By a whole number from 0 on: the end of each; the last is for all that are larger."""
        runs = [(end, len(list(run))) for end, run in groupby(ends)]
        limits = np.cumsum([length for _, length in runs]) - 1

        def between(first: int, last: int) -> int:
            if first == last:
                return runs[first][0]
            middle = (first + last) // 2
            return self.node(feature, LEQ, float(limits[middle]), between(first, middle), between(middle + 1, last))

        return between(0, len(runs) - 1)


class _Graph:
    """Writes the nodes one after the other; every method returns the name of what it has computed."""

    def __init__(self, tree: Tree, onnx: ModuleType) -> None:
        self.tree, self.onnx, self.program = tree, onnx, program_of(tree)
        self.n_classes, self.tests = len(tree.class_names), sorted(tree.tests_used) or [0]  # else: how many cases
        self.nodes: list[Any] = []
        self.constants: dict[str, Any] = {}
        self.names = {test: tree.test_names[test] for test in self.tests}
        self.prefix = ""
        while any(name.startswith(f"{self.prefix}b.") for name in self.names.values()):
            self.prefix += "b"
        proto, self.inputs = onnx.TensorProto, list[Any]()
        for test, name in self.names.items():
            kind = proto.DOUBLE if self._texts(test) is None else proto.STRING
            self.inputs.append(onnx.helper.make_tensor_value_info(_checked(name), kind, ["n", 1]))

    def serialized(self) -> bytes:
        helper, proto = self.onnx.helper, self.onnx.TensorProto
        end = self.end
        found = [("answer", self._answer(end)), ("probabilities", self._probabilities(end))]
        found += [(name, self._cost(end, at)) for at, name in enumerate(self.tree.schema.costs.cost_names)]
        outputs, taken, names = [], set(self.names.values()), self._answer_names
        kind = proto.STRING if names.dtype == object else helper.np_dtype_to_tensor_dtype(names.dtype)
        for name, value in found:
            shown = name
            while shown in taken:
                shown = f"budgetree {shown}"
            taken.add(shown)
            self.nodes.append(helper.make_node("Identity", [value], [shown]))
            shape = ["n", self.n_classes] if name == "probabilities" else ["n"]
            outputs.append(helper.make_tensor_value_info(shown, kind if name == "answer" else proto.DOUBLE, shape))
        graph = helper.make_graph(self.nodes, "budgetree", self.inputs, outputs, list(self.constants.values()))
        versions = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        about = {"producer_name": "budgetree", "doc_string": f"{summary_line(self.tree)}."}
        model = helper.make_model(graph, opset_imports=versions, ir_version=IR_VERSION, **about)
        self.onnx.checker.check_model(model)
        return bytes(model.SerializeToString())

    # The pieces that graphs are made of

    def add(self, operator: str, *given: str, domain: str = "", **attributes: Any) -> str:
        name = f"{self.prefix}b.{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, given, [name], domain=domain, **attributes))
        return name

    def constant(self, value: Any) -> str:
        array = np.asarray(value)
        key = f"{self.prefix}b.c{len(self.constants)}"
        if array.dtype.kind in "OU":
            strings = [str(text).encode() for text in array.ravel()]
            tensor = self.onnx.helper.make_tensor(key, self.onnx.TensorProto.STRING, array.shape, strings)
        else:
            tensor = self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), key)
        self.constants[key] = tensor
        return key

    def cast(self, value: str, kind: str) -> str:
        return self.add("Cast", value, to=getattr(self.onnx.TensorProto, kind))

    def gather(self, table: Any, index: str) -> str:
        """Rows of a table by positions [n]."""
        return self.add("Gather", self.constant(table), index, axis=0)

    def chosen(self, where: str, value: str, otherwise: str) -> str:
        return self.add("Where", where, value, otherwise)

    def flat(self, value: str) -> str:
        """[n, 1] as [n]."""
        return self.add("Reshape", value, self.constant(np.array([-1], dtype=np.int64)))

    def ensemble(self, trees: _Trees, features: str, n_targets: int = 1) -> str:
        """[n, targets], float64."""
        from_array = self.onnx.numpy_helper.from_array
        feature, mode, split, below, default = zip(*trees.nodes, strict=True)
        children = np.array(below)
        is_leaf = children < 0
        numbers = np.where(is_leaf, ~children, children)
        return self.add(
            "TreeEnsemble",
            features,
            domain="ai.onnx.ml",
            n_targets=n_targets,
            aggregate_function=1,  # the sum
            tree_roots=trees.roots,
            nodes_featureids=feature,
            nodes_modes=from_array(np.array(mode, dtype=np.uint8)),
            nodes_splits=from_array(np.array(split)),
            nodes_missing_value_tracks_true=default,
            nodes_truenodeids=numbers[:, 0].tolist(),
            nodes_trueleafs=is_leaf[:, 0].astype(int).tolist(),
            nodes_falsenodeids=numbers[:, 1].tolist(),
            nodes_falseleafs=is_leaf[:, 1].astype(int).tolist(),
            leaf_targetids=[target for target, _ in trees.leaves],
            leaf_weights=from_array(np.array([weight for _, weight in trees.leaves], dtype=np.float64)),
        )

    # From raw values to outcomes

    def _texts(self, test: int) -> list[str] | None:
        """The outcomes of a test as texts; None where they are numbers."""
        raw = raw_values(self.tree.schema, test)
        values = [] if raw.thresholds is not None else list(raw.values)
        if all(isinstance(value, (int, float, Decimal)) for value in values):
            return None
        if not all(isinstance(value, (str, date, time)) for value in values):
            odd = sorted({type(value).__name__ for value in values})
            reason = (
                f"has values of the kind {' and '.join(odd)}, which one ONNX input cannot hold; write them as texts"
            )
            raise TreeError(f"test {self.names[test]!r} {reason}.", subject=self.names[test], found=tuple(odd))
        return [_checked(v) if isinstance(v, str) else v.isoformat() for v in values]

    @cached_property
    def outcomes(self) -> dict[int, str]:
        """By test [n]: the outcome of each case, as int64; UNSEEN where it is not listed."""
        return {test: self._outcome(test) for test in self.tests}

    def _outcome(self, test: int) -> str:
        raw, texts, name = raw_values(self.tree.schema, test), self._texts(test), self.names[test]
        if texts is not None:
            keys, codes = list(texts), list(range(len(texts)))
            if "" not in keys:
                keys, codes = [*keys, ""], [*codes, raw.missing]
            label = {"keys_strings": keys, "values_int64s": codes, "default_int64": UNSEEN}
            return self.flat(self.add("LabelEncoder", name, domain="ai.onnx.ml", **label))
        if raw.thresholds is not None:
            limits = np.array([raw.thresholds], dtype=np.float64)
            reached = self.add("GreaterOrEqual", name, self.constant(limits)) if limits.size else None
            code = self._summed(reached) if reached else self._zero(self.flat(name))
        else:
            for value in raw.values:
                if isinstance(value, int) and abs(value) > LARGEST_EXACT:
                    message = (
                        f"test {name!r}: {value!r:.60} cannot be written as a float64 of ONNX, whose whole numbers"
                    )
                    raise TreeError(f"{message} end at 2^53; write these as texts.", subject=name, found=value)
            values = list(map(float, raw.values))
            if len(set(values)) < len(values):
                reason = "has two values that ONNX cannot tell apart; write them as texts"
                raise TreeError(f"test {name!r} {reason}.", subject=name)
            is_value = self.cast(self.add("Equal", name, self.constant(np.array([values]))), "INT64")
            # Of at most one value that is equal: its position, less what stands for none.
            below = self.constant(np.array([[code - UNSEEN for code in range(len(values))]], dtype=np.int64))
            code = self.add("Add", self._summed(self.add("Mul", is_value, below)), self.constant(np.int64(UNSEEN)))
        is_missing = self.add("IsNaN", self.flat(name))
        return self.chosen(is_missing, self.constant(np.int64(raw.missing)), code)

    def _summed(self, numbers: str) -> str:
        return self.add("ReduceSum", self.cast(numbers, "INT64"), self.constant(AXIS), keepdims=0)

    def _zero(self, like: str) -> str:
        """[n] of 0, as int64."""
        tensor = self.onnx.numpy_helper.from_array(np.zeros(1, dtype=np.int64))
        return self.add("ConstantOfShape", self.add("Shape", like), value=tensor)

    def position(self, test: int) -> str:
        """The outcome as a row of a table whose last row is for results that are not listed."""
        last = self.constant(np.int64(self.tree.schema.n_outcomes[test]))
        return self.add("Min", self.outcomes[test], last)

    @cached_property
    def _size(self) -> str:
        """[n] of 0: as many as cases."""
        return self._zero(self.flat(self.names[self.tests[0]]))

    # Totals

    @cached_property
    def totals(self) -> list[str]:
        """Per total of the program [n, totals], in float64: whole numbers."""
        return [self._totals(totals) for totals in self.program.totals]

    def _totals(self, totals: Totals) -> str:
        start = self.constant(totals.intercept[None, :].astype(np.float64))
        zero = self.add("Unsqueeze", self.cast(self._size, "DOUBLE"), self.constant(AXIS))
        added = self.add("Add", zero, start)
        for test, points in zip(totals.tests, totals.points, strict=True):
            if points.any():
                added = self.add("Add", added, self.gather(points.astype(np.float64), self.position(test)))
        if totals.trees is None or not totals.trees.n_trees:
            return added
        return self.add("Add", added, self._small_trees(totals))

    def _small_trees(self, totals: Totals) -> str:
        """A column per test and outcome that goes the default way, which is not a number there."""
        small, trees, columns = totals.trees, _Trees(), dict[tuple[int, int], int]()
        assert small is not None
        for target in range(totals.n_totals):
            number = [0] * len(small.test)
            for node in range(len(small.test) - 1, -1, -1):  # children come after their parents
                test = int(small.test[node])
                if test < 0:
                    number[node] = trees.leaf(float(small.value[node, target]), target)
                    continue
                column = columns.setdefault((test, int(small.missing[node])), len(columns))
                mode, cut = EQ if small.by_equal[node] else LEQ, float(small.cut[node])
                sides = number[small.left[node]], number[small.right[node]]
                number[node] = trees.node(column, mode, cut, *sides, default=int(small.default_left[node]))
            for start in small.start.tolist():
                trees.root(number[start])
        codes = [self._with_nan(test, missing) for test, missing in columns] or [self.cast(self._size, "DOUBLE")]
        return self.ensemble(trees, self._beside(codes), totals.n_totals)

    def _with_nan(self, test: int, missing: int) -> str:
        """The outcome as a float; NaN where it is not listed or stands for a missing value."""
        table = np.append(np.arange(self.tree.schema.n_outcomes[test], dtype=np.float64), np.nan)
        if 0 <= missing < len(table):
            table[missing] = np.nan
        return self.gather(table, self.position(test))

    def _beside(self, columns: Sequence[str]) -> str:
        """Columns [n] as [n, columns]."""
        axis = self.constant(AXIS)
        return self.add("Concat", *(self.add("Unsqueeze", column, axis) for column in columns), axis=1)

    # Where cases end

    @cached_property
    def end(self) -> str:
        """[n]: the position of the instruction that answers, as int64."""
        steps, trees, features = self.program.instructions, _Trees(), dict[tuple[str, int], int]()

        def feature(kind: str, number: int) -> int:
            return features.setdefault((kind, number), len(features))

        number = [0] * len(steps)
        order = [at for at, step in enumerate(steps) if isinstance(step, Answer)]  # some stand behind all others
        order += [at for at, step in enumerate(steps) if not isinstance(step, Answer)][::-1]
        for at in order:
            match steps[at]:
                case Answer() | ByScores():
                    number[at] = trees.leaf(float(at))
                case Pay(child=child):
                    number[at] = number[child]
                case ByResult(test=test, children=children):
                    if len(list(groupby(children))) > len(set(children)):  # a node has one place in a tree
                        number[at] = trees.runs(feature("side", at), [number[child] for child in sorted(set(children))])
                    else:
                        number[at] = trees.runs(feature("outcome", test), [number[child] for child in children])
                case ByPoints(totals=totals, cuts=cuts, children=children):
                    number[at] = number[children[-1]]
                    for cut, child in reversed(list(zip(cuts, children, strict=False))):
                        number[at] = trees.node(
                            feature("total", totals), LEQ, float(cut - 1), number[child], number[at]
                        )
                case BySure(totals=totals, confidence=confidence, difference=difference, children=children):
                    kind, limit = ("top", confidence) if difference is None else ("apart", float(difference))
                    number[at] = trees.node(feature(kind, totals), GTE, limit, *(number[child] for child in children))
        trees.root(number[0])
        columns = [self._feature(kind, number) for kind, number in features]
        found = self.ensemble(trees, self._beside(columns or [self.cast(self._size, "DOUBLE")]))
        return self.cast(self.flat(found), "INT64")

    def _feature(self, kind: str, number: int) -> str:
        """[n]: what decides at a branch, by the number of its test, instruction or total."""
        if kind == "outcome":
            return self.cast(self.position(number), "DOUBLE")
        if kind == "side":  # which of its children is next
            step = self.program.instructions[number]
            assert isinstance(step, ByResult)
            side = np.unique(step.children, return_inverse=True)[1]
            return self.gather(side.astype(np.float64), self.position(step.test))
        if kind == "total":
            return self.flat(self.totals[number])
        if kind == "apart":  # how far two classes are
            scores = self._scores(number)
            first, second = (self.flat(self._column(scores, position)) for position in range(2))
            return self.add("Abs", self.add("Sub", first, second))
        axes = self.constant(AXIS)  # the probability of the likeliest class
        return self.add("ReduceMax", self._softmax(self._scores(number)), axes, keepdims=0)

    def _column(self, table: str, position: int) -> str:
        return self.add("Gather", table, self.constant(np.array([position], dtype=np.int64)), axis=1)

    # What they are told

    def _scores(self, number: int) -> str:
        """[n, classes]; where there is a single score, that of the first of two classes is 0."""
        totals = self.totals[number]
        if self.program.totals[number].n_totals > 1:
            return totals
        return self.add("Mul", totals, self.constant(np.array([[0.0, 1.0]])))

    def _softmax(self, scores: str) -> str:
        return self.add("Softmax", self.add("Div", scores, self.constant(float(SCORE_UNIT))), axis=1)

    def _by_end(self, value: Callable[[Any], Any], kind: type, nothing: Any) -> NDArray[Any]:
        """A row per instruction, of those that answer."""
        steps = self.program.instructions
        return np.array([nothing if (of := value(step)) is None else of for step in steps], dtype=kind)

    @cached_property
    def _model_scores(self) -> tuple[str, str] | None:
        """[n]: whether scores answer, and [n, classes] these; None where they never do."""
        numbers = sorted({step.totals for step in self.program.instructions if isinstance(step, ByScores)})
        if not numbers:
            return None
        of_end = self._by_end(lambda step: step.totals if isinstance(step, ByScores) else None, np.int64, -1)
        number = self.gather(of_end[:, None], self.end)  # [n, 1]
        scores = self._scores(numbers[0])
        for other in numbers[1:]:
            scores = self.chosen(self.add("Equal", number, self.constant(np.int64(other))), self._scores(other), scores)
        return self.add("GreaterOrEqual", number, self.constant(np.int64(0))), scores

    def _probabilities(self, end: str) -> str:
        nothing = [0.0] * self.n_classes
        shares = self._by_end(lambda step: step.shares if isinstance(step, Answer) else None, np.float64, nothing)
        fixed = self.gather(shares, end)
        if self._model_scores is None:
            return fixed
        is_model, scores = self._model_scores
        return self.chosen(is_model, self._softmax(scores), fixed)

    def _answer(self, end: str) -> str:
        """The name of the answer."""
        table = self.tree.schema.loss_table
        fixed = self.gather(self._by_end(lambda s: s.answer if isinstance(s, Answer) else None, np.int64, 0), end)
        position = fixed
        if self._model_scores is not None:
            is_model, scores = self._model_scores
            if table.is_plain:
                best = self.add("ArgMax", scores, axis=1, keepdims=0)
            else:
                best = self.add("ArgMin", self._expected_losses(self._softmax(scores)), axis=1, keepdims=0)
            position = self.chosen(self.flat(is_model), best, fixed)
        return self.gather(self._answer_names, position)

    def _expected_losses(self, probabilities: str) -> str:
        """Added up class by class, as elsewhere."""
        units = self.tree.schema.loss_table.units.astype(np.float64)
        parts = [
            self.add("Mul", self._column(probabilities, position), self.constant(units[position][None, :]))
            for position in range(self.n_classes)
        ]
        added = parts[0]
        for part in parts[1:]:
            added = self.add("Add", added, part)
        return added

    @cached_property
    def _answer_names(self) -> NDArray[Any]:
        """Of one type, as those of one output are."""
        names = self.tree.answer_names
        if len({str(name) for name in names}) < len(names):
            raise TreeError(f"classes {names!r:.80} look alike as text; ONNX could not tell them apart.", found=names)
        for kind, dtype in ((bool, np.bool_), (int, np.int64), (float, np.float64)):
            if all(type(name) is kind for name in names):
                return np.array(names, dtype=dtype)
        return np.array([_checked(str(name)) for name in names], dtype=object)

    def _cost(self, end: str, resource: int) -> str:
        """What was taken of a resource: what an end costs anyhow, and what depends on outcomes."""
        scale, tables = float(self.tree.schema.costs.resources[resource].scale), dict[int, NDArray[np.float64]]()
        found = self.program.spent(resource)
        for at, (_, by_outcome) in enumerate(found):
            for test, charges in by_outcome.items():
                tables.setdefault(test, np.zeros((len(found), len(charges))))[at] = charges
        spent = self.gather(np.array([float(fixed) for fixed, _ in found]), end)
        for test, table in tables.items():
            row = self.add("Mul", end, self.constant(np.int64(table.shape[1])))
            spent = self.add("Add", spent, self.gather(table.ravel(), self.add("Add", row, self.position(test))))
        return self.add("Div", spent, self.constant(scale))


def _checked(text: str) -> str:
    """What protocol buffers can hold; and a name must not be empty."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TreeError(
            f"{text!r:.60} has half a surrogate pair, which ONNX cannot hold; rename it.", found=text
        ) from error
    return text

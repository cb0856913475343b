"""What a tree for new cases answers with, and what came of the known cases, as entries of the model file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.problem import Schema
from budgetree.services.words import counted
from budgetree.tree.leaf_models import NO_MODEL, Basis, LeafModels, Model
from budgetree.tree.model.encoding import exact, flaw, read_number
from budgetree.tree.nodes import Charges, Nodes, class_shares
from budgetree.tree.provenance import Known

TOLERANCE = 1e-6  # of a sum of probabilities
KNOWN_NUMBERS = ("errors", "mean_cost", "max_cost", "loss", "referred")


def models_content(models: LeafModels | None) -> dict[str, Any] | None:
    """Leaf models as JSON, without which node has which."""
    if models is None:
        return None
    columns: list[dict[str, Any]] = []
    for test, basis in models.bases.items():
        entry = {"test": test, "is_ordered": basis.is_ordered, "missing": basis.missing}
        columns.append(entry | {"outcomes": basis.values.tolist()})
    contents: list[dict[str, Any]] = []
    for model in models.models:
        coefficients = [matrix.tolist() for matrix in model.coefficients]
        tests, intercept = list(model.tests), model.intercept.tolist()
        contents.append({"tests": tests, "intercept": intercept, "coefficients": coefficients})
    return {"sure": models.sure, "columns": columns, "models": contents}


def read_models(given: dict[str, Any] | None, entries: list[Any], nodes: Nodes, schema: Schema) -> LeafModels | None:
    """The models of a file, checked against its tests, classes and nodes."""
    of_node = np.array([entry.get("model", NO_MODEL) for entry in entries], dtype=np.int64)
    if given is None:
        if (of_node != NO_MODEL).any():
            raise flaw("models", None, "the models that nodes have")
        return None
    if nodes.otherwise is None or nodes.probabilities is not None:
        raise flaw("models", "models", "null, or an 'otherwise' per test and no probabilities in the nodes")
    sure = given["sure"]
    if sure is not None and not 0 < sure <= 1:
        raise flaw("models.sure", sure, "a probability above 0 and at most 1, or null")
    bases: dict[int, Basis] = {}
    for number, columns in enumerate(given["columns"]):
        entry = f"models.columns[{number}]"
        if not _is_position(columns["test"], len(schema.test_names)) or columns["test"] in bases:
            raise flaw(f"{entry}.test", columns["test"], "the position of a test, each once")
        bases[columns["test"]] = _read_basis(columns, entry, schema)
    models = [
        _read_model(model, f"models.models[{number}]", bases, len(schema.class_names))
        for number, model in enumerate(given["models"])
    ]
    for node in np.flatnonzero(of_node >= len(models)).tolist():
        raise flaw(f"nodes[{node}].model", int(of_node[node]), f"0 to {len(models) - 1}")
    found = LeafModels(bases, tuple(models), of_node.astype(np.int32), None if sure is None else float(sure))
    _check_paid(found, nodes)
    return found


def _is_position(number: Any, size: int | None = None) -> bool:
    """1.0 is an integer to JSON's schemas, but nothing that Python counts by."""
    return isinstance(number, int) and (size is None or number < size)


def _read_basis(columns: dict[str, Any], entry: str, schema: Schema) -> Basis:
    n_outcomes = int(schema.n_outcomes[columns["test"]])
    values = _matrix(columns["outcomes"], f"{entry}.outcomes")
    missing = columns["missing"]
    if len(values) != n_outcomes or (missing is not None and missing >= n_outcomes):
        raise flaw(f"{entry}.outcomes", len(values), f"{counted(n_outcomes, 'outcome')}, as the test has")
    return Basis(values, columns["is_ordered"], missing)


def _read_model(content: dict[str, Any], entry: str, bases: dict[int, Basis], n_classes: int) -> Model:
    tests = tuple(content["tests"])
    if list(tests) != sorted(set(tests)) or not all(_is_position(test) and test in bases for test in tests):
        raise flaw(f"{entry}.tests", content["tests"], "ascending ones that have columns")
    intercept = np.array(content["intercept"], dtype=np.float64)
    matrices = tuple(_matrix(matrix, f"{entry}.coefficients", n_classes) for matrix in content["coefficients"])
    shapes = [matrix.shape for matrix in matrices]
    if shapes != [(bases[test].width, n_classes) for test in tests] or intercept.shape != (n_classes,):
        raise flaw(entry, shapes, "an intercept per class, and coefficients per test, column and class")
    if not np.isfinite(intercept).all():
        raise flaw(f"{entry}.intercept", content["intercept"], "finite numbers")
    return Model(tests, intercept, matrices)


def _matrix(rows: list[list[float]], entry: str, width: int | None = None) -> NDArray[np.float64]:
    widths = {len(row) for row in rows}
    if len(widths | ({width} if width is not None else set())) != 1:
        raise flaw(entry, sorted(widths), "as many numbers in each row")
    matrix = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    if not np.isfinite(matrix).all():
        raise flaw(entry, rows, "finite numbers")
    return matrix


def _check_paid(models: LeafModels, nodes: Nodes) -> None:
    """A model may only use what was paid, or a case would be answered by what it has not got."""
    paid: list[frozenset[int]] = []
    for node, above in enumerate(nodes.parent.tolist()):
        paid.append(paid[above] | {int(nodes.test[above])} if above >= 0 else frozenset())
        model = models.model(node)
        if model is None:
            if nodes.is_leaf[node]:
                raise flaw(f"nodes[{node}].model", None, "a model, as all leaves have one or none has")
        elif not set(model.tests) <= paid[node]:
            raise flaw(f"nodes[{node}].model", model.tests, "a model of tests that are paid there")


def read_probabilities(
    entries: list[Any], counts: NDArray[np.int64], parent: NDArray[np.int32]
) -> NDArray[np.float64] | None:
    """Those of the leaves, and the shares of the counts above them; None where the file has none."""
    if not any("probabilities" in entry for entry in entries):
        return None
    probabilities = class_shares(counts, parent)
    for node, entry in enumerate(entries):
        given, where = entry.get("probabilities"), f"nodes[{node}].probabilities"
        if (given is not None) != ("test" not in entry):
            raise flaw(where, given, "probabilities in all leaves and nowhere else, or in none")
        if given is not None:
            if len(given) != counts.shape[1] or not abs(sum(given) - 1) <= TOLERANCE:
                raise flaw(where, given, "one per class, with the sum 1")
            probabilities[node] = given
    return probabilities


def known_content(known: Known | None) -> dict[str, Any] | None:
    """What came of the known cases, as JSON."""
    if known is None:
        return None
    answered = [list(row) for row in known.answered]
    return {name: exact(getattr(known, name)) for name in KNOWN_NUMBERS} | {"answered": answered}


def read_known(content: dict[str, Any] | None, nodes: Nodes, schema: Schema, due: Charges) -> Known | None:
    """What came of the known cases, from a file's entry; an error where the tree refutes it."""
    if (content is None) != (nodes.otherwise is None):
        raise flaw("known", content, "what came of the known cases in a tree for new cases, null in any other")
    if content is None:
        return None
    known = Known(
        **{name: read_number(content[name], f"known.{name}") for name in KNOWN_NUMBERS},
        answered=tuple(map(tuple, content["answered"])),
    )
    limit = Fraction(int((nodes.paid + due.costliest).max())) / schema.costs.scale
    if not known.mean_cost <= known.max_cost <= limit:
        raise flaw("known.max_cost", known.max_cost, "at least mean_cost, and at most what a path can cost")
    n_cases = schema.cases(int(nodes.counts[0].sum()))
    if known.loss > n_cases * schema.loss_table.largest / schema.loss_table.scale:
        raise flaw("known.loss", known.loss, "at most the largest loss of every known case")
    if schema.losses is None and (known.loss != known.errors or known.referred):
        raise flaw("known.loss", known.loss, "without losses, the errors, and no case referred")
    _check_answered(known, nodes, schema)
    return known


def _check_answered(known: Known, nodes: Nodes, schema: Schema) -> None:
    answered, n_answers, n_classes = known.answered, len(schema.answer_names), len(schema.class_names)
    if len(answered) != n_answers or any(len(row) != n_classes for row in answered):
        raise flaw("known.answered", answered, f"{n_answers} rows, one per answer, with {n_classes} numbers")
    if [sum(column) for column in zip(*answered, strict=True)] != nodes.counts[0].tolist():
        raise flaw("known.answered", answered, "numbers that add up to the known cases of each class")
    referred = sum(map(sum, answered[n_classes:]))
    right = sum(answered[true][true] for true in range(n_classes))
    errors = int(nodes.counts[0].sum()) - referred - right
    if (schema.cases(errors), schema.cases(referred)) != (known.errors, known.referred):
        raise flaw("known.answered", answered, "what known.errors and known.referred say")

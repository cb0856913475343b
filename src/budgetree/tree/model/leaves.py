"""What a tree for new cases answers with, and what came of the known cases, as entries of the model file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from budgetree.errors import ModelFileError
from budgetree.problem import Schema
from budgetree.services.words import counted
from budgetree.tree.known import Known
from budgetree.tree.leaf_models import NO_MODEL, Basis, LeafModels, Model
from budgetree.tree.model.encoding import exact, read_number
from budgetree.tree.nodes import Charges, Nodes, class_shares

TOLERANCE = 1e-6  # of a sum of probabilities
KNOWN_NUMBERS = ("errors", "mean_cost", "max_cost", "loss", "referred")


def models_content(models: LeafModels | None) -> dict[str, Any] | None:
    """Leaf models as JSON, without which node has which."""
    if models is None:
        return None
    return {
        "sure": models.sure,
        "columns": [
            {
                "test": test,
                "is_ordered": basis.is_ordered,
                "missing": basis.missing,
                "outcomes": basis.values.tolist(),
            }
            for test, basis in models.bases.items()
        ],
        "models": [
            {
                "tests": list(model.tests),
                "intercept": model.intercept.tolist(),
                "coefficients": [matrix.tolist() for matrix in model.coefficients],
            }
            for model in models.models
        ],
    }


def read_models(content: dict[str, Any], entries: list[Any], nodes: Nodes, schema: Schema) -> LeafModels | None:
    """The models of a file, checked against its tests, classes and nodes."""
    given = content.get("models")
    if given is None:
        if any("model" in entry for entry in entries):
            raise ModelFileError("a node has a model, but there are no models.")
        return None
    if nodes.otherwise is None or nodes.probabilities is not None:
        raise ModelFileError(
            "models: a tree with models has an 'otherwise' per test and no probabilities in its nodes."
        )
    sure = given["sure"]
    if sure is not None and not 0 < sure <= 1:
        raise ModelFileError(f"models.sure is {sure}; expected a probability above 0 and at most 1, or null.")
    bases: dict[int, Basis] = {}
    for number, columns in enumerate(given["columns"]):
        if not _is_position(columns["test"], len(schema.test_names)) or columns["test"] in bases:
            raise ModelFileError(f"models.columns[{number}] has the test {columns['test']}; expected one of its own.")
        bases[columns["test"]] = _read_basis(columns, f"models.columns[{number}]", schema)
    models = [
        _read_model(model, f"models.models[{number}]", bases, len(schema.class_names))
        for number, model in enumerate(given["models"])
    ]
    found = LeafModels(bases, tuple(models), _of_node(entries, len(models)), None if sure is None else float(sure))
    _check_paid(found, nodes)
    return found


def _is_position(number: Any, size: int | None = None) -> bool:
    """1.0 is an integer to JSON's schemas, but nothing that Python counts by."""
    return isinstance(number, int) and (size is None or number < size)


def _read_basis(columns: dict[str, Any], what: str, schema: Schema) -> Basis:
    n_outcomes = int(schema.n_outcomes[columns["test"]])
    values = _matrix(columns["outcomes"], what)
    missing = columns["missing"]
    if len(values) != n_outcomes or (missing is not None and missing >= n_outcomes):
        raise ModelFileError(f"{what} must have {counted(n_outcomes, 'outcome')}, as its test does.")
    return Basis(values, columns["is_ordered"], missing)


def _read_model(content: dict[str, Any], what: str, bases: dict[int, Basis], n_classes: int) -> Model:
    tests = tuple(content["tests"])
    if list(tests) != sorted(set(tests)) or not all(_is_position(test) and test in bases for test in tests):
        raise ModelFileError(f"{what} has the tests {list(tests)!r:.60}; expected ascending ones that have columns.")
    intercept = np.array(content["intercept"], dtype=np.float64)
    matrices = tuple(_matrix(matrix, what, n_classes) for matrix in content["coefficients"])
    shapes = [matrix.shape for matrix in matrices]
    if shapes != [(bases[test].width, n_classes) for test in tests] or intercept.shape != (n_classes,):
        raise ModelFileError(f"{what} must have an intercept per class, and coefficients per test, column and class.")
    if not np.isfinite(intercept).all():
        raise ModelFileError(f"{what} has an intercept that is no finite number.")
    return Model(tests, intercept, matrices)


def _matrix(rows: list[list[float]], what: str, width: int | None = None) -> NDArray[np.float64]:
    if len({len(row) for row in rows} | ({width} if width is not None else set())) != 1:
        raise ModelFileError(f"{what} has rows of different lengths; expected as many numbers in each.")
    matrix = np.array(rows, dtype=np.float64).reshape(len(rows), -1)
    if not np.isfinite(matrix).all():
        raise ModelFileError(f"{what} holds what is no finite number.")
    return matrix


def _of_node(entries: list[Any], n_models: int) -> NDArray[np.int32]:
    of_node = [entry.get("model", NO_MODEL) for entry in entries]
    for node, number in enumerate(of_node):
        if number >= n_models:
            raise ModelFileError(f"node {node} has the model {number}; there are models 0 to {n_models - 1}.")
    return np.array(of_node, dtype=np.int32)


def _check_paid(models: LeafModels, nodes: Nodes) -> None:
    """A model may only use what was paid, or a case would be answered by what it has not got."""
    paid: list[frozenset[int]] = []
    for node, above in enumerate(nodes.parent.tolist()):
        paid.append(paid[above] | {int(nodes.test[above])} if above >= 0 else frozenset())
        model = models.model(node)
        if model is None:
            if nodes.is_leaf[node]:
                raise ModelFileError(f"node {node} is a leaf without a model; all leaves have one, or none.")
        elif not set(model.tests) <= paid[node]:
            raise ModelFileError(f"the model of node {node} uses a test that is not paid there.")


def read_probabilities(
    entries: list[Any], counts: NDArray[np.int64], parent: NDArray[np.int32]
) -> NDArray[np.float64] | None:
    """Those of the leaves, and the shares of the counts above them; None where the file has none."""
    if not any("probabilities" in entry for entry in entries):
        return None
    probabilities = class_shares(counts, parent)
    for node, entry in enumerate(entries):
        if ("probabilities" in entry) != ("test" not in entry):
            raise ModelFileError(f"node {node}: probabilities stand in all leaves and nowhere else, or in none.")
        if "test" not in entry:
            given = np.array(entry["probabilities"], dtype=np.float64)
            if given.shape != (counts.shape[1],) or not abs(given.sum() - 1) <= TOLERANCE:
                raise ModelFileError(f"node {node}: its probabilities must be one per class, with the sum 1.")
            probabilities[node] = given
    return probabilities


def known_content(known: Known | None) -> dict[str, Any] | None:
    """What came of the known cases, as JSON."""
    if known is None:
        return None
    answered = {} if known.answered is None else {"answered": [list(row) for row in known.answered]}
    return {name: exact(getattr(known, name)) for name in KNOWN_NUMBERS} | answered


def read_known(content: dict[str, Any] | None, nodes: Nodes, schema: Schema, due: Charges) -> Known | None:
    """What came of the known cases, from a file's entry; an error where the tree refutes it."""
    if content is None:
        if nodes.otherwise is not None:
            raise ModelFileError("'known' is missing; a tree for new cases says what came of the known ones.")
        return None
    if nodes.otherwise is None:
        raise ModelFileError("known: only trees for new cases have it; expected null.")
    before_losses = {"loss": content["errors"], "referred": 0}  # what versions up to 4 do not say
    entries = before_losses | content
    known = Known(
        **{name: read_number(entries[name], f"known.{name}") for name in KNOWN_NUMBERS},
        answered=tuple(map(tuple, content["answered"])) if "answered" in content else None,
    )
    limit = Fraction(int((nodes.paid + due.costliest).max())) / schema.table.scale
    if not known.mean_cost <= known.max_cost <= limit:
        raise ModelFileError("known: mean_cost is at most max_cost, and that at most what a path can cost.")
    n_cases = schema.cases(int(nodes.counts[0].sum()))
    if known.errors + known.referred > n_cases:
        raise ModelFileError("known.errors and known.referred are more than there are known cases.")
    if known.loss > n_cases * schema.loss_table.largest / schema.loss_table.scale:
        raise ModelFileError("known.loss is more than the largest loss of every known case.")
    if schema.losses is None and (known.loss != known.errors or known.referred):
        raise ModelFileError("known: without losses, the loss is the errors, and nobody is referred.")
    if known.answered is not None:
        _check_answered(known, known.answered, nodes, schema)
    return known


def _check_answered(known: Known, answered: tuple[tuple[int, ...], ...], nodes: Nodes, schema: Schema) -> None:
    n_answers, n_classes = len(schema.answer_names), len(schema.class_names)
    if len(answered) != n_answers or any(len(row) != n_classes for row in answered):
        raise ModelFileError(
            f"known.answered must have a row for each of {counted(n_answers, 'answer')}, "
            f"with {counted(n_classes, 'number')}: one per class."
        )
    if [sum(column) for column in zip(*answered, strict=True)] != nodes.counts[0].tolist():
        raise ModelFileError("known.answered does not add up to the known cases of each class.")
    referred = sum(map(sum, answered[n_classes:]))
    right = sum(answered[true][true] for true in range(n_classes))
    errors = int(nodes.counts[0].sum()) - referred - right
    if (schema.cases(errors), schema.cases(referred)) != (known.errors, known.referred):
        raise ModelFileError("known.answered contradicts known.errors or known.referred.")

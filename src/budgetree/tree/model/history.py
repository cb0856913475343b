"""Where a tree came from and what was proven of it, as entries of the model file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from budgetree.errors import ModelFileError
from budgetree.services.clock import Ended
from budgetree.services.words import show_number
from budgetree.tree.expected import Expected, NewError, NewLoss
from budgetree.tree.model.encoding import exact, read_number
from budgetree.tree.origin import Change, Function, Origin
from budgetree.tree.proven import Proven


def origin_content(origin: Origin) -> dict[str, Any]:
    """An origin as JSON; what it does not say is left out."""
    function = origin.impurity
    content: dict[str, Any] = {"method": origin.method}
    if function is not None:
        parameters = {name: exact(value) for name, value in function.parameters}
        content["impurity"] = {"name": function.name, "parameters": parameters, "words": function.words}
    if origin.delta:
        content["delta"] = exact(origin.delta)
    if origin.budget is not None:
        content["budget"] = exact(origin.budget)
    content["rule"] = origin.rule
    if origin.seed is not None:
        content["seed"] = origin.seed
    if origin.leaves is not None:
        content["leaves"] = origin.leaves
    if origin.sure is not None:
        content["sure"] = exact(origin.sure)
    if origin.min_cases > 1:
        content["min_cases"] = origin.min_cases
    content["changes"] = [_change_content(change) for change in origin.changes]
    return content | ({"note": origin.note} if origin.note else {})


def _change_content(change: Change) -> dict[str, Any]:
    return {"kind": change.kind} | ({} if change.budget is None else {"budget": exact(change.budget)})


def read_origin(content: Any) -> Origin:
    """An origin from a file's entry; up to version 2 that is prose, which is kept as a note."""
    if isinstance(content, str):
        return Origin(note=content)
    function = content.get("impurity")
    return Origin(
        method=content["method"],
        impurity=None if function is None else _read_function(function),
        delta=read_number(content.get("delta", 0), "origin.delta"),
        budget=_read_optional(content.get("budget"), "origin.budget"),
        rule=content.get("rule", "worst"),
        seed=content.get("seed"),
        changes=tuple(
            Change(change["kind"], _read_optional(change.get("budget"), "origin.changes: a budget"))
            for change in content.get("changes", [])
        ),
        note=content.get("note", ""),
        leaves=content.get("leaves"),
        sure=_read_optional(content.get("sure"), "origin.sure"),
        min_cases=content.get("min_cases", 1),
    )


def _read_function(content: dict[str, Any]) -> Function:
    parameters = content.get("parameters", {})
    return Function(
        name=content["name"],
        parameters=tuple((name, read_number(value, f"origin.impurity.{name}")) for name, value in parameters.items()),
        words=content.get("words", ""),
    )


def proven_content(proven: Proven | None, ended: Ended) -> dict[str, Any] | None:
    """What was proven, as JSON."""
    if proven is None:
        return None
    return {
        "asked": proven.asked,
        "limit": None if proven.limit is None else exact(proven.limit),
        "method": proven.method,
        "complete": ended is Ended.COMPLETE,
        "budget": None if proven.budget is None else exact(proven.budget),
        "least_errors": exact(proven.least_errors),
        "least_cost": exact(proven.least_cost),
    } | ({} if proven.min_cases == 1 else {"min_cases": proven.min_cases})


def read_proven(content: dict[str, Any] | None, loss: Fraction, max_cost: Fraction) -> Proven | None:
    """What was proven, from a file's entry; an error where the file's own tree, with this loss, refutes it."""
    if content is None:
        return None
    proven = Proven(
        asked=content["asked"],
        limit=_read_optional(content["limit"], "proven.limit"),
        method=content["method"],
        budget=_read_optional(content["budget"], "proven.budget"),
        least_errors=read_number(content["least_errors"], "proven.least_errors"),
        least_cost=read_number(content["least_cost"], "proven.least_cost"),
        min_cases=content.get("min_cases", 1),
    )
    if (proven.budget is None or max_cost <= proven.budget) and loss < proven.least_errors:
        raise ModelFileError(
            f"proven.least_errors is {show_number(proven.least_errors)}, but this very tree makes "
            f"{show_number(loss)} within that budget; what is proven must be true of it."
        )
    if max_cost < proven.least_cost:
        raise ModelFileError(
            f"proven.least_cost is {show_number(proven.least_cost)}, but this very tree costs "
            f"{show_number(max_cost)}; what is proven must be true of it."
        )
    return proven


def read_ended(content: dict[str, Any]) -> Ended:
    """How the search ended, from a file; what is proven must agree with it."""
    ended = Ended(content.get("ended", Ended.COMPLETE.value))
    proven = content.get("proven")
    if proven is not None and proven["complete"] != (ended is Ended.COMPLETE):
        raise ModelFileError(f"proven.complete is {proven['complete']}, but the search ended by: {ended.value}.")
    return ended


def expected_content(expected: Expected | None) -> dict[str, Any] | None:
    """What is expected of new cases, as JSON."""
    if expected is None:
        return None
    error = expected.new_error
    content = {"error": error.error, "se": error.se, "overfitted": expected.overfitted, "how": expected.how}
    loss = expected.new_loss
    return content if loss is None else content | {"loss": loss.loss, "loss_se": loss.se}


def read_expected(content: dict[str, Any] | None) -> Expected | None:
    """What is expected of new cases, from a file's entry."""
    if content is None:
        return None
    error = NewError(float(content["error"]), float(content["se"]))
    loss = NewLoss(float(content["loss"]), float(content["loss_se"])) if "loss" in content else None
    return Expected(error, content["overfitted"], content["how"], loss)


def _read_optional(value: Any, what: str) -> Fraction | None:
    return None if value is None else read_number(value, what)

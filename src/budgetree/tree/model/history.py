"""Where a tree came from, what was proven of it and what is expected, as entries of the model file."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from budgetree.errors import ModelFileError, Where
from budgetree.services.clock import Ended
from budgetree.services.words import show_number
from budgetree.tree.model.encoding import exact, flaw, read_number, read_optional
from budgetree.tree.proven import Asked, Proven
from budgetree.tree.provenance import Change, ChangeKind, Expected, Function, Method, NewError, NewLoss, Origin


def origin_content(origin: Origin) -> dict[str, Any]:
    """An origin as JSON; what it does not say is left out."""
    function = origin.impurity
    changes = [{"kind": c.kind} | ({} if c.budget is None else {"budget": exact(c.budget)}) for c in origin.changes]
    impurity: dict[str, Any] | None = None
    if function is not None:
        parameters = {name: exact(value) for name, value in function.parameters}
        impurity = {"name": function.name, "parameters": parameters, "words": function.words}
    content = {
        "impurity": impurity,
        "delta": exact(origin.delta or None),
        "budget": exact(origin.budget),
        "sure": exact(origin.sure),
        "seed": origin.seed,
        "leaves": origin.leaves,
        "min_cases": None if origin.min_cases == 1 else origin.min_cases,
    }
    said = {name: value for name, value in content.items() if value is not None}
    return {"method": origin.method, "rule": origin.rule, "changes": changes} | said


def read_origin(content: dict[str, Any]) -> Origin:
    """An origin from a file's entry."""
    function = content.get("impurity")
    return Origin(
        method=Method(content["method"]),
        impurity=None if function is None else _read_function(function),
        delta=read_number(content.get("delta", 0), "origin.delta"),
        budget=read_optional(content.get("budget"), "origin.budget"),
        rule=content["rule"],
        seed=content.get("seed"),
        changes=tuple(
            Change(ChangeKind(change["kind"]), read_optional(change.get("budget"), f"origin.changes[{k}].budget"))
            for k, change in enumerate(content["changes"])
        ),
        leaves=content.get("leaves"),
        sure=read_optional(content.get("sure"), "origin.sure"),
        min_cases=content.get("min_cases", 1),
    )


def _read_function(content: dict[str, Any]) -> Function:
    parameters = content["parameters"].items()
    numbers = tuple((name, read_number(value, f"origin.impurity.parameters.{name}")) for name, value in parameters)
    return Function(content["name"], numbers, content["words"])


def proven_content(proven: Proven | None, ended: Ended) -> dict[str, Any] | None:
    """What was proven, as JSON."""
    if proven is None:
        return None
    return {
        "asked": proven.asked,
        "limit": exact(proven.limit),
        "method": proven.method,
        "complete": ended is Ended.COMPLETE,
        "budget": exact(proven.budget),
        "least_errors": exact(proven.least_errors),
        "least_cost": exact(proven.least_cost),
    } | ({} if proven.min_cases == 1 else {"min_cases": proven.min_cases})


def read_proven(content: dict[str, Any] | None, loss: Fraction, max_cost: Fraction) -> Proven | None:
    """What was proven, from a file's entry; an error where the file's own tree, with this loss, refutes it."""
    if content is None:
        return None
    proven = Proven(
        asked=Asked(content["asked"]),
        limit=read_optional(content["limit"], "proven.limit"),
        method=Method(content["method"]),
        budget=read_optional(content["budget"], "proven.budget"),
        least_errors=read_number(content["least_errors"], "proven.least_errors"),
        least_cost=read_number(content["least_cost"], "proven.least_cost"),
        min_cases=content.get("min_cases", 1),
    )
    is_within = proven.budget is None or max_cost <= proven.budget
    bounds = [("least_errors", proven.least_errors, loss)] if is_within else []
    for name, least, has in (*bounds, ("least_cost", proven.least_cost, max_cost)):
        if has < least:
            message = f"no tree is said to have less than {show_number(least)}, but this very tree has "
            where = Where(entry=f"proven.{name}")
            raise ModelFileError(f"{message}{show_number(has)}.", found=least, expected=has, where=where)
    return proven


def read_ended(content: dict[str, Any]) -> Ended:
    """How the search ended, from a file; what is proven must agree with it."""
    ended = Ended(content.get("ended", Ended.COMPLETE.value))
    proven = content["proven"]
    if proven is not None and proven["complete"] != (ended is Ended.COMPLETE):
        raise flaw("proven.complete", proven["complete"], f"what 'ended' says ({ended.value})")
    return ended


def expected_content(expected: Expected | None) -> dict[str, Any] | None:
    """What is expected of new cases, as JSON."""
    if expected is None:
        return None
    error, loss = expected.new_error, expected.new_loss
    content = {"error": error.error, "se": error.se, "overfitted": expected.overfitted, "how": expected.how}
    return content if loss is None else content | {"loss": loss.loss, "loss_se": loss.se}


def read_expected(content: dict[str, Any] | None) -> Expected | None:
    """What is expected of new cases, from a file's entry."""
    if content is None:
        return None
    error = NewError(float(content["error"]), float(content["se"]))
    loss = NewLoss(float(content["loss"]), float(content["loss_se"])) if "loss" in content else None
    return Expected(error, content["overfitted"], content["how"], loss)

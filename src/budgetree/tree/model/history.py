"""Where a tree came from, what is known of other trees and of new cases, as entries of the model file."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from budgetree.errors import ModelFileError, Where
from budgetree.problem.cost_model import RuleKind
from budgetree.services.clock import Ended
from budgetree.services.words import listed, show_number
from budgetree.tree.model.encoding import exact, flaw, read_number, read_optional
from budgetree.tree.provenance import (
    KINDS,
    Bounds,
    Change,
    ChangeKind,
    Estimate,
    Function,
    LeafChoice,
    Method,
    NewError,
    NewLoss,
    Origin,
    ProofState,
    Stability,
)

if TYPE_CHECKING:
    from budgetree.problem import Schema
    from budgetree.tree.tree import Tree


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
        "confidence": exact(origin.confidence),
        "seed": origin.seed,
        "leaves": None if origin.choice is None else _choice_content(origin.choice),
        "min_cases": None if origin.min_cases == 1 else origin.min_cases,
        "table": origin.table,
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
        choice=_read_choice(content["leaves"]) if "leaves" in content else None,
        confidence=read_optional(content.get("confidence"), "origin.confidence"),
        min_cases=content.get("min_cases", 1),
        table=content.get("table"),
    )


def _choice_content(choice: LeafChoice) -> dict[str, Any]:
    own = {"kind": choice.kind, "best": choice.best}
    return own | {"scores": dict(choice.scores), "excess": choice.excess, "standard_error": choice.standard_error}


def _read_choice(content: dict[str, Any]) -> LeafChoice:
    scores, kinds = content["scores"], {content["kind"], content["best"]}
    if not kinds <= scores.keys():
        raise flaw("origin.leaves.scores", sorted(scores), "the scores of its kind and of the best")
    return LeafChoice(
        content["kind"],
        tuple((kind, float(scores[kind])) for kind in KINDS if kind in scores),
        content["best"],
        float(content["excess"]),
        float(content["standard_error"]),
    )


def _read_function(content: dict[str, Any]) -> Function:
    parameters = content["parameters"].items()
    numbers = tuple((name, read_number(value, f"origin.impurity.parameters.{name}")) for name, value in parameters)
    return Function(content["name"], numbers, content["words"])


def bounds_content(bounds: Bounds | None, schema: Schema) -> dict[str, Any] | None:
    """What is known of other trees, as JSON: amounts as users have them."""
    if bounds is None:
        return None
    scale = schema.costs.scale
    return {
        "state": bounds.state,
        "least_loss": exact(schema.loss(bounds.least_loss)),
        "within": None if bounds.within is None else exact(Fraction(bounds.within) / scale),
        "least_cost": exact(Fraction(bounds.least_cost) / scale),
        "max_error": exact(bounds.max_error),
        "min_cases": bounds.min_cases,
        "ignores": [rule for rule in RuleKind if rule in bounds.ignores],
    }


def read_bounds(content: dict[str, Any] | None, tree: Tree) -> Bounds | None:
    """What is known of other trees, from a file's entry; an error where the file's own tree refutes it."""
    if content is None:
        return None
    schema, costs = tree.schema, tree.schema.costs
    within = read_optional(content["within"], "bounds.within")
    claimed = Bounds(
        state=ProofState(content["state"]),
        least_loss=_whole(content, "least_loss", 1 / schema.loss(1)),
        within=None if within is None else _whole(content, "within", Fraction(costs.scale)),
        least_cost=_whole(content, "least_cost", Fraction(costs.scale)),
        max_error=read_optional(content["max_error"], "bounds.max_error"),
        min_cases=content["min_cases"],
        ignores=frozenset(map(RuleKind, content["ignores"])),
    )
    left_out = frozenset[RuleKind]() if claimed.state is ProofState.OPTIMAL else costs.rules
    if not claimed.ignores <= left_out:
        raise flaw("bounds.ignores", sorted(claimed.ignores), f"some of {listed(sorted(left_out)) or 'no rules'}")
    loss, max_cost = round(tree.exact_loss / schema.loss(1)), tree.need
    is_within = claimed.within is None or max_cost <= claimed.within
    least = [("least_loss", claimed.least_loss, loss)] if is_within else []
    for name, bound, has in (*least, ("least_cost", claimed.least_cost, max_cost)):
        if has < bound:
            scale = 1 / schema.loss(1) if name == "least_loss" else Fraction(costs.scale)
            message = f"no tree is said to have less than {show_number(bound / scale)}, but this very tree has "
            where = Where(entry=f"bounds.{name}")
            raise ModelFileError(f"{message}{show_number(has / scale)}.", found=bound, expected=has, where=where)
    is_best = loss == claimed.least_loss if claimed.max_error is None else max_cost == claimed.least_cost
    if not is_within or (claimed.state is ProofState.OPTIMAL and not is_best):
        raise flaw("bounds.state", claimed.state.value, "what its numbers say of this tree")
    return claimed


def _whole(content: dict[str, Any], name: str, scale: Fraction) -> int:
    """An amount in whole units, so many of which are 1."""
    units = read_number(content[name], f"bounds.{name}") * scale
    if units.denominator != 1:
        raise flaw(f"bounds.{name}", content[name], "a whole number of the units of this tree's prices and weights")
    return int(units)


def read_ended(content: dict[str, Any]) -> Ended:
    """How the search ended, from a file."""
    return Ended(content.get("ended", Ended.COMPLETE.value))


def estimate_content(estimate: Estimate | None) -> dict[str, Any] | None:
    """What is expected of new cases, as JSON."""
    if estimate is None:
        return None
    error, loss = estimate.new_error, estimate.new_loss
    content: dict[str, Any] = {"error": error.error, "se": error.se}
    content |= {"overfitted": estimate.overfitted, "how": estimate.how}
    if estimate.recalls:
        content |= {"mean_cost": estimate.mean_cost, "recalls": list(estimate.recalls)}
    if estimate.stability is not None:
        content["stability"] = asdict(estimate.stability) | {"tests": dict(estimate.stability.tests)}
    return content if loss is None else content | {"loss": loss.loss, "loss_se": loss.se}


def read_estimate(content: dict[str, Any] | None, n_classes: int) -> Estimate | None:
    """What is expected of new cases, from a file's entry."""
    if content is None:
        return None
    error = NewError(float(content["error"]), float(content["se"]))
    loss = NewLoss(float(content["loss"]), float(content["loss_se"])) if "loss" in content else None
    stability = content.get("stability")
    if stability is not None:
        tests = tuple((name, float(share)) for name, share in stability["tests"].items())
        shares = {name: float(stability[name]) for name in ("learned_from", "same_first", "same_answers")}
        stability = Stability(**(stability | shares | {"tests": tests}))
    recalls = tuple(None if share is None else float(share) for share in content.get("recalls", ()))
    if recalls and len(recalls) != n_classes:
        raise flaw("estimate.recalls", len(recalls), f"a share for each of {n_classes} classes")
    cost = float(content["mean_cost"]) if recalls else None
    return Estimate(error, content["overfitted"], content["how"], loss, stability, cost, recalls)

"""Where a tree came from, what is known of other trees and of new cases, as entries of the model file."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from budgetree.errors import ModelFileError, Where
from budgetree.problem.cost_model import RuleKind
from budgetree.services.words import listed, show_number
from budgetree.tree import provenance
from budgetree.tree.model.encoding import exact, flaw, read_number, read_optional

if TYPE_CHECKING:
    from budgetree.problem import Schema
    from budgetree.tree.tree import Tree


def origin_content(origin: provenance.Origin) -> dict[str, Any]:
    """An origin as JSON; what it does not say is left out."""
    function, choice = origin.impurity, origin.choice
    changes = [{"kind": c.kind} | ({} if c.budget is None else {"budget": exact(c.budget)}) for c in origin.changes]
    given: dict[str, Any] = {"impurity": None, "delta": exact(origin.delta or None), "budget": exact(origin.budget)}
    given |= {"confidence": exact(origin.confidence), "seed": origin.seed, "leaves": None}
    given |= {"min_cases": None if origin.min_cases == 1 else origin.min_cases, "table": origin.table}
    if function is not None:
        parameters = {name: exact(value) for name, value in function.parameters}
        given["impurity"] = {"name": function.name, "parameters": parameters, "words": function.words}
    if choice is not None:
        given["leaves"] = {"kind": choice.kind, "best": choice.best, "scores": dict(choice.scores)}
        given["leaves"] |= {"excess": choice.excess, "standard_error": choice.standard_error}
    said = {name: value for name, value in given.items() if value is not None}
    return {"method": origin.method, "rule": origin.rule, "changes": changes} | said


def read_origin(content: dict[str, Any]) -> provenance.Origin:
    """An origin from a file's entry."""
    function, changes = content.get("impurity"), list[provenance.Change]()
    if function is not None:
        entry, parameters = "origin.impurity.parameters", function["parameters"].items()
        numbers = tuple((name, read_number(value, f"{entry}.{name}")) for name, value in parameters)
        function = provenance.Function(function["name"], numbers, function["words"])
    for k, change in enumerate(content["changes"]):
        budget = read_optional(change.get("budget"), f"origin.changes[{k}].budget")
        changes.append(provenance.Change(provenance.ChangeKind(change["kind"]), budget))
    return provenance.Origin(
        method=provenance.Method(content["method"]),
        impurity=function,
        delta=read_number(content.get("delta", 0), "origin.delta"),
        budget=read_optional(content.get("budget"), "origin.budget"),
        rule=content["rule"],
        changes=tuple(changes),
        choice=_read_choice(content["leaves"]) if "leaves" in content else None,
        confidence=read_optional(content.get("confidence"), "origin.confidence"),
        **{name: content[name] for name in ("seed", "min_cases", "table") if name in content},
    )


def _read_choice(content: dict[str, Any]) -> provenance.LeafChoice:
    scores, kinds = content["scores"], {content["kind"], content["best"]}
    if not kinds <= scores.keys():
        raise flaw("origin.leaves.scores", sorted(scores), "the scores of its kind and of the best")
    by_kind = tuple((kind, float(scores[kind])) for kind in provenance.KINDS if kind in scores)
    numbers = (float(content["excess"]), float(content["standard_error"]))
    return provenance.LeafChoice(content["kind"], by_kind, content["best"], *numbers)


def bounds_content(bounds: provenance.Bounds | None, schema: Schema) -> dict[str, Any] | None:
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


def read_bounds(content: dict[str, Any] | None, tree: Tree) -> provenance.Bounds | None:
    """What is known of other trees, from a file's entry; an error where the file's own tree refutes it."""
    if content is None:
        return None
    schema, costs = tree.schema, tree.schema.costs
    within = read_optional(content["within"], "bounds.within")
    claimed = provenance.Bounds(
        state=provenance.ProofState(content["state"]),
        least_loss=_whole(content, "least_loss", 1 / schema.loss(1)),
        within=None if within is None else _whole(content, "within", Fraction(costs.scale)),
        least_cost=_whole(content, "least_cost", Fraction(costs.scale)),
        max_error=read_optional(content["max_error"], "bounds.max_error"),
        min_cases=content["min_cases"],
        ignores=frozenset(map(RuleKind, content["ignores"])),
    )
    left_out = frozenset[RuleKind]() if claimed.state is provenance.ProofState.OPTIMAL else costs.rules
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
    if not is_within or (claimed.state is provenance.ProofState.OPTIMAL and not is_best):
        raise flaw("bounds.state", claimed.state.value, "what its numbers say of this tree")
    return claimed


def _whole(content: dict[str, Any], name: str, scale: Fraction) -> int:
    """An amount in whole units, so many of which are 1."""
    units = read_number(content[name], f"bounds.{name}") * scale
    if units.denominator != 1:
        raise flaw(f"bounds.{name}", content[name], "a whole number of the units of this tree's prices and weights")
    return int(units)


def estimate_content(estimate: provenance.Estimate | None) -> dict[str, Any] | None:
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


def read_estimate(content: dict[str, Any] | None, n_classes: int) -> provenance.Estimate | None:
    """What is expected of new cases, from a file's entry."""
    if content is None:
        return None
    error = provenance.NewError(float(content["error"]), float(content["se"]))
    loss = provenance.NewLoss(float(content["loss"]), float(content["loss_se"])) if "loss" in content else None
    stability = content.get("stability")
    if stability is not None:
        tests = tuple((name, float(share)) for name, share in stability["tests"].items())
        shares = {name: float(stability[name]) for name in ("learned_from", "same_first", "same_answers")}
        stability = provenance.Stability(**(stability | shares | {"tests": tests}))
    recalls = tuple(None if share is None else float(share) for share in content.get("recalls", ()))
    if recalls and len(recalls) != n_classes:
        raise flaw("estimate.recalls", len(recalls), f"a share for each of {n_classes} classes")
    cost = float(content["mean_cost"]) if recalls else None
    return provenance.Estimate(error, content["overfitted"], content["how"], loss, stability, cost, recalls)

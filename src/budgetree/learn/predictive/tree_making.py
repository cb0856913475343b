"""From what grew to a tree: the same purchases, branches and answers."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from budgetree.learn.predictive.growth import Place
from budgetree.learn.predictive.ridge import Models
from budgetree.problem import Instance
from budgetree.tree import Fixed, Model, Origin, Split, Tree, TreeBuilder
from budgetree.tree.leaves import softmax


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Which test to buy next, and what to answer at the end."""

    root: Place
    models: Models | None  # that answer at the ends; None where all of these have fixed probabilities
    sure: float | None  # a case stops before a purchase where its likeliest class has this probability by a model

    def model(self, place: Place) -> Model | None:
        """The model of what is paid at a place."""
        return None if self.models is None else self.models.model(place.paid.tests)


def to_tree(policy: Policy, instance: Instance, origin: Origin) -> Tree:
    """The tree of a policy that was fitted to these cases."""
    builder = TreeBuilder(instance)
    waiting = deque([(policy.root, builder.root)])
    while waiting:
        place, end = waiting.popleft()
        if place.goes is not None:
            assert place.test is not None
            ends = builder.branch(end, Split.by_result(place.test, place.goes.tolist()))
            waiting.extend(zip(place.following, ends, strict=True))
            continue
        model = policy.model(place) if instance.n_classes > 1 else None
        if place.after is None or place.test is None or _is_settled(model, policy.sure):
            builder.leaf(end, model if place.probabilities is None else Fixed(tuple(place.probabilities.tolist())))
            continue
        if model is not None and policy.sure is not None and model.tests:
            stopped, end = builder.branch(end, Split.by_confidence(model, policy.sure))
            builder.leaf(stopped, model)
        waiting.append((place.after, builder.buy(end, place.test)))
    return builder.build(origin=origin)


def _is_settled(model: Model | None, sure: float | None) -> bool:
    """Whether a model says the same of every case, and is sure of it."""
    if model is None or sure is None or model.tests:
        return False
    return bool(softmax(model.totals.intercept[None]).max() >= sure)

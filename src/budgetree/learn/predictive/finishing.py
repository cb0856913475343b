"""Finishing: how much of the time making a tree of a policy takes, so that growth ends early enough."""

from __future__ import annotations

from dataclasses import dataclass

from budgetree.problem import Instance
from budgetree.services.clock import Clock, WorkPlan


@dataclass(frozen=True, slots=True)
class Finishing:
    """About how long it takes, by the size of the table."""

    seconds_per_visit: float = 0.0
    seconds_for_losses: float = 0.0

    @classmethod
    def of(cls, instance: Instance, plan: WorkPlan) -> Finishing:
        n_classes, n_answers = instance.n_classes, len(instance.schema.answer_names)
        n_losses = 0 if instance.losses is None else instance.n_objects * n_classes * n_answers
        return cls(plan.seconds_per_visit + plan.seconds_per_score * n_classes, plan.seconds_per_loss * n_losses)

    def seconds(self, n_visits: int) -> float:
        """For a policy in which so many cases come to places, each place for itself."""
        return self.seconds_per_visit * n_visits + self.seconds_for_losses

    def before(self, clock: Clock, n_visits: int) -> Clock:
        """The clock without the time that finishing takes."""
        left = clock.seconds_left
        return clock if left is None else clock.share(max(left - self.seconds(n_visits), 0.0))

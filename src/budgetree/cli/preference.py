"""What `--first` and `--without` cost: the tree that heeds them beside one that need not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.learn import Result
from budgetree.services.words import counted, listed, show_number
from budgetree.tree.provenance import Objective


@dataclass(frozen=True, slots=True)
class Preference:
    """Two answers to the same question."""

    first: tuple[str, ...]
    without: tuple[str, ...]
    heeded: Result
    free: Result

    @property
    def more(self) -> Fraction:
        """The loss on known cases that it adds; without losses, the errors."""
        return self.heeded.tree.exact_loss - self.free.tree.exact_loss

    @property
    def is_proven(self) -> bool:
        """Whether neither tree can be better."""
        return self.heeded.tree.statement.is_proven and self.free.tree.statement.is_proven

    @property
    def on_new_cases(self) -> tuple[float, float, float] | None:
        """What to expect of a new case, with the preference and without it, and the standard error of the difference.

        It is a loss where losses are given, and else a share of errors. The same rows judge both trees, which can only
        make the difference surer than this error says.
        """
        points = self.heeded.point, self.free.point
        if self.heeded.objective is not Objective.NEW or points[0] is None or points[1] is None:
            return None
        is_loss = self.heeded.tree.schema.losses is not None
        means = [point.new_loss if is_loss else point.new_error for point in points if point is not None]
        errors = [point.new_loss_se if is_loss else point.new_error_se for point in points if point is not None]
        if None in means or None in errors:
            return None
        return means[0], means[1], math.hypot(*errors)  # type: ignore[return-value, arg-type]

    @property
    def facts(self) -> dict[str, Any]:
        """For programs."""
        facts: dict[str, Any] = {"first": list(self.first), "without": list(self.without)}
        if (found := self.on_new_cases) is not None:
            return facts | dict(zip(("new", "new_free", "difference_se"), found, strict=True))
        costs = {"max_cost": self.heeded.tree.max_cost, "max_cost_free": self.free.tree.max_cost}
        return facts | {"more_loss": float(self.more), "proven": self.is_proven} | costs

    @property
    def sentence(self) -> str:
        """For people."""
        parts = [f"beginning with {listed(self.first)}"] if self.first else []
        parts += [f"without {listed(self.without)}"] if self.without else []
        return f"{' and '.join(parts)}: {self._difference}."

    @property
    def _difference(self) -> str:
        tree, proven = self.heeded.tree, ", proven" if self.is_proven else ", not proven"
        if (found := self.on_new_cases) is not None:
            heeded, free, error = found
            verdict = "no difference" if abs(heeded - free) <= 2 * error else "a difference"
            if tree.schema.losses is not None:
                return f"new-case loss {heeded:.3g} instead of {free:.3g} (± {error:.2g}: {verdict})"
            shares = f"{100 * heeded:.1f} % of new cases wrong instead of {100 * free:.1f} %"
            return f"{shares} (± {100 * error:.1f}: {verdict})"
        if self.heeded.request.max_error is not None:
            heeded_cost, cost = map(tree.schema.wording.amount, (tree.exact_max_cost, self.free.tree.exact_max_cost))
            return f"a worst case of {heeded_cost} instead of {cost}{proven}"
        if self.more < 0:  # a search that ended early
            return "a better tree than was found without that preference; --time-limit gives the search longer"
        if tree.schema.losses is not None:
            return f"a loss of {show_number(self.more)} more{proven}" if self.more else f"no more loss{proven}"
        total = counted(tree.schema.cases(int(tree.nodes.counts[0].sum())), "case")
        return (
            f"{counted(self.more, 'more error', 'more errors') if self.more else 'no more errors'} of {total}{proven}"
        )

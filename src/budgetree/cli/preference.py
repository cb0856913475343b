"""What `--first` and `--without` cost: the best tree that keeps them beside the best one that need not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from budgetree.learn import Result
from budgetree.services.words import counted, listed, show_number
from budgetree.tree.provenance import Objective


@dataclass(frozen=True, slots=True)
class Preference:
    """Two answers to the same question."""

    first: tuple[str, ...]
    without: tuple[str, ...]
    kept: Result
    free: Result

    @property
    def is_proven(self) -> bool:
        """Whether neither tree can be better."""
        return self.kept.tree.statement.is_proven and self.free.tree.statement.is_proven

    @property
    def on_new_cases(self) -> tuple[float, float, float] | None:
        """The loss or share of errors to expect with the preference and without it, and the error of the difference.

        The same rows judge both trees, so the true standard error can only be smaller.
        """
        names = ("new_error", "new_error_se") if self.kept.tree.schema.losses is None else ("new_loss", "new_loss_se")
        found: list[list[Any]] = [[getattr(one.point, name, None) for name in names] for one in (self.kept, self.free)]
        kept, free = found
        if self.kept.objective is not Objective.NEW or None in kept or None in free:
            return None
        return kept[0], free[0], math.hypot(kept[1], free[1])

    @property
    def facts(self) -> dict[str, Any]:
        """For programs."""
        facts: dict[str, Any] = {"first": list(self.first), "without": list(self.without)}
        if (found := self.on_new_cases) is not None:
            return facts | dict(zip(("new", "new_free", "difference_se"), found, strict=True))
        more = {"more_loss": float(self.kept.tree.exact_loss - self.free.tree.exact_loss), "proven": self.is_proven}
        return facts | more | {"max_cost": self.kept.tree.max_cost, "max_cost_free": self.free.tree.max_cost}

    @property
    def sentence(self) -> str:
        """For people."""
        parts = [f"beginning with {listed(self.first)}"] if self.first else []
        parts += [f"without {listed(self.without)}"] if self.without else []
        return f"{' and '.join(parts)}: {self._difference}."

    @property
    def _difference(self) -> str:
        tree, free, proven = self.kept.tree, self.free.tree, ", proven" if self.is_proven else ", not proven"
        if (found := self.on_new_cases) is not None:
            mine, other, error = found
            verdict = "no difference" if abs(mine - other) <= 2 * error else "a difference"
            if tree.schema.losses is not None:
                return f"new-case loss {mine:.3g} instead of {other:.3g} (± {error:.2g}: {verdict})"
            shares = f"{100 * mine:.1f} % of new cases wrong instead of {100 * other:.1f} %"
            return f"{shares} (± {100 * error:.1f}: {verdict})"
        if self.kept.request.max_error is not None:
            costs = map(tree.schema.wording.amount, (tree.exact_max_cost, free.exact_max_cost))
            return f"a worst case of {' instead of '.join(costs)}{proven}"
        more = tree.exact_loss - free.exact_loss
        if more < 0 and not self.is_proven:  # a search that ended early
            return "a better tree than was found without that preference; a longer --time-limit lets the search go on"
        word = "fewer" if more < 0 else "more"  # where it replaces what every path had to begin with
        if tree.schema.losses is not None:
            lost = f"a loss of {show_number(abs(more))} {'less' if more < 0 else 'more'}" if more else "no more loss"
            return f"{lost}{proven}"
        total = counted(tree.schema.cases(int(tree.nodes.counts[0].sum())), "case")
        errors = counted(abs(more), f"{word} error", f"{word} errors") if more else "no more errors"
        return f"{errors} of {total}{proven}"

"""What a growth is asked for, checked once."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from budgetree.counts import AnyCases
from budgetree.impurity import Form, Impurity
from budgetree.learn.greedy.rule import RuleName
from budgetree.problem.units import non_negative


@dataclass(frozen=True, slots=True)
class Settings:
    """The impurity in whole numbers, the paper's δ, the budget in price units, the rule, and the cases of a leaf."""

    form: Form
    delta: Fraction
    budget: int
    rule: RuleName
    min_cases: int = 1


def check_settings(instance: AnyCases, impurity: Any, delta: Any, budget: Any, rule: Any) -> Settings:
    """Settings, or an error that says what was expected."""
    if isinstance(impurity, type) and issubclass(impurity, Impurity):
        raise ValueError(
            f"impurity: got the class {impurity.__name__}; give an object, such as {impurity.__name__}(…)."
        )
    if not isinstance(impurity, Impurity):
        raise ValueError(f"impurity is {impurity!r}; expected an Impurity such as Pairs() or HingedPairs(5).")
    if rule not in ("worst", "expected"):
        raise ValueError(f"rule is {rule!r}; expected 'worst' or 'expected'.")
    return Settings(
        form=impurity.form(instance.schema.weight_scale, instance.n_classes),
        # In the impurity's own units, of which thousands of cases to a high power make many.
        delta=non_negative(delta, "delta", "delta must be a number of at least 0", max_exponent=100),
        budget=instance.schema.table.budget_units(budget),
        rule=rule,
    )

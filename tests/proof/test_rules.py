"""Certificates of trees that keep to limits and an order: never above brute force, and the checker agrees."""

from __future__ import annotations

from random import Random

import pytest

import budgetree as bt
from reference_rules import combinations_of_rules, draw_problem, least_losses
from ruled import instance_of

pytestmark = pytest.mark.filterwarnings("ignore:prices. no path can buy")


@pytest.mark.parametrize("n_resources", [1, 2])
def test_certificates_under_rules_are_never_above_brute_force(n_resources: int) -> None:
    n_ignored = 0
    for kinds in list(combinations_of_rules())[::2]:
        problem = draw_problem(Random(f"certificate {kinds} {n_resources}"), kinds, n_resources)
        if "by outcome" in kinds or least_losses(problem, 9)[9] is None:
            continue  # with prices by outcome a certificate is about known cases alone
        instance = instance_of(problem)
        tree = bt.optimal(instance, budget=9).tree
        certificate = bt.certify(instance, tree)
        assert certificate.check().ok, (kinds, certificate.check())
        named = (["limits"] if n_resources > 1 else []) + (["order"] if instance.schema.costs.needs.any() else [])
        assert certificate.document["ignores"] == named
        assert certificate.guarantee is None or not named
        n_ignored += bool(named)
        reached = [b for b, loss in enumerate(least_losses(problem, 9)) if loss is not None and loss <= tree.exact_loss]
        assert certificate.lower_bound <= reached[0], kinds
        wrong = certificate.document | {"ignores": ["order", "limits"]}
        assert not bt.Certificate(wrong, instance).check().ok
    assert n_ignored > 5

"""Trees for new cases do what their policies do, whatever the codes; and nobody pays more than the tree says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import budgetree as bt
from _support.reference_policy import Branch, End, ReferencePolicy, reference_policy
from _support.refusals import refused
from budgetree.errors import TreeError
from budgetree.learn.predictive.tree_making import to_tree
from budgetree.tree import LEAF, Origin

from .tables import any_codes, fit_all, random_instance, random_prices, seeds

LEAVES = st.sampled_from(["model", "count"])
SURE = st.sampled_from([None, 0.6, 0.95])


def fitted(seed: int, tenths: int, leaves: str, sure: float | None) -> tuple[bt.Instance, ReferencePolicy, bt.Tree]:
    instance = random_instance(seed, prices=random_prices(seed), n_cases=100)
    units = instance.schema.costs.budget_units(tenths / 10)
    (policy,) = fit_all(instance, [units], sure=sure, leaves=leaves)
    tree = to_tree(policy, instance, Origin("predictive"))
    assert tree.need <= units
    return instance, reference_policy(policy, instance), tree


@given(seeds, st.integers(0, 120), LEAVES, SURE)
@settings(max_examples=60)
def test_a_tree_answers_and_costs_what_its_policy_does(seed: int, tenths: int, leaves: str, sure: float | None) -> None:
    instance, policy, tree = fitted(seed, tenths, leaves, sure)
    codes = np.vstack([any_codes(seed, instance), instance.codes])
    assert len(tree.nodes) <= len(policy.nodes)
    assert (tree.predict_proba(codes) == policy.predict_proba(codes)).all()
    assert (tree.answers(codes) == policy.predict_proba(codes).argmax(axis=1)).all()
    assert (tree.units(codes) == policy.cost(codes)).all()
    assert tree.units(codes).max() <= tree.need
    known = codes[-instance.n_objects :]
    assert tree.errors == (tree.answers(known) != instance.labels).sum()
    assert tree.mean_cost == pytest.approx(tree.cost(known).mean())
    assert tree.known_max_cost == pytest.approx(tree.cost(known).max())


@given(seeds, st.integers(20, 120), LEAVES, SURE)
@settings(max_examples=20)
def test_what_is_paid_and_still_to_pay_is_never_more_than_a_node_says(
    seed: int, tenths: int, leaves: str, sure: float | None
) -> None:
    instance, _policy, tree = fitted(seed, tenths, leaves, sure)
    codes = any_codes(seed, instance)
    end, units = tree.route(codes), tree.units(codes)
    assert (units <= tree.nodes.paid[end]).all()
    arrived = np.zeros(len(codes), dtype=np.int64)
    for case in range(len(codes)):
        done = tree.tests_done(codes[case : case + 1])[0]
        own = [_own(instance, tree.test_names.index(test), codes[case]) for test in done]
        fees = {name for name, shared in instance.prices.shared.items() if set(shared.tests) & set(done)}
        due = sum(instance.prices.shared[name].fee for name in fees) * instance.schema.costs.scale
        arrived[case] = sum(own) + due
    assert (arrived == units).all()


def _own(instance: bt.Instance, test: int, codes: np.ndarray) -> int:
    table = instance.schema.costs
    is_listed = codes[test] < instance.schema.n_outcomes[test]
    return int(table.amounts[test, codes[test]] if is_listed else table.costliest[test])


def test_a_purchase_has_one_branch_or_branches_itself_and_a_later_branch_is_free() -> None:
    kinds = set()
    for leaves in ("count", "model"):
        instance, policy, tree = fitted(3, 100, leaves, None)
        waiting = [(0, 0)]  # a node of the policy, and the node of the tree that stands for it
        while waiting:
            at, number = waiting.pop()
            node = policy.nodes[at]
            kinds.add(type(node))
            assert tree.nodes.counts[number].tolist() == node.counts.tolist()
            if isinstance(node, End):
                assert tree.nodes.test[number] == LEAF
                continue
            assert tree.nodes.test[number] == node.test
            assert tree.charges.repeated[number] == isinstance(node, Branch)
            width = int(instance.schema.n_outcomes[node.test])
            below = np.append(tree.nodes.children(number, width), tree.nodes.otherwise[number])  # type: ignore[index]
            if isinstance(node, Branch):
                assert tree.charges.price[number].max() == 0
            elif not (isinstance(after := policy.nodes[node.child], Branch) and after.test == node.test):
                (child,) = set(below.tolist())
                waiting.append((node.child, child))
                continue
            else:
                node = after
                kinds.add("both")  # type: ignore[arg-type]
            pairs = set(zip(np.array(node.children)[node.goes].tolist(), below.tolist(), strict=True))
            assert len(pairs) == len(node.children) == len(set(below.tolist()))
            waiting.extend(pairs)
    assert len(kinds) == 4


def test_a_tree_for_new_cases_is_not_changed_afterwards() -> None:
    _, _, tree = fitted(1, 60, "model", 0.95)
    changes = {"cut": lambda: tree.cut(1), "trim": tree.trim, "priced": lambda: tree.priced(1)}
    for name, change in changes.items():
        with refused(TreeError, subject=name, found="predictive"):
            change()

"""Rules of a pathway on a cluster: limits, panels, order and what comes first, to the model files of memory."""

from __future__ import annotations

import dask.dataframe as dd
import pytest
from distributed import Client

import budgetree as bt
import budgetree.dask as bd
from budgetree.distributed.partition import Sizes
from ruled_tables import FOR_NEW_CASES, RULES, VERBS, model_of, ruled_table

SMALL = Sizes(bucket_bytes=1000, file_bytes=900, fan_in=2)


def cut(n_parts: int) -> dd.DataFrame:
    return dd.from_pandas(ruled_table().sample(frac=1, random_state=n_parts), npartitions=n_parts, sort=False)


@pytest.mark.parametrize("rules", RULES)
def test_rules_give_the_model_files_of_memory(client: Client, rules: str) -> None:
    prices = RULES[rules]
    instance = bt.Instance.from_frame(ruled_table(), "y", prices=prices)
    cases = bd.DaskCases(cut(3), "y", prices=prices, sizes=SMALL)
    for verb, learned in VERBS.items():
        assert list(map(model_of, learned(cases))) == list(map(model_of, learned(instance))), verb


@pytest.mark.parametrize("verb", FOR_NEW_CASES)
def test_rules_may_be_given_later(client: Client, verb: str) -> None:
    prices, learned = RULES["all"], FOR_NEW_CASES[verb]
    instance = bt.Instance.from_frame(ruled_table(), "y", prices=prices)
    cases = bd.DaskCases(cut(4), "y", sizes=SMALL)
    assert list(map(model_of, learned(cases.priced(prices)))) == list(map(model_of, learned(instance)))


@pytest.mark.processes
def test_rules_on_workers_that_are_processes() -> None:
    prices = RULES["all"]
    instance = bt.Instance.from_frame(ruled_table(), "y", prices=prices)
    with Client(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as client:
        cases = bd.DaskCases(cut(5), "y", prices=prices, client=client, sizes=SMALL)
        for verb, learned in {**VERBS, "predictive": FOR_NEW_CASES["predictive"]}.items():
            assert list(map(model_of, learned(cases))) == list(map(model_of, learned(instance))), verb

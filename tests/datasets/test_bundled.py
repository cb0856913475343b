"""The bundled data: the paper's numbers, and the raw files as they were."""

from __future__ import annotations

from importlib import resources

import numpy as np
import pytest

import budgetree as bt
from _support.refusals import refused
from budgetree.errors import SettingError

# name: raw rows, tests, classes, unique cases after the paper's preparation
FACTS = {
    "house_votes": (435, 16, 2, 342),
    "sonar": (208, 60, 2, 208),
    "ionosphere": (351, 34, 2, 350),
    "dna": (3186, 180, 3, 3001),
    "boston": (506, 13, 4, 469),
    "soybean": (307, 35, 19, 303),
    "pima": (768, 8, 2, 753),
    "wdbc": (569, 30, 2, 569),
    "mammographic": (830, 5, 2, 230),
}


def test_the_names() -> None:
    assert bt.datasets.names() == [*FACTS, "synthetic", "figure1"]


@pytest.mark.parametrize("name", FACTS)
def test_the_papers_counts(name: str) -> None:
    rows, tests, classes, unique = FACTS[name]
    instance = bt.datasets.load(name)
    assert (instance.n_objects, instance.n_tests, instance.n_classes) == (unique, tests, classes)
    assert len(np.unique(instance.codes, axis=0)) == unique
    assert bt.datasets.frame(name).shape == (rows, tests + 1)


@pytest.mark.parametrize("name", ["house_votes", "soybean", "dna"])
def test_the_raw_frame_leads_to_the_same_instance(name: str) -> None:
    raw = bt.datasets.frame(name)
    again = bt.Instance.from_frame(raw, raw.columns[-1], duplicates="merge")
    assert (again.codes == bt.datasets.load(name).codes).all()
    assert (again.labels == bt.datasets.load(name).labels).all()
    assert again.class_names == bt.datasets.load(name).class_names


def test_pima_has_its_real_prices() -> None:
    table = bt.datasets.load("pima").schema.costs
    names = bt.datasets.load("pima").test_names
    prices = {name: table.amount(units) for name, units in zip(names, table.amounts[0, :, 0], strict=True)}
    assert prices["glucose"] == 15.51
    assert prices["insulin"] == 20.68
    assert {price for name, price in prices.items() if name not in ("glucose", "insulin")} == {1}
    assert table.amount(table.fees[0, 0]) == 2.1
    unit = bt.grow(bt.datasets.load("pima", prices=1))
    assert unit.max_cost == unit.depth


def test_the_synthetic_example_is_the_papers() -> None:
    instance = bt.datasets.load("synthetic")
    numbers = instance.codes @ (1 << np.arange(9, -1, -1))
    label = dict(zip(numbers.tolist(), instance.schema.classes[instance.labels].tolist(), strict=True))
    assert (instance.n_objects, instance.n_tests) == (1024, 10)
    assert [label[i] for i in (0, 256, 512, 768)] == ["2", "3", "4", "1"]
    assert [label[i] for i in (1, 255, 257, 511, 513, 767, 769, 1023)] == ["1", "1", "2", "2", "3", "3", "4", "4"]
    assert bt.datasets.frame("synthetic").shape == (1024, 11)
    assert bt.grow(bt.datasets.load("synthetic", prices=3), budget=6).max_cost == 6


def test_figure_1_is_the_papers() -> None:
    frame = bt.datasets.frame("figure1")
    table = frame.groupby(["t1", "class"]).size().to_dict()
    assert table == {(0, "circle"): 30, (0, "triangle"): 10, (1, "triangle"): 20}
    assert set(frame.groupby(["t2", "class"]).size()) == {15}


def test_an_unknown_name_lists_the_known_ones() -> None:
    for read in (bt.datasets.load, bt.datasets.frame):
        with refused(SettingError, subject="name", found="iris", expected=bt.datasets.names()) as caught:
            read("iris")
        assert "house_votes" in str(caught.value)


def test_the_data_stay_small() -> None:
    files = [
        file for file in resources.files("budgetree.datasets").joinpath("data").iterdir() if file.name.endswith(".gz")
    ]
    assert len(files) == 9
    assert sum(len(file.read_bytes()) for file in files) < 500_000

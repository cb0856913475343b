"""Valid files of every kind, small, made once per process: what mutations begin with."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa

import budgetree as bt

HEADER = ["age", "ecg", "dimer", "pain", "visits", "finding"]
TARGET = "finding"
PRICES: dict[str, Any] = {
    "default": 1.5,
    "tests": {"age": 0, "ecg": {"normal": 20, "odd": 35, "missing": 20}, "dimer": 4.25},
    "shared": {"blood draw": {"fee": 2.1, "tests": ["dimer", "visits"]}},
}
RULES: dict[str, Any] = {
    "first": ["age"],
    "limits": {
        "time": {
            "max": 60,
            "unit": "min",
            "default": 5,
            "tests": {"ecg": {"normal": 10, "odd": 25, "missing": 5}},
            "shared": {"bench": {"fee": 7, "tests": ["dimer", "pain"]}},
        },
        "tests": {"max": 4},
    },
    "panels": {"ward": {"tests": ["pain", "visits"], "price": 3, "time": 12}},
    "order": {"dimer": {"after": ["ecg"]}, "ecg": {"after": {"age": ["20 to 30", "missing"]}}},
}
LABELS: dict[str, Any] = {
    "unit": "€",
    "tests": {"age": "Age in years", "ecg": {"name": "ECG", "help": "at rest", "outcomes": {"odd": "unclear"}}},
    "classes": {"infarct": "heart attack", "other": {"name": "none of these", "help": "go home"}},
}
ORDERS: dict[str, Any] = {"ecg": ["normal", "odd"], "pain": ["pressing; left", 'no "pain"', "stabbing,\nbreathing"]}
LOSSES: dict[str, Any] = {
    "losses": {"angina": 3, "infarct": {"angina": 50, "other": 80}},
    "answers": {"refer": 4, "wait": {"angina": 1, "infarct": 60, "other": 0.5}},
}


@cache
def rows() -> list[list[Any]]:
    """Numbers with decimals, texts, gaps, and whole numbers; the class is last."""
    rng = random.Random(7)
    found: list[list[Any]] = []
    for _ in range(30):
        age, visits = round(rng.uniform(20, 90), 1), rng.randint(0, 5)
        ecg = rng.choice(["normal", "normal", "odd", None])
        dimer = rng.choice([None, round(rng.uniform(0, 3), 2), round(rng.uniform(0, 3), 2)])
        pain = rng.choice(["pressing; left", "stabbing,\nbreathing", 'no "pain"'])
        ill = (age > 60) + (ecg == "odd") + (pain != 'no "pain"')
        found.append([age, ecg, dimer, pain, visits, ["other", "angina", "infarct", "infarct"][ill]])
    return found


def columns() -> dict[str, list[Any]]:
    return dict(zip(HEADER, map(list, zip(*rows(), strict=True)), strict=True))


@cache
def instance(losses: bool = False) -> bt.Instance:
    tests = PRICES["tests"]
    shared = {name: (entry["fee"], entry["tests"]) for name, entry in PRICES["shared"].items()}
    return bt.Instance.from_frame(
        pa.table(columns()),
        TARGET,
        prices=bt.Prices(tests, shared=shared, default=PRICES["default"]),
        losses=bt.Losses(LOSSES["losses"], answers=LOSSES["answers"]) if losses else None,
    )


@cache
def trees() -> tuple[bt.Tree, ...]:
    """Greedy, exact, with losses, the kinds for new cases, and with rules: limits, a panel, an order, a beginning."""
    plain, losing = instance(), instance(losses=True)
    prices = bt.Prices(1, limits={"time": bt.Limit(9, {"ecg": 4}, default=2)}, order={"dimer": {"after": ["ecg"]}})
    ruled = plain.priced(prices)
    panel = bt.Prices(1, panels={"ward": {"tests": ["pain", "visits"], "price": 1}}, first=["age"])
    two = bt.Instance.from_frame(pa.table(columns() | {TARGET: [row[-1] != "other" for row in rows()]}), TARGET)
    coded = bt.Instance([[0, 1], [1, 0], [1, 1]], ["a", "b", "b"], prices=bt.Prices({"0": {"0": 1, "1": 3}, "1": 2}))
    return (
        bt.grow(plain),
        bt.optimal(plain, budget=30).tree,
        bt.optimal(losing, budget=30).tree,
        bt.predictive(plain, budget=30, leaves="model"),
        bt.predictive(losing, budget=30, leaves="tree"),
        bt.grow(coded),
        bt.optimal(ruled, budget=4).tree,
        bt.predictive(plain.priced(panel), budget=6, leaves="model"),
        bt.predictive(two, budget=4, leaves="points"),
    )


@cache
def models() -> tuple[str, ...]:
    """Their model files, as texts: a mutation begins with a copy."""
    return tuple(map(_written, trees()))


@cache
def certificates() -> tuple[tuple[str, bt.Tree, bt.Instance], ...]:
    """Certificates of small trees, with and without losses, and what they are about."""
    third = bt.Instance(
        [[0], [1]], ["a", "b"], prices=bt.Prices({"0": {"0": 1, "1": 1000}}, shared={"f": (Fraction(1, 3), ["0"])})
    )
    about = ((instance(), trees()[0]), (instance(losses=True), trees()[2]), (third, bt.grow(third)))
    return tuple((_written(bt.certify(cases, tree, time_limit=1)), tree, cases) for cases, tree in about)


@cache
def shards() -> dict[str, bytes]:
    """The files of a folder of shards."""
    with TemporaryDirectory() as folder:
        made = Path(folder) / "shards"
        bt.Shards.from_instance(instance(), made)
        return {path.name: path.read_bytes() for path in made.iterdir()}


def _written(thing: Any) -> str:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        thing.to_json(path)
        return path.read_text(encoding="utf-8")


def load(text: str) -> Any:
    return json.loads(text)

"""`budgetree datasets`."""

from __future__ import annotations

import json

import pytest
from command_line import run

import budgetree as bt


def test_every_bundled_set_is_listed_with_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(run(capsys, "datasets", "--json"))
    assert [entry["name"] for entry in listed] == bt.datasets.names()
    pima = next(entry for entry in listed if entry["name"] == "pima")
    assert pima == {"name": "pima", "cases": 753, "tests": 8, "classes": 2}
    lines = run(capsys, "datasets").splitlines()
    assert lines[0].split() == ["name", "cases", "tests", "classes"]
    assert ["pima", "753", "8", "2"] in [line.split() for line in lines]

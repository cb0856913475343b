"""The reported error on new cases is true: tables of a known law, where the truth can be computed."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    import sys

    path = Path(__file__).parent.parent / "benchmarks" / "new_error.py"
    spec = importlib.util.spec_from_file_location("new_error_benchmark", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its module up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("law", "rows_of_one"), [("clear", 1), ("noise", 1), ("groups of noise", 4)])
def test_the_reported_error_is_mostly_within_two_standard_errors_of_the_truth(
    law: str, rows_of_one: int, benchmark: ModuleType
) -> None:
    outcomes = [benchmark.run(law, 150, seed) for seed in range(20)]
    assert sum(outcome.is_covered for outcome in outcomes) >= 0.9 * len(outcomes)
    # And not because it says nothing.
    assert max(outcome.se for outcome in outcomes) < 0.1 * rows_of_one**0.5

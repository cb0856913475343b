"""A deadline says when the time is over, and the collector comes back after it was sent away."""

import contextlib
import gc
import math

import pytest

from budgetree.proof.check.reading import Deadline, OutOfTimeError, undisturbed


def test_a_deadline_without_seconds_never_comes():
    Deadline().check()
    assert Deadline().end == math.inf
    assert str(Deadline()) == "Python's recursion limit"


def test_a_deadline_of_no_seconds_has_come():
    with pytest.raises(OutOfTimeError):
        Deadline(0).check()
    Deadline(1e9).check()
    assert [str(Deadline(seconds)) for seconds in (0, 1, 2.5)] == ["0 seconds", "1 second", "2.5 seconds"]


@pytest.mark.parametrize("was_enabled", [True, False])
def test_the_collector_is_as_it_was_afterwards(was_enabled):
    before = gc.isenabled()
    (gc.enable if was_enabled else gc.disable)()
    try:
        with contextlib.suppress(KeyError), undisturbed():
            assert not gc.isenabled()
            raise KeyError
        assert gc.isenabled() == was_enabled
    finally:
        (gc.enable if before else gc.disable)()

"""Clock: shares end with the whole, Ctrl-C ends both, and a bar hears of it now and then."""

from __future__ import annotations

import math

import pytest

from budgetree.services import clock as clock_module
from budgetree.services.clock import BETWEEN_TICKS, DEFAULT_PLAN, Clock, Ended, WorkPlan


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as the test sets it."""
    time = [1000.0]
    monkeypatch.setattr(clock_module.time, "monotonic", lambda: time[0])
    return time


def test_it_is_over_when_its_seconds_have_passed(now: list[float]) -> None:
    clock, forever = Clock(2.0), Clock(None)
    assert not clock.is_over
    assert clock.seconds_left == 2
    now[0] += 2
    assert clock.is_over
    assert clock.seconds_left == 0
    now[0] += 10**9
    assert not forever.is_over
    assert forever.seconds_left is None


def test_it_can_be_ended_before_that(now: list[float]) -> None:
    whole = Clock(None)
    share = whole.share(5)
    share.end()
    assert share.is_over
    assert share.seconds_left == 0
    assert not share.was_interrupted
    assert not whole.is_over


def test_it_knows_whether_it_ended_somebodys_work(now: list[float]) -> None:
    whole = Clock(5)
    others, share = whole.share(2), whole.share(2)
    assert not share.is_over
    now[0] += 3
    assert not whole.ended_work, "not asked yet"
    assert share.is_over
    assert share.ended_work
    assert whole.ended_work
    assert not others.ended_work
    assert not whole.is_over


@pytest.mark.parametrize(
    ("whole", "share", "left"), [(None, None, None), (None, 3, 3), (5, None, 5), (5, 3, 3), (3, 5, 3)]
)
def test_a_share_is_the_shorter_of_both(
    now: list[float], whole: float | None, share: float | None, left: float | None
) -> None:
    assert Clock(whole).share(share).seconds_left == left


def test_ctrl_c_on_a_share_ends_the_whole_and_all_its_shares() -> None:
    whole = Clock(None)
    first, second = whole.share(None), whole.share(None)
    first.interrupt()
    assert whole.is_over
    assert second.is_over
    assert whole.seconds_left == 0


def test_ticks_come_now_and_then(now: list[float]) -> None:
    ticks: list[tuple[int, int]] = []
    clock = Clock(None, lambda done, total: ticks.append((done, total)))
    for _ in range(10):
        assert not clock.is_over
    assert ticks == []
    for _ in range(4):
        now[0] += BETWEEN_TICKS / 2
        assert not clock.is_over
    assert len(ticks) == 2


def test_a_share_works_by_the_plan_of_its_clock() -> None:
    plan = WorkPlan(moment=0.001)
    assert Clock(None, plan=plan).share(3).share(None).plan is plan
    assert Clock(3).share(2).plan is DEFAULT_PLAN


def test_it_says_how_work_ended() -> None:
    clock = Clock(None)
    assert clock.ended(complete=True) is Ended.COMPLETE
    assert clock.ended(complete=False) is Ended.WORK_LIMIT
    assert Clock(5).share(1).ended(complete=False) is Ended.TIME_LIMIT
    clock.share(None).interrupt()
    assert clock.ended(complete=False) is Ended.INTERRUPTED


def test_where_no_time_is_given_only_work_counts(now: list[float]) -> None:
    clock = Clock(None, work=2.0)
    half, trial = clock.share(clock.seconds_of(1 / 2)), clock.trial(0.5)
    now[0] += 10**9
    assert not half.is_over
    clock.spend(0.75)
    assert (clock.seconds_left, half.seconds_left, trial.seconds_left) == (1.25, 0.25, 0)
    assert clock.seconds_passed == 0.75
    assert trial.is_over
    assert not clock.ended_work, "a trial is not missed"
    half.spend(0.25)
    assert half.is_over
    assert clock.ended_work
    assert not clock.is_out_of_time
    clock.spend(1)
    assert clock.is_over
    assert not clock.is_out_of_time, "work that ends is not time that is over"
    assert Clock(math.inf, work=1).seconds_left is None


def test_a_trial_within_a_time_limit_ends_with_either(now: list[float]) -> None:
    clock = Clock(5.0, work=1.0)
    clock.spend(10**6)
    assert not clock.is_over, "the time is what the user asked for"
    trial = clock.trial(1.0)
    with trial.in_core() as core_clock:
        assert not core_clock.is_stopped
    assert trial.seconds_left == 1
    now[0] += 5
    assert trial.is_over
    assert trial.is_out_of_time
    assert clock.ended_work

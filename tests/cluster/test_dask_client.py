"""The cluster: found, or an error that says why not."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import pickle
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from distributed import Client, KilledWorker
from distributed.comm import CommClosedError

from _support.refusals import refused
from budgetree.distributed import dask_client as cluster
from budgetree.errors import ClusterError, ClusterState, SettingError
from budgetree.services.clock import Clock, OutOfTimeError


def test_without_a_client_it_is_said_how_to_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> Any:
        raise ValueError("No clients found")

    monkeypatch.setattr("distributed.default_client", none)
    with refused(SettingError, subject="client", found=None):
        cluster.find_client()


@contextmanager
def fails(state: ClusterState) -> Iterator[None]:
    with pytest.raises(ClusterError) as caught:
        yield
    assert caught.value.state is state
    assert pickle.loads(pickle.dumps(caught.value)).state is state


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense"])
def test_a_scheduler_that_is_not_there(address: str) -> None:
    with fails(ClusterState.NO_ANSWER):
        cluster.connect(address, seconds=0.3)


def test_a_server_that_is_not_a_scheduler_is_not_waited_for_forever() -> None:
    """Such as the dashboard, whose port is next to the scheduler's."""
    with socket.create_server(("127.0.0.1", 0)) as mute, fails(ClusterState.NO_ANSWER):
        cluster.connect(f"tcp://127.0.0.1:{mute.getsockname()[1]}", seconds=0.3)


@pytest.mark.processes
def test_a_scheduler_that_is_there() -> None:
    with cluster.connect(None) as own, cluster.connect(own.scheduler.address) as other:
        assert cluster.results(other, [other.submit(abs, -1)]) == [1]


def test_tasks_answer_and_their_errors_are_passed_on(client: Client) -> None:
    assert cluster.results(client, client.map(abs, [-1, 2])) == [1, 2]
    assert cluster.find_client(client) is client
    with pytest.raises(ValueError, match="invalid literal"):
        cluster.results(client, [client.submit(int, "five")])


def test_no_task_is_waited_for_when_the_time_is_over(client: Client) -> None:
    assert cluster.results(client, client.map(abs, [-3]), Clock(60)) == [3]
    with pytest.raises(OutOfTimeError):
        cluster.results(client, client.map(time.sleep, [5], pure=False), Clock(0.05))


def test_a_worker_that_dies_for_good(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any, **__: Any) -> Any:
        raise KilledWorker("task", "tcp://127.0.0.1:1", 3)

    monkeypatch.setattr(client, "gather", killed)
    with fails(ClusterState.WORKERS_DIED):
        cluster.results(client, [client.submit(os.getpid, pure=False)])


def test_a_cluster_without_workers_is_not_waited_for_forever() -> None:
    with Client(processes=False, n_workers=0, dashboard_address="127.0.0.1:0", set_as_default=False) as empty:
        start = time.monotonic()
        with fails(ClusterState.NO_WORKERS):
            cluster.results(empty, [empty.submit(abs, -1)], look_every=0.05, max_idle=0.1)
        assert time.monotonic() - start < 60


def test_a_scheduler_that_goes_away(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (asyncio.CancelledError(), concurrent.futures.CancelledError(), CommClosedError()):

        def gone(*_: Any, error: BaseException = error, **__: Any) -> Any:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(client, "gather", gone)
            with fails(ClusterState.SCHEDULER_GONE):
                cluster.results(client, [client.submit(os.getpid, pure=False)])

"""The cluster: found, or said in words why not."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import socket
import time
from typing import Any

import pytest
from distributed import Client, KilledWorker
from distributed.comm import CommClosedError

from budgetree.dask import cluster
from budgetree.errors import ClusterError
from budgetree.services.clock import Clock, OutOfTimeError


def test_without_a_client_it_is_said_how_to_make_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> Any:
        raise ValueError("No clients found")

    monkeypatch.setattr("distributed.default_client", none)
    with pytest.raises(ValueError, match=r"client: there is none; make one first"):
        cluster.find_client()


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)
    with pytest.raises(ClusterError, match=r"nobody answers at 'tcp://127.0.0.1:9'.*Start it, or correct the address"):
        cluster.connect("tcp://127.0.0.1:9")
    with pytest.raises(ClusterError, match="nobody answers at 'nonsense'"):
        cluster.connect("nonsense")


def test_a_server_that_is_no_scheduler_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the dashboard, whose port is next to the scheduler's."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"tcp://127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(ClusterError, match=rf"nobody answers at '{address}' \(TimeoutError\)"):
            cluster.connect(address)


@pytest.mark.processes
def test_a_scheduler_that_is_there() -> None:
    with cluster.connect(None) as own, cluster.connect(own.scheduler.address) as other:
        assert cluster.result(other, other.submit(abs, -1)) == 1


def test_tasks_answer_and_their_errors_are_passed_on(client: Client) -> None:
    assert cluster.results(client, client.map(abs, [-1, 2])) == [1, 2]
    assert cluster.find_client(client) is client
    with pytest.raises(ValueError, match="invalid literal"):
        cluster.result(client, client.submit(int, "five"))


def test_nobody_is_waited_for_when_the_time_is_over(client: Client) -> None:
    assert cluster.results(client, client.map(abs, [-3]), Clock(60)) == [3]
    with pytest.raises(OutOfTimeError):
        cluster.results(client, client.map(time.sleep, [5], pure=False), Clock(0.05))


def test_a_worker_that_dies_for_good(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any, **__: Any) -> Any:
        raise KilledWorker("task", "tcp://127.0.0.1:1", 3)

    monkeypatch.setattr(client, "gather", killed)
    with pytest.raises(ClusterError, match=r"4 workers died of it.*more memory"):
        cluster.result(client, client.submit(os.getpid, pure=False))


def test_a_cluster_without_workers_is_not_waited_for_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(cluster, "MAX_IDLE", 0.1)
    with Client(processes=False, n_workers=0, dashboard_address="127.0.0.1:0", set_as_default=False) as empty:
        start = time.monotonic()
        with pytest.raises(ClusterError, match="has had no worker for"):
            cluster.result(empty, empty.submit(abs, -1))
        assert time.monotonic() - start < 60


def test_a_scheduler_that_goes_away(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (asyncio.CancelledError(), concurrent.futures.CancelledError(), CommClosedError()):

        def gone(*_: Any, error: BaseException = error, **__: Any) -> Any:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(client, "gather", gone)
            with pytest.raises(ClusterError, match="is gone, and the tasks with it"):
                cluster.result(client, client.submit(os.getpid, pure=False))

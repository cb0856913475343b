"""A Dask cluster: finding it, asking it, and an error that says what to do when it does not answer."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import socket
import time
from collections.abc import Sequence
from typing import Any

import distributed
from distributed import Client, Future
from distributed.comm import CommClosedError
from distributed.comm.addressing import get_address_host_port, parse_address

from budgetree.errors import ClusterError, ClusterState, SettingError
from budgetree.services.clock import Clock, OutOfTimeError
from budgetree.services.words import counted


def find_client(client: Any = None) -> Client:
    """The client that was given, or the one that was made last."""
    if client is None:
        try:
            return distributed.default_client()
        except ValueError:
            message = (
                "client is missing; make one first, for this machine by `dask.distributed.Client()` or for a cluster "
                "by `Client('tcp://address:8786')`, or give it as client=…."
            )
            raise SettingError(message, subject="client") from None
    if not isinstance(client, Client):
        message = f"client is {type(client).__name__}; expected a dask.distributed.Client."
        raise SettingError(message, subject="client", found=client)
    return client


def connect(address: str | None, seconds: float = 10) -> Client:
    """A client of the scheduler at an address; without one, of a cluster on this machine that ends with the client."""
    if address is None:
        return Client(host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=logging.ERROR)
    try:
        _knock(address, seconds)
        return Client(address, timeout=seconds)
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).partition("\n")[0][:100] or type(error).__name__
        raise ClusterError(
            f"scheduler: no answer from {address!r} ({reason}); expected the address that `dask scheduler` "
            "prints, such as tcp://10.0.0.1:8786. Start it, or correct the address.",
            ClusterState.NO_ANSWER,
        ) from error


def _knock(address: str, seconds: float) -> None:
    """An OSError where no scheduler answers: a Client leaves threads behind, and waits for others' answers forever."""
    host, port = get_address_host_port(address)
    with socket.create_connection((host, port), timeout=seconds):
        pass  # something listens
    if parse_address(address)[0] == "tcp":
        asyncio.run(asyncio.wait_for(_greet(address), seconds))


async def _greet(address: str) -> None:
    await (await distributed.comm.connect(address)).close()


def results(
    client: Client,
    futures: Sequence[Future[Any]],
    clock: Clock | None = None,
    *,
    look_every: float = 2.0,
    max_idle: float = 30.0,
) -> list[Any]:
    """What tasks found; their errors as they are, and those of the cluster as a ClusterError.

    OutOfTimeError where the clock is over before; tasks end when their futures are no longer referred to. A cluster
    without workers is waited for as long as `max_idle`, in seconds.
    """
    idle_since: float | None = None
    while True:
        left = None if clock is None else clock.seconds_left
        try:
            with client.as_current():  # it need not be the default one
                distributed.wait(list(futures), timeout=look_every if left is None else min(look_every, left))
            found: list[Any] = client.gather(list(futures))
            return found
        except TimeoutError:
            if clock is not None and clock.is_over:
                raise OutOfTimeError from None
            if client.scheduler_info(n_workers=1)["workers"]:
                idle_since = None
                continue
            idle_since = idle_since or time.monotonic()
            if time.monotonic() - idle_since > max_idle:
                raise ClusterError(
                    f"the cluster has had no worker for {max_idle:.0f} seconds; start some, and fit again. If all "
                    "died, usually for lack of memory, give them more or split the data into more partitions.",
                    ClusterState.NO_WORKERS,
                ) from None
        except distributed.KilledWorker as error:
            raise ClusterError(
                f"a task was given up because {counted(error.allowed_failures + 1, 'worker')} died of it, usually for "
                "lack of memory; give workers more memory or split the data into more partitions.",
                ClusterState.WORKERS_DIED,
            ) from error
        except (asyncio.CancelledError, concurrent.futures.CancelledError, CommClosedError) as error:
            raise ClusterError(
                f"the scheduler at {client.scheduler.address if client.scheduler else 'its address'} is gone, and the "
                "tasks with it; start it again, and fit again.",
                ClusterState.SCHEDULER_GONE,
            ) from error

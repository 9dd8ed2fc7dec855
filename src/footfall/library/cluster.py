"""Workers of a Dask cluster: the same jobs as `workers.py` does, on this machine or on many with a shared folder.

Dask gives a job that a worker was killed over to another one. Results are told from nothing but the job, so a library
made by a cluster has the same bytes as one made by one process.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from footfall.core.errors import ParameterError, need
from footfall.library.workers import AHEAD, ONE_THREAD, WorkerLost

A = TypeVar("A")
R = TypeVar("R")
TIMEOUT_S = 10.0  # for a scheduler to answer, and for its first worker to come


def cluster_workers(address: str) -> DaskWorkers:
    """The workers of a scheduler (tcp://host:port), or so many on this machine (local:4)."""
    distributed = need("distributed", "cluster")
    local = re.fullmatch(r"local:(\d{1,4})", address)
    if local is None and not re.fullmatch(r"(tcp|tls|ucx)://.+", address):
        raise ParameterError(f"no cluster {address!r}; give tcp://HOST:PORT of a Dask scheduler, or local:4")
    try:
        if local is not None:
            made = distributed.LocalCluster(
                n_workers=int(local[1]), threads_per_worker=1, host="127.0.0.1", dashboard_address=None, processes=True,
                env=ONE_THREAD, worker_dashboard_address=None,
            )  # fmt: skip
            return DaskWorkers(distributed.Client(made, timeout=TIMEOUT_S), made)
        client = distributed.Client(address, timeout=TIMEOUT_S)
        client.wait_for_workers(1, timeout=TIMEOUT_S)
        return DaskWorkers(client)
    except (OSError, TimeoutError) as error:
        raise ParameterError(f"no Dask cluster with workers answers at {address} ({error})") from error


class DaskWorkers:
    """All workers of a cluster."""

    def __init__(self, client: Any, own: Any = None) -> None:
        self._client, self._own = client, own
        self.count = max(sum(client.nthreads().values()), 1)
        self.ahead = AHEAD * self.count
        self._held: set[Any] = set()

    def submit(self, job: Callable[[A], R], argument: A) -> Future[R]:
        """The job at whichever worker is free; its result is fetched as soon as it is there."""
        done: Future[R] = Future()
        given = self._client.submit(job, argument, pure=False)
        self._held.add(given)

        def take(finished: Any) -> None:
            self._held.discard(given)
            try:
                if finished.status == "finished":
                    done.set_result(finished.result())
                else:
                    error = finished.exception()
                    ended = type(error).__name__ == "KilledWorker"  # several workers in turn ended over it
                    done.set_exception(WorkerLost() if ended else error)
            except Exception as error:
                done.set_exception(error)

        given.add_done_callback(take)
        return done

    def close(self) -> None:
        self._client.close()
        if self._own is not None:
            self._own.close()

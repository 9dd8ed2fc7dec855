"""Pages without a browser, for the benchmark: sockets that steer a live character each and note when poses arrive.

Lateness is against each socket's own best frame: a frame is due one sixtieth of a second after the one before.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any

RATE = 60.0
STEER_S, OTHER_MOTION = 0.5, 6  # another speed and turn; another motion every so many of these
APART_S = 0.02  # between two pages that come: the studio cuts off the oldest of more than 48 that have said nothing yet
HEADER = 32


async def page(port: int, token: str, number: int, seconds: float, ready: asyncio.Event) -> list[tuple[int, float]]:
    """Number and time of arrival of every live frame within so many seconds after all are ready."""
    import numpy as np

    found: list[tuple[int, float]] = []
    await asyncio.sleep(APART_S * number)
    async with _connected(port, token) as line:
        await line.send(json.dumps({"type": "live_start", "graph": "builtin"}))
        rng = np.random.default_rng(number)
        steered, end, count, kind = 0.0, float("inf"), number, "walk"
        while time.perf_counter() < end:
            data = await asyncio.wait_for(line.recv(), 300.0)
            now = time.perf_counter()
            if not isinstance(data, bytes) or data[4] != 3:
                continue
            if not ready.is_set():
                ready.set()
            if end == float("inf"):
                end = now + seconds
            found.append((int.from_bytes(data[8:12], "little"), now))
            if now - steered > STEER_S:
                steered = now
                count += 1
                if count % OTHER_MOTION == 1:
                    kind = ["stand", "walk", "walk", "run"][int(rng.integers(4))]
                await line.send(
                    json.dumps(
                        {
                            "type": "live_steer", "motion": kind, "speed": float(rng.uniform(0.8, 4.0)),
                            "turn": float(rng.uniform(-60.0, 60.0)), "sentMs": 1e3 * now,
                        }
                    )
                )  # fmt: skip
    return found


async def dragging(port: int, token: str, seconds: float, ready: asyncio.Event) -> list[float]:
    """Milliseconds from a drag to its preview, one after the other, by one page that arranges meanwhile."""
    found: list[float] = []
    async with _connected(port, token) as line:
        clip = None
        while clip is None:
            data = await line.recv()
            told = json.loads(data) if isinstance(data, str) else {}
            if told.get("type") == "project":
                clip = told["document"]["tracks"][0]["clips"][1]["id"]
        await ready.wait()
        end, serial = time.perf_counter() + seconds, 0
        while time.perf_counter() < end:
            serial += 1
            change = {"do": "move_clip", "id": clip, "startS": 2.2 + 0.001 * (serial % 400)}
            began = time.perf_counter()
            await line.send(json.dumps({"type": "drag", "change": change, "serial": serial, "playheadS": 2.5}))
            while True:
                data = await asyncio.wait_for(line.recv(), 60.0)
                if isinstance(data, str) and json.loads(data).get("serial") == serial:
                    break
            found.append(1e3 * (time.perf_counter() - began))
    return found


async def deaf(port: int, token: str, seconds: float) -> None:
    """A page that asks for poses and never reads them."""
    import socket as sockets

    line = _connected(port, token, max_queue=1)
    connection = await line.__aenter__()
    raw: Any = connection.transport.get_extra_info("socket")
    raw.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    await connection.send(json.dumps({"type": "live_start", "graph": "builtin"}))
    connection.transport.pause_reading()
    await asyncio.sleep(seconds)
    connection.transport.abort()


def _connected(port: int, token: str, **options: Any) -> Any:
    from websockets.asyncio.client import connect

    class Greeted(connect):
        async def __aenter__(self) -> Any:
            line = await super().__aenter__()
            await line.send(json.dumps({"type": "hello", "token": token}))
            return line

    return Greeted(
        f"ws://127.0.0.1:{port}/ws", compression=None, max_size=None, ping_interval=None,
        additional_headers={"Authorization": f"token {token}"}, **options,
    )  # fmt: skip


async def main(port: int, token: str, count: int, seconds: float, with_deaf: bool, with_drags: bool) -> None:
    """Everything at once; one JSON object on the output."""
    ready = asyncio.Event()
    pages = [asyncio.create_task(page(port, token, n, seconds, ready)) for n in range(count)]
    other: list[asyncio.Task[Any]] = []
    if with_drags:
        other.append(asyncio.create_task(dragging(port, token, seconds, ready)))
    if with_deaf:
        await ready.wait()
        other.append(asyncio.create_task(deaf(port, token, seconds)))
    found = await asyncio.gather(*pages)
    rest = await asyncio.gather(*other)
    print(json.dumps({"frames": found, "drags_ms": rest[0] if with_drags else []}))


if __name__ == "__main__":
    _, given, key, sockets_, length, no_reader, drags = sys.argv
    asyncio.run(main(int(given), key, int(sockets_), float(length), no_reader == "1", drags == "1"))

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
LIVE = 3  # the kind of frame


class LiveLine(asyncio.Protocol):
    """A page's socket, read with as little work as can be: fifty of them share two cores with what they measure."""

    def __init__(self, port: int, token: str, number: int, seconds: float) -> None:
        import numpy as np

        self.found: list[tuple[int, float]] = []  # number and time of arrival of every live frame
        self.first, self.done = asyncio.Event(), asyncio.get_running_loop().create_future()
        self._asked = (
            f"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
            f"Authorization: token {token}\r\n\r\n"
        )
        self._hello = ({"type": "hello", "token": token}, {"type": "live_start", "graph": "builtin"})
        self._seconds, self._end, self._steered = seconds, float("inf"), 0.0
        self._rng, self._count, self._kind = np.random.default_rng(number), number, "walk"
        self._buffer, self._is_open = b"", False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(self._asked.encode())

    def connection_lost(self, error: Exception | None) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError(f"the studio closed a page: {error}"))

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        data = self._buffer + data if self._buffer else data
        if not self._is_open:
            head, blank, data = data.partition(b"\r\n\r\n")
            if not blank:
                self._buffer = head
                return
            self._is_open = True
            for message in self._hello:
                self._say(0x81, json.dumps(message).encode())
        at = 0
        while (size := _frame_size(data, at)) is not None:
            self._take(data, at, at + size, now)
            at += size
        self._buffer = data[at:]

    def _take(self, data: bytes, at: int, end: int, now: float) -> None:
        """One frame, from at to end."""
        kind, body = data[at] & 15, at + (2, 4, 10)[max(0, (data[at + 1] & 127) - 125)]
        if kind == 9:
            self._say(0x8A, data[body:end])
        if kind != 2 or data[body + 4] != LIVE:
            return
        self.first.set()
        self._end = min(self._end, now + self._seconds)
        self.found.append((int.from_bytes(data[body + 8 : body + 12], "little"), now))
        if now > self._end and not self.done.done():
            self.done.set_result(None)
            self._transport.close()
        elif now - self._steered > STEER_S:
            self._steer(now)

    def _steer(self, now: float) -> None:
        rng = self._rng
        self._steered, self._count = now, self._count + 1
        if self._count % OTHER_MOTION == 1:
            self._kind = ["stand", "walk", "walk", "run"][int(rng.integers(4))]
        speed, turn = float(rng.uniform(0.8, 4.0)), float(rng.uniform(-60.0, 60.0))
        asked = {"type": "live_steer", "motion": self._kind, "speed": speed, "turn": turn, "sentMs": 1e3 * now}
        self._say(0x81, json.dumps(asked).encode())

    def _say(self, kind: int, data: bytes) -> None:
        """A frame to the studio, masked with zeros."""
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + len(data).to_bytes(2, "big")
        self._transport.write(bytes([kind]) + size + bytes(4) + data)


def _frame_size(data: bytes, at: int) -> int | None:
    """Bytes of the frame that begins there, or None where it is not whole yet."""
    if len(data) < at + 2:
        return None
    size = data[at + 1] & 127
    more = {126: 2, 127: 8}.get(size, 0)
    if more:
        size = int.from_bytes(data[at + 2 : at + 2 + more], "big")
    whole = 2 + more + size
    return whole if len(data) >= at + 2 + more and len(data) >= at + whole else None


async def page(port: int, token: str, number: int, seconds: float, ready: asyncio.Event) -> list[tuple[int, float]]:
    """Number and time of arrival of every live frame within so many seconds after the first."""
    line = LiveLine(port, token, number, seconds)
    await asyncio.get_running_loop().create_connection(lambda: line, "127.0.0.1", port)
    await asyncio.wait_for(line.first.wait(), 300.0)
    ready.set()
    await asyncio.wait_for(line.done, seconds + 60.0)
    return line.found


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
    from footfall_lab.bench._loop_trace import LoopTrace

    ready, trace = asyncio.Event(), LoopTrace()
    pages = [asyncio.create_task(page(port, token, n, seconds, ready)) for n in range(count)]
    other: list[asyncio.Task[Any]] = []
    if with_drags:
        other.append(asyncio.create_task(dragging(port, token, seconds, ready)))
    if with_deaf:
        await ready.wait()
        other.append(asyncio.create_task(deaf(port, token, seconds)))
    found = await asyncio.gather(*pages)
    rest = await asyncio.gather(*other)
    print(json.dumps({"frames": found, "drags_ms": rest[0] if with_drags else [], "pauses": trace.pauses}))


if __name__ == "__main__":
    _, given, key, sockets_, length, no_reader, drags = sys.argv
    asyncio.run(main(int(given), key, int(sockets_), float(length), no_reader == "1", drags == "1"))

"""A studio's server on a free port of the loopback, in a thread, and plain clients for it."""

from __future__ import annotations

import asyncio
import http.client
import io
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from websockets.sync.client import ClientConnection, connect

from footfall.core.errors import ParameterError
from footfall.studio.exports import Jobs
from footfall.studio.library import Library
from footfall.studio.messages import Job, LiveStart, New, Open, Problem, Recover, Redo, Save, Undo
from footfall.studio.security import Guard
from footfall.studio.server import app
from footfall.studio.shelf import Shelf
from footfall.studio.sockets import make_server

PAGE = '<!doctype html><html><head><meta name="footfall-token" content=""></head><body>page</body></html>'
TOKEN = "test-token-0123456789-0123456789-0123456789"


class Plain:
    """The least a session can be: it knows its clients, keeps what they say, and fails when asked to."""

    def __init__(self, folder: Path, motions: tuple[str, ...] = ("walk",)) -> None:
        self.library = Library(folder, motions=motions)
        self.shelf = Shelf(self.library)
        self.told: list[Job] = []
        self.jobs = Jobs(self.told.append)
        self.clients: list[Any] = []
        self.heard: list[tuple[int, Any]] = []
        self.made = asyncio.Event()

    async def start(self) -> None:
        self.library.start()

    async def stop(self) -> None:
        self.jobs.stop()
        self.library.stop()
        self.shelf.stop()

    def skin_file(self, track: int) -> None:
        return None

    async def join(self, client: Any) -> None:
        self.clients.append(client)

    async def leave(self, client: Any) -> None:
        self.clients.remove(client)

    def skin_clip(self, track: int) -> None:
        return None

    async def handle(self, client: Any, message: Any) -> None:
        self.heard.append((client.number, message))
        match message:
            case LiveStart():
                await self.made.wait()
                client.send(Problem("live", "Made."))
            case Recover():
                await asyncio.sleep(0.3)
                self.heard.append((client.number, "recovered"))
            case Undo():
                client.send(Problem("timeline", "There is nothing to undo."))
            case Redo():
                raise ZeroDivisionError
            case New():
                raise ParameterError("There is no demo here; choose another.")
            case Open(path=path) | Save(path=str(path)):
                client.send(Problem("project", str(self.library.upload_path(path))))


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Running:
    """A server, as a context; `ask` and `connect` are its clients, let in unless told otherwise."""

    def __init__(self, session: Any, dist: Path, make: Any = app, **options: Any) -> None:
        """make: the application of a session, a guard and a page."""
        self.session, self.dist = session, dist
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.guard = Guard(TOKEN, self.port)
        self.server = make_server(make(session, self.guard, dist, **options), "127.0.0.1", self.port)
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.listening]})

    def __enter__(self) -> Running:
        self.thread.start()
        until(lambda: self.server.started)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(20.0)
        self.listening.close()
        assert not self.thread.is_alive()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"{self.guard.cookie_name}={self.guard.cookie_value}"}

    @property
    def header(self) -> dict[str, str]:
        return {"Authorization": f"token {TOKEN}"}

    def ask(self, method: str, path: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Answer:
        """One request exactly as written: nothing is made safe on the way."""
        given = {"Host": self.host, "Connection": "close", "Content-Length": str(len(body)), **(headers or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return self.exchange(f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode("latin-1") + body, method)

    def exchange(self, data: bytes, method: str = "GET") -> Answer:
        with socket.create_connection(("127.0.0.1", self.port), timeout=20.0) as line:
            with suppress(BrokenPipeError, ConnectionResetError):  # it has answered before everything was sent
                line.sendall(data)
            with closing(http.client.HTTPResponse(line, method=method)) as answer:
                answer.begin()
                found = {name.lower(): value for name, value in answer.getheaders()}
                return Answer(answer.status, found, answer.read())

    def upgrade(self, headers: dict[str, str]) -> int:
        """The status that an upgrade to a socket is answered with; a header of None is left out."""
        given = {
            "Host": self.host, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", **headers,
        }  # fmt: skip
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return self.exchange(f"GET /ws HTTP/1.1\r\n{lines}\r\n".encode("latin-1")).status

    @contextmanager
    def connect(self, hello: bool = True) -> Iterator[ClientConnection]:
        """A page's socket."""
        own: dict[str, Any] = {"origin": f"http://{self.host}", "additional_headers": self.cookie}
        with connect(f"ws://{self.host}/ws", compression=None, max_size=None, **own) as made:
            if hello:
                made.send(msgspec.json.encode({"type": "hello", "token": TOKEN}).decode())
            yield made


def until(true: Any, timeout_s: float = 20.0) -> None:
    """Waits for something that happens in another thread."""
    end = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def make_page(folder: Path) -> Path:
    """A page that was built."""
    folder.mkdir(exist_ok=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "app.js").write_text("console.log(1)")
    (folder / "notes.txt").write_text("no asset")
    return folder


def zip_bomb(member: str = "poses.npy", size: int = 100 << 20) -> bytes:
    """An archive whose one member inflates a thousandfold."""
    import zipfile

    head = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")
    text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size // 8},), }}".ljust(117) + "\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(member, "w") as part:
        part.write(head + text.encode())
        for _ in range(size >> 20):
            part.write(bytes(1 << 20))
    return packed.getvalue()

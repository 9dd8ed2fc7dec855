"""One page's socket: a reader that survives anything sent to it, and a writer that never waits for a slow page.

What is to be sent waits in one line. Of each kind of pose frame and track only the newest waits: one that was not sent
yet is replaced, so a slow page sees fewer frames, not older ones. A page that lets too much pile up is cut off, for
frames kept for it would grow without end.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from footfall.core.errors import FootfallError
from footfall.studio.guarded import BY_HEADER
from footfall.studio.messages import (
    BlendKeep,
    BlendMake,
    BlendOpen,
    CureClip,
    DrawWalk,
    Export,
    Hello,
    Like,
    LiveLook,
    LiveMake,
    LiveStart,
    Problem,
    ReportJoin,
    ToPage,
    ToServer,
    UseJoin,
)
from footfall.studio.security import Guard, shown
from footfall.studio.sockets import ABORT, SEND_NOW
from footfall.studio.studio import Studio

LOG = logging.getLogger("footfall.studio")
MOST_WAITING = 1 << 20  # bytes
STALLED_S = 5.0  # so long may more than that wait
CHECK_S = 0.5
HELLO_S = 10.0  # so long may a socket say nothing at first
LAST_S = 5.0  # so long may the last message of a page that went away still take
MOST_UNANSWERED = 256  # messages; a page that sends more before they are done has to wait
MOST_ASIDE = 16  # long ones of a page that are not done yet
MOST_MALFORMED = 20
MOST_CLIENTS = 64
MALFORMED, NOT_ALLOWED, TRY_LATER = 1007, 1008, 1013

LONG = (
    DrawWalk,
    LiveStart,
    Export,
    Like,
    ReportJoin,
    UseJoin,
    CureClip,
    BlendOpen,
    BlendMake,
    BlendKeep,
    LiveMake,
    LiveLook,
)  # messages that wait for something to be made; a page does more while they do
_decode = msgspec.json.Decoder(ToServer).decode
_encode = msgspec.json.Encoder().encode
Key = tuple[int, int] | int  # kind and track of a frame, or the number of a message


class Client:
    """A page. `send` and `send_frame` may be called on any thread and never wait."""

    def __init__(self, socket: WebSocket, number: int) -> None:
        self.number = number
        self._socket = socket
        self._send_now = socket.scope.get("state", {}).get(SEND_NOW)
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        self._waiting: OrderedDict[Key, str | bytes] = OrderedDict()
        self._bytes = 0  # of all that waits
        self._full_since: float | None = None  # when more than MOST_WAITING began to wait
        self._count = 0
        self._lock = threading.Lock()
        self._something = asyncio.Event()
        self.closed = False

    def __repr__(self) -> str:
        return f"page {self.number}"

    def send(self, message: ToPage) -> None:
        """A message, after everything that was sent before."""
        self._put(None, _encode(message).decode())

    def send_frame(self, kind: int, track: int, data: bytes) -> None:
        """A pose frame; it takes the place of an older one of this kind and track that still waits."""
        self._put((kind, track), data)

    @property
    def waiting_bytes(self) -> int:
        return self._bytes

    @property
    def is_stalled(self) -> bool:
        """Whether it has not taken what waits for it for too long."""
        since = self._full_since
        return since is not None and time.monotonic() - since > STALLED_S

    def _put(self, key: Key | None, data: str | bytes) -> None:
        on_loop = threading.get_ident() == self._thread
        with self._lock:
            if self.closed:
                return
            if on_loop and not self._waiting and self._send_now is not None and self._send_now(data):
                return  # nothing was before it: the writer's task need not be woken, a third of what a pose costs
            if key is None:
                self._count += 1
                key = self._count
            old = self._waiting.pop(key, None)
            self._waiting[key] = data  # at the end: after the message that belongs to it
            self._counted(len(data) - (0 if old is None else len(old)))
        self._wake(on_loop)

    def _take(self) -> str | bytes | None:
        with self._lock:
            if not self._waiting:
                return None
            _, data = self._waiting.popitem(last=False)
            self._counted(-len(data))
            return data

    def _counted(self, change: int) -> None:
        self._bytes += change
        if self._bytes <= MOST_WAITING:
            self._full_since = None
        elif self._full_since is None:
            self._full_since = time.monotonic()

    def _wake(self, on_loop: bool) -> None:
        if on_loop:
            self._something.set()
            return
        try:
            self._loop.call_soon_threadsafe(self._something.set)
        except RuntimeError:  # the loop has ended, and the page with it
            self.closed = True

    async def write(self) -> None:
        """Sends what waits, one after the other, until cancelled."""
        while True:
            self._something.clear()
            while (data := self._take()) is not None:
                if isinstance(data, str):
                    await self._socket.send_text(data)
                else:
                    await self._socket.send_bytes(data)
            await self._something.wait()

    async def watch(self) -> None:
        """Returns when the page has stalled."""
        while not self.is_stalled:
            await asyncio.sleep(CHECK_S)

    def close(self) -> None:
        """Forget what waits, and keep nothing more for this page."""
        with self._lock:
            self.closed = True
            self._waiting.clear()
            self._bytes = 0


class Visit:
    """A page that was let in: what it says is handled in its order, beside the reader, for pings must be answered."""

    def __init__(self, client: Client, session: Studio) -> None:
        self.client, self.session = client, session
        self._inbox: asyncio.Queue[ToServer] = asyncio.Queue(MOST_UNANSWERED)
        self._busy = asyncio.Lock()
        self._handler: asyncio.Task[None] | None = None
        self._aside: set[asyncio.Task[None]] = set()  # long messages, held here for as long as they take

    def begin(self) -> None:
        LOG.info("%r joined", self.client)
        self._handler = asyncio.create_task(self._handle_all())

    async def say(self, message: ToServer) -> None:
        await self._inbox.put(message)

    async def end(self) -> None:
        """Its last message is done, saving for one, before it is forgotten; what waits behind that is not."""
        if self._handler is None:
            return
        try:
            async with asyncio.timeout(LAST_S), self._busy:
                self._handler.cancel()
        except TimeoutError:
            self._handler.cancel()
        await asyncio.gather(self._handler, return_exceptions=True)
        await _told(self.client, "leaving", self.session.leave(self.client))
        LOG.info("%r left", self.client)

    async def _handle_all(self) -> None:
        async with self._busy:
            await _told(self.client, "joining", self.session.join(self.client))
        while True:
            message = await self._inbox.get()
            if isinstance(message, LONG):
                self._handle_aside(message)
                continue
            async with self._busy:
                await self._handle(message)

    def _handle_aside(self, message: ToServer) -> None:
        """The page goes on meanwhile."""
        if len(self._aside) >= MOST_ASIDE:
            self.client.send(Problem("project", f"{MOST_ASIDE} things are being made already; wait for one of them."))
            return
        task = asyncio.create_task(self._handle(message))
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)

    async def _handle(self, message: ToServer) -> None:
        await _told(self.client, type(message).__name__, self.session.handle(self.client, message))


async def serve(socket: WebSocket, session: Studio, guard: Guard, number: int, others: int) -> None:
    """A socket from its first message to its last; whatever happens to it happens to no other."""
    await socket.accept()
    if others >= MOST_CLIENTS:
        LOG.warning("page %d refused: %d pages are open already", number, others)
        await socket.close(TRY_LATER, f"{MOST_CLIENTS} pages are open; close one")
        return
    client = Client(socket, number)
    visit = Visit(client, session)
    writer = asyncio.create_task(client.write())
    reader = asyncio.create_task(_read(visit, socket, guard))
    watcher = asyncio.create_task(client.watch())
    try:
        done, _ = await asyncio.wait((reader, writer, watcher), return_when=asyncio.FIRST_COMPLETED)
        if watcher in done:
            LOG.warning("%r cut off: it left %d kB unread for %g s", client, client.waiting_bytes >> 10, STALLED_S)
            _cut(socket)
    finally:
        client.close()
        await _ended(reader, writer, watcher)
        await visit.end()
    code = reader.result() if reader.done() and not reader.cancelled() and reader.exception() is None else None
    if code is not None:
        await _closed(socket, code)


async def _read(visit: Visit, socket: WebSocket, guard: Guard) -> int | None:
    """Messages until the page goes away, or is sent away with the code that is returned."""
    client, malformed = visit.client, 0
    if not await _greeted(client, socket, guard):
        return NOT_ALLOWED
    visit.begin()
    while True:
        received = await socket.receive()
        if received["type"] == "websocket.disconnect":
            return None
        message = _message(client, received)
        if message is not None:
            await visit.say(message)
            continue
        malformed += 1
        if malformed >= MOST_MALFORMED:
            LOG.warning("%r sent away after %d malformed messages", client, malformed)
            return MALFORMED


async def _greeted(client: Client, socket: WebSocket, guard: Guard) -> bool:
    """Whether the first message is a greeting with the token; the token header of the upgrade stands for it."""
    try:
        async with asyncio.timeout(HELLO_S):
            received = await socket.receive()
    except TimeoutError:
        LOG.warning("%r said nothing for %g s", client, HELLO_S)
        return False
    if received["type"] == "websocket.disconnect":
        return False
    hello = _message(client, received)
    if isinstance(hello, Hello) and (socket.scope.get(BY_HEADER) or guard.is_token(hello.token)):
        return True
    LOG.warning("%r did not begin with a greeting that holds the token", client)
    return False


def _message(client: Client, received: dict[str, object] | object) -> ToServer | None:
    """What was sent, or None with a word to the page where it is no message."""
    text = received.get("text") if isinstance(received, dict) else None
    try:
        if not isinstance(text, str):
            raise msgspec.DecodeError("binary data")
        message: ToServer = _decode(text)
        return message
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        LOG.warning("%r sent no message: %s", client, shown(str(error)))
        client.send(Problem("project", f"The studio did not understand the page ({error}); reload it if this stays."))
        return None


async def _told(client: Client, what: str, work: Awaitable[None]) -> None:
    """One piece of work; its failure is told to the page and stops nothing."""
    try:
        await work
    except FootfallError as error:
        client.send(Problem("project", str(error)))
    except Exception:
        LOG.exception("%r: %s failed", client, what)
        client.send(Problem("project", "That failed inside the studio; the terminal says more. Nothing was changed."))


def _cut(socket: WebSocket) -> None:
    """End a connection that takes nothing any more: asking it to close would wait behind what it does not read."""
    abort = socket.scope.get("state", {}).get(ABORT)
    if abort is not None:
        abort()


async def _closed(socket: WebSocket, code: int) -> None:
    try:
        async with asyncio.timeout(1.0):
            await socket.close(code)
    except (TimeoutError, RuntimeError, WebSocketDisconnect):
        _cut(socket)


async def _ended(*tasks: asyncio.Task[object]) -> None:
    """Tasks stopped and gone; why one of them failed is logged, except that the page went away."""
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect | RuntimeError | OSError):
            LOG.error("a page's socket failed", exc_info=result)

"""uvicorn's protocols, with limits on what an unknown client can do to them.

A connection has to send its request within a few seconds, and only so many may be waited for: until a request is whole,
nobody knows whether it is allowed. A page that does not read is disconnected.
"""

from __future__ import annotations

import socket
from asyncio import BaseTransport, TimerHandle, Transport
from typing import Any
from weakref import WeakKeyDictionary

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from footfall.studio.kept_send import send_kept

ABORT = "footfall.abort"  # in the socket's state: cuts the connection without waiting for anything
SEND_NOW = "footfall.send_now"  # there too: sends one message, or says that the page does not take it yet
BUFFER = 256 << 10  # bytes the system may hold for a page: what waits there is old when it arrives
GOODBYE_S = 1.0  # that a page has to take its last messages when the studio ends

HEADERS_S = 10.0  # that a connection has for the head of a request
BACKLOG = 64  # connections taken in at once: each costs an open file before anything is known of it
MOST_SILENT = 48  # connections that ask for nothing (any more) for longer than GRACE_S; of more, the oldest go
GRACE_S = 1.0  # by eye: fifty pages that open together have all asked by then
MOST_AT_ONCE = 112  # that have asked for nothing, however new: each costs an open file, of which there may be 256

BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


_SILENT: WeakKeyDictionary[Any, dict[TimedHttp, float]] = (
    WeakKeyDictionary()
)  # of each server: since when, oldest first


class TimedHttp(H11Protocol):
    """Its requests come whole and soon, or not at all."""

    _timer: TimerHandle | None = None

    @property
    def _silent(self) -> dict[TimedHttp, float]:
        return _SILENT.setdefault(self.server_state, {})

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._waits()
        for oldest in list(self._silent)[:-MOST_AT_ONCE]:
            oldest.give_up()
        if len(self._silent) > MOST_SILENT:
            self.loop.call_later(GRACE_S, self._make_room)

    def _make_room(self) -> None:
        """Of too many connections, those go that had time enough to ask."""
        before = self.loop.time() - GRACE_S
        for oldest, since in list(self._silent.items())[:-MOST_SILENT]:
            if since <= before:
                oldest.give_up()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._waits()  # a head has begun
        else:
            self._asked()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport is not None and not self.transport.is_closing():
            self._silent[self] = self.loop.time()  # uvicorn ends it when it says nothing for long

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._asked()
        super().handle_websocket_upgrade(event)

    def connection_lost(self, exc: Exception | None) -> None:
        self._asked()
        super().connection_lost(exc)

    def give_up(self) -> None:
        self._asked()
        if self.transport is not None:
            self.transport.abort()

    def _waits(self) -> None:
        """For the head of a request; the clock runs from its first byte, however slowly the others come."""
        self._silent.setdefault(self, self.loop.time())
        if self._timer is None:
            self._timer = self.loop.call_later(HEADERS_S, self.give_up)

    def _asked(self) -> None:
        self._silent.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class CuttableSocket(WebSocketsSansIOProtocol):
    """Its application can abort the connection; what answers no ping, or sends no proper request, is cut off too.

    Closing politely waits until everything written before has been read, which a stalled page never does: its
    connection and its buffer would stay for ever.
    """

    _line = -1  # the number of its file

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        line = transport.get_extra_info("socket")
        if line is not None:
            self._line = line.fileno()
            line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
            # asyncio does this only for sockets made with their protocol named; without it a pose waits for the page to
            # acknowledge the one before, up to 40 ms
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:  # headers that are none
            self.transport.write(b"".join(self.conn.data_to_send()) or BAD_REQUEST)
            self.transport.close()

    def handle_connect(self, event: Any) -> None:
        super().handle_connect(event)  # makes the scope, and the application's task, which has not begun yet
        if not self.transport.is_closing():
            self.scope["state"][ABORT] = self.transport.abort
            self.scope["state"][SEND_NOW] = self.send_now

    def send_now(self, data: str | bytes) -> bool:
        """Send one message without waiting, or say that it would have to wait."""
        if self.conn.state is not State.OPEN or self.disconnected or self.transport.is_closing():
            return False
        if not self.handshake_complete or not self.writable.is_set():
            return False
        if isinstance(data, bytes):
            self.conn.send_binary(data)
        else:
            self.conn.send_text(data.encode())
        framed = b"".join(self.conn.data_to_send())
        if self._line >= 0 and not self.transport.get_write_buffer_size():  # nothing is before it
            framed = framed[send_kept(self._line, framed) :]
        if framed:
            self.transport.write(framed)
        return True

    def shutdown(self) -> None:
        super().shutdown()
        self.loop.call_later(GOODBYE_S, self.transport.abort)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()


def make_server(application: ASGIApp, host: str, port: int) -> uvicorn.Server:
    """uvicorn with what the studio needs: bounded messages, no compression, no log of addresses."""
    config = uvicorn.Config(
        application, host=host, port=port, http=TimedHttp, backlog=BACKLOG, ws=CuttableSocket, ws_max_size=1 << 20,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0, ws_ping_timeout=20.0, log_level="warning", access_log=False, server_header=False,
        date_header=True, timeout_graceful_shutdown=3, timeout_keep_alive=15, h11_max_incomplete_event_size=32 << 10,
        proxy_headers=False, lifespan="on",
    )  # fmt: skip
    return uvicorn.Server(config)

"""uvicorn's WebSocket protocol, with a way to cut off a page that does not read."""

from __future__ import annotations

import socket
from asyncio import BaseTransport
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from footfall.studio.connection import ABORT

BUFFER = 256 << 10  # bytes the system may hold for a page: what waits there is old when it arrives
GOODBYE_S = 1.0  # that a page has to take its last messages when the studio ends

BAD_REQUEST = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


class CuttableSocket(WebSocketsSansIOProtocol):
    """Its application can abort the connection; what answers no ping, or sends no proper request, is cut off too.

    Closing politely waits until everything written before has been read, which a stalled page never does: its
    connection and its buffer would stay for ever.
    """

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        line = transport.get_extra_info("socket")
        if line is not None:
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

    def shutdown(self) -> None:
        super().shutdown()
        self.loop.call_later(GOODBYE_S, self.transport.abort)

    def keepalive_timeout(self) -> None:
        super().keepalive_timeout()
        self.transport.abort()

"""ASGI middleware in front of the studio: refuses what the guard refuses, and puts security headers on every answer."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footfall.studio.security import HEADERS, LOG, Guard, shown

BY_HEADER = "footfall.by_header"  # in the scope: whether the request carried the token itself, not only the cookie
LEADS_ON = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>footfall</title>'
NO_ENTRY = (
    "This is a footfall studio, and this browser has not been let in.\n\n"
    "Open the link that `footfall studio` printed on its terminal; it carries the key.\n"
)


class Guarded:
    """Every request and every socket passes here first."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app, self.guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers, method, asked = joined_headers(scope["headers"]), scope.get("method", "GET"), token_of(scope)
        once = key_of(scope, "once") if scope["type"] == "http" and method == "GET" else ""
        asked = self.guard.token if once and self.guard.once.is_good(once) else asked
        refusal = self.guard.refusal(scope["type"], method, headers, asked)
        if refusal:
            LOG.warning("refused %s %s: %s", method, shown(scope["path"]), refusal)
            await self._refuse(scope, receive, send)
            return
        if once:
            if self.guard.once.take(once):
                await self._let_in(scope, receive, send, by_page=True)
            else:
                await self._refuse(scope, receive, send)
            return
        if asked and scope["type"] == "http" and method == "GET" and self.guard.is_token(asked):
            await self._let_in(scope, receive, send)
            return
        scope[BY_HEADER] = self.guard.has_header(headers)
        await self.app(scope, receive, with_headers(send) if scope["type"] == "http" else send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})  # before it was accepted: answered with 403
            return
        refusal = PlainTextResponse(NO_ENTRY, 403, {"cache-control": "no-store"})
        await refusal(scope, receive, with_headers(send))

    async def _let_in(self, scope: Scope, receive: Receive, send: Send, by_page: bool = False) -> None:
        """The printed link: give the cookie, and take the token out of the address bar.

        by_page: by a page that leads on. A browser that comes from a file sends no strict cookie after a redirection,
        but it does from a page of ours.
        """
        cookie = f"{self.guard.cookie_name}={self.guard.cookie_value}; HttpOnly; SameSite=Strict; Path=/"
        headers = {"location": "/", "set-cookie": cookie, "cache-control": "no-store"}
        if by_page:
            del headers["location"]
            await HTMLResponse(LEADS_ON, 200, headers)(scope, receive, with_headers(send))
            return
        await PlainTextResponse("", 303, headers)(scope, receive, with_headers(send))


def token_of(scope: Scope) -> str:
    """The token in the address of the front page: the only address that may carry one."""
    return key_of(scope, "token")


def key_of(scope: Scope, name: str) -> str:
    if scope["path"] != "/":
        return ""
    given = parse_qs(scope["query_string"].decode("latin-1")).get(name, [""])
    return given[0] if len(given) == 1 else ""


def joined_headers(raw: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Headers by lower-case name; one that comes twice is joined, and so matches nothing it has to equal."""
    found: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = text if key not in found else f"{found[key]}; {text}"
    return found


def with_headers(send: Send) -> Send:
    """Adds the security headers to an answer."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message.get("headers", ())}
            more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in given]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        await send(message)

    return sending

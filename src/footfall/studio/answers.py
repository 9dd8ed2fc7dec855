"""Answers to requests that a person can read: a sentence in place of a page or a trace."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.studio.security import shown

LOG = logging.getLogger("footfall.studio")
Handler = Callable[[Request], Awaitable[Response]]


def text_answer(status: int, text: str) -> Response:
    return Response(text + "\n", status, media_type="text/plain")


def told(handler: Handler) -> Handler:
    """The same handler, with errors that a person can read instead of a trace."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except UnknownName as error:
            return text_answer(404, str(error))
        except ParameterError as error:
            LOG.warning("refused %s: %s", shown(request.url.path), error)
            return text_answer(400, str(error))
        except FootfallError as error:
            return text_answer(422, str(error))

    return handle

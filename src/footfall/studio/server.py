"""The studio's web application: the page, its socket, thumbnails, uploads and downloads, all behind the guard."""

from __future__ import annotations

import asyncio
import html
import itertools
import logging
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError, UnknownName
from footfall.studio import connection
from footfall.studio.guarded import Guarded
from footfall.studio.kept_send import TURN_S
from footfall.studio.security import Guard, safe_join, shown
from footfall.studio.sockets import CuttableSocket, TimedHttp
from footfall.studio.studio import Studio
from footfall.studio.uploads import MOST_BYTES, Uploads, text_answer

LOG = logging.getLogger("footfall.studio")
DIST = Path(__file__).parent / "page" / "dist"
NOT_BUILT = (
    "the studio's page has not been built: in a checkout run `npm install && npm run build` in "
    "src/footfall/studio/page, or install footfall again where npm can be reached"
)
_META = re.compile(r'(<meta\s+name="footfall-token"\s+content=")[^"]*(")')
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".map": "application/json"}
BACKLOG = 64  # connections taken in at once: each costs an open file before anything is known of it
MOST_AT_ONCE = 2  # thumbnails and skins worked out at the same time
Handler = Callable[[Request], Awaitable[Response]]


class Routes:
    """Every address the studio answers."""

    def __init__(self, studio: Studio, guard: Guard, dist: Path, most_upload: int) -> None:
        self.studio, self.guard, self.dist = studio, guard, dist
        self.uploads = Uploads(studio.library, most_upload, studio.shelf)
        self._numbers = itertools.count(1)
        self._open: set[int] = set()  # numbers of the sockets
        self._turn = asyncio.Semaphore(MOST_AT_ONCE)

    def routes(self) -> list[Route | WebSocketRoute]:
        return [
            Route("/", self.page, methods=["GET"]),
            Route("/assets/{path:path}", told(self.asset), methods=["GET"]),
            Route("/clips/{key:path}/poses", told(self.poses), methods=["GET"]),
            Route("/clips/{key:path}/skeleton", told(self.skeleton), methods=["GET"]),
            Route("/downloads/{job:int}/{name:path}", told(self.download), methods=["GET"]),
            Route("/skins/{track:int}.glb", told(self.skin), methods=["GET"]),
            Route("/characters/{name}", told(self.character), methods=["GET"]),
            Route("/upload", self.uploads.take, methods=["POST"]),
            WebSocketRoute("/ws", self.socket),
        ]

    async def page(self, request: Request) -> Response:
        """The page, with the token that its writes have to carry."""
        try:
            text = (self.dist / "index.html").read_text("utf-8")
        except OSError:
            return text_answer(503, f"footfall: {NOT_BUILT}")
        return Response(
            with_token(text, self.guard.token), media_type="text/html", headers={"cache-control": "no-store"}
        )

    async def asset(self, request: Request) -> Response:
        path = safe_join(self.dist, request.path_params["path"])
        if path.suffix not in TYPES or not path.is_file():
            return text_answer(404, "There is no such file.")
        return FileResponse(path, media_type=TYPES[path.suffix], headers={"cache-control": "no-cache"})

    async def poses(self, request: Request) -> Response:
        """A clip's poses as a take frame: of its first seconds for a small picture, or all of them at more a second."""
        fps = _rate(request.query_params.get("fps", "15"))
        async with self._turn:
            data = await asyncio.to_thread(self.studio.library.poses, request.path_params["key"], fps)
        return Response(data, media_type="application/octet-stream", headers={"cache-control": "private, max-age=60"})

    async def skeleton(self, request: Request) -> Response:
        async with self._turn:
            view = await asyncio.to_thread(self.studio.library.skeleton, request.path_params["key"])
        headers = {"cache-control": "private, max-age=60"}
        return Response(msgspec.json.encode(view), media_type="application/json", headers=headers)

    async def download(self, request: Request) -> Response:
        path = self.studio.jobs.result(request.path_params["job"], request.path_params["name"])
        if path is None or not path.is_file():
            return text_answer(404, "There is no such export any more; export it again.")
        return FileResponse(path, filename=path.name, media_type="application/octet-stream")

    async def skin(self, request: Request) -> Response:
        """A track's body with its skin, as a GLB: the person's own file where it came from the shelf."""
        own = self.studio.skin_file(request.path_params["track"])
        if own is not None:
            return FileResponse(own, media_type="model/gltf-binary", headers={"cache-control": "no-cache"})
        clip = self.studio.skin_clip(request.path_params["track"])
        if clip is None or clip.skin is None:
            return text_answer(404, "This track has no skin.")
        async with self._turn:
            data = await asyncio.to_thread(_skin_bytes, clip)
        return Response(data, media_type="model/gltf-binary", headers={"cache-control": "no-cache"})

    async def character(self, request: Request) -> Response:
        """A character's own file, for its picture."""
        path = self.studio.shelf.file(self.studio.shelf.by_name(request.path_params["name"]).key)
        return FileResponse(path, media_type="model/gltf-binary", headers={"cache-control": "no-cache"})

    async def socket(self, socket: WebSocket) -> None:
        number = next(self._numbers)
        others = len(self._open)
        self._open.add(number)
        try:
            await connection.serve(socket, self.studio, self.guard, number, others)
        finally:
            self._open.discard(number)


def app(studio: Studio, guard: Guard, dist: Path = DIST, most_upload: int = MOST_BYTES) -> Guarded:
    """The whole application; the studio begins and ends with it."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        turn_s = sys.getswitchinterval()
        sys.setswitchinterval(TURN_S)
        await studio.start()
        try:
            yield
        finally:
            await studio.stop()
            sys.setswitchinterval(turn_s)
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))  # the old one is not waited for

    routes = Routes(studio, guard, dist, most_upload).routes()
    return Guarded(Starlette(routes=routes, lifespan=lifespan), guard)


def make_server(application: Guarded, host: str, port: int) -> uvicorn.Server:
    """uvicorn with what the studio needs: bounded messages, no compression, no log of addresses."""
    config = uvicorn.Config(
        application, host=host, port=port, http=TimedHttp, backlog=BACKLOG, ws=CuttableSocket, ws_max_size=1 << 20,
        ws_per_message_deflate=False,
        ws_ping_interval=20.0, ws_ping_timeout=20.0, log_level="warning", access_log=False, server_header=False,
        date_header=True, timeout_graceful_shutdown=3, timeout_keep_alive=15, h11_max_incomplete_event_size=32 << 10,
        proxy_headers=False, lifespan="on",
    )  # fmt: skip
    return uvicorn.Server(config)


def with_token(page: str, token: str) -> str:
    """The page with the token in its meta element."""
    return _META.sub(lambda m: f"{m[1]}{html.escape(token)}{m[2]}", page, count=1)


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


def _rate(text: str) -> float:
    try:
        fps = float(text)
    except ValueError:
        fps = 0.0
    if not 1.0 <= fps <= 240.0:
        raise ParameterError(f"fps is a number from 1 to 240, not {shown(text)}")
    return fps


def _skin_bytes(clip: Clip) -> bytes:
    import tempfile

    from footfall.io.save import save

    with tempfile.TemporaryDirectory() as folder:
        return save(clip.trim(0.0, 0.0), Path(folder) / "skin.glb", bare=True).read_bytes()

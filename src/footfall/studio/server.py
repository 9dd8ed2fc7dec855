"""The studio's web application: the page, its socket, thumbnails, uploads and downloads, all behind the guard."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.studio import connection
from footfall.studio.answers import text_answer, told
from footfall.studio.front_page import DIST, FrontPage
from footfall.studio.guarded import Guarded
from footfall.studio.kept_send import TURN_S
from footfall.studio.security import Guard, shown
from footfall.studio.studio import Studio
from footfall.studio.uploads import MOST_BYTES, Uploads

MOST_AT_ONCE = 2  # thumbnails and skins worked out at the same time


class Routes:
    """Every address the studio answers, but for its page."""

    def __init__(self, studio: Studio, guard: Guard, most_upload: int) -> None:
        self.studio, self.guard = studio, guard
        self.uploads = Uploads(studio.library, most_upload, studio.shelf)
        self._numbers = itertools.count(1)
        self._open: set[int] = set()  # numbers of the sockets
        self._turn = asyncio.Semaphore(MOST_AT_ONCE)

    def routes(self) -> list[Route | WebSocketRoute]:
        return [
            Route("/clips/{key:path}/poses", told(self.poses), methods=["GET"]),
            Route("/clips/{key:path}/skeleton", told(self.skeleton), methods=["GET"]),
            Route("/downloads/{job:int}/{name:path}", told(self.download), methods=["GET"]),
            Route("/skins/{track:int}.glb", told(self.skin), methods=["GET"]),
            Route("/characters/{name}", told(self.character), methods=["GET"]),
            Route("/upload", self.uploads.take, methods=["POST"]),
            WebSocketRoute("/ws", self.socket),
        ]

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
    """The whole application, behind the guard."""
    return Guarded(unguarded(studio, guard, dist, most_upload), guard)


def unguarded(studio: Studio, guard: Guard, dist: Path = DIST, most_upload: int = MOST_BYTES) -> Starlette:
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

    routes = [*FrontPage(guard, dist).routes(), *Routes(studio, guard, most_upload).routes()]
    return Starlette(routes=routes, lifespan=lifespan)


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

"""The page itself: index.html with the token its writes have to carry, and the files of the build beside it."""

from __future__ import annotations

import html
import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from footfall.studio.answers import text_answer, told
from footfall.studio.security import Guard, safe_join

DIST = Path(__file__).parent / "page" / "dist"
NOT_BUILT = (
    "the studio's page has not been built: in a checkout run `npm install && npm run build` in "
    "src/footfall/studio/page, or install footfall again where npm can be reached"
)
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".map": "application/json"}
_META = re.compile(r'(<meta\s+name="footfall-token"\s+content=")[^"]*(")')


class FrontPage:
    """What needs nothing but the build: it is answered before the studio behind it is there."""

    def __init__(self, guard: Guard, dist: Path = DIST) -> None:
        self.guard, self.dist = guard, dist

    def routes(self) -> list[Route]:
        return [
            Route("/", self.page, methods=["GET"]),
            Route("/assets/{path:path}", told(self.asset), methods=["GET"]),
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


def with_token(page: str, token: str) -> str:
    """The page with the token in its meta element."""
    return _META.sub(lambda m: f"{m[1]}{html.escape(token)}{m[2]}", page, count=1)

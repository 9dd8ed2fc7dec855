"""The page of a pack: one HTML file with the character, its motions and three.js in it, steered by keys."""

from __future__ import annotations

import base64
import json
import tempfile
from pathlib import Path

from footfall.core.errors import MissingExtra
from footfall.graph.pack import Pack, save_pack
from footfall.io.save import atomic_write

SCRIPT = Path(__file__).parent / "page" / "dist" / "pack.js"
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body{{margin:0;overflow:hidden;font:14px system-ui,sans-serif}}canvas{{display:block}}
#told,#keys{{position:absolute;left:16px;color:#333}}#told{{top:14px}}#keys{{bottom:14px;color:#777}}</style></head>
<body><div id="told"></div><div id="keys">arrows: speed and turn · numbers: motion</div>
<script>window.FOOTFALL_PACK = {pack};</script>
<script>{script}</script></body></html>
"""


def write_page(pack: Pack, path: Path) -> None:
    """The page at path; its animations are on the spot, and the page moves the character."""
    if not SCRIPT.is_file():
        raise MissingExtra(
            "the page's script is not built: install footfall where npm reaches its registry, or run "
            "`python hatch_build.py` in a checkout"
        )
    with tempfile.TemporaryDirectory(prefix="footfall-pack-") as folder:
        file = Path(folder) / "pack.glb"
        data = save_pack(pack, file, in_place=True)
        glb = base64.b64encode(file.read_bytes()).decode("ascii")
    held = json.dumps({"data": data, "glb": glb}, allow_nan=False).replace("<", "\\u003c")
    script = SCRIPT.read_text("ascii").replace("</script", "<\\/script")
    title = Path(path).stem.replace("&", "&amp;").replace("<", "&lt;")
    atomic_write(path, PAGE.format(title=title, pack=held, script=script).encode("utf-8"))

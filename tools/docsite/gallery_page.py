"""The gallery's page: every film that tools/make_gallery.py has made, with what it shows and how it was made."""

from __future__ import annotations

import html
import json
from pathlib import Path

FILMS = Path(__file__).resolve().parents[2] / "build" / "gallery"
LIST = "films.json"  # written beside the films: rows of name, group, title, text, command


def gallery_page() -> str:
    parts = [
        "# Gallery",
        "Short films of what footfall makes, from built-in motions only. `python tools/make_gallery.py --again` "
        "makes all of them anew; the line under each is what made its motion.",
    ]
    listed = FILMS / LIST
    rows = json.loads(listed.read_text("utf-8")) if listed.is_file() else []
    rows = [row for row in rows if (FILMS / f"{row['name']}.mp4").is_file()]
    if not rows:
        parts.append("The films have not been made yet: `python3 dev.py docs --films` makes them, and the site.")
    for group in dict.fromkeys(row["group"] for row in rows):
        figures = "\n".join(figure(row) for row in rows if row["group"] == group)
        parts += [f"## {group}", f'<div class="gallery">\n{figures}\n</div>']
    return "\n\n".join(parts) + "\n"


def figure(row: dict[str, str]) -> str:
    text = html.escape(row["text"], quote=True)
    return (
        f'<figure><video src="gallery/{row["name"]}.mp4" aria-label="{text}" autoplay loop muted playsinline controls>'
        "</video>"
        f"<figcaption><strong>{html.escape(row['title'])}</strong> {text}<br><code>{html.escape(row['made'])}</code>"
        "</figcaption></figure>"
    )

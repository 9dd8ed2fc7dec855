"""Hooks of mkdocs (mkdocs.yml): pages that are made when the site is built, and equations.

Made pages are never committed, so they cannot go stale: the Python reference comes from docstrings, the commands from
their own help and from running an example of each, the choices from the families' files, the notebooks from running
them, and the gallery from the films that tools/make_gallery.py has made.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from api_page import api_page
from choices_page import choices_page
from command_page import command_page
from equations import with_equations
from gallery_page import FILMS, gallery_page
from notebook_page import notebook_page
from source_links import with_page_titles, with_source_names

ROOT = Path(__file__).resolve().parents[2]
BRIEF = "FOOTFALL_SITE_BRIEF"  # set: commands and notebooks are shown and not run


def on_config(config: Any) -> Any:
    """The theme would fetch a script from elsewhere to search without a server; docs/search_worker.js does that."""
    config.extra["polyfills"] = ["search_worker.js"]
    return config


def on_files(files: Any, config: Any) -> Any:
    """Adds the made pages and the gallery's films."""
    from mkdocs.structure.files import File

    run = not os.environ.get(BRIEF)
    pages = {
        "reference/api.md": api_page(),
        "reference/commands.md": command_page(run=run),
        "reference/choices.md": choices_page(),
        "gallery.md": gallery_page(),
    }
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        made = notebook_page(path, run=run)
        pages[f"notebooks/{path.stem}.md"] = made.text
        for name, data in made.pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    for film in sorted(FILMS.glob("*.mp4")):
        files.append(File.generated(config, f"gallery/{film.name}", abs_src_path=str(film)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Equations as MathML, which browsers draw by themselves; links by titles of pages, those out of docs/ by names."""
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]
    return with_equations(with_source_names(with_page_titles(markdown, page.file.src_uri)))

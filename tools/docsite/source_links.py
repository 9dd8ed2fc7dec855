"""Links as the site shows them: by the title of a page, or by the name of a file that is no part of the site."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
OUTSIDE = re.compile(r"\[(?P<text>[^\]]+)\]\((?:\.\./)+(?P<path>(?:src|tests|tools|lab|examples|[A-Z]+\.\w+)[^)\s]*)\)")
BY_FILE = re.compile(r"\[(?:[\w./]+)\.md\]\((?P<path>[\w./]+\.md)(?P<anchor>#[\w-]+)?\)")


def with_source_names(markdown: str) -> str:
    """Links that lead out of docs/, to a file of the repository: the file's name instead."""
    return OUTSIDE.sub(lambda found: f"{found['text']} (`{found['path']}`)", markdown)


def with_page_titles(markdown: str, page: str) -> str:
    """Links that read as a file of docs/ (`[joins.md](joins.md)`) read as its title; page: where they are, in docs/."""

    def titled(found: re.Match[str]) -> str:
        target = (DOCS / page).parent / found["path"]
        if not target.is_file():
            return found[0]
        heading = target.read_text("utf-8").split("\n", 1)[0].removeprefix("# ")
        return f"[{heading}]({found['path']}{found['anchor'] or ''})"

    return BY_FILE.sub(titled, markdown)

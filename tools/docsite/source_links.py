"""Links of pages that lead out of docs/, to a file of the repository: the site shows the file's name instead."""

from __future__ import annotations

import re

OUTSIDE = re.compile(r"\[(?P<text>[^\]]+)\]\((?:\.\./)+(?P<path>(?:src|tests|tools|lab|examples|[A-Z]+\.\w+)[^)\s]*)\)")


def with_source_names(markdown: str) -> str:
    return OUTSIDE.sub(lambda found: f"{found['text']} (`{found['path']}`)", markdown)

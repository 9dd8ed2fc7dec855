"""Equations of pages: blocks ```math with LaTeX become MathML, so that no script is needed to draw them."""

from __future__ import annotations

import re

BLOCK = re.compile(r"^```math\n(?P<latex>.*?)^```$", re.MULTILINE | re.DOTALL)


def with_equations(markdown: str) -> str:
    """The page with every equation drawn; its LaTeX stays as the text alternative."""
    return BLOCK.sub(lambda found: drawn(found["latex"]), markdown)


def drawn(latex: str) -> str:
    from html import escape

    from latex2mathml.converter import convert

    rows = [row.strip() for row in latex.strip().split("\n\n")]
    made = []
    for row in rows:
        text = " ".join(row.split())
        maths = convert(text, display="block").replace("<math ", f'<math alttext="{escape(text, quote=True)}" ', 1)
        made.append(f'<div class="equation">{maths}</div>')
    return "\n".join(made)

"""The Python reference: signatures and docstrings of the public names, as one page of Markdown."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import footfall

# The public names of the package by what people want to do.
GROUPS = {
    "Read and write": ("load", "load_all", "load_markers", "save"),
    "Clips": ("Clip", "Event", "Pose", "Skeleton"),
    "Built-in motions": ("motion", "motion_names"),
    "Join and arrange": ("join", "timeline"),
    "Blend by parameters": ("blend_space",),
    "Live characters": ("graph", "Controller", "Controllers", "Crowd", "MotionMatching"),
    "Bodies, feet, ground": ("retarget", "foot_lock", "ground", "Ground"),
    "Understand": ("analyze", "lint", "find", "match"),
    "Train": ("to_torch",),
    "Errors": ("FootfallError", "ReadError"),
}
# What the functions above return and people go on to use.
RETURNED = {
    "footfall.core.report": ("Report", "Segment"),
    "footfall.parametric.blend_space": ("BlendSpace",),
    "footfall.timeline.arrangement": ("Arrangement",),
    "footfall.library.match": ("MatchedPlace",),
    "footfall.joins.departure": ("Departure", "from_state", "leaving"),
}
DEFAULT_OBJECT = re.compile(r"<(?:factory|[\w.]+ object at [^>]+)>")


def api_page() -> str:
    parts = [
        "# Python",
        "Names of `import footfall as ff`. Every one is typed and has a docstring, which is what you read here; "
        "`help(ff.join)` says the same. Clips may be given as a `Clip`, as a file or as the name of a built-in motion. "
        "Times are in seconds, lengths in metres; [conventions](../conventions.md) has the rest.",
    ]
    for title, names in GROUPS.items():
        parts.append(f"## {title}")
        for name in names:
            value = getattr(importlib.import_module(footfall._HOME[name]), name)
            parts.append(described(f"ff.{name}", value, footfall._HOME[name]))
    parts.append("## What comes back")
    for module, names in RETURNED.items():
        for name in names:
            parts.append(described(name, getattr(importlib.import_module(module), name), module))
    return "\n\n".join(parts) + "\n"


def described(name: str, value: Any, module: str) -> str:
    """One name: heading, signature, docstring, and the methods of a class."""
    home = module.removeprefix("footfall.").replace(".", "/") + ".py"
    text = with_parameters(text_of(value), value)
    parts = [f"### `{name}`", signature(name, value), f"In `{home}`.", text]
    if inspect.isclass(value) and not issubclass(value, Exception):
        parts += [row for row in (member(key, value) for key in public(value)) if row]
    return "\n\n".join(part for part in parts if part)


def signature(name: str, value: Any) -> str:
    """As a block of code, one parameter a line where it is long."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    shown = [p.replace(annotation=_plain(p.annotation)) for p in found.parameters.values()]
    shown = [p for p in shown if p.name not in ("self", "told")]
    returned = _plain(found.return_annotation)
    back = "" if inspect.isclass(value) or returned is inspect.Signature.empty else f" -> {returned}"
    words = [DEFAULT_OBJECT.sub("…", _unquoted(str(p))) for p in shown]
    line = f"{name}({', '.join(words)}){_unquoted(back)}"
    if len(line) > 100:
        line = f"{name}(\n    " + ",\n    ".join(words) + f",\n){_unquoted(back)}"
    return f"```{{ .python .signature }}\n{line}\n```"


def _plain(annotation: Any) -> Any:
    """`np.ndarray` rather than ForwardRef('np.ndarray')."""
    return getattr(annotation, "__forward_arg__", annotation)


def _unquoted(text: str) -> str:
    return re.sub(r"((?::|->) )'([^']*)'", r"\1\2", text)


def text_of(value: Any) -> str:
    """The docstring as Markdown: examples become blocks of code."""
    lines = (inspect.getdoc(value) or "").splitlines()
    made: list[str] = []
    inside = False
    for line in lines:
        starts = line.startswith(">>> ")
        if starts and not inside:
            made += ["", "```python"]
        elif inside and not line.strip():
            made += ["```", ""]
        inside = starts or (inside and bool(line.strip()))
        made.append(line)
    return "\n".join([*made, "```"] if inside else made).strip()


def with_parameters(text: str, value: Any) -> str:
    """Sentences that begin with a parameter's name and a colon, each as a row of a list."""
    if inspect.isclass(value):
        return text
    for name in inspect.signature(value).parameters:
        text = re.sub(rf"(^|[.]\s+|\n){name}: ", rf"\1\n\n- `{name}`: ", text)
    return re.sub(r"\n{3,}", "\n\n", text)


def public(value: type) -> list[str]:
    """Methods and properties of a class itself, in the order of the file."""
    return [key for key in vars(value) if not key.startswith("_") and getattr(value, key).__doc__]


def member(key: str, owner: type) -> str:
    found = inspect.getattr_static(owner, key)
    text = text_of(found.__func__ if isinstance(found, staticmethod | classmethod) else found)
    if isinstance(found, property) or hasattr(found, "attrname"):  # also functools.cached_property
        return f"**`.{key}`**: {text}" if text else ""
    if not inspect.isfunction(found):
        return ""
    return f"**`.{key}{_unquoted(str(_without_self(found)))}`**: {text}" if text else ""


def _without_self(function: Any) -> inspect.Signature:
    found = inspect.signature(function)
    kept = [p.replace(annotation=inspect.Parameter.empty) for n, p in found.parameters.items() if n != "self"]
    return found.replace(parameters=kept, return_annotation=inspect.Signature.empty)

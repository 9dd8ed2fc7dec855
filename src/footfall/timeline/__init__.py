"""Timeline synthesis: clips in a row become one motion."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from footfall.timeline.arrangement import Arrangement
    from footfall.timeline.model import Timeline


class _Package(ModuleType):
    """The package can be called: `ff.timeline([...])` means the same before and after a module of it is imported."""

    def __call__(self, clips: Timeline | str | Path | Sequence[Any]) -> Arrangement:
        from footfall.timeline.arrangement import timeline

        return timeline(clips)


sys.modules[__name__].__class__ = _Package

"""footfall makes new character motion from motion clips."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.2.0"

# name -> module that defines it; imported on first use, so that `import footfall` stays light
_HOME = {
    "Clip": "footfall.core.clip",
    "Event": "footfall.core.clip",
    "Pose": "footfall.core.pose",
    "Skeleton": "footfall.core.skeleton",
    "FootfallError": "footfall.core.errors",
    "ReadError": "footfall.core.errors",
    "load": "footfall.io.load",
    "load_all": "footfall.io.load",
    "load_markers": "footfall.io.formats.c3d",
    "save": "footfall.io.save",
    "motion": "footfall.motions.library",
    "motion_names": "footfall.motions.library",
    "analyze": "footfall.library.analyze",
    "lint": "footfall.library.lint",
    "find": "footfall.library.find",
    "match": "footfall.library.match",
    "blend_space": "footfall.parametric.blend_space",
    "graph": "footfall.graph.build.open_graph",
    "Controller": "footfall.live.controller",
    "Controllers": "footfall.live.controller",
    "Crowd": "footfall.live.crowd",
    "MotionMatching": "footfall.live.motion_matching",
    "join": "footfall.joins.join",
    "timeline": "footfall.timeline.arrangement",
    "retarget": "footfall.retarget.retarget",
    "foot_lock": "footfall.feet.foot_lock",
    "to_torch": "footfall.kinematics.training_views",
    "ground": "footfall.io.open_ground",
    "Ground": "footfall.kinematics.ground",
}
__all__ = [*_HOME, "__version__"]

if TYPE_CHECKING:
    from footfall.core.clip import Clip as Clip
    from footfall.core.clip import Event as Event
    from footfall.core.errors import FootfallError as FootfallError
    from footfall.core.errors import ReadError as ReadError
    from footfall.core.pose import Pose as Pose
    from footfall.core.skeleton import Skeleton as Skeleton
    from footfall.feet.foot_lock import foot_lock as foot_lock
    from footfall.graph.build.open_graph import graph as graph
    from footfall.io.formats.c3d import load_markers as load_markers
    from footfall.io.load import load as load
    from footfall.io.load import load_all as load_all
    from footfall.io.open_ground import ground as ground
    from footfall.io.save import save as save
    from footfall.joins.join import join as join
    from footfall.kinematics.ground import Ground as Ground
    from footfall.kinematics.training_views import to_torch as to_torch
    from footfall.library.analyze import analyze as analyze
    from footfall.library.find import find as find
    from footfall.library.lint import lint as lint
    from footfall.library.match import match as match
    from footfall.live.controller import Controller as Controller
    from footfall.live.controller import Controllers as Controllers
    from footfall.live.crowd import Crowd as Crowd
    from footfall.live.motion_matching import MotionMatching as MotionMatching
    from footfall.motions.library import motion as motion
    from footfall.motions.library import motion_names as motion_names
    from footfall.parametric.blend_space import blend_space as blend_space
    from footfall.retarget.retarget import retarget as retarget
    from footfall.timeline.arrangement import timeline as timeline


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'footfall' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

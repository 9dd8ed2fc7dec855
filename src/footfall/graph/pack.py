"""A pack: many motions on one character in its own file, and all that an engine needs to play them, as plain data.

Loops of a parametric motion become a blend space: one animation an example, at its parameters. Actions and edges of a
graph become animations too. docs/packs.md describes the JSON; `footfall pack` writes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.analysis.key_times import find_key_times
from footfall.analysis.phases import find_phases
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, SkeletonError
from footfall.core.roles import SIDES
from footfall.edit.loop import with_first_joint
from footfall.graph.graph import Graph
from footfall.io.gltf_append import animation_names
from footfall.io.save import atomic_write, save
from footfall.io.text import unique_names
from footfall.kinematics.floor_align import FloorTransform, between_roots
from footfall.parametric import canonical_time, play
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.retarget.character import Body, Character
from footfall.retarget.character import character as character_of
from footfall.retarget.retarget import retarget

VERSION = 1
FPS = 30.0  # frames a second of the animations, unless asked otherwise: what engines and files usually have
ODD_LETTERS = re.compile(r"[^\w .+-]+")  # engines keep : / , [ for themselves


@dataclass(frozen=True)
class PackClip:
    """One animation of a pack, still with its travel."""

    clip: Clip  # on the character
    node: str  # the motion it belongs to
    parameters: dict[str, float]  # its place in the blend space, on this body
    sync_s: tuple[float, ...] = ()  # key times, of loops that are blended: the same events in each


@dataclass(frozen=True)
class PackEdge:
    """A way from one motion to another."""

    before: str
    after: str
    clips: tuple[PackClip, ...]  # none: to be made on the fly, by a crossfade


@dataclass(frozen=True)
class Pack:
    """Motions on one character."""

    body: Character
    clips: tuple[PackClip, ...]
    edges: tuple[PackEdge, ...] = ()

    @property
    def everything(self) -> list[PackClip]:
        return [*self.clips, *(clip for edge in self.edges for clip in edge.clips)]


def make_pack(
    parts: Iterable[Graph | ParametricMotion | Clip], body: Body, fps: float = FPS, each: Any = lambda jobs: jobs
) -> Pack:
    """All loops, actions and edges of these parts on a character. each: goes through the parts, as a progress bar."""
    on = character_of(body)
    clips: list[PackClip] = []
    edges: list[PackEdge] = []
    for part in each(list(parts)):
        if isinstance(part, Clip):
            clips.append(PackClip(_named(retarget(part, on), part.name).resample(fps), part.name, {}))
        elif isinstance(part, ParametricMotion):
            clips += _examples(part, on, fps)
        else:
            clips += [clip for node in part.nodes.values() for clip in _examples(node.motion, on, fps)]
            for (before, after), ways in part.edges.items():
                made = [clip for way in ways if way.motion is not None for clip in _examples(way.motion, on, fps)]
                made = [replace(clip, node=f"{before} to {after}") for clip in made]
                edges.append(PackEdge(before, after, tuple(made)))
    if not clips:
        raise ParameterError("a pack needs at least one motion")
    return Pack(on, tuple(clips), tuple(edges))


def _examples(motion: ParametricMotion, body: Character, fps: float) -> list[PackClip]:
    """Every example of a motion as a clip on the character: one round of a loop, or the whole action."""
    out = []
    for i, name in enumerate(motion.examples):
        weights = np.eye(len(motion))[i]
        p = motion.parameters[i]
        keys = canonical_time.blended_key_times(motion.blended_rates(weights, p))
        frames = max(round(float(keys[-1]) * fps), 1) + 1
        times = np.linspace(0.0, float(keys[-1]), frames)  # whole frames: a round ends where it began
        own_fps = (frames - 1) / float(keys[-1])
        pose = play.play(motion, weights, times, p).pose
        if motion.is_loop:
            pose = _closed(motion, weights, times, pose, p)
        called = name if motion.name in name else f"{motion.name} {name}"
        parameters = dict(zip(motion.parameter_names, p.tolist(), strict=True))
        clip = Clip(motion.skeleton, own_fps, pose, called, motion.is_loop, parameters=parameters)
        put = retarget(clip, body)
        scaled = {key: float(put.parameters[key]) for key in motion.parameter_names}
        sync = tuple(keys.tolist()) if motion.is_loop else ()
        out.append(PackClip(_named(put, called), motion.name, scaled, sync))
    return out


def _closed(motion: ParametricMotion, weights: np.ndarray, times: np.ndarray, pose: Any, p: np.ndarray) -> Any:
    """The last frame is the first of the next round, which `play` gives only just after it."""
    after = play.play(motion, weights, np.array([times[-1] * (1.0 + 1e-6)]), p).pose
    parts = [None if a is None else np.concatenate([a[:-1], b]) for a, b in zip(pose, after, strict=True)]
    return type(pose)(*parts)


def _named(clip: Clip, name: str) -> Clip:
    return replace(clip, name=ODD_LETTERS.sub("_", name).strip() or "clip")


# --- travel ----------------------------------------------------------------------------------------------------------
def _travel(clip: Clip) -> FloorTransform:
    """(T,) where the body has got to since the first frame: a loop on an arc at one speed, others as their root."""
    root = clip.root_motion
    if not clip.is_loop:
        return between_roots(root.position[0], root.heading[0], root.position, root.heading)
    whole = between_roots(root.position[0], root.heading[0], root.position[-1], root.heading[-1])
    return whole.power(np.linspace(0.0, 1.0, clip.frames))


def _placed(clip: Clip) -> Clip:
    """The clip begun at the origin, facing +Z, its travel carried by joint 0 where the pelvis is another joint."""
    root = clip.root_motion
    place, heading = root.position[0], root.heading[0]
    if clip.is_loop:  # hips sway and swing about the way the body goes
        travel = _travel(clip)
        place = travel.inverse().points(root.position).mean(axis=0)
        heading = np.mean(root.heading - travel.turn)
    start = between_roots(place, np.asarray(heading), np.zeros(3), np.zeros(()))
    placed = clip.with_pose(start.pose(clip.pose))
    if clip.skeleton.roles.pelvis == 0:
        return placed
    travel = _travel(placed)
    turn = rotation.multiply(rotation.yaw(travel.turn), clip.skeleton.rest_world[1][0])
    return with_first_joint(placed, travel.shift, turn)


def on_the_spot(clip: Clip) -> Clip:
    """The clip with its travel taken out, which the pack's JSON tells."""
    return clip.with_pose(_travel(clip).inverse().pose(clip.pose))


# --- files -----------------------------------------------------------------------------------------------------------
def save_pack(pack: Pack, path: Path, in_place: bool = False) -> dict[str, Any]:
    """Write the character's file with every animation, and the JSON beside it; the JSON's data."""
    path = Path(path)
    if path.suffix.lower() != ".glb":
        raise ParameterError(f"{path.name}: a pack is written as .glb")
    parts = [replace(part, clip=_placed(part.clip)) for part in pack.everything]
    rig = pack.body.skeleton.rig
    taken = [] if rig is None else animation_names(rig)
    names = unique_names([*taken, *(part.clip.name for part in parts)])[len(taken) :]
    named = [replace(part.clip, name=name) for part, name in zip(parts, names, strict=True)]
    save([on_the_spot(clip) for clip in named] if in_place else named, path)
    data = describe_pack(pack, list(zip(parts, named, strict=True)), path.name, in_place)
    atomic_write(path.with_suffix(".json"), (json.dumps(data, indent=1, allow_nan=False) + "\n").encode())
    return data


def describe_pack(pack: Pack, named: Sequence[tuple[PackClip, Clip]], file: str, in_place: bool) -> dict[str, Any]:
    """The JSON of a pack: docs/packs.md has its fields."""
    entries = [_entry(part, clip) for part, clip in named]
    own = entries[: len(pack.clips)]
    spaces = []
    for node in dict.fromkeys(part.node for part in pack.clips):
        inside = [(part, entry) for part, entry in zip(pack.clips, own, strict=True) if part.node == node]
        axes = list(inside[0][0].parameters)
        points = [
            {"animation": entry["animation"], "position": [_short(part.parameters[axis]) for axis in axes]}
            for part, entry in inside
        ]
        spaces.append({"node": node, "loop": inside[0][1]["loop"], "parameters": axes, "points": points})
    rest = iter(entries[len(pack.clips) :])
    edges = [
        {"from": edge.before, "to": edge.after, "animations": [next(rest)["animation"] for _ in edge.clips]}
        for edge in pack.edges
    ]
    return {
        "footfall_pack": VERSION,
        "file": file,
        "root_motion": "taken out" if in_place else "kept",
        "character": _character(pack.body),
        "animations": entries,
        "nodes": spaces,
        "edges": edges,
    }


def _character(body: Character) -> dict[str, Any]:
    skeleton, rig = body.skeleton, body.skeleton.rig
    feet = {}
    for side in SIDES:
        joints = {part: getattr(skeleton.roles, f"{side}_{part}") for part in ("ankle", "toe")}
        nodes = {part: (rig.nodes[j] if rig else j) for part, j in joints.items() if j is not None}
        feet[side] = {part: node for part, node in nodes.items() if node >= 0}
    turn = [1.0, 0.0, 0.0, 0.0] if rig is None else list(rig.world_from_file)
    return {
        "height_m": _short(skeleton.height),
        "leg_m": _short(skeleton.leg_length),
        "unit_m": 1.0 if rig is None else rig.unit_m,
        "world_from_file": turn,
        "feet": feet,
    }


def _entry(part: PackClip, clip: Clip) -> dict[str, Any]:
    travel = _travel(clip)
    velocity, turn = _velocity(clip, travel)
    entry: dict[str, Any] = {
        "animation": clip.name,
        "node": part.node,
        "loop": clip.is_loop,
        "duration_s": _short(clip.duration),
        "fps": _short(clip.fps),
        "parameters": {key: _short(value) for key, value in part.parameters.items()},
        "velocity_mps": [_short(velocity[0]), _short(velocity[1])],
        "turn_degps": _short(np.degrees(turn)),
        "travel": [
            [_short(t), _short(x), _short(z), _short(np.degrees(a))]
            for t, (x, _, z), a in zip(clip.times, travel.shift, travel.turn, strict=True)
        ],
        "sync_s": [_short(t) for t in part.sync_s],
    }
    try:
        entry["strikes"] = [{"t_s": _short(k.t_s), "foot": k.foot, "event": k.event} for k in find_key_times(clip)]
        entry["phases"] = [
            {"label": p.label, "start_s": _short(p.start_s), "end_s": _short(p.end_s)} for p in find_phases(clip)
        ]
    except SkeletonError:
        entry["strikes"], entry["phases"] = [], []
    return entry


def _velocity(clip: Clip, travel: FloorTransform) -> tuple[tuple[float, float], float]:
    """Of a loop: metres a second to the left and ahead, and radians a second, the same all the time; else the mean."""
    if not clip.duration:
        return (0.0, 0.0), 0.0
    turn = float(travel.turn[-1])
    way = travel.shift[-1, 2] + 1j * travel.shift[-1, 0]
    if clip.is_loop:  # of an arc: its direction where it begins, its length over that of its chord
        way = way * np.exp(-0.5j * turn) / np.sinc(0.5 * turn / np.pi)
    return (float(way.imag) / clip.duration, float(way.real) / clip.duration), turn / clip.duration


def _short(value: float) -> float:
    return round(float(value), 6)

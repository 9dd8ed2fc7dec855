#!/usr/bin/env python3
"""The pictures of docs/retargeting.md: what goes wrong without each step, on built-in motions and deformed bodies.

usage: python tools/make_retarget_pictures.py [FOLDER]        default: docs/images
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import footfall as ff
from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.motions.body import adult
from footfall.quality.skate import skate
from footfall.render.camera import Camera
from footfall.render.figure import build_figure
from footfall.render.scene import Actor, Scene, floor_height, render_frame
from footfall.render.sheet import side_by_side, write_text
from footfall.retarget.character import character, scaled
from footfall.retarget.retarget import retarget

SIZE = (400, 380)
GRAY = (200, 204, 210)
BAD, GOOD = "#e58f8f", "#7cc0a8"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "docs" / "images"
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in (
        ("rest_match", rest_match()), ("chain", chain()), ("leg_ik", leg_ik()), ("pelvis", pelvis()),
        ("floor", floor()), ("three_bodies", three_bodies()),
    ):  # fmt: skip
        path = folder / f"retarget_{name}.png"
        save(picture, path)
        print(f"{path}: {path.stat().st_size // 1000} kB")


# --- one picture a step ------------------------------------------------------------------------------------------
def rest_match() -> np.ndarray:
    """A body that rests with hanging arms and splayed legs."""
    turns = {"LeftArm": -75.0, "RightArm": 75.0, "LeftUpLeg": 15.0, "RightUpLeg": -15.0}
    body = posed(adult(), turns)
    wave = ff.motion("wave")
    return panels(
        [(wave, "the source", None), (copied(wave, body), "rotations copied", BAD),
         (retarget(wave, body), "rest poses matched", GOOD)], 1.2, Camera(azimuth=-20.0, elevation=8.0),
    )  # fmt: skip


def chain() -> np.ndarray:
    """A spine and neck of fewer joints."""
    body = without(adult(), "Spine1")
    bow = ff.motion("bow")
    middle = 0.5 * bow.duration
    return panels(
        [(bow, "the source, 3 spine joints", None), (copied(bow, body), "joints of the same name", BAD),
         (retarget(bow, body), "the chain as a whole", GOOD)], middle, Camera(azimuth=-80.0, elevation=6.0),
    )  # fmt: skip


def leg_ik() -> np.ndarray:
    """Short thighs, long shins and large feet: the same angles put feet elsewhere."""
    body = stretched(adult(), {"Leg": 0.8, "Foot": 1.2, "ToeBase": 1.5})
    walk = ff.motion("walk", speed=1.5)
    plain = copied(walk, body).floor()
    good = retarget(walk, body)
    return panels(
        [(walk, f"the source, skate {skate(walk):.1f} cm/s", None),
         (plain, f"angles copied, skate {skate(plain):.1f}", BAD),
         (good, f"legs bent to it, skate {skate(good):.1f}", GOOD)],
        0.32 * walk.duration, Camera(azimuth=-80.0, elevation=4.0),
    )  # fmt: skip


def pelvis() -> np.ndarray:
    """A body of 1.2 m at the height and on the way of one of 1.75 m."""
    walk, body = ff.motion("walk"), scaled(adult(), 1.2)
    high = walk.with_pose(walk.pose, skeleton=body)
    return panels(
        [(walk, "the source", None), (high, "pelvis where it was", BAD),
         (retarget(walk, body), "in leg lengths", GOOD)], 0.25 * walk.duration, Camera(azimuth=-60.0, elevation=6.0),
    )  # fmt: skip


def floor() -> np.ndarray:
    """Feet twice as thick: at their own ankle height they sink in."""
    body = stretched(adult(), {"ToeBase": 1.0}, drop={"ToeBase": 0.06})
    walk = ff.motion("walk")
    sunk = copied(walk, body)
    return panels(
        [(walk, "the source", None), (sunk, "ankles where they were", BAD),
         (retarget(walk, body), "each foot's floor at 0", GOOD)], 0.0, Camera(azimuth=-70.0, elevation=4.0),
    )  # fmt: skip


def three_bodies() -> np.ndarray:
    """One walk on a child, an adult and a giant of other proportions."""
    walk = ff.motion("walk", speed=1.3)
    bodies = [scaled(adult(), 1.2), stretched(adult(), {"Leg": 0.85, "Foot": 1.1}), scaled(adult(), 2.1)]
    actors = []
    for body, x, label in zip(bodies, (-0.8, 0.0, 1.0), ("1.2 m", "long shins", "2.1 m"), strict=True):
        clip = retarget(walk, character(body))
        actors.append(grounded(clip, None, label, (x, 0.0, 0.0)))
    scene = Scene(actors, camera=Camera(azimuth=-35.0, elevation=10.0))
    return render_frame(scene, 0.3 * walk.duration, (960, 460))


# --- bodies ------------------------------------------------------------------------------------------------------
def posed(skeleton: Skeleton, degrees: dict[str, float]) -> Skeleton:
    """The same body whose file rests in another pose: all below each named joint turned about Z, joints unturned."""
    world = np.tile(rotation.IDENTITY, (len(skeleton), 1))
    for j, parent in enumerate(skeleton.parents):
        turn = rotation.axis_angle(rotation.AXES["Z"], np.radians(degrees.get(skeleton.names[j], 0.0)))
        world[j] = turn if parent < 0 else rotation.multiply(world[parent], turn)
    offsets = skeleton.offsets.copy()
    offsets[1:] = rotation.rotate(world[skeleton.parents[1:]], offsets[1:])
    ends = rotation.rotate(world[skeleton.end_parents], skeleton.end_offsets)
    return replace(skeleton, offsets=offsets, end_offsets=ends)


def without(skeleton: Skeleton, joint: str) -> Skeleton:
    """The skeleton with one joint left out, its length passed on to those below it."""
    gone = skeleton.index(joint)
    keep = [j for j in range(len(skeleton)) if j != gone]
    new = {j: i for i, j in enumerate(keep)}
    offsets = skeleton.offsets.copy()
    offsets[skeleton.parents == gone] += skeleton.offsets[gone]
    up = [int(skeleton.parents[j]) if skeleton.parents[j] != gone else int(skeleton.parents[gone]) for j in keep]
    return Skeleton(
        tuple(skeleton.names[j] for j in keep), np.array([-1 if p < 0 else new[p] for p in up]), offsets[keep],
        end_parents=np.array([new[int(j)] for j in skeleton.end_parents]), end_offsets=skeleton.end_offsets,
    )  # fmt: skip


def stretched(skeleton: Skeleton, by: dict[str, float], drop: dict[str, float] | None = None) -> Skeleton:
    """The body with the bones that lead to some joints, left and right, made longer, and joints set lower (metres)."""
    offsets, ends = skeleton.offsets.copy(), skeleton.end_offsets.copy()
    for j, name in enumerate(skeleton.names):
        part = name.removeprefix("Left").removeprefix("Right")
        offsets[j] *= by.get(part, 1.0)
        lower = (drop or {}).get(part, 0.0)
        offsets[j, 1] -= lower
        ends[skeleton.end_parents == skeleton.parents[j], 1] -= lower  # the heel beside it
    return replace(skeleton, offsets=offsets, end_offsets=ends)


def copied(clip: ff.Clip, body: Skeleton) -> ff.Clip:
    """What retargeting is not: every joint of the same name turned by the same numbers, the root where it was."""
    rot = np.tile(body.rest, (clip.frames, 1, 1))
    for j, name in enumerate(body.names):
        if name in clip.skeleton.names:
            rot[:, j] = clip.pose.rot[:, clip.skeleton.index(name)]
    return clip.with_pose(Pose(clip.pose.root_pos, rot), skeleton=body)


# --- pictures ----------------------------------------------------------------------------------------------------
def grounded(clip: ff.Clip, color: str | None, label: str = "", at: tuple[float, float, float] = (0, 0, 0)) -> Actor:
    """An actor whose height 0 is the floor of the picture, wherever its feet are."""
    root = clip.root_motion.position[0]
    height = floor_height(clip, build_figure(clip))
    return Actor(clip, color, label, (at[0] - float(root[0]), height, at[2] - float(root[2])))


def panels(clips: Sequence[tuple[ff.Clip, str, str | None]], t_s: float, camera: Camera) -> np.ndarray:
    """The clips side by side at one time, each with its words; at one scale where bodies are of one size."""
    tall = max(clip.skeleton.height for clip, _, _ in clips)
    pictures = []
    for clip, words, color in clips:
        actor = grounded(clip, color)
        scene = Scene([actor], camera=replace(camera, mode="follow", distance=2.9 * tall), trail=False, contacts=False)
        pictures.append(write_text(render_frame(scene, t_s, SIZE), words, "light"))
    return side_by_side(pictures, 2, GRAY)


def save(picture: np.ndarray, path: Path) -> None:
    """As a png of 256 colours: a third of the size."""
    from PIL import Image

    Image.fromarray(picture).quantize(256).save(path, optimize=True)


if __name__ == "__main__":
    main()

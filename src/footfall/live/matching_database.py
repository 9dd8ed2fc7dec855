"""What motion matching plays from: every frame of some clips on one body, its pose, travel, contacts and features.

Features are those of Clavet 2016 and Holden et al. 2020: the path ahead at 1/3, 2/3 and 1 s with its directions, both
feet's positions and velocities, and the hips' velocity; each kind divided by its spread over the database and weighed.
Poses are kept on a smooth frame on the floor, so that a step of a live character is that frame's travel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path

import numpy as np

from footfall.align.distance import frame_count
from footfall.align.features import Features, SmoothFloorPath, features, floor_path
from footfall.analysis.foot_points import carried_soles, foot_points
from footfall.analysis.gait import classify
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError, WrongType
from footfall.core.skeleton import Skeleton
from footfall.feet.leg_solve import leg_joints
from footfall.feet.limits import LIVE_EASE_S
from footfall.io.folder import motion_files
from footfall.io.load import load_all
from footfall.io.plain_file import is_folder
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion
from footfall.motions.sets import examples
from footfall.retarget.character import Body
from footfall.retarget.one_body import AVERAGE, one_body

FPS = 60.0  # of the database
TYPES = ("stand", "walk", "run")
NEVER = len(TYPES)  # group of frames that are never entered: too near the end of their take
# What each kind of feature counts for, over its spread. Features as Holden et al. 2020; weights by eye.
WEIGHTS = {"path": 2.0, "facing": 3.0, "feet": 0.75, "feet_speed": 1.0, "hips": 1.0}
LEAST_SPREAD = 0.1  # m, m/s: clips that hardly differ are not told apart by noise
WIDTH = 32  # columns of a row: 27 features and what makes them whole vectors
ENTER_S = 0.45  # what must be left of a take where it is entered; by eye
REST_S = 1.5  # the same where it stands, so that a body at rest is not torn from take to take; by eye
STILL_M_S, STILL_RAD_S = 0.2, 0.35  # a slower body stands
FLIGHT_S = 0.45  # a body that is off the ground within this runs
RUN_M_S = 1.4  # if it is not slower than this
LONGEST_S = 7200.0  # of all clips: more does not fit memory well


@dataclass(frozen=True, eq=False)
class MatchingDatabase:
    """N frames of C clips, J joints."""

    skeleton: Skeleton
    clips: tuple[str, ...]
    first: np.ndarray  # (C + 1,) where clips begin
    after: np.ndarray  # (N,) i32 the frame that follows; the last of a take follows itself
    left_s: np.ndarray  # (N,) f32 until the take ends; infinite for loops
    root: np.ndarray  # (N, 3) f32 joint 0 on the floor frame
    rot: np.ndarray  # (N, J, 4) f32, joint 0 on the floor frame
    travel: np.ndarray  # (N, 3) f32 of the floor frame to the next: forward, left, turn
    rate: np.ndarray  # (N, 3) f32 its speed: m/s, m/s, rad/s
    down: np.ndarray  # (N, 2, 2) bool, heel and toe of left and right
    soon: np.ndarray  # (N, 2) f32 1 where a foot is down or about to be
    group: np.ndarray  # (N,) u8 of TYPES, or NEVER
    rows: np.ndarray  # (N, WIDTH) f32
    middle: np.ndarray  # (12,) of the path's features
    scale: np.ndarray  # (12,) weight over spread
    sole_joints: np.ndarray  # (2, 3) what carries heel, ball and tip of each foot
    sole: np.ndarray  # (2, 3, 3) and where in its frame
    standing: np.ndarray  # (2, 3) at what height they stand
    told: str = ""  # how it came about, in a sentence
    left_out: tuple[str, ...] = ()  # clips and files that are not in it, each with why

    def __len__(self) -> int:
        return len(self.group)

    @property
    def nbytes(self) -> int:
        """Memory of all arrays."""
        values = (getattr(self, field.name) for field in fields(self))
        return sum(value.nbytes for value in values if isinstance(value, np.ndarray))

    @property
    def types(self) -> tuple[str, ...]:
        """Those of TYPES that some clip does."""
        return tuple(name for k, name in enumerate(TYPES) if (self.group == k).any())

    def usual_speed(self, type: str) -> float:
        """m/s: the median over its frames."""
        some = self.rate[self.group == TYPES.index(type)]
        return float(np.median(np.hypot(some[:, 0], some[:, 1]))) if len(some) else 0.0


def matching_database(
    clips: Sequence[Clip], mirror: bool = True, onto: Body | None = None, choose: bool = True
) -> MatchingDatabase:
    """The database of clips. mirror: with their mirror images; choose: leave out what does not stand, walk or run.

    Clips of several bodies are put on one: the one given, or the average of theirs.
    """
    used, left_out = _locomotion(clips, choose)
    if sum(clip.duration for clip in used) > LONGEST_S:
        raise ParameterError(f"motion matching takes up to {LONGEST_S / 3600:g} hours of clips; give fewer")
    if onto is None and any(clip.pose.pos is not None for clip in used):
        onto = AVERAGE  # bodies whose joints slide in their parents' frames get bones
    made = one_body(used, onto)
    ready = [clip.resample(FPS) for clip in made.clips]
    ready = [c if made.body is not None else c.floor() for c in ready]
    if mirror:
        ready += [clip.with_pose(clip.mirror().pose, name=f"{clip.name} mirrored") for clip in ready]
    return _packed(ready, made.told, tuple(left_out))


def folder_database(folder: str | Path, mirror: bool = True, onto: Body | None = None) -> MatchingDatabase:
    """The database of a folder of recordings; files that cannot be read are left out, and named."""
    folder = Path(folder)
    clips: list[Clip] = []
    bad: list[str] = []
    for path in motion_files(folder):
        try:
            clips += load_all(path)
        except FootfallError as error:
            bad.append(f"{path.relative_to(folder).as_posix()}: {' '.join(str(error).split())}")
    made = matching_database(clips, mirror, onto)
    return replace(made, left_out=(*bad, *made.left_out))


def database_of(source: str | Path) -> MatchingDatabase:
    """The database of a folder of recordings, or of the built-in gaits ("builtin")."""
    if not isinstance(source, str | Path):
        raise WrongType("a folder of recordings, 'builtin' or a database made before", source)
    if str(source) == "builtin":
        return builtin_database()
    if not is_folder(source):
        raise ParameterError(f"motion matching plays a folder of recordings, or builtin; {source} is no folder")
    return folder_database(source)


@cache
def builtin_database() -> MatchingDatabase:
    """The database of the built-in gaits: standing, 13 walks, 13 runs and 24 changes between them."""
    clips = [motion("stand"), *examples("walk"), *examples("run"), *examples("transition")]
    return matching_database(clips, choose=False)


def _locomotion(clips: Sequence[Clip], choose: bool) -> tuple[list[Clip], list[str]]:
    used, left_out = [], []
    for clip in clips:
        if clip.frames < 3 or (clip.duration < 2.0 * ENTER_S and not clip.is_loop):
            left_out.append(f"{clip.name}: {clip.duration:.2f} s are too short to be played")
            continue
        try:
            kind = classify(clip).type if choose else TYPES[0]
        except FootfallError as error:
            left_out.append(f"{clip.name}: {' '.join(str(error).split())}")
            continue
        if kind in TYPES:
            used.append(clip)
        else:
            left_out.append(f"{clip.name}: {kind}, neither standing nor going somewhere")
    if not used:
        raise ParameterError("motion matching needs clips that stand, walk or run, and there are none")
    return used, left_out


def _packed(clips: Sequence[Clip], told: str, left_out: tuple[str, ...]) -> MatchingDatabase:
    skeleton = clips[0].skeleton
    feet = tuple(f"{side}_{_tip(skeleton, side)}" for side in ("left", "right"))
    found = [features(clip, (*feet, "pelvis")) for clip in clips]
    counts = [len(of.speed) for of in found]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    after = [np.append(np.arange(a + 1, b), a if clip.is_loop else b - 1)
             for clip, a, b in zip(clips, first[:-1], first[1:], strict=True)]  # fmt: skip
    left = [np.full(n, np.inf) if clip.is_loop else np.arange(n)[::-1] / FPS
            for clip, n in zip(clips, counts, strict=True)]  # fmt: skip
    carried = [_on_floor_frame(clip) for clip in clips]
    contacts = [_contacts(clip, n) for clip, n in zip(clips, counts, strict=True)]
    groups = [_groups(of, down) for of, (down, _) in zip(found, contacts, strict=True)]
    left_s = np.concatenate(left).astype(np.float32)
    rows, middle, scale = _rows(found)
    joints, sole, standing = _soles(clips)
    root, rot, travel = (np.concatenate(part).astype(np.float32) for part in zip(*carried, strict=True))
    return MatchingDatabase(
        skeleton=skeleton,
        clips=tuple(clip.name for clip in clips),
        first=first,
        after=np.concatenate(after).astype(np.int32),
        left_s=left_s,
        root=root,
        rot=rot,
        travel=travel,
        rate=np.concatenate([of.speed for of in found]).astype(np.float32),
        down=np.concatenate([down for down, _ in contacts]),
        soon=np.concatenate([soon for _, soon in contacts]).astype(np.float32),
        group=_enterable(np.concatenate(groups), left_s, first),
        rows=rows,
        middle=middle,
        scale=scale,
        sole_joints=joints,
        sole=sole,
        standing=standing,
        told=told,
        left_out=left_out,
    )


def _tip(skeleton: Skeleton, side: str) -> str:
    return "ankle" if getattr(skeleton.roles, f"{side}_toe") is None else "toe"


def _enterable(groups: np.ndarray, left_s: np.ndarray, first: np.ndarray) -> np.ndarray:
    """(N,) u8 what frames are; NEVER for the last of a take, and for its first, whose velocity nobody knows."""
    out = np.where(left_s < ENTER_S, NEVER, groups).astype(np.uint8)
    ending = (out == 0) & (left_s < REST_S)
    if ending.sum() < (out == 0).sum():
        out[ending] = NEVER
    starts = first[:-1]
    out[starts[np.isfinite(left_s[starts])]] = NEVER
    return out


def _on_floor_frame(clip: Clip) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Root (n, 3) and rotations (n, J, 4) seen from the floor path, and its travel (n, 3) to the next frame."""
    n, path = frame_count(clip), floor_path(clip)
    points, heading = path.points[path.inside], path.heading[path.inside]
    shift = np.stack([points.imag, np.zeros(n), points.real], axis=-1)
    pose = FloorTransform(heading, shift).inverse().pose(clip.pose.at(slice(0, n)))
    return pose.root_pos, pose.rot, _travel(path)


def _travel(path: SmoothFloorPath) -> np.ndarray:
    """(n, 3) what `arc_root.moved` takes to go from each frame to the next."""
    here = np.arange(path.lead, len(path.points) - path.lead)
    turn = path.heading[here + 1] - path.heading[here]
    chord = (path.points[here + 1] - path.points[here]) * np.exp(-1j * (path.heading[here] + 0.5 * turn))
    step = chord / np.sinc(turn / (2.0 * np.pi))
    return np.stack([step.real, step.imag, turn], axis=-1)


def _contacts(clip: Clip, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Heel and toe of both feet down (n, 2, 2), and feet that are down or will be within LIVE_EASE_S (n, 2)."""
    c = clip.contacts
    down = np.stack([np.stack([c.left_heel, c.left_toe], 1), np.stack([c.right_heel, c.right_toe], 1)], axis=1)
    down = np.asarray(down[:n], bool)
    feet = np.asarray(down.any(axis=2))
    ahead = np.concatenate([feet, feet if clip.is_loop else feet[-1:].repeat(len(feet), axis=0)])
    soon = feet.copy()
    for k in range(1, min(int(LIVE_EASE_S * clip.fps) + 1, n)):
        soon |= ahead[k : k + n]
    return down, soon


def _groups(of: Features, down: np.ndarray) -> np.ndarray:
    """(n,) what every frame is: stand, walk or run, by how fast the body goes and whether it leaves the ground."""
    from scipy.ndimage import maximum_filter1d, uniform_filter1d

    speed = np.hypot(of.speed[:, 0], of.speed[:, 1])
    calm = uniform_filter1d(speed, 31, mode="nearest"), uniform_filter1d(np.abs(of.speed[:, 2]), 31, mode="nearest")
    stands = (calm[0] < STILL_M_S) & (calm[1] < STILL_RAD_S)
    flies = maximum_filter1d((~down.any(axis=(1, 2))).astype(np.uint8), 2 * int(FLIGHT_S * FPS) + 1, mode="nearest")
    runs = (flies > 0) & (speed > RUN_M_S)
    return np.where(stands, 0, np.where(runs, 2, 1))


def _rows(found: Sequence[Features]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows (N, WIDTH): path (6), its directions (6), feet (6), their velocities (6), hips' velocity (3), zeros."""
    path = np.concatenate([of.path for of in found])
    position = np.concatenate([of.position for of in found])
    velocity = np.concatenate([of.velocity for of in found])
    n = len(path)
    parts = {
        "path": path[:, :, :2].reshape(n, -1),
        "facing": path[:, :, 2:].reshape(n, -1),
        "feet": position[:, :2].reshape(n, -1),
        "feet_speed": velocity[:, :2].reshape(n, -1),
        "hips": velocity[:, 2],
    }
    rows = np.zeros((n, WIDTH), np.float32)
    middles, scales, at = [], [], 0
    for name, values in parts.items():
        middle = values.mean(axis=0)
        scale = np.full(values.shape[1], WEIGHTS[name] / max(float(values.std(axis=0).mean()), LEAST_SPREAD))
        rows[:, at : at + values.shape[1]] = (values - middle) * scale
        at += values.shape[1]
        middles.append(middle)
        scales.append(scale)
    return rows, np.concatenate(middles[:2]), np.concatenate(scales[:2])


def _soles(clips: Sequence[Clip], most: int = 6) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Joints that carry heel, ball and tip (2, 3), where in their frames (2, 3, 3), and at what height they stand."""
    leg_joints(clips[0].skeleton)  # says what is missing, where a body has no two legs
    some = clips[:: max(1, len(clips) // most)]
    soles = [carried_soles(clip) for clip in some]
    # while a foot rolls over its tip the ball rises: a low quantile is where it stands
    heights = [np.quantile(foot_points(clip).sole[..., 1], 0.1, axis=0) for clip in some]
    return soles[0][0], np.median([sole for _, sole in soles], axis=0), np.median(heights, axis=0)

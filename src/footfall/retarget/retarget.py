"""Retargeting: a clip of any skeleton on any character, feet on the floor with the character's own legs.

Every body part is turned in the world as the source's is, free of both rest poses (`rest_match`); spines and necks of
other lengths take the turn at the same share of their length (`chains`). The floor path is scaled by leg length (body
lengths) unless metres are asked for, the pelvis is as high as it was in leg lengths, and each foot stands on the ball
and heel of the new body where the old one's stood, its leg bent to reach (Park et al. 2004, section 6.2).
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from footfall.analysis.floor import find_floor
from footfall.analysis.foot_points import stance_height
from footfall.core import rotation
from footfall.core.clip import Clip, Source
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.core.roles import ARM, LEG, SIDES
from footfall.core.skeleton import Skeleton
from footfall.feet.stand import FeetAsked, leg_extents, legs_ahead, moved, rise_to_stretch, stand_on
from footfall.kinematics.fk import world_transforms
from footfall.motions.library import ClipLike, open_clip
from footfall.retarget.chains import along_chain, bone_shares, neutral_bones, same_curve
from footfall.retarget.character import Body, Character, check_understood, held_as
from footfall.retarget.character import character as character_of

FLOORS = ("zero", "level", "keep")
LEVEL = np.array([1.0, 0.0, 1.0])
# By eye, on the retargets that tools/measure_retarget.py measures:
APART = 0.15  # of the leg: feet that seem to stand farther apart in height do not both stand
SETTLES = 8  # times that the floor is measured again on the target, at most
NEAR_M = 0.002  # metres: a floor this near to 0 is there
STANDS_SLOW = 0.5  # leg lengths a second, of the ball: a foot stands flat while it is slower, …
STANDS_LOW = 0.06  # … its sole lower than this many leg lengths, …
STANDS_LEVEL = 0.2  # … and the sine of its slope less than this, each as a Gaussian
SELDOM = 1e-5  # weight of other moments
WIDEST = 0.3  # hip to hip over the leg: nobody's is wider (0.16 to 0.25 in ten bodies); wider hips sway less
LONGEST = 0.22  # ankle to ball, ahead, over the leg: nobody's is longer (0.06 to 0.19); longer feet tip less
FLOOR_S = 0.25  # seconds: the pelvis follows the floor's rise and fall over about this long
ARMS_DOWN = np.radians(78.0)  # radians from level that arms hang where the source has none
SWAYS = (0.5, 1.0)  # radians from the heading: up to the first a pelvis sways, beyond the second it does not. By eye


class _Pair(NamedTuple):
    """Source and target of one retargeting, and what the source does."""

    source: Character
    target: Character
    places: np.ndarray  # (T, Js, 3) of the source
    turns: np.ndarray  # (T, Js, 4) world rotations of the source

    def turn(self, joint: int | None) -> np.ndarray | None:
        """(T, 4) how a source joint is turned from the common pose."""
        if joint is None:
            return None
        return rotation.multiply(self.turns[:, joint], rotation.conjugate(self.source.neutral[joint]))


def retarget(
    clip: ClipLike, character: Body = "adult", metres: bool = False, floor: str = "zero", source: Body | None = None
) -> Clip:
    """Put a clip on another body, given as a name, a file, a clip, a skeleton or a Character.

    >>> import footfall as ff
    >>> child = ff.retarget("walk", "adult:1.2")
    >>> print(f"{child.skeleton.height:.2f} m tall")
    1.20 m tall

    clip: a clip, a file or a built-in motion.
    metres: travel as many metres as the source did, where the default is as many leg lengths.
    floor: "zero" puts what each foot stands on at height 0; "level" does so for every single step, where a captured
    floor slopes; "keep" leaves each foot's floor as high as it was.
    source: the clip's own body, where another clip of it shows better how it is held (default: this clip).
    """
    clip = open_clip(clip)
    if not clip.frames:
        raise ParameterError(f"{clip.name or 'this clip'} holds only a skeleton, no frames to retarget")
    if floor not in FLOORS:
        raise UnknownName("way to place the floor", floor, FLOORS)
    target, own = character_of(character), character_of(clip if source is None else source)
    check_understood(target)
    target, own = held_as(target, own), held_as(own, target)
    if own.skeleton.names != clip.skeleton.names:
        raise ParameterError("the source body has other joints than the clip it should describe")
    pair = _Pair(own, target, *world_transforms(clip.skeleton, clip.pose))
    scale = target.leg_length / clip.skeleton.leg_length
    travel = 1.0 if metres else scale
    turns = _target_turns(pair, clip.root_motion.heading)
    goals = _goals(clip, pair, scale, travel, floor)
    rot = _local(pair, clip.pose, turns)
    pose = _solved(clip, pair, turns, rot, goals)
    if floor == "zero":
        pose = _settled(clip, pair, turns, rot, goals, pose)
    parameters = {k: v * travel if k in ("speed", "side") else v for k, v in clip.parameters.items()}
    # units and axes of the source's file are not this body's
    origin = Source(path=clip.source.path, format=clip.source.format, animation=clip.source.animation)
    return replace(clip, skeleton=target.skeleton, pose=pose, skin=target.skin, parameters=parameters, source=origin)


class _Goals(NamedTuple):
    """What legs and pelvis of the target are asked for."""

    ankles: np.ndarray  # (T, 2, 3) left, right
    hips: np.ndarray  # (T, 3) middle of the hip joints
    extent: np.ndarray  # (T, 2) how far the source's legs stretch, in leg lengths
    stands: np.ndarray  # (T, 2) how surely each foot stands flat

    def lowered(self, by: np.ndarray) -> _Goals:
        """With each foot lower by (2,) metres, and the pelvis by their mean."""
        down = by[:, None] * rotation.UP
        return self._replace(ankles=self.ankles - down, hips=self.hips - down.mean(axis=0))


def _solved(clip: Clip, pair: _Pair, turns: dict[int, np.ndarray], rot: np.ndarray, goals: _Goals) -> Pose:
    """Poses of the target with local rotations (T, J, 4), its pelvis placed and its legs bent to the goals."""
    body = pair.target.skeleton
    pose = _placed(body, rot, goals.hips)
    # other hips and feet would leave straight legs bent: the pelvis is as high as the legs that stand carry it
    rise = rise_to_stretch(body, pose, goals.ankles, goals.extent, goals.stands)
    pose = moved(body, pose, np.tile(rise * rotation.UP, (clip.frames, 1)))
    thighs = np.stack([turns[getattr(body.roles, f"{s}_hip")] for s in SIDES], axis=1)
    feet = FeetAsked(goals.ankles, np.stack([turns[j] for j in _ankles(body)], axis=1))
    pose = stand_on(pair.target, clip.fps, pose, feet, legs_ahead(pair.target, thighs), goals.extent, clip.is_loop)
    return pose._replace(rot=rotation.continuous_signs(rotation.normalize(pose.rot)))


def _settled(clip: Clip, pair: _Pair, turns: dict[int, np.ndarray], rot: np.ndarray, goals: _Goals, pose: Pose) -> Pose:
    """The poses with each foot's floor, as measured on the target itself, brought to 0; the best of a few tries.

    Which moments count as standing depends on the heights themselves where a captured floor slopes.
    """
    target, best, least = pair.target, pose, np.inf
    for _ in range(SETTLES):
        stands = find_floor(Clip(target.skeleton, clip.fps, pose))
        over = np.array([stands.left, stands.right]) - [foot.over_skin for foot in target.feet]
        off = float(np.abs(over).max())
        share = 1.0 if off < 0.5 * least else 0.5  # a foot that stands at two heights may tip from one to the other
        if off < least:
            best, least = pose, off
        if not NEAR_M < off < APART * target.leg_length:
            break
        goals = goals.lowered(share * over)
        pose = _solved(clip, pair, turns, rot, goals)
    return best


def _foot_turns(pair: _Pair) -> np.ndarray:
    """(T, 2, 4) how the target's feet are turned from the common pose: as the source's, but tipped less where they are
    much longer for its legs, whose knees would have to bend for every heel that rises."""
    out = []
    for s, ankle in enumerate(_ankles(pair.source.skeleton)):
        turn = pair.turn(ankle)
        assert turn is not None  # require_legs saw to it
        ours, theirs = (body.feet[s].ball[2] / body.leg_length for body in (pair.target, pair.source))
        share = min(1.0, max(theirs, LONGEST) / max(ours, 1e-9))
        if share < 1.0:
            ahead = rotation.rotate(turn, rotation.AXES["Z"])
            across = np.cross(ahead, rotation.UP)
            slope = np.arcsin(np.clip(ahead[:, 1], -1.0, 1.0))
            turn = rotation.multiply(rotation.axis_angle(rotation.unit(across), (share - 1.0) * slope), turn)
        out.append(turn)
    return np.stack(out, axis=1)


def _pelvis_turns(pair: _Pair, heading: np.ndarray) -> np.ndarray:
    """(T, 4) how the target's pelvis is turned from the common pose: as the source's, but rolled and swung less about
    its heading (T,) where its hips are much wider for its legs, which would have to bend for every sway."""
    turn = pair.turn(pair.source.skeleton.roles.pelvis)
    assert turn is not None
    ours, theirs = (_hip_width(body.skeleton) / body.leg_length for body in (pair.target, pair.source))
    share = min(1.0, max(theirs, WIDEST) / max(ours, 1e-9))
    if share == 1.0:
        return turn
    ahead = rotation.yaw(heading)
    sway = rotation.log(rotation.multiply(rotation.conjugate(ahead), turn))  # (T, 3)
    angle = np.linalg.norm(sway, axis=-1)
    share = share + (1.0 - share) * np.clip((angle - SWAYS[0]) / (SWAYS[1] - SWAYS[0]), 0.0, 1.0)
    less = sway * np.stack([np.ones_like(share), share, share], axis=-1)
    return rotation.multiply(ahead, rotation.exp(less))


def _hip_width(skeleton: Skeleton) -> float:
    left, right = (skeleton.rest_positions[getattr(skeleton.roles, f"{side}_hip")] for side in SIDES)
    return float(np.linalg.norm(left - right))


def _target_turns(pair: _Pair, heading: np.ndarray) -> dict[int, np.ndarray]:
    """World rotations (T, 4) of every target joint that has a counterpart; heading (T,) of the source."""
    theirs, ours = pair.source.skeleton.roles, pair.target.skeleton.roles
    pelvis = _pelvis_turns(pair, heading)
    turns = {ours.pelvis: pelvis}
    chest = _chain(pair, (theirs.pelvis, *theirs.spine), (ours.pelvis, *ours.spine), False, pelvis, turns)
    low, high = ((theirs.spine or (theirs.pelvis,))[-1], (ours.spine or (ours.pelvis,))[-1])
    heads = [() if r.head is None else (r.head,) for r in (theirs, ours)]
    _chain(pair, (low, *theirs.neck, *heads[0]), (high, *ours.neck, *heads[1]), True, chest, turns)
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        for part in (*LEG, *ARM):
            joint = getattr(ours, f"{side}_{part}")
            turn = pair.turn(getattr(theirs, f"{side}_{part}"))
            if turn is None and part == "shoulder":  # better hanging than spread
                turn = rotation.multiply(chest, rotation.axis_angle(rotation.AXES["Z"], -sign * ARMS_DOWN))
            if joint is not None and turn is not None:
                turns[joint] = turn
    turns |= dict(zip(_ankles(pair.target.skeleton), np.moveaxis(_foot_turns(pair), 1, 0), strict=True))
    return {j: rotation.multiply(q, pair.target.neutral[j]) for j, q in turns.items()}


def _chain(
    pair: _Pair, theirs: tuple[int, ...], ours: tuple[int, ...], to_head: bool, first: np.ndarray,
    turns: dict[int, np.ndarray],
) -> np.ndarray:  # fmt: skip
    """Turns of a chain whose first joint is already turned by `first` (T, 4); gives back that of its last."""
    given = [first] + [q for j in theirs[1:] if (q := pair.turn(j)) is not None]
    if len(ours) == 1:
        return given[-1]
    ends = [None if to_head else (r.neck[0] if r.neck else r.head) for r in
            (pair.source.skeleton.roles, pair.target.skeleton.roles)]  # fmt: skip
    shares = bone_shares(pair.source.skeleton, theirs, ends[0])
    wanted = bone_shares(pair.target.skeleton, ours, ends[1])
    found = along_chain(np.stack(given, axis=1), shares, wanted)
    if len(ours) != len(theirs) and min(len(ours), len(theirs)) > 2:
        bones = [neutral_bones(body.skeleton, body.neutral, chain) for body, chain in
                 ((pair.source, theirs), (pair.target, ours))]  # fmt: skip
        found = same_curve(np.stack(given, axis=1), bones[0], found, bones[1])
    for i, joint in enumerate(ours[1:], start=1):
        turns[joint] = found[:, i]
    return found[:, -1]


def _local(pair: _Pair, pose: Pose, turns: dict[int, np.ndarray]) -> np.ndarray:
    """(T, J, 4) local rotations: of joints with a counterpart by it, of joints of the same name and parent by name.

    All others keep their rest rotation, so that fingers move only where both bodies have the same ones.
    """
    ours, theirs = pair.target.skeleton, pair.source.skeleton
    named = {name: j for j, name in enumerate(theirs.names)}
    frames = len(pair.turns)
    rot, world = np.empty((frames, len(ours), 4)), np.empty((frames, len(ours), 4))
    for j, parent in enumerate(ours.parents):
        above = rotation.IDENTITY if parent < 0 else world[:, parent]
        if j in turns:
            world[:, j] = turns[j]
            rot[:, j] = rotation.multiply(rotation.conjugate(above), turns[j])
            continue
        rot[:, j] = ours.rest[j]
        twin = named.get(ours.names[j])
        if twin is not None and _parent_name(theirs, twin) == _parent_name(ours, j):
            moved = rotation.multiply(rotation.conjugate(theirs.rest[twin]), pose.rot[:, twin])
            rot[:, j] = rotation.multiply(ours.rest[j], moved)
        world[:, j] = rotation.multiply(above, rot[:, j])
    return rot


def _parent_name(skeleton: Skeleton, joint: int) -> str:
    parent = skeleton.parents[joint]
    return skeleton.names[parent] if parent >= 0 else ""


def _ankles(skeleton: Skeleton) -> list[int]:
    return [getattr(skeleton.roles, f"{side}_ankle") for side in SIDES]


def _goals(clip: Clip, pair: _Pair, scale: float, travel: float, mode: str) -> _Goals:
    """Where the target's feet and hips go: the source's, in leg lengths over each foot's floor."""
    roles = clip.skeleton.roles
    hips = pair.places[:, [getattr(roles, f"{s}_hip") for s in SIDES]]
    ankles = pair.places[:, _ankles(clip.skeleton)]
    turns = np.stack([q for j in _ankles(clip.skeleton) if (q := pair.turn(j)) is not None], axis=1)
    sole = np.stack(
        [ankles[:, s, 1] - foot.ankle_height - foot.dip(turns[:, s]) for s, foot in enumerate(pair.source.feet)], axis=1
    )
    floor = floor_under(clip, ankles, sole, each_step=mode == "level")  # (T, 2)
    balls = np.stack(
        [ankles[:, s] + rotation.rotate(turns[:, s], foot.ball) for s, foot in enumerate(pair.source.feet)], axis=1
    )
    start = balls[0].mean(axis=0) * LEVEL  # travel is scaled about where the feet first are
    new_floor = floor if mode == "keep" else np.zeros_like(floor)
    out, tipped = np.empty_like(ankles), _foot_turns(pair)
    for s, ours in enumerate(pair.target.feet):
        out[:, s] = start + travel * (balls[:, s] - start) - rotation.rotate(tipped[:, s], ours.ball)
        clear = scale * (sole - floor)[:, s]
        out[:, s, 1] = new_floor[:, s] + clear + ours.ankle_height + ours.dip(tipped[:, s])
    out += _feet_under_hips(clip, pair)
    middle, under = hips.mean(axis=1), floor.mean(axis=1)
    if mode == "level":
        under = _smooth(under, clip, FLOOR_S)
    # a longer foot has its ankle further behind its ball: the body goes back with it, or legs would come out short
    longer = float(
        np.mean([o.ball[2] - scale * t.ball[2] for o, t in zip(pair.target.feet, pair.source.feet, strict=True)])
    )
    ahead = rotation.rotate(rotation.yaw(clip.root_motion.heading), rotation.AXES["Z"])
    new_middle = start + travel * (middle - start) - longer * ahead
    over_ankles = middle[:, 1] - under - pair.source.ankle_height
    new_middle[:, 1] = new_floor.mean(axis=1) + pair.target.ankle_height + scale * over_ankles
    stands = _standing(clip, balls, sole - floor, turns)
    return _Goals(out, new_middle, leg_extents(clip.skeleton, pair.places), stands)


def _feet_under_hips(clip: Clip, pair: _Pair) -> np.ndarray:
    """(T, 2, 3) moves of the feet to the sides where the target's hips are much wider for its legs: legs hang as they
    did, where feet as near to each other as the source's would slant them inwards."""
    ours, theirs = (_hip_width(body.skeleton) / body.leg_length for body in (pair.target, pair.source))
    apart = 0.5 * max(ours - max(theirs, WIDEST), 0.0) * pair.target.leg_length
    moves = np.zeros((clip.frames, 2, 3))
    if not apart:
        return moves
    heading = np.unwrap(clip.root_motion.heading)
    for s, (side, sign) in enumerate(zip(SIDES, (1.0, -1.0), strict=True)):
        held, keys = [], []  # a foot that stands must not move as the body turns over it: one heading a stance
        for a, b in clip.contacts.spans(side):
            middle = float(np.interp(0.5 * (a + b), clip.times, heading))
            keys += [a, b]
            held += [middle, middle]
        way = np.interp(clip.times, keys, held) if keys else heading
        moves[:, s] = sign * apart * rotation.rotate(rotation.yaw(way), rotation.AXES["X"])
    return moves


def _standing(clip: Clip, balls: np.ndarray, clear: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(T, 2) how surely feet stand flat, from what another body keeps: paths of balls (T, 2, 3), clear height (T, 2)
    and turns (T, 2, 4) of feet. It then finds the same, and does not undo what was done for this one otherwise."""
    leg = clip.skeleton.leg_length
    speed = np.zeros(clear.shape)
    if clip.frames > 1:
        speed = np.linalg.norm(np.gradient(balls, axis=0), axis=-1) * clip.fps
    slope = rotation.rotate(turns, rotation.AXES["Z"])[..., 1]
    fast, high = speed / (STANDS_SLOW * leg), np.maximum(clear, 0.0) / (STANDS_LOW * leg)
    far = fast**2 + high**2 + (slope / STANDS_LEVEL) ** 2
    return np.asarray(np.exp(-far) + SELDOM)


def floor_under(clip: Clip, ankles: np.ndarray, sole: np.ndarray, each_step: bool = False) -> np.ndarray:
    """(T, 2) height of the floor under each foot, from its ankle's path (T, 2, 3) and the height (T, 2) of its sole.

    One height for the clip, while the foot is low and slow, or a line from step to step: captured floors slope by up to
    9 cm along a walk.
    """
    out = np.empty_like(sole)
    known = [False, False]
    leg = clip.skeleton.leg_length
    for s, side in enumerate(SIDES):
        path = np.stack([ankles[:, s, 0], sole[:, s], ankles[:, s, 2]], axis=-1)
        spans = [(int(np.ceil(a * clip.fps - 1e-6)), int(b * clip.fps + 1e-6)) for a, b in clip.contacts.spans(side)]
        steps = [(0.5 * (a + b), path[a : b + 1]) for a, b in spans if b >= a]
        known[s] = bool(steps)
        out[:, s] = stance_height(path, clip.fps, leg)
        if steps and each_step:
            middle, paths = zip(*steps, strict=True)
            out[:, s] = np.interp(np.arange(len(sole)), middle, [stance_height(p, clip.fps, leg) for p in paths])
    far = np.abs(out[:, 0] - out[:, 1]).max() > APART * clip.skeleton.leg_length
    if far and known[0] != known[1]:  # the foot that never stands does not know the floor
        out[:, known.index(False)] = out[:, known.index(True)]
    return out


def _smooth(values: np.ndarray, clip: Clip, seconds: float) -> np.ndarray:
    """Values (T, ...) smoothed over time; round the seam of a loop."""
    from scipy.ndimage import gaussian_filter1d

    if clip.is_loop and len(values) > 2:  # the last frame is the first again
        smooth = gaussian_filter1d(values[:-1], seconds * clip.fps, axis=0, mode="wrap")
        return np.concatenate([smooth, smooth[:1]])
    return np.asarray(gaussian_filter1d(values, seconds * clip.fps, axis=0, mode="nearest"))


def _placed(skeleton: Skeleton, rot: np.ndarray, hips: np.ndarray) -> Pose:
    """Poses (T,) of these rotations with the middle of the hips at (T, 3).

    A pelvis under other joints (a root on the floor) carries the travel in its own place, and they stay at rest.
    """
    roles = skeleton.roles
    pose = Pose(np.tile(skeleton.offsets[0], (len(rot), 1)), rot)
    places, turns = world_transforms(skeleton, pose)
    pelvis = roles.pelvis
    missing = hips - 0.5 * (places[:, roles.left_hip] + places[:, roles.right_hip])
    if pelvis == 0:
        return pose._replace(root_pos=pose.root_pos + missing)
    pos = np.tile(skeleton.offsets, (len(rot), 1, 1))
    pos[:, pelvis] += rotation.rotate(rotation.conjugate(turns[:, skeleton.parents[pelvis]]), missing)
    return pose._replace(pos=pos)

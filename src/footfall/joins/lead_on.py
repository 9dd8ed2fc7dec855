"""Leading on: a clip continued in its own gait, slower or faster step by step, feet planted where a body needs them.

The last stride of the clip (`gait_cycle`) is played on with the cadence and the stride people have at each speed; each
contact is put where the linear inverted pendulum wants it (Kajita et al. 2001): ahead of the body to brake, behind it
to speed up. Run backwards in time the same leads into a clip.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from footfall.analysis.contacts import runs
from footfall.core import rotation
from footfall.core.clip import Clip, fix_signs
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.edit.coast import state_of
from footfall.feet.foot_paths import foot_paths
from footfall.feet.join_legs import half_width, knee_poles, legs_of
from footfall.feet.leg_solve import LegTargets, solve_legs, world_legs
from footfall.feet.limits import LEG_SOFT_FROM
from footfall.feet.pelvis_reach import low_pass, smooth_moves
from footfall.joins.gait_cycle import GaitCycle
from footfall.joins.methods.inertialize import MOST_M_S2, MOST_RAD_S2, quintic
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.pose_blend import turns
from footfall.kinematics.root import floor_root

# Measured on captured walks, runs, starts and stops unless said otherwise.
GENTLE_M_S2 = (
    1.5,
    2.0,
)  # m/s²: change of speed of a walk and a run, averaged (recorded stops 1.3 to 5.1, starts 2 to 4.4)
SMOOTH_S = 0.3  # seconds over which the change of speed is rounded off
WALK_POWER, RUN_POWER, RUN_M_S = 0.42, 0.20, 2.1  # cadence grows as speed to this power, below and above this speed
CADENCE = (0.8, 1.25)  # the cycle's, that people still look like themselves at
BRAKE_SHARE, BRAKE_M, MASS_M = 0.3, 0.25, 0.95  # of the pendulum's offset, at most, for a centre of mass so high
GRAVITY = 9.81  # m/s²
LEVEL, UP = np.array([1.0, 0.0, 1.0]), np.array([0.0, 1.0, 0.0])
LEAST_SWING_M = 0.05  # metres: a shorter swing goes nowhere
BOUNCE_RUN, BOUNCE_WALK = 0.85, 0.5  # the body's bounce, and high swings, go with speed to this power
HIGH_SWING_M = 0.07  # metres: what of a swing is higher is scaled; low ones would skim the floor
LEAN_SHARE = 0.2  # of the angle that gravity and the change of speed make (captures: 0.14 to 0.3)
WOBBLE_M = 0.012  # metres of its own motion that a foot keeps while it stands
AROUND = 8  # moments of a round that its path is the mean of
SPARE = 1.2  # strides that are planned beyond what is made
SETTLE_S = 0.35  # seconds in which the difference between clip and loop dies away. By eye
BLED_M_S2 = 2.5  # m/s² at which a difference of speed between clip and loop is bled off
LEVEL_S = 1.0  # seconds in which feet come down, or up, to where the clip stands as a whole. By eye
EASED_S = 0.25  # seconds after the clip's end over which feet begin to be put where the pendulum wants them. By eye


class SpeedProfile(NamedTuple):
    """Speeds of a body that goes on for K frames."""

    speed: np.ndarray  # (K,) m/s along its path
    push: np.ndarray  # (K,) m/s², their rate of change
    reached: int  # frame from which on the last speed holds


def profile(start_m_s: float, end_m_s: float, hold_s: float, fps: float, calm: float = 1.0) -> SpeedProfile:
    """From one speed to another with bounded change, then held; calm: times as long as usual."""
    change_s = calm * abs(end_m_s - start_m_s) / GENTLE_M_S2[start_m_s > RUN_M_S]
    frames = max(2, round((change_s + SMOOTH_S + hold_s) * fps))
    t = np.arange(1, frames + 1) / fps
    ramp = np.clip((t - 0.5 * SMOOTH_S) / max(change_s, 1e-9), 0.0, 1.0)
    width = max(1, round(SMOOTH_S * fps / 6.0))
    speed = low_pass((start_m_s + (end_m_s - start_m_s) * ramp)[:, None], width)[:, 0]
    return SpeedProfile(speed, np.gradient(speed) * fps, min(frames - 1, round((change_s + SMOOTH_S) * fps)))


def lead_on(clip: Clip, cycle: GaitCycle, way: SpeedProfile) -> Clip:
    """The clip up to its cycle's end and K frames more, in which its body goes on at the speeds of the profile."""
    end, count = round(cycle.end_s * clip.fps), len(way.speed)
    spare = round(SPARE * cycle.loop.duration * clip.fps / CADENCE[0])  # the last step is planned, too
    # one frame more before, which is the clip's last
    longer = way._replace(speed=np.pad(way.speed, (1, spare), "edge"), push=np.pad(way.push, (1, spare)))
    own, stride = _stride(clip, cycle, longer)
    pose = _with_feet(clip, end, _settled(clip, end, stride), own).at(slice(1, count + 1))
    before = clip.pose.at(slice(0, end + 1))
    root_pos, rot = (np.concatenate([getattr(p, key) for p in (before, pose)]) for key in ("root_pos", "rot"))
    pos = None if before.pos is None or pose.pos is None else np.concatenate([before.pos, pose.pos])
    return clip.with_pose(fix_signs(Pose(root_pos, rotation.continuous_signs(rot), pos)), events=())


class _Stride(NamedTuple):
    """The cycle played on at other speeds; K frames."""

    pose: Pose  # where the body goes, feet not yet placed
    down: np.ndarray  # (K, 2)
    path: np.ndarray  # (K, 3) the body's path, without its sway
    ahead: np.ndarray  # (K, 3) unit vectors along it
    brake: np.ndarray  # (K,) metres by which feet are put ahead of where they were
    lean: np.ndarray  # (K, 4) turns of the body over its feet, against the change of speed


class _Own(NamedTuple):
    """The cycle itself at the same moments, and how it is changed."""

    pose: Pose  # (K,) feet on the floor
    down: np.ndarray  # (K, 2)
    path: np.ndarray  # (K, 3)
    stride: np.ndarray  # (K,) share of its strides
    swing: np.ndarray  # (K,) share of its high swings and its bounce


def _stride(clip: Clip, cycle: GaitCycle, way: SpeedProfile) -> tuple[_Own, _Stride]:
    """The cycle at its own speed, and at those of the profile."""
    loop, skeleton = cycle.loop, clip.skeleton
    share = np.maximum(way.speed / cycle.speed_m_s, 1e-3)
    rate = np.clip(_cadence(np.maximum(way.speed, 1e-3)) / _cadence(np.array(cycle.speed_m_s)), *CADENCE)
    stride, when = share / rate, np.concatenate([[0.0], np.cumsum(rate[1:])]) / clip.fps
    pose = loop.sample(when)
    root = floor_root(skeleton, pose)[0]
    path, ahead = _mean_path(loop, when)
    new_path = path[0] + np.cumsum(stride[:, None] * np.diff(path, axis=0, prepend=path[:1]), axis=0)
    sway = root - path
    along = (sway * ahead).sum(axis=1, keepdims=True) * ahead
    bounce = np.minimum(share ** (BOUNCE_RUN if cycle.speed_m_s > RUN_M_S else BOUNCE_WALK), 1.0)
    root_pos = pose.root_pos + new_path + sway + (stride - 1.0)[:, None] * along - root
    height = _pelvis_height(skeleton, pose)
    root_pos[:, 1] += (bounce - 1.0) * (height - float(_pelvis_height(skeleton, loop.pose).mean()))
    lean = LEAN_SHARE * np.arctan2(way.push, GRAVITY)[:, None] * np.cross([0.0, 1.0, 0.0], ahead)
    brake = -BRAKE_SHARE * np.clip(way.push * MASS_M / GRAVITY, -BRAKE_M, BRAKE_M)
    contacts = foot_paths(loop, loop.fps)
    down = contacts.down[contacts.lead + np.round(when * loop.fps % (loop.frames - 1)).astype(int)]
    stands = _less_flight(down, 1.0 - np.minimum(share * rate, 1.0))
    new = _Stride(pose._replace(root_pos=root_pos), stands, new_path, ahead, brake, rotation.exp(lean))
    return _Own(pose, down, path, stride, bounce), new


def _cadence(speed: np.ndarray) -> np.ndarray:
    """Steps a second at speeds in m/s, as a share of those at RUN_M_S."""
    share = speed / RUN_M_S
    return np.asarray(share ** np.where(share < 1.0, WALK_POWER, RUN_POWER))


def _less_flight(down: np.ndarray, gone: np.ndarray) -> np.ndarray:
    """Contacts (K, 2) that begin sooner and last longer, so that a share (K,) of every flight is gone.

    A slow run has little flight; one that is only played slowly would float.
    """
    down = np.array(down)
    feet = [np.flatnonzero(np.diff(np.concatenate([[0], down[:, foot].astype(np.int8), [0]]))) for foot in (0, 1)]
    for first, past in runs(np.asarray(~down.any(axis=1))):
        less = gone[(first + past - 1) // 2] * (past - first)
        if any(first in feet[foot] and past in feet[foot] for foot in (0, 1)):
            continue  # a hop: the foot needs the time to swing
        for foot in (0, 1):
            if first in feet[foot]:
                down[first : first + round(0.5 * less), foot] = True
            if past in feet[foot]:
                down[past - round(0.5 * less) : past, foot] = True
    return down


def _pelvis_height(skeleton: Skeleton, pose: Pose) -> np.ndarray:
    """(K,) metres."""
    return world_transforms_of(skeleton, pose, [skeleton.roles.pelvis])[0][:, 0, 1]


def _mean_path(loop: Clip, when: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(K, 3) floor roots at times of a loop averaged over one round about each, and unit vectors along the path."""
    around = (np.arange(AROUND) / AROUND - 0.5) * loop.duration
    times = when[:, None] + around
    roots = floor_root(loop.skeleton, loop.sample(times.ravel()))[0].reshape(len(when), len(around), 3)
    ends = floor_root(loop.skeleton, loop.sample(np.stack([times[:, 0], times[:, 0] + loop.duration], 1).ravel()))[0]
    way = np.diff(ends.reshape(len(when), 2, 3), axis=1)[:, 0]
    return roots.mean(axis=1), way / np.maximum(np.linalg.norm(way, axis=-1, keepdims=True), 1e-9)


def _settled(clip: Clip, end: int, base: _Stride) -> _Stride:
    """The stride with what the clip's end differs by from the loop's start, in pose and velocity, dying away."""
    t, pose, state = np.arange(len(base.path)) / clip.fps, base.pose, state_of(clip, end / clip.fps)
    steps = np.array([0.0, 1.0]) / clip.fps
    ours = rotation.multiply(state.pose.rot, rotation.exp(steps[:, None, None] * state.spin))
    away = rotation.multiply(rotation.conjugate(pose.rot[:2]), ours)
    away[:, 0] = rotation.multiply(ours[:, 0], rotation.conjugate(pose.rot[:2, 0]))
    apart = turns(away)
    left = rotation.exp(quintic(apart[0], (apart[1] - apart[0]) * clip.fps, SETTLE_S, t, MOST_RAD_S2))
    rot = rotation.multiply(pose.rot, left)
    rot[:, 0] = rotation.multiply(left[:, 0], pose.rot[:, 0])
    off = state.pose.root_pos - pose.root_pos[0]
    spare = state.velocity - (pose.root_pos[1] - pose.root_pos[0]) * clip.fps
    level = spare * LEVEL
    bled = max(SETTLE_S, float(np.linalg.norm(level)) / BLED_M_S2)
    move = quintic(off, spare * UP, SETTLE_S, t, MOST_M_S2) + _bled(t, bled)[:, None] * level
    return base._replace(pose=pose._replace(root_pos=pose.root_pos + move, rot=rot), path=base.path + move * LEVEL)


def _bled(t: np.ndarray, over: float) -> np.ndarray:
    """Way made with a speed of 1 that dies away within `over`."""
    u = np.clip(t / over, 0.0, 1.0)
    return np.asarray(over * (u - u**3 + 0.5 * u**4))


class _Plant(NamedTuple):
    """A foot stands from a frame to another; in the cycle itself it does so at frames of its own."""

    first: int
    last: int
    own_first: int
    own_last: int
    place: np.ndarray  # (3,) of its ball

    @property
    def own_middle(self) -> int:
        return (self.own_first + self.own_last) // 2


def _with_feet(clip: Clip, end: int, new: _Stride, own: _Own) -> Pose:
    """The poses with feet planted where the body needs them, legs bent and the pelvis moved to reach them."""
    skeleton, fps = clip.skeleton, clip.fps
    paths = foot_paths(clip, fps)
    theirs, upright = world_legs(skeleton, own.pose), world_legs(skeleton, new.pose)
    own_ball, ball = (x.ankle + rotation.rotate(x.foot, paths.ball_at) for x in (theirs, upright))
    here, stood = paths.ball[paths.lead + end], paths.down[paths.lead + end]
    target, feet = np.empty_like(ball), np.empty_like(upright.foot)
    t = np.arange(len(ball)) / fps
    sunk = ease(t / LEVEL_S)[:, None] * _above_floor(clip, own_ball, own.down)
    own_ball[..., 1] -= sunk
    new.pose.root_pos[:, 1] -= sunk.mean(axis=1)
    for foot in (0, 1):
        lands_s = float(np.argmax(new.down[:, foot])) / fps  # a foot in the air is as low as the cycle's when it lands
        decay = 1.0 - ease(t / min(lands_s or SETTLE_S, SETTLE_S))
        own_ball[:, foot, 1] += decay * (here[foot, 1] - own_ball[0, foot, 1])
        plants = _plants(new, own, own_ball[:, foot], foot, fps)
        if plants:
            first = plants[0].first
            carried = here[foot] if first == 0 and stood[foot] else ball[first, foot]
            aimed = float(ease(np.asarray(first / fps / EASED_S)))  # a foot about to land is not thrown elsewhere
            plants[0] = plants[0]._replace(place=carried + aimed * (plants[0].place - carried))
        when = _foot_times(plants, len(ball))
        target[:, foot] = _foot_path(ball[:, foot], own_ball[:, foot], when, plants, own.swing)
        feet[:, foot] = _at(upright.foot[:, foot], when)
    ankle = target - rotation.rotate(feet, paths.ball_at)
    rot = np.array(new.pose.rot)
    rot[:, 0] = rotation.multiply(new.lean, rot[:, 0])
    body = new.pose._replace(rot=rot)
    legs = world_legs(skeleton, body)
    radii = np.minimum(np.maximum(LEG_SOFT_FROM * legs.length, theirs.stretch), legs.length)
    move = smooth_moves(np.ascontiguousarray(ankle - legs.hip), radii, half_width(fps))
    move *= ease(np.arange(len(move)) / fps / EASED_S)[:, None]
    turn = rotation.multiply(feet, rotation.conjugate(legs.foot))
    poles = knee_poles(legs_of(skeleton, body)[0], fps)
    return solve_legs(skeleton, body, LegTargets(move, ankle, turn, poles))


def _above_floor(clip: Clip, ball: np.ndarray, down: np.ndarray) -> np.ndarray:
    """(2,) metres by which the feet of a cycle stand higher than in the clip as a whole: floors of captures slope."""
    paths = foot_paths(clip, clip.fps)
    own = slice(paths.lead, paths.lead + paths.frames)
    height, stands = paths.ball[own, :, 1], paths.down[own]
    found = [
        np.median(ball[down[:, f], f, 1]) - np.median(height[stands[:, f], f])
        for f in (0, 1)
        if down[:, f].any() and stands[:, f].any()
    ]
    return np.array(found) if len(found) == 2 else np.zeros(2)


def _plants(new: _Stride, own: _Own, own_ball: np.ndarray, foot: int, fps: float) -> list[_Plant]:
    """Where and when one foot stands: its own place about the body's path, along it scaled and moved by the brake."""
    found = []
    stands = new.down[:, foot]
    for own_first, own_past in runs(own.down[:, foot]):
        first, past = own_first, own_past
        while first > 0 and stands[first - 1]:
            first -= 1
        while past < len(stands) and stands[past]:
            past += 1
        middle = (own_first + own_past - 1) // 2
        ahead, off = new.ahead[middle], (own_ball[middle] - own.path[middle]) * LEVEL
        brake = new.brake[middle] * float(ease(np.asarray(first / fps / EASED_S)))
        place = new.path[middle] + off + (float(off @ ahead) * (own.stride[middle] - 1.0) + brake) * ahead
        found.append(_Plant(first, past - 1, own_first, own_past - 1, place))
    return found


def _foot_times(plants: list[_Plant], count: int) -> np.ndarray:
    """(K,) frames of the cycle that a foot shows: where it stands longer, its roll is longer and its swing shorter."""
    frames = np.arange(count, dtype=float)
    if not plants:
        return frames
    new = [x for p in plants for x in (p.first, p.last)]
    own = [x for p in plants for x in (p.own_first, p.own_last)]
    new, own = [min(new[0], 0), *new, count], [min(own[0], 0), *own, count]
    keep = np.concatenate([[True], np.diff(new) > 0])
    # monotone and without kinks: a clock that jumps in pace at lift and strike throws the foot
    clock = PchipInterpolator(np.array(new)[keep], np.array(own)[keep])
    return np.asarray(np.clip(clock(frames), 0.0, count - 1.0))


def _at(rows: np.ndarray, when: np.ndarray) -> np.ndarray:
    """Places (K, 3) or rotations (K, 4) at frames that need not be whole."""
    is_rotation = rows.shape[1] == 4
    through = CubicSpline(np.arange(len(rows)), rotation.continuous_signs(rows) if is_rotation else rows)(when)
    return np.asarray(rotation.normalize(through) if is_rotation else through)


def _foot_path(
    ball: np.ndarray, own: np.ndarray, when: np.ndarray, plants: list[_Plant], swing: np.ndarray
) -> np.ndarray:
    """(K, 3) of one ball: it stands on its plants, and its own swings lead from one to the next.

    ball (K, 3): where the body carries it; own (K, 3): in the cycle itself, and when (K,) it shows which of that.
    """
    shown, path = _at(own, when), np.array(ball)
    low = float(own[:, 1].min())
    path[:, 1] = shown[:, 1] - np.maximum(shown[:, 1] - low - HIGH_SWING_M, 0.0) * (1.0 - swing)
    before: int | None = None  # the last frame of the plant before
    for plant in plants:
        inside = slice(plant.first, plant.last + 1)
        wobble = _soft((shown[inside] - own[plant.own_middle]) * LEVEL)
        if plant.first == 0:
            wobble -= wobble[0]  # it stands where it stood
        path[inside] = path[inside] * UP + (plant.place + wobble) * LEVEL
        if before is None:
            _first_swing(path, ball, plant.first)
        else:
            _swing(path, shown, before, plant.first)
        before = plant.last
    if before is not None and before + 1 < len(path):
        path[before + 1 :] += (path[before] - ball[before]) * LEVEL
    return path


def _soft(wobble: np.ndarray) -> np.ndarray:
    """Small movements (K, 3), none larger than WOBBLE_M."""
    size = np.maximum(np.linalg.norm(wobble, axis=-1, keepdims=True), 1e-9)
    return np.asarray(wobble * WOBBLE_M * np.tanh(size / WOBBLE_M) / size)


def _first_swing(path: np.ndarray, ball: np.ndarray, strike: int) -> None:
    """A foot that is in the air already is led from where the body carries it to where it lands."""
    share = ease(np.arange(strike) / max(strike, 1))[:, None]
    path[:strike] += share * (path[strike] - ball[strike]) * LEVEL


def _swing(path: np.ndarray, shown: np.ndarray, lift: int, strike: int) -> None:
    """A swing of the cycle, made to lead from one plant to the next."""
    own = (shown[lift : strike + 1] - shown[lift]) * LEVEL
    way = own[-1]
    length = float(way @ way)
    share = own @ way / length if length > LEAST_SWING_M**2 else np.linspace(0.0, 1.0, len(own))
    beside = own - share[:, None] * way
    new = path[lift] + share[:, None] * (path[strike] - path[lift]) + beside
    path[lift + 1 : strike] = path[lift + 1 : strike] * UP + new[1:-1] * LEVEL

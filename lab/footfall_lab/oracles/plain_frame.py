"""Plain frame: what `oracles.character` does to a crowd in one step, in readable numpy, one character at a time.

The oracle of the compiled kernels. It reads the parametric motions themselves, in float64, and shares with the kernels
only the arrays of the crowd, the soles and the constants.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from footfall.core import rotation
from footfall.core.easing import ease
from footfall.core.pose import Pose
from footfall.feet.leg_solve import LegTargets, leg_joints, reach_balls, world_legs
from footfall.feet.limits import (
    LEG_FREE,
    LIVE_ASKEW,
    LIVE_BACKWARDS,
    LIVE_BRAKE_M_S2,
    LIVE_EASE_S,
    LIVE_FADE_S,
    LIVE_FAR_M,
    LIVE_FASTEST_M_S,
    LIVE_LIFT_S,
    LIVE_LOWER_M,
    LIVE_NEAR_M,
    LIVE_RISE_M_S,
    LIVE_SETTLE_S,
    LIVE_SHIFT_S,
    LIVE_SLAP_M_S2,
    LIVE_STOP_M_S2,
    LIVE_SUNK_M,
    LIVE_WRONG_M,
)
from footfall.feet.live_knee import AS_ASKED
from footfall.kinematics.fk import world_transforms_of
from footfall.live.clock import TOGETHER
from footfall.parametric.arc_root import frames_at, moved
from footfall.parametric.packed import PARTS
from footfall.parametric.parametric_motion import ParametricMotion
from footfall_lab.oracles import plain_blend, plain_knees
from footfall_lab.oracles.character import Characters, PackedMotions
from footfall_lab.oracles.plain_legs import least_move, solve_legs

Layers = list[tuple[ParametricMotion, np.ndarray, float]]  # motion, weights (N,), share


def step(
    packed: PackedMotions, motions: Sequence[ParametricMotion], characters: Characters, dt_s: float, lock: bool = True
) -> None:
    """One frame of every character, into the crowd's arrays; motions as they were packed, weights fitted."""
    for n in range(len(characters.share)):
        layers = _layers(motions, characters, n)
        _advance(characters, n, layers, dt_s)
        pose = blended_pose(layers, characters.t[n])
        point = complex(characters.root[n, 1], characters.root[n, 0])
        pose = frames_at(np.array(point), np.array(characters.root[n, 2])).pose(pose)
        if lock and packed.tables.body.legs[0, 0] >= 0:
            pose = _planted(packed, characters, n, layers, pose, dt_s)
        characters.rot[n], characters.root_pos[n] = pose.rot, pose.root_pos


def _layers(motions: Sequence[ParametricMotion], characters: Characters, n: int) -> Layers:
    """What a character plays; weights go into the crowd."""
    share = float(characters.share[n])
    found = []
    for v in range(1 if share >= 1.0 else 2):
        motion = motions[characters.motion[n, v]]
        weights = motion.weights(characters.wanted[n, v, : len(motion.parameter_names)])[0]
        characters.weights[n, v] = 0.0
        characters.weights[n, v, : len(motion)] = weights
        found.append((motion, weights, 1.0 if share >= 1.0 else (share, 1.0 - share)[v]))
    return found


def _advance(characters: Characters, n: int, layers: Layers, dt_s: float) -> None:
    """Clock and root: both layers go on by the same number of key times, each stretch on an arc of its own."""
    t, left = characters.t[n], dt_s
    point, heading = complex(characters.root[n, 1], characters.root[n, 0]), float(characters.root[n, 2])
    while True:
        speed, gaps, pieces = 0.0, [], []
        for v, (motion, weights, share) in enumerate(layers):
            count = motion.rates.shape[1]
            m = piece_of(t[v], count)
            if m == count and motion.is_loop:
                t[v], m = 0.0, 0
                characters.laps[n, v] += 1
            characters.rate[n, v] = motion.blended_rates(weights)[min(m, count - 1)]
            speed += share * characters.rate[n, v] * count
            gaps.append(m + 1 - t[v] * count if t[v] < 1.0 else np.inf)
            pieces.append(m)
        border = min(gaps)
        if np.isinf(border):
            break
        far, crosses = min(left * speed, border), left * speed >= border
        travel = np.zeros(3)
        for v, (motion, weights, share) in enumerate(layers):
            if t[v] >= 1.0:
                continue
            count = motion.rates.shape[1]
            meets = crosses and gaps[v] <= border + TOGETHER
            end = (pieces[v] + 1) / count if meets else t[v] + far / count
            travel += share * (
                plain_blend.travelled(motion, end, weights) - plain_blend.travelled(motion, t[v], weights)
            )
            t[v] = end
        point, heading = moved(point, heading, travel)
        left -= border / speed
        if not crosses or left <= 0.0:
            break
    characters.root[n] = point.imag, point.real, heading


def piece_of(t: float, pieces: int) -> int:
    """Which stretch between key times t lies in; on a key time the one after it."""
    m = min(int(t * pieces), pieces - 1)
    return m + 1 if t >= (m + 1) / pieces else m


def blended_pose(layers: Layers, t: np.ndarray) -> Pose:
    """One or two layers at canonical times t, on their carrier: joints by slerp, roots by straight lines."""
    first = plain_blend.local_pose(layers[0][0], t[0], layers[0][1])
    if len(layers) == 1:
        return first
    second, rest = plain_blend.local_pose(layers[1][0], t[1], layers[1][1]), layers[1][2]
    rot = rotation.slerp(first.rot, second.rot, np.full(len(first.rot), rest))
    return Pose((1.0 - rest) * first.root_pos + rest * second.root_pos, rot)


# --- feet -------------------------------------------------------------------------------------------------------------


def feet_down(motion: ParametricMotion, weights: np.ndarray, t: float, ahead: float) -> tuple[np.ndarray, np.ndarray]:
    """(2, 2) whether heel and toe of left and right are down at t; (2,) whether a foot is within `ahead` of t."""
    down, soon = np.zeros((2, 2), bool), np.zeros(2, bool)
    for k, part in enumerate(PARTS):
        for start, end in np.tensordot(weights, motion.contacts.get(part, np.zeros((len(weights), 0, 2))), axes=1):
            for now in (t - 1.0, t, t + 1.0) if motion.is_loop else (t,):
                down[k // 2, k % 2] |= start <= now <= end
                soon[k // 2] |= start - ahead <= now <= end
    return down, soon


def _agreed(characters: Characters, n: int, layers: Layers) -> tuple[np.ndarray, np.ndarray]:
    """feet_down of the larger layer; of a foot that both layers have down only the parts that both have, or all."""
    v = 0 if characters.share[n] >= 0.5 else 1
    down, soon = feet_down(*layers[v][:2], characters.t[n, v], LIVE_EASE_S * characters.rate[n, v])
    if len(layers) == 2:
        other = feet_down(*layers[1 - v][:2], characters.t[n, 1 - v], 0.0)[0]
        both, each = down & other, down.any(axis=1, keepdims=True) & other.any(axis=1, keepdims=True)
        down = np.where(both.any(axis=1, keepdims=True), both, down | each)
    return down, soon


def _planted(packed: PackedMotions, characters: Characters, n: int, layers: Layers, pose: Pose, dt_s: float) -> Pose:
    """The pose with feet held."""
    tables, lift, grip = packed.tables, characters.lift[n], characters.grip[n]
    characters.down[n], soon = _agreed(characters, n, layers)
    lift[:] = spring(lift[0], lift[1], characters.floor[n].mean(), dt_s, LIVE_LIFT_S)
    pose = pose._replace(root_pos=pose.root_pos + np.array([0.0, lift[0], 0.0]))
    places, turns = world_transforms_of(packed.skeleton, pose, tables.body.sole_joints.ravel().tolist())
    points = places.reshape(2, 3, 3) + rotation.rotate(turns.reshape(2, 3, 4), tables.body.sole)
    for side in range(2):
        standing = tables.body.standing[side] + characters.floor[n, side]
        _held(characters, n, side, points[side], points[side, :, 1] - standing, lift[0], dt_s)
    grip += np.clip(soon - grip, -dt_s / LIVE_EASE_S, dt_s / LIVE_EASE_S)
    return _bent(packed, characters, n, pose, dt_s)


def _bent(packed: PackedMotions, characters: Characters, n: int, pose: Pose, dt_s: float) -> Pose:
    """The pose with its ankles moved by the offsets and its pelvis where they can be reached from."""
    pose, shift = knees_ahead(packed, pose), characters.shift[n]
    legs = world_legs(packed.skeleton, pose)
    ankle = legs.ankle + characters.offset[n]
    centers, radii = reach_balls(legs, ankle)
    length = np.linalg.norm(legs.knee - legs.hip, axis=-1) + np.linalg.norm(legs.ankle - legs.knee, axis=-1)
    least = least_move(centers, radii + LEG_FREE * length * (1.0 - ease(characters.grip[n])))
    shift[:] = spring(shift[0], shift[1], least, dt_s, LIVE_SHIFT_S)
    turn, toes = np.tile(rotation.IDENTITY, (2, 1)), rotation.rotate(legs.foot, packed.tables.body.sole[:, 1])
    over_hips = plain_knees.over_hips(packed.skeleton, pose)
    pole = np.empty((2, 3))
    for side in range(2):
        knees = characters.knees[n, side]
        ankle[side] = plain_knees.knee_in_time(legs, side, ankle[side], shift[0], knees, dt_s)
        pole[side] = plain_knees.knee_pole(over_hips[side], toes[side], knees, dt_s)
    solved = solve_legs(packed.skeleton, pose, LegTargets(shift[0], ankle, turn, pole), *AS_ASKED)
    plain_knees.note_sides(world_legs(packed.skeleton, solved), over_hips, characters.knees[n])
    return solved


def knees_ahead(packed: PackedMotions, pose: Pose) -> Pose:
    """The pose with knees that are bent backward a little mirrored to the side of the toes."""
    legs, rot = world_legs(packed.skeleton, pose), np.array(pose.rot)
    for side, joints in enumerate(leg_joints(packed.skeleton)):
        hip, knee, ankle = legs.hip[side], legs.knee[side], legs.ankle[side]
        line, toes = ankle - hip, rotation.rotate(legs.foot[side], packed.tables.body.sole[side, 1])
        out, hint = (v - line * (v @ line) / (line @ line) for v in (knee - hip, toes))
        backward = out @ hint < 0.0 and np.linalg.norm(out) <= LIVE_BACKWARDS * np.linalg.norm(knee - hip)
        if not backward or hint @ hint < LIVE_ASKEW * (toes @ toes):
            continue
        new = knee - 2.0 * hint * (out @ hint) / (hint @ hint)
        turns = [rotation.between(knee - hip, new - hip), rotation.between(ankle - knee, ankle - new)]
        above = np.maximum(packed.skeleton.parents[joints], 0)
        _, world = world_transforms_of(packed.skeleton, pose, [*joints.tolist(), *above.tolist()])
        carried = [world[3], rotation.multiply(turns[0], world[4]), rotation.multiply(turns[1], world[5])]
        own = [rotation.multiply(turns[0], world[0]), rotation.multiply(turns[1], world[1]), world[2]]
        for joint, parent, turned in zip(joints, carried, own, strict=True):
            rot[joint] = rotation.multiply(rotation.conjugate(parent), turned)
    return pose._replace(rot=rot)


def _chosen(heights: np.ndarray, down: np.ndarray, hold: int) -> int:
    """Which of heel, ball and tip stands; down (3,). The lowest where those down are clearly over one that is not."""
    if not down.any():
        return -1
    best = int(np.where(down, heights, np.inf).argmin())
    if heights[best] > heights.min() + LIVE_WRONG_M:
        best, down = int(heights.argmin()), np.ones(3, bool)
    return hold if hold >= 0 and down[hold] and heights[hold] <= heights[best] + LIVE_LOWER_M else best


def _held(
    characters: Characters, n: int, side: int, points: np.ndarray, heights: np.ndarray, lift: float, dt_s: float
) -> None:
    """One foot: points (3, 3) of its sole as animated, heights (3,) of them over where they stand."""
    held, offset, speed = characters.held[n, side], characters.offset[n, side], characters.speed[n, side]
    slip, was = characters.slip[n, side], characters.was[n, side]
    hold = int(characters.hold[n, side])
    chosen = _chosen(heights, characters.down[n, side][[0, 1, 1]], hold)
    if dt_s == 0.0 and np.isfinite(was[0, 0]):
        chosen = hold  # no time, no landing
    characters.hold[n, side] = chosen
    goal = np.array([0.0, characters.floor[n, side] - lift, 0.0])
    if hold < 0 or chosen < 0:
        offset[:], speed[:] = spring(offset, speed, goal, dt_s, LIVE_FADE_S)
    if chosen < 0:
        over = heights + LIVE_SUNK_M
        up = _sinks(over + offset[1], over + was[:, 1] - points[:, 1], dt_s, LIVE_STOP_M_S2)
        offset[1] += up
        speed[1] = max(speed[1], 0.0) if up > 0.0 else speed[1]
    else:
        if hold >= 0:
            fast = np.hypot(slip[0], slip[2])
            slip[[0, 2]] *= max(fast - LIVE_BRAKE_M_S2 * dt_s, 0.0) / max(fast, 1e-9)
            held[[0, 2]] += slip[[0, 2]] * dt_s
        ball, before = min(chosen, 1), min(hold, 1)  # toes stand where their ball does
        if chosen != hold:
            held[1] = points[chosen, 1] + offset[1]
            slip[1] = np.nan_to_num((held[1] - was[chosen, 1]) / dt_s) if dt_s > 0.0 else 0.0
        if ball != before:
            level = [0, 2]
            held[level] = points[ball, level] + (offset if hold < 0 else held - points[before])[level]
            slip[level] = np.nan_to_num((held - was[ball])[level] / dt_s) if dt_s > 0.0 else 0.0
        _settle(held, slip, heights[chosen] + held[1] - points[chosen, 1], dt_s)
        high = heights + LIVE_SUNK_M
        up = _sinks(high + held[1] - points[chosen, 1], high + was[:, 1] - points[:, 1], dt_s, LIVE_SLAP_M_S2)
        held[1] += up
        slip[1] = max(slip[1], 0.0) if up > 0.0 else slip[1]
        new = _near(held - np.array([points[ball, 0], points[chosen, 1], points[ball, 2]]))
        if dt_s > 0.0:
            speed[:] = np.clip((new - offset) / dt_s, -LIVE_FASTEST_M_S, LIVE_FASTEST_M_S)
        offset[:] = new
    was[:] = points + offset


def _sinks(now: np.ndarray, before: np.ndarray, dt_s: float, stop: float) -> float:
    """How far a foot must be raised, from heights (3,) of its sole now and a frame before; stop: m/s²."""
    slower = np.maximum(before - dt_s * np.sqrt(2.0 * stop * np.maximum(before, 0.0)), 0.0)
    least = np.where(before < 0.0, np.minimum(before + LIVE_RISE_M_S * dt_s, 0.0), slower)
    return max(0.0, float((np.nan_to_num(least) - now).max()))


def _settle(held: np.ndarray, slip: np.ndarray, high: float, dt_s: float) -> None:
    """A landed foot goes on to the ground, and not through it."""
    most = -high / LIVE_SETTLE_S
    start = max(slip[1], most) if high > 0.0 else min(max(slip[1], 0.0), most)
    left, slip[1] = spring(np.array(high), np.array(start), 0.0, dt_s, LIVE_SETTLE_S)
    held[1] += left - high


def _near(offset: np.ndarray) -> np.ndarray:
    """The offset, less of it over the floor where it is far."""
    far, room = np.hypot(offset[0], offset[2]), LIVE_FAR_M - LIVE_NEAR_M
    share = 1.0 if far <= LIVE_NEAR_M else (LIVE_NEAR_M + room * (1.0 - np.exp(-(far - LIVE_NEAR_M) / room))) / far
    return offset * np.array([share, 1.0, share])


def spring(
    x: np.ndarray, v: np.ndarray, goal: np.ndarray | float, dt_s: float, time_s: float
) -> tuple[np.ndarray, np.ndarray]:
    """Place and speed of a critically damped spring dt_s later, exactly."""
    k = 1.0 / time_s
    far, e = x - goal, np.exp(-k * dt_s)
    j = (v + k * far) * dt_s
    return goal + (far + j) * e, (v - k * j) * e

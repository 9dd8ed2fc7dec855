"""Plain legs: two-bone IK, leg solver and pelvis reach in readable numpy, the oracles of the kernels of `feet`.

They share the kernels' limits and nothing else; bodies with sliding bones are solved by forward kinematics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet.leg_solve import LegTargets, leg_joints, reach_balls, world_legs
from footfall.feet.limits import LEG_FREE, LEG_MAX_EXTENSION, LEG_NEARLY_STRAIGHT, LEG_ROUNDING, LEG_SOFT_FROM
from footfall.feet.pelvis_reach import ENOUGH_M, PLAIN_ROUNDS, RELAX, ROUNDS, low_pass
from footfall.kinematics.fk import world_transforms_of


class TwoBone(NamedTuple):
    """Solution for a batch of limbs."""

    mid: np.ndarray  # (..., 3) new knee or elbow
    end: np.ndarray  # (..., 3) new ankle or wrist; the target where it is within soft reach
    upper: np.ndarray  # (..., 4) world rotation to apply to the upper bone: new = upper * old
    lower: np.ndarray  # (..., 4) likewise for the lower bone


def two_bone_ik(
    start: np.ndarray,
    mid: np.ndarray,
    end: np.ndarray,
    target: np.ndarray,
    pole: np.ndarray | None = None,
    soft_from: float = LEG_SOFT_FROM,
    max_extension: float = LEG_MAX_EXTENSION,
) -> TwoBone:
    """Limbs start-mid-end (..., 3) bent so that end meets target (..., 3), bone lengths kept.

    pole (..., 3): the direction a nearly straight limb should bend to (a knee: forward); the limb's own bend, where it
    has one, always comes first.
    """
    upper_length, lower_length = _norm(mid - start), _norm(end - mid)
    line, distance = _direction(end - start, fallback=mid - start)
    aim, wanted = _direction(target - start, fallback=line)
    reach = soft_reach(wanted, distance, upper_length, lower_length, soft_from, max_extension)
    swing = rotation.between(line, aim)

    swung = rotation.rotate(swing, mid - start)
    along = (swung * aim).sum(axis=-1, keepdims=True)
    sideways = swung - along * aim
    new_along = _along(reach, upper_length, lower_length)
    new_offset = np.sqrt(np.maximum(upper_length**2 - new_along**2, 0.0))
    new_offset = np.where(new_offset < LEG_ROUNDING * upper_length, 0.0, new_offset)
    side = _bend_side(sideways, new_offset, upper_length, aim, pole)

    new_mid = start + new_along * aim + new_offset * side
    new_end = start + reach * aim
    unchanged = (target == end).all(axis=-1, keepdims=True)
    new_mid, new_end = np.where(unchanged, mid, new_mid), np.where(unchanged, end, new_end)
    upper = rotation.multiply(rotation.between(swung, new_mid - start), swing)
    swung_lower = rotation.rotate(swing, end - mid)
    lower = rotation.multiply(rotation.between(swung_lower, new_end - new_mid), swing)
    return TwoBone(
        new_mid,
        new_end,
        np.where(unchanged, rotation.IDENTITY, upper),
        np.where(unchanged, rotation.IDENTITY, lower),
    )


def _norm(v: np.ndarray) -> np.ndarray:
    return np.linalg.norm(v, axis=-1, keepdims=True)


def _direction(v: np.ndarray, fallback: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit direction and length of v; where v vanishes, the direction of the fallback (or straight down)."""
    n, m = _norm(v), _norm(fallback)
    direction = np.where(m > 1e-12, fallback / np.where(m > 1e-12, m, 1.0), -rotation.UP)
    return np.where(n > 1e-12, v / np.where(n > 1e-12, n, 1.0), direction), n


def soft_reach(
    wanted: np.ndarray,
    now: np.ndarray,
    upper: np.ndarray,
    lower: np.ndarray,
    soft_from: float,
    max_extension: float,
) -> np.ndarray:
    """Distance the end will have: the wanted one up to the soft zone, then slowed towards the limit."""
    length = upper + lower
    # a limb already longer than the limit may stay so: its own extension is never called a fault
    slow = np.maximum(soft_from * length, np.minimum(now, length))
    limit = np.minimum(np.maximum(max_extension * length, slow), length)
    room = np.maximum(limit - slow, 1e-12)
    slowed = slow + room * -np.expm1(-np.maximum(wanted - slow, 0.0) / room)
    shortest = np.minimum(np.maximum(np.abs(upper - lower), 1e-6 * length), length)
    return np.maximum(np.where(wanted <= slow, wanted, np.minimum(slowed, limit)), shortest)


def _along(reach: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    """How far along the line start-end the middle joint lies (law of cosines), within the upper bone's length."""
    safe = np.maximum(reach, 1e-12)
    return np.clip((reach**2 + upper**2 - lower**2) / (2.0 * safe), -upper, upper)


def _bend_side(
    sideways: np.ndarray, new_offset: np.ndarray, upper: np.ndarray, aim: np.ndarray, pole: np.ndarray | None
) -> np.ndarray:
    """Unit vector across the aim to which the limb bends: its own, eased to the pole as it gets straight."""
    offset = _norm(sideways)
    hint = _perpendicular(aim) if pole is None else pole - (pole * aim).sum(axis=-1, keepdims=True) * aim
    hint, _ = _direction(hint, fallback=_perpendicular(aim))
    x = np.clip(offset / np.maximum(LEG_NEARLY_STRAIGHT * upper, 1e-12), 0.0, 1.0)
    unsure = 1.0 - x * x * (3.0 - 2.0 * x)
    side = sideways + hint * np.maximum(new_offset - offset, 0.0) * unsure
    return _direction(side, fallback=hint)[0]


def _perpendicular(v: np.ndarray) -> np.ndarray:
    """Some unit vector at right angles to the unit vectors v, forward (+Z) for a hanging limb."""
    other = np.where(np.abs(v[..., 2:]) < 0.9, rotation.AXES["Z"], rotation.AXES["X"])
    across = other - (other * v).sum(axis=-1, keepdims=True) * v
    return across / _norm(across)


def solve_legs(
    skeleton: Skeleton,
    pose: Pose,
    targets: LegTargets,
    soft_from: float = LEG_SOFT_FROM,
    max_extension: float = LEG_MAX_EXTENSION,
) -> Pose:
    """Poses with ankles at their targets, as far as legs reach; upper body, toes and bone lengths as they were."""
    joints = leg_joints(skeleton)
    above = skeleton.parents[joints]  # (2, 3) parents of hip, knee and ankle
    wanted = np.concatenate([joints.ravel(), above.ravel()])
    places, turns = world_transforms_of(skeleton, pose, np.where(wanted < 0, 0, wanted).tolist())
    hip, knee, ankle = (places[..., [i, i + 3], :] + targets.move[..., None, :] for i in range(3))
    # the captured leg moves along with the body; a target equal to the moved ankle then changes nothing
    bend = two_bone_ik(hip, knee, ankle, targets.ankle, targets.pole, soft_from, max_extension)
    rot = np.array(pose.rot)
    for side in range(2):
        old_hip, old_knee, old_ankle = (turns[..., 3 * side + i, :] for i in range(3))
        over_hip, over_knee, over_ankle = (turns[..., 6 + 3 * side + i, :] for i in range(3))
        upper, lower, turn = bend.upper[..., side, :], bend.lower[..., side, :], targets.turn[..., side, :]
        rot[..., joints[side, 0], :] = _local(over_hip, rotation.multiply(upper, old_hip), rot[..., joints[side, 0], :])
        over_knee, over_ankle = rotation.multiply(upper, over_knee), rotation.multiply(lower, over_ankle)
        rot[..., joints[side, 1], :] = _local(
            over_knee, rotation.multiply(lower, old_knee), rot[..., joints[side, 1], :]
        )
        rot[..., joints[side, 2], :] = _local(
            over_ankle, rotation.multiply(turn, old_ankle), rot[..., joints[side, 2], :]
        )
    return pose._replace(root_pos=pose.root_pos + targets.move, rot=rot)


def hold_feet(
    skeleton: Skeleton, pose: Pose, point: np.ndarray, place: np.ndarray, weight: np.ndarray, offset: np.ndarray
) -> tuple[Pose, np.ndarray]:
    """Poses with points of feet drawn to places, pelvis moved as little as that takes; and what ankles moved by.

    point (..., 2, 3) in the ankle's frame, place (..., 2, 3) in the world,
    weight (..., 2) 1 while the foot stands and 0 in the swing, offset (..., 2, 3) what is left of the last stance.
    """
    legs = world_legs(skeleton, pose)
    carried = rotation.rotate(legs.foot, point)
    w = np.asarray(weight, float)[..., None]
    moved = w * (place - (legs.ankle + carried)) + (1.0 - w) * offset
    ankle = legs.ankle + moved
    centers, radii = reach_balls(legs, ankle)
    move = least_move(centers, radii + LEG_FREE * legs.length * (1.0 - w[..., 0]))
    turn = np.broadcast_to(rotation.IDENTITY, (*pose.batch, 2, 4))
    return solve_legs(skeleton, pose, LegTargets(move, ankle, turn, carried)), moved


def _local(parent: np.ndarray, world: np.ndarray, like: np.ndarray) -> np.ndarray:
    """World rotations in their parents' frames, of unit length and with the sign of what they replace."""
    return rotation.nearest_sign(rotation.normalize(rotation.multiply(rotation.conjugate(parent), world)), like)


def least_move(centers: np.ndarray, radii: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Points (..., 3) nearest to start (default 0) within both balls: centers (..., 2, 3), radii (..., 2).

    Balls that do not meet: the point between them that misses both by the same length.
    """
    centers, radii = np.asarray(centers, float), np.maximum(np.asarray(radii, float), 0.0)
    origin = np.zeros(centers.shape[:-2] + (3,)) if start is None else np.asarray(start, float)
    c0, c1, r0, r1 = centers[..., 0, :], centers[..., 1, :], radii[..., 0, None], radii[..., 1, None]
    on0, on1 = _into(origin, c0, r0), _into(origin, c1, r1)
    enough0 = _length(on0 - c1) <= r1 * (1.0 + 1e-12)
    enough = enough0 | (_length(on1 - c0) <= r0 * (1.0 + 1e-12))
    best = np.where(enough0, on0, on1)
    if not enough.all():  # the circle both spheres share is rarely needed, and costs the most
        best = np.where(enough, best, _on_both(origin, c0, c1, r0, r1))
    inside = (on0 == origin).all(axis=-1, keepdims=True) & (on1 == origin).all(axis=-1, keepdims=True)
    return np.where(inside, origin, best)


def _length(v: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("...i,...i->...", v, v))[..., None]


def _into(p: np.ndarray, center: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """The nearest point to p within a ball; p itself, bit for bit, where it is inside."""
    out = p - center
    distance = _length(out)
    return np.where(distance <= radius, p, center + out * (radius / np.maximum(distance, 1e-300)))


def _on_both(p: np.ndarray, c0: np.ndarray, c1: np.ndarray, r0: np.ndarray, r1: np.ndarray) -> np.ndarray:
    """The nearest point to p on the circle of two spheres; where they do not meet, halfway over the gap."""
    line = c1 - c0
    apart = _length(line)
    axis = line / np.maximum(apart, 1e-300)
    along = np.where(
        apart > r0 + r1, 0.5 * (r0 + apart - r1), (apart**2 + r0**2 - r1**2) / np.maximum(2 * apart, 1e-300)
    )
    along = np.clip(along, -np.maximum(r0, apart), np.maximum(r0, apart))
    ring = np.sqrt(np.maximum(r0**2 - along**2, 0.0)) * (apart <= r0 + r1)
    across = (p - c0) - ((p - c0) * axis).sum(axis=-1, keepdims=True) * axis
    return c0 + along * axis + ring * across / np.maximum(_length(across), 1e-300)


def smooth_moves(centers: np.ndarray, radii: np.ndarray, half_width: int) -> np.ndarray:
    """Pelvis moves (T, 3) over time, smoothed by convolution where the kernel has running sums."""
    moves = np.zeros(centers.shape[:-2] + (3,))
    for i in range(ROUNDS):
        missing = least_move(centers, radii, moves) - moves
        if not (_length(missing) > ENOUGH_M).any():
            break
        moves = moves + (1.0 if i < PLAIN_ROUNDS else RELAX) * low_pass(missing, half_width)
    return moves

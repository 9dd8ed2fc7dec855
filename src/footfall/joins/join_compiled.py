"""A join's poses and feet, compiled: `blend.blend`, `foot_tracks.apply` and `leg_solve.world_legs` without their waits.

Chosen by whoever makes many joins, for all of them, whatever their length: so that a join is the same bytes wherever it
lies. Bodies whose bones slide have no kernel and take the readable way.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from footfall.core import rotation
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.feet import foot_tracks, leg_solve
from footfall.feet.footsteps import Ends, FootPlan, FootTrack, note
from footfall.feet.leg_solve import Legs, LegTargets, leg_chain, reach_balls, solve_legs
from footfall.feet.pelvis_reach import smooth_moves, taps
from footfall.kinematics import pose_blend as readable
from footfall.kinematics.fk import world_transforms_of
from footfall.kinematics.floor_align import FloorTransform
from footfall.kinematics.root import floor_root

LEVEL = 0.9  # of the line between hips: how much of it lies level where it alone says where a body faces
FLOOR = np.array([1.0, 0.0, 1.0])
Chain = tuple[np.ndarray, np.ndarray, np.ndarray]
_chains: WeakKeyDictionary[Skeleton, Chain] = WeakKeyDictionary()


def chain_of(skeleton: Skeleton) -> Chain:
    """leg_chain, once a body."""
    if skeleton not in _chains:
        _chains[skeleton] = leg_chain(skeleton)
    return _chains[skeleton]


def blend(skeleton: Skeleton, a: Pose, b: Pose, weight: np.ndarray) -> Pose:
    """blend.blend of poses (K,) and (K,)."""
    if a.pos is not None or b.pos is not None:
        return readable.blend(skeleton, a, b, weight)
    from footfall.joins.join_poses import blend as compiled

    root, rot = np.empty(a.root_pos.shape), np.empty(a.rot.shape)
    compiled(*map(rows, (a.root_pos, a.rot, b.root_pos, b.rot, weight)), root, rot)
    return Pose(root, rot)


def placed(placement: FloorTransform, pose: Pose) -> Pose:
    """FloorTransform.pose of poses (K,)."""
    if pose.pos is not None:
        return placement.pose(pose)
    out = Pose(np.empty(pose.root_pos.shape), np.empty(pose.rot.shape))
    place_into(placement, pose, out)
    return out


def place_into(placement: FloorTransform, pose: Pose, out: Pose) -> None:
    """Poses (K,) moved over the floor, written into others (K,)."""
    from footfall.joins.join_poses import place_poses

    half = 0.5 * float(placement.turn)
    turn = float(np.cos(half)), float(np.sin(half))
    place_poses(*turn, rows(placement.shift), rows(pose.root_pos), rows(pose.rot), out.root_pos, out.rot)


def continuous(pose: Pose) -> Pose:
    """Poses (K,) of continuous signs, changed in place where they may be."""
    from footfall.joins.join_poses import continue_signs

    rot = np.require(pose.rot, float, ("C", "W"))
    continue_signs(rot)
    return pose._replace(rot=rot)


def plan(ends: Ends, natural: FloorTransform) -> FootPlan:
    """footsteps.plan."""
    from footfall.feet import footstep_search as compiled

    tracks, floor = np.empty((2, compiled.WAY)), np.empty(4)
    old, new = ends.old, ends.new
    cost = compiled.plan(
        *(rows(old.ball), rows(old.foot), rows(old.root), old.down),
        *(rows(new.ball), rows(new.foot), rows(new.root), new.down),
        np.array([ends.leave, ends.start, ends.length, ends.horizon]),
        *(old.fps, ends.calm, np.array([float(natural.turn), *natural.shift])),
        *(tracks, floor),
    )
    left, right = (unpacked(track, old.fps) for track in tracks.tolist())
    end = max(ends.length, left.land, right.land)
    return FootPlan((left, right), FloorTransform(floor[0], floor[1:]), ends.length, end, cost)


def apply(ends: Ends, plan: FootPlan, pose: Pose, whole: bool | None = None) -> Pose:
    """foot_tracks.apply."""
    if pose.pos is not None:
        return foot_tracks.apply(ends, plan, pose, whole)
    from footfall.feet import join_feet

    count = min(len(pose.root_pos), plan.end)
    whole = count == len(pose.root_pos) if whole is None else whole
    root_pos, rot = np.array(pose.root_pos, float), np.array(pose.rot, float)
    old, new, fps = ends.old, ends.new, ends.old.fps
    half = 0.5 * float(plan.placement.turn)
    places, feet = _legs(old.skeleton, pose.at(slice(0, count)))
    ankle, turn = np.empty((count, 2, 3)), np.empty((count, 2, 4))
    centers, radii = np.empty((count, 2, 3)), np.empty((count, 2))
    tracks = np.array([packed(track) for track in plan.tracks])
    join_feet.aim(
        places,
        feet,
        *map(rows, (old.ball_at, old.ball, old.foot, new.ball, new.foot)),
        tracks,
        plan.length,
        np.array([fps, ends.leave + ends.late[0], ends.start + ends.late[1], ends.calm]),
        np.array([np.cos(half), np.sin(half), *plan.placement.shift]),
        *(ankle, turn, centers, radii),
    )
    move = smooth_moves(centers, radii, _half_width(fps))
    join_feet.settle(tracks, fps, bool(whole), places, move, ankle)
    _bend(old.skeleton, root_pos[:count], rot[:count], LegTargets(move, ankle, turn, _poles(places, fps)))
    return Pose(root_pos, rot)


def _half_width(fps: float) -> int:
    """Frames over which moves of the pelvis are smoothed."""
    return max(1, round(foot_tracks.PELVIS_S * fps))


def _poles(places: np.ndarray, fps: float) -> np.ndarray:
    """foot_tracks.knee_poles of legs (K, 2, 3, 3)."""
    from footfall.feet.join_feet import knee_poles

    out = np.zeros((len(places), 2, 3))
    knee_poles(places, taps(_half_width(fps)), out)
    return out


def floor_roots(skeleton: Skeleton, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """kinematics.root.floor_root of poses (K,): of bodies whose hips are about level, as nearly all are."""
    roles = skeleton.roles
    if pose.pos is not None or roles.left_hip is None or roles.right_hip is None:
        return floor_root(skeleton, pose)
    places = world_places(skeleton, pose, np.array([roles.pelvis, roles.left_hip, roles.right_hip]))
    x, y, z = (places[:, 1] - places[:, 2]).T
    across = np.hypot(x, z)
    if not (across > np.maximum(LEVEL * np.sqrt(x * x + y * y + z * z), 1e-6)).all():
        return floor_root(skeleton, pose)
    return places[:, 0] * FLOOR, np.arctan2(-z, x)


def bend_legs(skeleton: Skeleton, pose: Pose, to: LegTargets) -> Pose:
    """leg_solve.solve_legs of poses (K,)."""
    if pose.pos is not None:
        return solve_legs(skeleton, pose, to)
    root_pos, rot = np.array(pose.root_pos, float), np.array(pose.rot, float)
    _bend(skeleton, root_pos, rot, to)
    return Pose(root_pos, rot)


def _bend(skeleton: Skeleton, root_pos: np.ndarray, rot: np.ndarray, to: LegTargets) -> None:
    """Legs of poses (K,) bent in place."""
    from footfall.feet.leg_kernels import lock_into

    lock_into(root_pos, rot, chain_of(skeleton), *to)


def packed(track: FootTrack) -> list[float]:
    """A track as the kernel has it (feet.join_feet names the columns)."""
    ends = (track.lift, track.land, track.old_last, track.new_first, *track.rest)
    return [float(x) for x in (track.held, *ends, track.turn, track.low_start, track.low_end)] + [
        *track.place,
        *track.offset,
    ]


def unpacked(way: list[float], fps: float) -> FootTrack:
    """A track as it was before it was packed; way: with what it costs and how far it goes after it."""
    held, low_start, low_end = way[0] > 0.0, way[8] > 0.0, way[9] > 0.0
    lift, land, old_last, new_first, rest, let_go = (int(x) for x in way[1:7])
    place, offset = (way[10], way[11], way[12]), (way[13], way[14], way[15])
    text = note(held, way[17], lift, land, fps)
    return FootTrack(
        held, lift, land, old_last, new_first, place, offset, (rest, let_go), way[7], low_start, low_end, way[16], text
    )


def world_legs(skeleton: Skeleton, pose: Pose) -> Legs:
    """leg_solve.world_legs of poses (K,)."""
    if pose.pos is not None:
        return leg_solve.world_legs(skeleton, pose)
    places, feet = _legs(skeleton, pose)
    return Legs(places[:, :, 0], places[:, :, 1], places[:, :, 2], feet)


def _legs(skeleton: Skeleton, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
    """Hips, knees and ankles (K, 2, 3, 3) and rotations of feet (K, 2, 4)."""
    from footfall.feet.join_feet import find_legs

    count = len(pose.root_pos)
    places, feet = np.empty((count, 2, 3, 3)), np.empty((count, 2, 4))
    find_legs(rows(pose.root_pos), rows(pose.rot), *chain_of(skeleton), places, feet)
    return places, feet


def world_places(skeleton: Skeleton, pose: Pose, joints: np.ndarray) -> np.ndarray:
    """(K, W, 3) world places of some joints (W,) of poses (K,)."""
    if pose.pos is not None:
        return world_transforms_of(skeleton, pose, joints.tolist())[0]
    from footfall.feet.join_feet import find_places

    wanted, count = np.asarray(joints, np.int64), len(skeleton)
    out = np.empty((len(pose.root_pos), len(wanted), 3))
    given = rows(pose.root_pos), rows(pose.rot), _parents(skeleton), rows(skeleton.offsets), wanted
    find_places(*given, np.empty((count, 4)), np.empty((count, 3)), out)
    return out


_trees: WeakKeyDictionary[Skeleton, np.ndarray] = WeakKeyDictionary()


def _parents(skeleton: Skeleton) -> np.ndarray:
    """The parents of a body's joints as a kernel reads them, once a body."""
    if skeleton not in _trees:
        _trees[skeleton] = np.array(skeleton.parents, np.int64)
    return _trees[skeleton]


def move_body(skeleton: Skeleton, pose: Pose, move: np.ndarray, fps: float) -> Pose:
    """Poses (K,) whose bodies are moved by `move` (K, 3), as far as legs reach, over feet that stay."""
    if pose.pos is not None:
        return move_body_plainly(skeleton, pose, move, fps)
    from footfall.joins.join_body import body_balls

    places, feet = _legs(skeleton, pose)
    centers, radii = np.empty((len(places), 2, 3)), np.empty((len(places), 2))
    body_balls(places, rows(move), centers, radii)
    move = move + smooth_moves(centers, radii, _half_width(fps))
    feet[:] = rotation.IDENTITY
    return bend_legs(skeleton, pose, LegTargets(move, places[:, :, 2], feet, _poles(places, fps)))


def move_body_plainly(skeleton: Skeleton, pose: Pose, move: np.ndarray, fps: float) -> Pose:
    """The readable twin of the kernel that move_body calls."""
    legs = leg_solve.world_legs(skeleton, pose)
    centers, radii = reach_balls(legs, legs.ankle)
    half = _half_width(fps)
    move = move + smooth_moves(centers - move[:, None], radii, half)
    pole = foot_tracks.knee_poles(legs, half)
    still = np.broadcast_to(rotation.IDENTITY, legs.foot.shape)
    return solve_legs(skeleton, pose, LegTargets(move, legs.ankle, still, pole))


def rows(x: np.ndarray) -> np.ndarray:
    """What a kernel reads: always of one kind, so that it is compiled once for arrays that may be written and not."""
    flags = x.flags
    if flags.c_contiguous and not flags.writeable and x.dtype == float:
        return x
    x = np.ascontiguousarray(x, dtype=float).view()
    x.flags.writeable = False
    return x

"""Actions in place: from targets of pelvis, chest, gaze, hands and feet to a clip, keeping the body's balance.

A plan says where everything should go; `perform` turns it into poses. The pelvis gives way: it is moved until the
centre of mass is where the plan wants it, so hips go back when the trunk bends, and a jump follows its parabola.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Event
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.motions import arms, rig
from footfall.motions.body import adult
from footfall.motions.foot_path import FootPath
from footfall.motions.keyframes import Value
from footfall.motions.locomotion import FPS

Point = tuple[float, float, float]
Feet = tuple[FootPath, FootPath]
FeetOf = Callable[[np.ndarray, np.ndarray], Feet]  # of pelvis (T, 3) and turn (T, 4)
Trunk = np.ndarray  # (..., 3) degrees: yaw to the left, pitch forward, roll to the right
ROUNDS = 4  # of moving the pelvis: each leaves a few percent of the error
FLYING_ROUNDS = 7  # in the air feet go with the pelvis, and the gain is too much
GAIN = 1.18  # feet and hands stay where they are, so the mass moves less than the pelvis
NEAR = 0.005  # metres: on target
LIFTED = 0.25  # metres: from this height on a foot does not hold the body back
HEAD_YAW, HEAD_PITCH = np.radians(75.0), np.radians(50.0)  # what a neck can do, approached softly


@dataclass(frozen=True)
class Hand:
    """One hand: where it rests, seen from the chest, and a target in the world it goes to by `share`.

    Everything is given for a left hand; a right one is mirrored (its target, being in the world, is not).
    """

    rest: np.ndarray  # (3,) or (T, 3) wrist from the chest
    swivel: np.ndarray | float = 0.0  # radians, of the elbow
    hangs: float = 0.0  # how much a resting arm hangs down when the chest tilts: 0 fixed to the chest … 1 plumb
    target: np.ndarray | None = None  # (3,) wrist in the world
    share: np.ndarray | None = None  # (T,) 0 at rest … 1 on target
    via: tuple[float, float, float] = (0.35, -0.1, 0.5)  # which way round, see arms.between_hands
    target_swivel: float = 0.0


@dataclass(frozen=True)
class Plan:
    """What the body should do, on a time grid (T,)."""

    t: np.ndarray
    pelvis: np.ndarray  # (T, 3) where the pelvis joint starts from: the height counts, the place is a first guess
    turn: Trunk  # (T, 3) of the pelvis in the world
    chest: Trunk  # (T, 3) of the chest against the pelvis
    gaze: np.ndarray  # (T, 3) point looked at
    looks: np.ndarray  # (T,) how much the head turns to it
    left: Hand
    right: Hand
    feet: FeetOf
    knees: tuple[np.ndarray, np.ndarray]  # (T,) yaw each knee points to, radians
    mass: np.ndarray | None = None  # (T, 2) where the centre of mass should be over the floor
    mass_height: np.ndarray | None = None  # (T,) and how high, where that is to be exact
    head: tuple[float, float] = (0.0, -2.0)  # degrees yaw and pitch: how the head is held where it does not look


def frames(duration_s: float) -> np.ndarray:
    """The times of a clip's frames, seconds."""
    return np.arange(round(duration_s * FPS) + 1) / FPS


def on_frame(time_s: float) -> float:
    """The nearest time that is a frame."""
    return round(time_s * FPS) / FPS


def turned(angles: Trunk) -> np.ndarray:
    """Rotations (..., 4) of yaw, pitch and roll in degrees."""
    return rotation.from_euler(np.radians(angles), "YXZ")


def toward(start: Value, end: Value, share: np.ndarray) -> np.ndarray:
    """(T, D) from one value to another by share (T,)."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    return start + share[:, None] * (end - start)


def perform(plan: Plan) -> Pose:
    """Poses (T,) of the plan."""
    flies = plan.mass_height is not None
    pelvis, turn = settle(plan, FLYING_ROUNDS if flies else ROUNDS, bounded=not flies), turned(plan.turn)
    return compose(plan, pelvis, turn, plan.feet(pelvis, turn))


def settle(plan: Plan, rounds: int, bounded: bool) -> np.ndarray:
    """(T, 3) the pelvis that balances the plan; bounded: and lowered, over time, to where legs reach their feet."""
    pelvis, turn = plan.pelvis, turned(plan.turn)
    for _ in range(rounds):
        if bounded:
            pelvis = rig.reachable_pelvis(pelvis, turn, _holding(pelvis, plan.feet(pelvis, turn)), FPS)
        pose = compose(plan, pelvis, turn, plan.feet(pelvis, turn))
        pelvis = pelvis + GAIN * _imbalance(plan, pose)
    if bounded:
        pelvis = rig.reachable_pelvis(pelvis, turn, _holding(pelvis, plan.feet(pelvis, turn)), FPS)
    return pelvis


def _holding(pelvis: np.ndarray, feet: Feet) -> Feet:
    """The feet that bound the pelvis: a foot high in the air is moved under it."""
    under = pelvis - np.array([0.0, 0.5, 0.0])
    held = [f._replace(ankle=np.where(f.ankle[:, 1:2] > LIFTED, under, f.ankle)) for f in feet]
    return held[0], held[1]


def _imbalance(plan: Plan, pose: Pose) -> np.ndarray:
    """(T, 3) from where the centre of mass is to where it should be; zero where the plan does not say."""
    now = rig.center_of_mass(pose)
    off = np.zeros_like(now)
    if plan.mass is not None:
        off[:, [0, 2]] = plan.mass - now[:, [0, 2]]
    if plan.mass_height is not None:
        off[:, 1] = plan.mass_height - now[:, 1]
    return off


def compose(plan: Plan, pelvis: np.ndarray, turn: np.ndarray, feet: Feet) -> Pose:
    """Poses for a pelvis at (T, 3) turned by (T, 4) over given feet."""
    chest = turned(plan.chest)
    place, world = rig.chest_frame(pelvis, turn, chest)
    sides = [_arm(hand, mirror, plan, place, world) for hand, mirror in ((plan.left, False), (plan.right, True))]
    upper = rig.Upper(
        chest, _head(plan, place, world), sides[0].upper, sides[0].forearm, sides[1].upper, sides[1].forearm
    )
    poles = [
        _pole(hip, foot, yaw) for hip, foot, yaw in zip(rig.hip_positions(pelvis, turn), feet, plan.knees, strict=True)
    ]
    return rig.solve(pelvis, turn, upper, feet, (poles[0], poles[1]), (sides[0].girdle, sides[1].girdle))


def _arm(hand: Hand, mirror: bool, plan: Plan, chest: np.ndarray, turn: np.ndarray) -> arms.Arm:
    flip = arms.MIRROR if mirror else np.ones(3)
    rest = np.broadcast_to(hand.rest, chest.shape)
    swivel = np.broadcast_to(hand.swivel, len(chest))
    if hand.hangs:
        rest = arms.SHOULDER + rotation.rotate(_plumb(turn, hand.hangs, mirror), rest - arms.SHOULDER)
    if hand.target is not None and hand.share is not None:
        goal = rotation.rotate(rotation.conjugate(turn), hand.target - chest) * flip
        apex = int(np.argmax(hand.share))
        # the distance is that of the apex throughout: the arm need not follow what the trunk does before and after
        away = goal - arms.SHOULDER
        away *= np.linalg.norm(away[apex]) / np.linalg.norm(away, axis=-1, keepdims=True)
        rest = arms.between_hands(rest, arms.SHOULDER + away, hand.share, np.array(hand.via))
        swivel = swivel + hand.share * (hand.target_swivel - swivel)
    arm = arms.left_arm(rest, swivel)
    return arms.mirrored(arm) if mirror else arm


def _plumb(turn: np.ndarray, share: float, mirror: bool) -> np.ndarray:
    """(T, 4) seen from the chest, the turn that lets a resting arm hang down."""
    up = rotation.rotate(rotation.conjugate(turn), rotation.UP) * (arms.MIRROR if mirror else 1.0)
    return rotation.exp(share * rotation.log(rotation.between(rotation.UP, up)))


def _head(plan: Plan, chest: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """(T, 4) head against the chest: towards the gaze, within what a neck can do."""
    eyes = chest + rotation.rotate(turn, np.array([0.0, 0.28, 0.06]))
    see = rotation.rotate(rotation.conjugate(turn), plan.gaze - eyes)
    yaw = np.arctan2(see[:, 0], see[:, 2])
    pitch = -np.arctan2(see[:, 1], np.hypot(see[:, 0], see[:, 2]))
    limited = [most * np.tanh(angle / most) for angle, most in ((yaw, HEAD_YAW), (pitch, HEAD_PITCH))]
    held = np.radians(plan.head) * (1.0 - plan.looks)[:, None]
    return rotation.from_euler(np.stack(limited, axis=-1) * plan.looks[:, None] + held, "YX")


def _pole(hip: np.ndarray, foot: FootPath, yaw: np.ndarray) -> np.ndarray:
    """(T, 3) where a knee points: at right angles to the leg and to the hinge, so that any leg direction has one."""
    hinge = rotation.rotate(rotation.yaw(yaw), rotation.AXES["X"])
    return rotation.cross(foot.ankle - hip, hinge)


def clip_of(plan: Plan, name: str, feet: list[Event], parameters: dict[str, float]) -> Clip:
    """The performed plan as a clip with its known contacts."""
    return clip_of_pose(perform(plan), name, feet, parameters)


def clip_of_pose(pose: Pose, name: str, feet: list[Event], parameters: dict[str, float]) -> Clip:
    """Poses as a clip with its known contacts."""
    events = tuple(sorted(feet, key=lambda e: (e.start_s, e.name)))
    return Clip(adult(), FPS, pose, name=name, events=events, parameters=parameters)


def aimed_clip(plan: Plan, name: str, feet: list[Event], apex_s: float, joint: str, side: str, target: Point) -> Clip:
    """A clip that has a right joint on target at its apex; plans are made for the right, a left one is mirrored."""
    clip = clip_of(plan, name, [*feet, Event("apex", apex_s, apex_s)], dict(zip("xyz", target, strict=True)))
    if side == "left":
        from footfall.edit.mirror import mirror

        clip = mirror(clip)
    reached = clip.positions[round(apex_s * FPS), clip.skeleton.names.index(side.title() + joint)]
    if np.linalg.norm(reached - target) > NEAR:
        near, wanted = (", ".join(f"{v:.2f}" for v in p) for p in (reached, target))
        raise ParameterError(f"a {name} cannot reach ({wanted}) from where it stands; the nearest is about ({near})")
    return clip


def random_of(seed: int) -> np.random.Generator:
    """The source of a clip's variation."""
    if seed < 0:
        raise ParameterError(f"seed must be 0 or more, got {seed}")
    return np.random.default_rng(int(seed))


def sign_of(side: str) -> float:
    """+1 for the right side, which plans are made for, -1 for the left."""
    if side not in ("left", "right"):
        raise UnknownName("side", side, ("left", "right"))
    return 1.0 if side == "right" else -1.0

"""Controller: a character driven live through a motion graph; type, speed and turn may change at every frame.

hero = ff.Controller(ff.graph("builtin"))
pose = hero.step(1 / 60, type="walk", speed=1.4, turn=20)      # for ever; hero.act("wave") in between
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError, finite_number
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.graph.graph import Graph
from footfall.kinematics.ground import Ground
from footfall.live.characters import LiveCharacters, Root
from footfall.live.decisions import TypeChange
from footfall.live.rows import ASKED, PHASES
from footfall.live.sole_watch import joint_rows, sole_points, watch_soles
from footfall.live.taking import checked_pose
from footfall.retarget.character import Body

MOST_SHOVE_M_S = 10.0  # m/s: a harder one throws a body off its feet

__all__ = ["Controller", "ControllerState", "Controllers", "TypeChange"]


class ControllerState(NamedTuple):
    """Where a character is."""

    time_s: float
    node: str  # the motion it is in, or leaves
    edge: str  # "walk to run", empty inside a node
    phase: str  # node, leaving (B), edge, entering (E)
    canonical_time: float  # of the first layer
    weights: np.ndarray  # (N,) of the first layer's examples
    share: float  # of the first layer; the second has the rest
    asked: dict[str, float]  # parameters as asked for
    aimed: dict[str, float]  # the nearest that the examples cover
    achieved: dict[str, float]  # forward speed (m/s), turn (°/s) and side speed (m/s) of the body now, without its sway
    clamped: bool  # whether what is asked for is beyond the examples
    latency_s: float  # of a request that waits so far, else of the last that was served
    waiting: str  # the type that is waited for
    inertia: bool  # whether the offset of an urgent or made change still dies away

    @property
    def generic_time(self) -> float:
        """The canonical time, by the name that version 0.1 gave it."""
        return self.canonical_time


class Controller:
    """A live character that follows commands through a motion graph and returns one pose for each step.

    What it does next depends only on its state and on the commands it was given.
    """

    def __init__(
        self, graph: Graph, type: str | None = None, x: float = 0.0, z: float = 0.0, heading: float = 0.0,
        foot_lock: bool = True, character: Body | None = None, ground: Any = None,
    ) -> None:  # fmt: skip
        """Standing (or in `type`) at a place and heading (radians) on the floor, or on a ground, whatever `ff.ground`
        takes but a function.

        character: whose body it has instead of the graph's own: a name such as "adult:1.2", a file or a skeleton.
        """
        self._live = LiveCharacters(played_on(graph, character), [(type, x, z, heading)], foot_lock, ground=ground)
        self._last: tuple[float | None, float | None, float | None] = (None, None, None)
        self._type: str | None = None

    @property
    def graph(self) -> Graph:
        return self._live.graph

    def step(
        self, dt: float, type: str | None = None, speed: float | None = None, turn: float | None = None,
        side: float | None = None, urgent: bool = False, root: Root | None = None, **parameters: float,
    ) -> Pose:  # fmt: skip
        """Advance by dt seconds and return the pose in the world.

        type, speed (m/s), turn (°/s to the left), side (m/s to the left) and other parameters hold until they are given
        anew. urgent: change type at once. root: put the character there, x, z (metres) and heading (radians), instead
        of letting it go where its steps take it.
        """
        live = self._live
        asked = (speed, turn, side)
        if asked != self._last:
            live.decider.ask(0, {"speed": speed, "turn": turn, "side": side})
            self._last = asked
        if parameters:
            live.decider.ask(0, parameters)
        if type is not None and (urgent or type != self._type):
            self.request(type, urgent)
        shown = live.step(dt, None if root is None else [root])
        return Pose(shown.root_pos[0].copy(), shown.rot[0].copy())

    def ask(self, **parameters: float | None) -> None:
        """Parameters that hold from now on, as `step` takes them; None leaves one as it is."""
        self._last = (None, None, None)
        self._live.decider.ask(0, parameters)

    def request(self, type: str, urgent: bool = False) -> None:
        """Another type from now on, as `step` takes it."""
        self._live.decider.request(0, type, urgent)
        self._type = type if type in self.graph.types else self._type

    def act(self, name: str, urgent: bool = False, **parameters: float) -> None:
        """Do an action once and come back; several are done one after another. urgent: now, whatever is going on."""
        self._live.decider.act(0, name, parameters, urgent)

    def shove(self, forward: float, left: float = 0.0) -> None:
        """Push the character at once: m/s added forward and to its left, up to the speed of its fastest gait. It
        continues with what is asked for from the motion, and the moment in it, that is nearest in pose and speed."""
        push = finite_number("forward", forward), finite_number("left", left)
        if math.hypot(*push) > MOST_SHOVE_M_S:
            raise ParameterError(f"a shove is up to {MOST_SHOVE_M_S:g} m/s, got {math.hypot(*push):.3g}")
        self._live.decider.shove(0, *push)

    def take(self, pose: Pose, velocity: Sequence[float] = (0.0, 0.0, 0.0), spin: np.ndarray | None = None) -> None:
        """Continue from any pose in the world, such as a ragdoll's last or your own.

        velocity: (3,) m/s of the body, world; spin: (J, 3) rad/s of the joints, each in its own frame. It goes on with
        what is asked for, by the nearest edge or motion; the remaining offset of the pose decays.
        """
        self._live.take(0, *checked_pose(self.skeleton, pose, velocity, spin))

    def place(self, x: float, z: float, heading: float) -> None:
        """Put the character somewhere else; its feet let go of where they stood."""
        self._live.place(0, x, z, heading)

    @property
    def state(self) -> ControllerState:
        """Where the character is now."""
        return state_of(self._live, 0)

    @property
    def changes(self) -> tuple[TypeChange, ...]:
        """The last changes of type; a change in progress is the last, with the times it will take."""
        planned = self._live.decider.planned(0)
        return self.past_changes + (() if planned is None else (planned,))

    @property
    def past_changes(self) -> tuple[TypeChange, ...]:
        """The last changes of type that are complete."""
        return tuple(self._live.decider.changes.get(0, ()))

    @property
    def actions_waiting(self) -> int:
        """How many actions are still to be done."""
        return len(self._live.decider.queues.get(0, ()))

    @property
    def node(self) -> str:
        """The motion it is in, or leaves."""
        return self._live.playable.names[self._live.rows.node[0]]

    @property
    def is_changing(self) -> bool:
        """Whether it is on an edge, from its node to another."""
        return bool(self._live.rows.edge[0] >= 0)

    @property
    def time_s(self) -> float:
        return float(self._live.rows.time_s[0])

    @property
    def position(self) -> np.ndarray:
        """(3,) where it is on the floor, or on its ground."""
        x, z, _ = self._live.rows.root[0].tolist()
        return np.array([x, 0.0 if self._live.ground is None else float(self._live.ground.heights()[0]), z])

    @property
    def body_height(self) -> float:
        """How high its body stands: on stairs, between the treads that its feet are on."""
        return 0.0 if self._live.ground is None else float(self._live.ground.rows.body[0, 0, 1])

    @property
    def ground(self) -> Ground | None:
        """What it walks on, where that lies; None on the level floor."""
        return None if self._live.ground is None else self._live.ground.ground

    @property
    def is_blocked(self) -> bool:
        """Whether its last step could not be taken, for a wall, a hole or the end of its ground: it marks time."""
        return self._live.ground is not None and bool(self._live.ground.rows.blocked[0])

    @property
    def pace(self) -> float:
        """Its pace as a share of the usual one: less than 1 on stairs and steep slopes, as people's is."""
        return 1.0 if self._live.ground is None else float(self._live.ground.rows.pace[0])

    @property
    def point(self) -> complex:
        """Where it is on the floor, z + ix."""
        x, z, _ = self._live.rows.root[0].tolist()
        return complex(z, x)

    @property
    def heading(self) -> float:
        """Radians, positive to the left."""
        return float(self._live.rows.root[0, 2])

    @property
    def velocity(self) -> tuple[float, float, float]:
        """Forward and to the left (m/s), and turn (rad/s), of the carrier over the last step."""
        forward, left, turn = self._live.rows.velocity[0].tolist()
        return forward, left, turn

    @property
    def pelvis_aside(self) -> complex:
        """Where the arc of the pelvis lies beside the carrier: metres forward + i to the left."""
        return aside_of(self._live, 0)

    @property
    def skeleton(self) -> Skeleton:
        """Whose poses `step` returns."""
        return self.graph.skeleton

    @property
    def nbytes(self) -> int:
        """Memory of the graph, of what is packed of it, and of what the character keeps."""
        return self._live.nbytes

    @property
    def joint_positions(self) -> np.ndarray:
        """(J, 3) metres, world, of the last pose."""
        room = self._live.rooms[0]
        return room.world[:, 4:7] + room.place

    @property
    def joint_rotations(self) -> np.ndarray:
        """(J, 4) world, of the last pose."""
        return self._live.rooms[0].world[:, :4].copy()

    @property
    def feet_down(self) -> np.ndarray:
        """(2, 2) left and right; heel and ball on the floor in the last pose."""
        return self._live.rows.down[0].copy()

    @property
    def soles(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(2, 3, 3) where heel, ball and tip of both soles are, (2, 3) how high they are over where they stand, and
        (2,) which of them the foot stands on: 0, 1 or 2, -1 none; of the last pose."""
        body, points = self._live.playable.tables.body, np.empty((2, 3, 3))
        sole_points(self._live.handles[0], points)
        under = 0.0 if self.ground is None else self.ground.heights(points[..., 0], points[..., 2], points[..., 1])
        return points, points[..., 1] - body.standing - under, self._live.rows.hold[0].copy()

    def write_joints(self, rows: np.ndarray) -> None:
        """Write place x y z and rotation x y z w of every joint, world, of the last pose, into rows (J, 7) float32."""
        joint_rows(self._live.handles[0], rows)

    def watch_soles(self, watch: Any) -> tuple[float, float]:
        """How far a foot that stands has slid since the step a SoleWatch (its reference) was last handed in, and how
        deep soles are in the floor or ground; metres."""
        slide, depth = watch_soles(self._live.handles[0], watch)
        return slide, depth if self.ground is None else max(0.0, -float(self.soles[1].min()))


Commands = Sequence[float] | np.ndarray | float | None


def _checked_roots(roots: Sequence[Root] | np.ndarray) -> list[list[float]]:
    """Places and headings (N, 3) of characters, or a sentence that says what they are not."""
    try:
        found = np.asarray(roots, float)
    except (TypeError, ValueError):
        found = np.zeros(0)
    if found.ndim != 2 or found.shape[1] != 3 or not len(found):
        raise ParameterError(f"characters begin at x, z and a heading each, (N, 3) numbers, got {np.shape(roots)}")
    return list(found.tolist())


class Controllers:
    """Many characters of one graph, stepped together; each is free to do something else."""

    def __init__(
        self, graph: Graph, roots: Sequence[Root] | np.ndarray, type: str | None = None, foot_lock: bool = True,
        threads: int | None = None, character: Body | None = None, ground: Any = None,
    ) -> None:  # fmt: skip
        """One character for each root: x, z (metres) and heading (radians); threads: all cores, unless said; character:
        as for `Controller`."""
        self._live = LiveCharacters(
            played_on(graph, character),
            [(type, x, z, h) for x, z, h in _checked_roots(roots)],
            foot_lock,
            threads,
            ground,
        )

    def __len__(self) -> int:
        return self._live.count

    def step(
        self, dt: float, type: Sequence[str] | np.ndarray | str | None = None, speed: Commands = None,
        turn: Commands = None, side: Commands = None,
    ) -> Pose:  # fmt: skip
        """Advance by dt seconds; every argument is one for all, or one for each. Poses (N,) in the world.

        type: names, or numbers of `types`; a number below 0 leaves a character's type as it is.
        """
        rows = self._live.rows
        columns = [_column(name, value, len(self)) for name, value in zip(ASKED, (speed, turn, side), strict=True)]
        kinds = self._kinds(type)
        for k, column in enumerate(columns):
            if column is not None:
                rows.asked[:, k] = column
        if any(column is not None for column in columns):
            self._tell()
        if kinds is not None:
            for n in np.flatnonzero((kinds >= 0) & (kinds != rows.type)).tolist():
                self._live.decider.request(n, self.types[kinds[n]], False)
        shown = self._live.step(dt, fresh=True)
        return Pose(shown.root_pos, shown.rot)

    def act(self, n: int, name: str, urgent: bool = False, **parameters: float) -> None:
        """One character does an action once, as `Controller.act`."""
        self._live.decider.act(n, name, parameters, urgent)

    @property
    def types(self) -> tuple[str, ...]:
        """Types of motion by their numbers."""
        return tuple(self._live.playable.number)

    @property
    def roots(self) -> np.ndarray:
        """(N, 3) x, z (metres) and heading (radians) of every character."""
        return self._live.rows.root.copy()

    def shift(self, moves: np.ndarray) -> None:
        """Move characters over the floor by moves (N, 2) x, z in metres; feet that stand are drawn along."""
        if np.shape(moves) != (len(self), 2) or not np.isfinite(moves).all():
            raise ParameterError(f"moves are {len(self)} finite x, z, got an array of shape {np.shape(moves)}")
        self._live.rows.root[:, :2] += moves

    @property
    def ground(self) -> Ground | None:
        """What they walk on; None on the level floor."""
        return None if self._live.ground is None else self._live.ground.ground

    @property
    def are_blocked(self) -> np.ndarray:
        """(N,) whether the last step of each could not be taken, as `Controller.is_blocked`."""
        live = self._live
        return np.zeros(len(self), bool) if live.ground is None else live.ground.rows.blocked.copy()

    @property
    def velocities(self) -> np.ndarray:
        """(N, 3) forward and to the left (m/s), and turn (rad/s)."""
        return self._live.rows.velocity.copy()

    @property
    def row_bytes(self) -> int:
        """Bytes of state of one character."""
        return self._live.rows.row_bytes

    def changes(self, n: int) -> tuple[TypeChange, ...]:
        """The last changes of type of one character."""
        return tuple(self._live.decider.changes.get(n, ()))

    def states(self) -> list[ControllerState]:
        """Where all the characters are."""
        return [state_of(self._live, n) for n in range(len(self))]

    def _kinds(self, type: Sequence[str] | np.ndarray | str | None) -> np.ndarray | None:
        """(N,) numbers of the types asked for."""
        decider, count = self._live.decider, len(self)
        if type is None:
            return None
        if isinstance(type, str):
            return np.full(count, decider.known(type))
        if len(type) != count:
            raise ParameterError(f"type must be one, or {count} of them, got {len(type)}")
        if isinstance(type, np.ndarray) and type.dtype.kind in "iu":
            if type.max(initial=-1) >= len(self.types):
                raise ParameterError(f"types are numbered 0 to {len(self.types) - 1}, got {type.max()}")
            return type
        numbers = {name: decider.known(name) for name in set(type)}
        return np.array([numbers[name] for name in type])

    def _tell(self) -> None:
        """What is asked of characters in nodes that kernels cannot steer by themselves."""
        rows, told = self._live.rows, self._live.playable.told_motions
        needs = told[rows.motion[:, 0]] | (told[rows.motion[:, 1]] & (rows.layers == 2))
        for n in {*np.flatnonzero(needs).tolist(), *self._live.decider.own}:
            self._live.decider.tell(n)


def played_on(graph: Graph, character: Body | None) -> Graph:
    """The graph that is played: on the body of a character, where one is given."""
    if character is None or not isinstance(graph, Graph):
        return graph  # what is no graph is refused by who plays it
    from footfall.graph.on_body import graph_on

    return graph_on(graph, character)


def aside_of(live: LiveCharacters, n: int) -> complex:
    """Where the arc of a character's pelvis lies beside its carrier: metres forward + i to the left."""
    rows, motions = live.rows, live.playable.motions
    share, found = float(rows.share[n]), 0j
    for v, part in zip(range(int(rows.layers[n])), (share, 1.0 - share), strict=False):
        motion = motions[rows.motion[n, v]]
        ahead, beside = (rows.weights[n, v, : len(motion)] @ motion.pelvis).tolist()
        found += part * complex(ahead, beside)
    return found


def state_of(live: LiveCharacters, n: int) -> ControllerState:
    """What a character is doing, for people."""
    rows, playable, decider = live.rows, live.playable, live.decider
    edge, node, want = int(rows.edge[n]), int(rows.node[n]), int(rows.want[n])
    ahead = node if edge < 0 else int(playable.edges.after[edge])
    names = playable.motions[ahead].parameter_names
    aim, clamped = decider.aim(n, ahead)
    asked = {name: v for name, v in zip(ASKED, rows.asked[n].tolist(), strict=True) if not math.isnan(v)}
    forward, left, turn = rows.velocity[n].tolist()
    aside = aside_of(live, n)  # a body that leans into a turn goes round a smaller circle than its feet
    waits, time_s = want != ahead, float(rows.time_s[n])
    motion = playable.motions[rows.motion[n, 0]]
    return ControllerState(
        time_s, playable.names[node], "" if edge < 0 else " to ".join(playable.edge_names[edge]),
        PHASES[rows.phase[n]], float(rows.t[n, 0]), rows.weights[n, 0, : len(motion)].astype(float),
        float(rows.share[n]), asked | decider.own.get(n, {}), dict(zip(names, aim, strict=True)),
        {"speed": forward - turn * aside.imag, "turn": math.degrees(turn), "side": left + turn * aside.real}, clamped,
        time_s - float(rows.asked_s[n]) if waits else float(rows.latency_s[n]),
        playable.names[want] if waits else "", bool(rows.age[n] >= 0.0),
    )  # fmt: skip


def _column(name: str, value: Commands, count: int) -> np.ndarray | float | None:
    """One number for all or one for each, all finite."""
    if value is None:
        return None
    try:
        row = np.asarray(value, float)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number, or {count} of them, got {value!r}") from None
    if row.shape not in ((), (count,)):
        raise ParameterError(f"{name} must be one number, or {count} of them, got {len(row)}")
    if not np.isfinite(row).all():
        raise ParameterError(f"{name} must be finite, got {row[~np.isfinite(row)][0] if row.ndim else row}")
    return row

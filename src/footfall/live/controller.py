"""Controller: a character driven live through a motion graph; type, speed and turn may change at every frame.

hero = ff.Controller(ff.graph("builtin"))
pose = hero.step(1 / 60, type="walk", speed=1.4, turn=20)      # for ever; hero.act("wave") in between
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.errors import ParameterError, WrongType
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.graph.graph import Graph
from footfall.kinematics.floor_align import FloorTransform
from footfall.live import steered
from footfall.live.playable_graph import playable_graph
from footfall.live.state_machine import FAR_ROUND, StateMachine, TypeChange, number
from footfall.live.steered import SteeringState
from footfall.parametric.arc_root import frames_at
from footfall.parametric.packed import Crowd, crowd, land

LONGEST_STEP_S = 0.05  # a longer step is made in pieces
LEAST_STEP_S = 1e-5  # a shorter one is gone together with the next: speeds are differences over a step; by eye
MOST_STEP_S = 60.0  # a longer one is refused as a mistake
Root = tuple[float, float, float]


class ControllerState(NamedTuple):
    """Where a character is."""

    time_s: float
    node: str  # the motion it is in, or leaves
    edge: str  # "walk to run", empty inside a node
    phase: str  # node, leaving (B), edge, entering (E)
    canonical_time: float  # of the first playback
    weights: np.ndarray  # (N,) of the first playback's examples
    share: float  # of the first playback; the second has the rest
    asked: dict[str, float]  # parameters as asked for
    aimed: dict[str, float]  # the nearest that the examples cover
    achieved: dict[str, float]  # forward speed (m/s), turn (°/s) and side speed (m/s) of the carrier now
    clamped: bool  # whether what is asked for is beyond the examples
    latency_s: float  # of a request that waits so far, else of the last that was served
    waiting: str  # the type that is waited for
    inertia: bool  # whether the offset of an urgent or made change still dies away

    @property
    def generic_time(self) -> float:
        """The canonical time, by the name that version 0.1 gave it."""
        return self.canonical_time


class Controller:
    """One character. What it does next follows from its state alone."""

    def __init__(
        self, graph: Graph, type: str | None = None, x: float = 0.0, z: float = 0.0, heading: float = 0.0,
        foot_lock: bool = True,
    ) -> None:  # fmt: skip
        """Standing (or in `type`) at a place and heading (radians) on the floor."""
        self._live = LiveCharacters(graph, [(type, x, z, heading)], foot_lock)
        self.machine = self._live.machines[0]
        self._last: tuple[float | None, float | None, float | None] = (None, None, None)

    @property
    def graph(self) -> Graph:
        return self.machine.graph

    def step(
        self, dt: float, type: str | None = None, speed: float | None = None, turn: float | None = None,
        side: float | None = None, urgent: bool = False, root: Root | None = None, **parameters: float,
    ) -> Pose:  # fmt: skip
        """Go on by dt seconds and return the pose in the world.

        type, speed (m/s), turn (°/s to the left), side (m/s to the left) and other parameters hold until they are given
        anew. urgent: change type at once. root: put the character there, x, z (metres) and heading (radians), instead
        of letting it go where its steps take it.
        """
        machine = self.machine
        if parameters:
            machine.ask(**parameters)
        if (speed, turn, side) != self._last:
            self._last = (speed, turn, side)
            machine.ask(speed=speed, turn=turn, side=side)
        if type is not None and (urgent or type != machine.goal):
            if urgent:  # it begins from what is shown, which the kernels know
                self._live.take_back(0)
            machine.request(type, urgent)
        self._live.go(dt, None if root is None else [root])
        found = self._live.characters
        return Pose(found.root_pos[0].copy(), _unit(found.rot[0]))

    def act(self, name: str, urgent: bool = False, **parameters: float) -> None:
        """Do an action once and come back; several are done one after another. urgent: now, whatever is going on."""
        if urgent:  # it begins from what is shown, which the kernels know
            self._live.take_back(0)
        self.machine.act(name, parameters, urgent)

    def place(self, x: float, z: float, heading: float) -> None:
        """Put the character somewhere else; its feet let go of where they stood."""
        self._live.place(0, x, z, heading)

    @property
    def state(self) -> ControllerState:
        """Where the character is now."""
        self._live.take_back(0)
        return state_of(self.machine)

    @property
    def changes(self) -> tuple[TypeChange, ...]:
        """The last changes of type."""
        return tuple(self.machine.changes)

    @property
    def time_s(self) -> float:
        return self.machine.time_s

    @property
    def position(self) -> np.ndarray:
        """(3,) where it is on the floor."""
        return np.array([self.machine.point.imag, 0.0, self.machine.point.real])

    @property
    def heading(self) -> float:
        """Radians, positive to the left."""
        return self.machine.heading

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
        return self._live.characters.positions[0].copy()

    @property
    def joint_rotations(self) -> np.ndarray:
        """(J, 4) world, of the last pose."""
        return self._live.characters.world[:, :4].copy()

    @property
    def feet_down(self) -> np.ndarray:
        """(2, 2) left and right; heel and ball on the floor in the last pose."""
        return self._live.characters.down[0].copy()

    @property
    def soles(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(2, 3, 3) where heel, ball and tip of both soles are, (2, 3) how high they are over where they stand, and
        (2,) which of them the foot stands on: 0, 1 or 2, -1 none; of the last pose."""
        body, here = self._live.playable.tables.body, self._live.characters
        of = body.sole_joints.ravel()
        moved = rotation.turned(tuple(here.world[of, :4].T), tuple(body.sole.reshape(-1, 3).T))
        points = (here.positions[0, of] + np.array(moved).T).reshape(body.sole.shape)
        return points, points[..., 1] - body.standing, here.hold[0].copy()


class Controllers:
    """Many characters of one graph, stepped together; each is free to do something else."""

    def __init__(self, graph: Graph, roots: Sequence[Root], type: str | None = None, foot_lock: bool = True) -> None:
        """One character for each root: x, z (metres) and heading (radians)."""
        self._live = LiveCharacters(graph, [(type, *root) for root in roots], foot_lock)

    def __len__(self) -> int:
        return len(self._live.machines)

    def step(
        self, dt: float, type: Sequence[str] | str | None = None, speed: Sequence[float] | float | None = None,
        turn: Sequence[float] | float | None = None, side: Sequence[float] | float | None = None,
    ) -> Pose:  # fmt: skip
        """Go on by dt seconds; every argument is one for all, or one for each. Poses (N,) in the world."""
        count = len(self)
        types = [type] * count if type is None or isinstance(type, str) else list(type)
        rows = [_each(name, v, count) for name, v in (("speed", speed), ("turn", turn), ("side", side))]
        if len(types) != count:
            raise ParameterError(f"type must be one, or {count} of them, got {len(types)}")
        for machine, kind, *values in zip(self._live.machines, types, *rows, strict=True):
            machine.ask(speed=values[0], turn=values[1], side=values[2])
            if kind is not None and kind != machine.goal:
                machine.request(kind, False)
        self._live.go(dt, None)
        found = self._live.characters
        return Pose(found.root_pos.copy(), _unit(found.rot))

    def states(self) -> list[ControllerState]:
        """Where all the characters are."""
        for n in range(len(self)):
            self._live.take_back(n)
        return [state_of(machine) for machine in self._live.machines]


def _unit(turns: np.ndarray) -> np.ndarray:
    """Rotations (..., 4) of the kernels, which count in 32 bits, at length 1 in 64."""
    q = turns.astype(float)
    q /= np.sqrt(np.einsum("...k,...k->...", q, q))[..., None]
    return q


class LiveCharacters:
    """Characters of one graph with the arrays that the kernels work on.

    A character that stays in its node cruises: the kernels alone move it, and its state machine is brought up to date
    when something else happens (`take_back`).
    """

    def __init__(self, graph: Graph, starts: Sequence[tuple[str | None, float, float, float]], lock: bool) -> None:
        if not isinstance(graph, Graph):
            raise WrongType("a motion graph, as ff.graph('builtin') gives", graph)
        count, joints = len(starts), len(graph.skeleton)
        self.playable = playable_graph(graph)
        self.characters: Crowd = crowd(self.playable.tables, count)
        self.lock = lock
        self.machines = [
            StateMachine(graph, self.playable, partial(self.shown, n), *start) for n, start in enumerate(starts)
        ]
        self.dt = 0.0  # of the last frame
        self._owed_s = 0.0  # of steps that were too short to be gone
        self.frames = 0
        goal, p, rate, limit = np.zeros((4, count, 2))
        self.steering = SteeringState(
            goal, p, rate, limit, np.zeros(count, bool), np.zeros((2, count, joints, 4), np.float32),
            np.zeros((2, count, 3)), np.zeros((2, count, 3)),
        )  # fmt: skip
        self._handle = steered.Handle(self.playable.tables, self.playable.lattices, self.steering, self.characters)
        self._cruises = [False] * count  # as steering.cruises, quicker to read
        self._aims: list[object] = [None] * count

    @property
    def nbytes(self) -> int:
        """Memory of graph, tables and characters."""
        return self.playable.nbytes + sum(a.nbytes for a in (*self.characters, *self.steering))

    def place(self, n: int, x: float, z: float, heading: float) -> None:
        """Put one character somewhere else."""
        self.take_back(n)
        self.machines[n].point = complex(number("z", z), number("x", x))
        self.machines[n].heading = number("heading", heading)
        land(self.characters, np.array([n]))

    def go(self, dt: float, roots: Sequence[Root] | None) -> None:
        """One frame of all characters."""
        if not 0.0 <= dt <= MOST_STEP_S:
            raise ParameterError(f"a step lasts 0 to {MOST_STEP_S:g} s, got {dt}")
        self._owed_s += dt
        dt, self._owed_s = (self._owed_s, 0.0) if self._owed_s >= LEAST_STEP_S else (0.0, self._owed_s)
        pieces = 1 if dt <= LONGEST_STEP_S else math.ceil(dt / LONGEST_STEP_S)
        playable = self.playable
        inertialized = False
        for n, machine in enumerate(self.machines):
            if (
                machine.goal == machine.node and machine.edge is None and machine.inertia is None and not machine.queue
                and pieces == 1 and roots is None and machine.node in playable.cruises
            ):  # fmt: skip
                if not self._cruises[n]:
                    self._let_go(n, machine)
                aim = machine.aim(machine.node)
                if aim is not self._aims[n]:
                    self._aims[n] = aim
                    self.steering.goal[n, : len(aim[0])] = aim[0]
                continue
            self.take_back(n)
            for _ in range(pieces):
                machine.advance(dt / pieces)
            if roots is not None:
                x, z, heading = (number("root", v) for v in roots[n])
                machine.point, machine.heading = complex(z, x), heading
            self._write(n, machine)
            inertialized = inertialized or machine.inertia is not None
        last = self.frames % 2
        steered.cruise(self._handle, float(dt), self.lock and not inertialized, last)
        if inertialized:
            self._die_away(dt, last)
        for n, machine in enumerate(self.machines):
            if self._cruises[n]:
                self._learn(n, machine, dt)
        self.dt = dt
        self.frames += 1

    def shown(self, n: int) -> tuple[Pose, Pose, float] | None:
        """The last two poses of one character on its carrier and the seconds between them, where there are two."""
        if self.frames < 2 or self.dt <= 0.0:
            return None
        swings = self.characters.hold[n] < 0  # what was added to a swinging foot is in the pose that dies away
        self.characters.offset[n, swings] = 0.0
        self.characters.speed[n, swings] = 0.0
        poses, was = [], self.steering
        for k in (self.frames % 2, (self.frames - 1) % 2):
            frame = _frame(was.root[k, n])
            poses.append(frame.inverse().pose(Pose(was.root_pos[k, n], _unit(was.rot[k, n]))))
        return poses[0], poses[1], self.dt

    def _let_go(self, n: int, machine: StateMachine) -> None:
        """Hand the character over to the kernels."""
        self._write(n, machine)
        easing, steering = machine.easing, self.steering
        count = len(easing.p)
        steering.p[n, :count], steering.rate[n, :count] = easing.p, easing.rate
        steering.limit[n, :count] = easing.limits
        steering.cruises[n] = self._cruises[n] = True
        self._aims[n] = None

    def _learn(self, n: int, machine: StateMachine, dt: float) -> None:
        """Tell the machine the time and place of a character that the kernels have moved."""
        machine.time_s += dt
        x, z, heading = self.characters.root[n].tolist()
        if abs(heading) > FAR_ROUND:
            heading = math.remainder(heading, 2.0 * math.pi)
            self.characters.root[n, 2] = heading
        machine.point, machine.heading = complex(z, x), heading
        if dt > 0.0:
            forward, left, turn = self.characters.travelled[n].tolist()
            machine.rate = (forward / dt, left / dt, turn / dt)

    def take_back(self, n: int) -> None:
        """Hand the character back from the kernels to its state machine."""
        if not self._cruises[n]:
            return
        self.steering.cruises[n] = self._cruises[n] = False
        here, machine = self.characters, self.machines[n]
        playback, easing = machine.playback, machine.easing
        if not playback.of.loops:
            return  # an urgent action has begun since: what the kernels know is of the motion before it
        count = len(easing.p)
        easing.p[:], easing.rate[:] = self.steering.p[n, :count], self.steering.rate[n, :count]
        playback.take(easing.p.tolist(), here.weights[n, 0, : len(playback.weights)].astype(float))
        playback.y = float(here.t[n, 0]) * playback.of.pieces

    def _write(self, n: int, machine: StateMachine) -> None:
        """Write what the kernels read of one character."""
        here = self.characters
        here.share[n] = machine.share
        for v, layer in enumerate((machine.first, machine.second)):
            if layer is not None:
                here.motion[n, v], here.t[n, v] = layer.of.index, layer.t
                here.weights[n, v, : len(layer.weights)] = layer.weights
                here.rate[n, v] = layer.rates[min(int(layer.y), layer.of.pieces - 1)] / layer.of.pieces
        here.root[n, 0], here.root[n, 1], here.root[n, 2] = machine.point.imag, machine.point.real, machine.heading

    def _die_away(self, dt: float, last: int) -> None:
        """Add what is left of the offsets of urgent and made changes, then lock the feet again."""
        here = self.characters
        for n, machine in enumerate(self.machines):
            if machine.inertia is not None:
                frame = _frame(here.root[n])
                local = frame.inverse().pose(Pose(here.root_pos[n], here.rot[n].astype(float)))
                world = frame.pose(machine.inertia.pose(local))
                here.root_pos[n], here.rot[n] = world.root_pos, world.rot
        inertialized = np.array([machine.inertia is not None for machine in self.machines])
        steered.plant(self.playable.tables, here, inertialized, float(dt), self.lock)
        steered.keep(self.steering, here, last)


def state_of(machine: StateMachine) -> ControllerState:
    """What a character is doing, for people."""
    node, edge = machine.node, machine.edge
    names = machine.graph.nodes[node].motion.parameter_names
    aim, clamped = machine.aim(node if edge is None else edge.after)
    if edge is not None:
        names = machine.graph.nodes[edge.after].motion.parameter_names
    waits = machine.wanted if machine.wanted != (node if edge is None else edge.after) else ""
    forward, left, turn = machine.rate
    return ControllerState(
        machine.time_s, node, "" if edge is None else f"{edge.before} to {edge.after}", machine.phase, machine.first.t,
        machine.first.weights, machine.share, dict(machine.asked), dict(zip(names, aim, strict=True)),
        {"speed": forward, "turn": math.degrees(turn), "side": left}, clamped,
        machine.time_s - machine.asked_s if waits else machine.latency_s, waits, machine.inertia is not None,
    )  # fmt: skip


def _frame(root: np.ndarray) -> FloorTransform:
    """The floor frame of a carrier x, z, heading."""
    return frames_at(np.array(complex(root[1], root[0])), np.array(root[2]))


def _each(name: str, value: Sequence[float] | float | None, count: int) -> list[float | None]:
    if value is None or isinstance(value, int | float):
        return [value] * count
    row = [float(v) for v in value]
    if len(row) != count:
        raise ParameterError(f"{name} must be one number, or {count} of them, got {len(row)}")
    return list(row)

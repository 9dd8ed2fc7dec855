"""Decisions: which edge a character takes, when, and what it does next; only for those with a new command or a flag.

Park, Shin, Kim & Shin 2004, eq. 16-19: a request for another type is served by the edge to it, from the next moment the
edge shares with the motion that plays. A request back inside B turns the blend round; any other waits, the newest
counts; an urgent one is served at once, by the edge or the motion that pose and speed are nearest to. What is decided
is written into the character's row.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import UnknownName, finite_number
from footfall.core.pose import Pose
from footfall.feet.limits import LIVE_GROUND_RUNS_M_S
from footfall.graph.graph import Graph
from footfall.live.action_choice import form_of, sides_of
from footfall.live.clock import MOST_LOST_M_S
from footfall.live.leaving import (
    DETOUR_UNLIKE,
    REROUTE_UNLIKE,
    foresee,
    hurry,
    jump,
    leave,
    reroute,
    take_up,
    turn_back,
)
from footfall.live.overlay import Overlays
from footfall.live.passages import Chosen
from footfall.live.passing import pass_over, rise
from footfall.live.playable_graph import PlayableGraph
from footfall.live.rows import (
    ARRIVED,
    ASKED,
    EDGE,
    ENDED,
    ENTERING,
    LEAVING,
    NODE,
    TOLD,
    TURN,
    WAKE,
    WHEN_SLOW,
    CharacterRows,
    Room,
    land,
)

PLACES = {name: k for k, name in enumerate(ASKED)}
REMEMBERED = 256  # changes of type that are listed


class TypeChange(NamedTuple):
    """A change of type: when it was asked for, begun, half done and complete; seconds since the start."""

    before: str
    after: str
    way: str  # recorded, made, urgent, in stride, laid over, after a stop, for steps
    asked_s: float
    begun_s: float
    half_s: float
    arrived_s: float


class Decider:
    """Decides for the characters of one graph; keeps what is no number: actions in a queue, changes that were."""

    def __init__(self, graph: Graph, playable: PlayableGraph, rows: CharacterRows, handle: Any) -> None:
        self.graph, self.playable, self.rows, self.handle = graph, playable, rows, handle
        self.queues: dict[int, deque[tuple[str, dict[str, float]]]] = {}  # actions to be done
        self.own: dict[int, dict[str, float]] = {}  # asked for, beside speed, turn and side
        self.changes: dict[int, deque[TypeChange]] = {}
        self.urgent: set[int] = set()  # who is on an edge that it was hurried into
        self.due: dict[int, Chosen] = {}  # who waits for a moment to pass over
        self.stops: set[int] = set()  # who stops for the sake of an action
        self.steps: np.ndarray | None = None  # (N,) bool: before whom there are steps; None on the level floor
        self.overlays = Overlays(playable.tables, playable.arm_movements, len(rows.node))

    # --- requests -----------------------------------------------------------------------------------------------------
    def known(self, type: str) -> int:
        """The number of a node."""
        if type not in self.playable.number:
            raise UnknownName("type of motion", type, self.playable.number)
        return self.playable.number[type]

    def ask(self, n: int, parameters: Mapping[str, float | None]) -> None:
        """Parameters that hold from now on; None leaves one as it is. What is no number changes nothing."""
        given = {name: finite_number(name, value) for name, value in parameters.items() if value is not None}
        for name in given:
            if name not in PLACES and name not in self.playable.parameter_names:
                raise UnknownName("parameter of the graph", name, self.playable.parameter_names)
        asked = self.rows.asked
        for name, value in given.items():
            if name in PLACES:
                asked[n, PLACES[name]] = value
            else:
                self.own.setdefault(n, {})[name] = value
        if n in self.own or self._is_told(n):
            self.tell(n)

    def _is_told(self, n: int) -> bool:
        """Whether kernels cannot tell the goals of what a character plays."""
        told, motion = self.playable.is_told_motion, self.rows.motion
        return told[motion[n, 0]] or (self.rows.layers[n] == 2 and told[motion[n, 1]])

    def request(self, n: int, type: str, urgent: bool) -> None:
        """Another type from now on."""
        k = self.known(type)
        if self.playable.is_action[k]:
            self.act(n, type, {}, urgent)
            return
        rows = self.rows
        if k != rows.type[n]:
            rows.type[n], rows.asked_s[n] = k, rows.time_s[n]
        k = self._careful(n, k)
        if urgent and (k != rows.node[n] or rows.edge[n] >= 0):
            self.queues.pop(n, None)
            rows.want[n], rows.event[n] = k, 0
            self._hurry(n, k)
        else:
            self.decide(n)

    def act(self, n: int, name: str, parameters: Mapping[str, float], urgent: bool) -> None:
        """Do an action once, after those that are still to be done, or at once."""
        k = self.known(name)
        if not self.playable.is_action[k]:
            raise UnknownName("action of the graph", name, self.graph.actions)
        names = self.playable.motions[k].parameter_names
        for key in parameters:
            if key not in names:
                raise UnknownName(f"parameter of {name}", key, names)
        given = {key: finite_number(key, value) for key, value in parameters.items()}
        queue = self.queues.setdefault(n, deque())
        if urgent:
            queue.clear()
        if not queue:
            self.rows.asked_s[n] = self.rows.time_s[n]
        queue.append((name, given))
        if urgent and not self._could_lay_over(n, k):
            self._pass(n, self._side_of(n, form_of(self.playable, self.rows, n, k)), "urgent")
        else:
            self.decide(n)

    def aim(self, n: int, k: int) -> tuple[list[float], bool]:
        """Parameters of a node nearest to what is asked for, and whether they had to be changed."""
        node = self.playable.nodes[k]
        own, asked = self.own.get(n, {}), self.rows.asked[n].tolist()
        p = []
        for name, full, usual in node.usual:
            value = asked[ASKED.index(name)] if name in ASKED else own.get(name, usual)
            value = own.get(full, value)
            p.append(usual if math.isnan(value) else value)
        return node.coverage.nearest(p)

    # --- decisions ----------------------------------------------------------------------------------------------------
    def note(self, n: int) -> None:
        """What the last step flagged and is only to be noted; what is to be decided stays flagged."""
        rows = self.rows
        if rows.event[n] & TOLD:
            self.tell(n)
        if rows.event[n] & ARRIVED:
            before, after = self.playable.edge_names[rows.came[n]]
            times = (float(x[n]) for x in (rows.since_s, rows.begun_s, rows.half_s, rows.time_s))
            self._note(n, TypeChange(before, after, self._way(n, after), *times))
            self.urgent.discard(n)
            rows.event[n] |= WAKE
        rows.event[n] &= ENDED | WAKE

    def decide(self, n: int) -> None:
        """All that a character's events and what it is told to do ask for now."""
        rows = self.rows
        has_ended = rows.event[n] & ENDED
        rows.event[n] = 0
        want = self._next(n)
        if self._could_lay_over(n, want):
            self._lay_over(n, want)
            want = self._next(n)
        rows.want[n] = want
        if has_ended:
            self._end(n, want)
        elif rows.phase[n] == NODE:
            self._try_to_leave(n, want)
        elif rows.phase[n] == LEAVING and want == rows.node[n]:
            turn_back(self.handle, n)
        elif rows.phase[n] in (EDGE, ENTERING) and self._has_braked(n, want):
            self._hurry(n, want)
        elif self._has_stopped(n, want):
            self._hurry(n, want, way="made")
        elif rows.phase[n] == EDGE and not self.playable.is_action[want]:
            self._reroute(n, want)

    def _end(self, n: int, want: int) -> None:
        """What is done once is over: on to what is wanted, without standing first where a gait begins from there."""
        goal = self.playable.next_step[self.rows.node[n]][want]
        if self._begins_from(goal, want):
            self._hurry(n, want, way="made")
        else:
            self._jump(n, goal, "made")
            self.rows.event[n] = WAKE

    def _begins_from(self, node: int, want: int) -> bool:
        """Whether a node stands, and an edge leads from there to a gait that is wanted."""
        return self.playable.stands[node] and not self.playable.is_action[want] and (node, want) in self.playable.ways

    def _next(self, n: int) -> int:
        """The node that a character is to be in next: an action that waits, or the type asked for.

        An action that can be laid over waits for one that is, and keeps nobody from what else is asked for.
        """
        queue = self.queues.get(n)
        gait = self._careful(n, int(self.rows.type[n]))
        want = form_of(self.playable, self.rows, n, self.playable.number[queue[0][0]]) if queue else gait
        busy = want in self.overlays.movements and n in self.overlays.busy
        return gait if busy else want

    def _careful(self, n: int, k: int) -> int:
        """The type that is gone instead of one asked for: before steps, and on them, a run becomes the fastest walk."""
        speeds = self.playable.usual_speeds
        if self.steps is None or not self.steps[n] or speeds.get(k, 0.0) <= LIVE_GROUND_RUNS_M_S:
            return k
        return next((g for g in self._slower(k) if speeds[g] <= LIVE_GROUND_RUNS_M_S), k)

    def _way(self, n: int, after: str) -> str:
        """By which way a recorded change was come to."""
        if n in self.urgent:
            return "urgent"
        k = int(self.rows.type[n])
        careful = self._careful(n, k)
        return "for steps" if careful != k and self.playable.names[careful] == after else "recorded"

    def _could_lay_over(self, n: int, want: int) -> bool:
        """Whether an arm movement is wanted of a character that goes."""
        if want not in self.overlays.movements or self.playable.is_action[self.rows.node[n]]:
            return False
        return not self.playable.stands[self.rows.node[n]] or self.rows.edge[n] >= 0

    def _lay_over(self, n: int, k: int) -> None:
        """Lay the arm movement that waits over what a character does; its feet go on."""
        rows, playable = self.rows, self.playable
        name, motion = self._taken(n, k), playable.motions[k]
        weights = motion.weights(np.array(self.aim(n, k)[0], float))[0]
        self.overlays.begin(n, k, weights)
        span = self.overlays.movements[k]
        rates = motion.blended_rates(weights)
        ends = np.concatenate([[0.0], np.cumsum(1.0 / len(rates) / rates)])
        length = float(np.diff(np.interp([span.start, span.end], np.linspace(0.0, 1.0, len(ends)), ends))[0])
        length += float(max(-span.start, 0.0) / rates[0] + max(span.end - 1.0, 0.0) / rates[-1])  # poses that are held
        now, asked = float(rows.time_s[n]), float(rows.asked_s[n])
        before = playable.names[rows.node[n]]
        self._note(n, TypeChange(before, name, "laid over", asked, now, now + 0.5 * length, now + length))

    def _try_to_leave(self, n: int, want: int) -> None:
        """Begin the edge to where the character should be, if this is a moment to; else wake it at the next."""
        rows, playable = self.rows, self.playable
        node = int(rows.node[n])
        if want == node:
            rows.wake[n] = -1
            return
        if playable.is_action[node] or (playable.is_action[want] and not playable.stands[node]):
            goal = self._in_stride(n, node, want)
            if goal < 0:
                return
        else:
            goal = playable.next_step[node][want]
            if (
                goal != want
                and self._begins_from(goal, want)
                and math.hypot(*rows.velocity[n, :2].tolist()) <= MOST_LOST_M_S
            ):
                self._hurry(n, want, way="made")
                return
        ways = playable.ways.get((node, goal), ())
        if not ways:
            self._make_way(n, node, goal)
            return
        if playable.stands[node]:
            ways = ways[-1:] if rows.asked[n, TURN] > 0.0 else ways[:1]
        for e in ways:
            if leave(self.handle, n, e):
                self._hear(n)
                return
        pieces = int(playable.tables.pieces[node])
        y = float(rows.t[n, 0]) * pieces
        starts = playable.edges.leave_at
        rows.wake[n] = min((int(starts[e]) for e in ways), key=lambda at: (at - y - 1e-9) % pieces)

    def _make_way(self, n: int, node: int, goal: int) -> None:
        """Where there is no recorded edge: an action from its start, a loop by the feet that stand, when they do."""
        if self.playable.is_action[goal]:
            self._jump(n, self._side_of(n, goal), "after a stop" if n in self.stops else "made")
            return
        waiting = self.due.get(n)
        if waiting is None or waiting.into != goal:
            waiting = self._best(n, node, goal)
            if waiting is None:
                self._jump(n, goal, "made")
                return
            self.due[n] = waiting
        if self.playable.stands[node] or self.is_due(n):
            self._pass(n, goal, "made")

    def _side_of(self, n: int, k: int) -> int:
        """An action, or its twin where that is nearer to what was said of it: a turn to the right."""
        found = self._sides(n, k)
        return k if k in found else found[0]

    def _sides(self, n: int, k: int) -> tuple[int, ...]:
        """An action and its twin; one of both where it is nearer to what was said of it."""
        queue = self.queues.get(n)
        return sides_of(self.playable, k, queue[0][1] if queue else {})

    # --- in stride ----------------------------------------------------------------------------------------------------
    def _in_stride(self, n: int, node: int, want: int) -> int:
        """Pass over between a gait and an action without a stop, now or at a moment that is waited for; then -1.

        Where feet or speed allow none, an action goes on to its end, and a gait by the node that is returned.
        """
        rows, playable = self.rows, self.playable
        rows.wake[n] = -1
        waiting = self.due.get(n)
        if waiting is not None and self._leads(waiting.into, want):
            if self.is_due(n):
                self._pass(n, waiting.into, "in stride")
            return -1
        self.due.pop(n, None)
        goals = [want, *self._slower(want)] if playable.is_action[node] else [want]
        for goal in goals:
            chosen = self._best(n, node, goal)
            if chosen is None:
                continue
            self.due[n] = chosen
            if self.is_due(n):
                self._pass(n, chosen.into, "in stride")
            return -1
        if playable.is_action[node]:
            return -1
        by = next((g for g in self._slower(node) if (node, g) in playable.ways and self._could(n, g, want)), None)
        if by is None:
            self.stops.add(n)
        return playable.next_step[node][want] if by is None else by

    def due_now(self) -> set[int]:
        """Characters whose moment to pass over has come, or over whom nothing is laid any more."""
        return {*self.overlays.over(), *(n for n in self.due if self.is_due(n))}

    def is_due(self, n: int) -> bool:
        """Whether the moment that a character waits for has come."""
        to = self.due[n].at - float(self.rows.t[n, 0])
        if self.playable.is_action[self.rows.node[n]]:
            return to <= 0.0
        return (to + 0.25) % 1.0 <= 0.25

    def _leads(self, into: int, want: int) -> bool:
        """Whether a node, or what it is a twin of, is on the way to what is wanted."""
        if self.playable.is_action[want]:
            return self.playable.names[into] == self.playable.names[want]
        return not self.playable.is_action[into] and (into == want or into in self._slower(want))

    def _slower(self, k: int) -> list[int]:
        """Gaits that are slower than a node, the fastest first."""
        speeds = self.playable.usual_speeds
        known = [g for g in speeds if g != k and speeds[g] < speeds.get(k, math.inf)]
        return sorted(known, key=lambda g: -speeds[g])

    def _best(self, n: int, node: int, goal: int) -> Chosen | None:
        """The best moment to pass over from where a character is."""
        rows = self.rows
        axis = self.playable.passages.axis(node)
        speed = float(rows.velocity[n, 1 if axis == "side" else 0])
        if not axis:  # what is left is tabulated by the speed of what is entered
            axis = self.playable.passages.axis(goal)
            names = self.playable.motions[goal].parameter_names
            speed = self.aim(n, goal)[0][names.index(axis)] if axis else 0.0
        weights = rows.weights[n, 0, : len(self.playable.motions[node])]
        return self.playable.passages.best(node, self._sides(n, goal), float(rows.t[n, 0]), weights, speed)

    def _could(self, n: int, node: int, want: int) -> bool:
        """Whether an action could be passed over to from another gait."""
        p = np.array(self.aim(n, node)[0], float)
        names = [name for name, _, _ in self.playable.nodes[node].usual]
        speed = float(p[names.index("speed")]) if "speed" in names else 0.0
        weights = self.playable.motions[node].weights(p)[0]
        return self.playable.passages.best(node, self._sides(n, want), 0.0, weights, speed) is not None

    def _pass(self, n: int, k: int, way: str) -> None:
        """Into a node now, at the moment of it where feet, pose and speed are nearest."""
        rows, playable = self.rows, self.playable
        node, speed = int(rows.node[n]), math.hypot(*rows.velocity[n, :2].tolist())
        name = self._taken(n, k)
        names, full = playable.motions[k].parameter_names, playable.nodes[k].name
        for along in ("distance", "speed") if playable.is_action[k] else ():  # a body that goes on jumps the farther
            own = self.own.setdefault(n, {})
            if along in names and f"{full}.{along}" not in own and along not in own:
                own[f"{full}.{along}"] = playable.passages.parameters(k, {}, speed)[names.index(along)]
        among = np.array(playable.passages.among(k))
        pass_over(self.handle, n, k, np.array(self.aim(n, k)[0], float), among)
        rows.event[n] = WAKE
        self._note(n, self._faded(n, playable.names[node], name, way))

    def _jump(self, n: int, k: int, way: str) -> None:
        """Into a node at once; what the pose differs by dies away."""
        before = self.playable.names[self.rows.node[n]]
        name = self._taken(n, k)
        jump(self.handle, n, k, np.array(self.aim(n, k)[0], float))
        self._note(n, self._faded(n, before, name, way))

    def _taken(self, n: int, k: int) -> str:
        """The name of a node that is begun; an action is taken from the queue, with what was said of it."""
        rows, name = self.rows, self.playable.names[k]
        self.due.pop(n, None)
        queue = self.queues.get(n)
        if queue and name == queue[0][0]:
            self.stops.discard(n)
            self.overlays.drop(n)
            _, given = queue.popleft()
            full = self.playable.nodes[k].name
            own = {key: v for key, v in self.own.get(n, {}).items() if not key.startswith(f"{full}.")}
            self.own[n] = own | {f"{full}.{key}": v for key, v in given.items()}
            rows.want[n] = self._next(n)
        return name

    def shove(self, n: int, forward: float, left: float) -> None:
        """Another velocity of the whole body from now on; it goes on with what is wanted from where that is nearest.

        It is made no faster than the fastest gait, whose legs could follow, or than the shove makes a body at rest.
        """
        rows = self.rows
        before = math.hypot(*rows.velocity[n, :2].tolist())
        rows.velocity[n, :2] += forward, left
        after = math.hypot(*rows.velocity[n, :2].tolist())
        most = max(self.playable.fastest_m_s, before, math.hypot(forward, left))
        rows.velocity[n, :2] *= min(most / max(after, 1e-9), 1.0)
        rows.asked_s[n] = rows.time_s[n]
        want = int(rows.want[n])
        self._hurry(n, int(rows.type[n]) if self.playable.is_action[want] else want)

    def take(
        self, n: int, room: Room, local: Pose, before: Pose, velocity: tuple[float, float, float],
        get_up: int | None = None,
    ) -> None:  # fmt: skip
        """Go on from a pose on the carrier and the one before it, at a velocity; the root is where the row has it.

        get_up: the action by which it gets up first, where it lies.
        """
        rows, joints = self.rows, len(local.rot)
        for k, pose in ((2, local), (3, before)):
            room.turns[k, :, :joints] = pose.rot.T
            room.sway[k] = pose.root_pos
        rows.velocity[n], rows.age[n], rows.asked_s[n] = velocity, -1.0, rows.time_s[n]
        land(rows, n)
        if get_up is not None:
            before_it = self.playable.names[rows.node[n]]
            self.due.pop(n, None)
            rise(self.handle, n, get_up)
            rows.event[n] = 0
            self._note(n, self._faded(n, before_it, self.playable.names[get_up], "urgent"))
            return
        want = int(rows.want[n])
        self._hurry(n, int(rows.type[n]) if self.playable.is_action[want] else want, take_up)

    def _hurry(self, n: int, k: int, into_nearest: Any = hurry, way: str = "urgent") -> None:
        """Towards a node at once: from any moment, by the edge to it whose pose and speed are nearest, or straight."""
        rows, playable = self.rows, self.playable
        rows.event[n] = 0
        self.due.pop(n, None)
        wanted, k = k, self._first_to(n, k)
        before = playable.names[rows.node[n]]
        if into_nearest(self.handle, n, playable.hurried_into(k), k, np.array(self.aim(n, k)[0], float)):
            if way == "urgent":
                self.urgent.add(n)
            rows.wake[n] = WHEN_SLOW if k != wanted else -1
            self._hear(n)
        else:
            self._note(n, self._faded(n, before, playable.names[k], way))
            rows.event[n] |= np.uint8(WAKE if k != wanted else 0)

    def _reroute(self, n: int, want: int) -> None:
        """Leave the edge that a character is in the middle of, where it leads elsewhere and another is near."""
        rows, playable = self.rows, self.playable
        k, leads = self._first_to(n, want), int(playable.edges.after[rows.edge[n]])
        if leads in (k, want):
            return
        before = playable.names[rows.node[n]]
        most = REROUTE_UNLIKE if playable.next_step[leads][want] == want else DETOUR_UNLIKE
        found = reroute(self.handle, n, playable.into(k), k, np.array(self.aim(n, k)[0], float), most)
        if found > 0:
            self._hear(n)
        elif found == 0:
            self._note(n, self._faded(n, before, playable.names[k], "made"))
            rows.event[n] |= np.uint8(WAKE if k != want else 0)

    def _first_to(self, n: int, k: int) -> int:
        """Where a hurried character goes first: to a node itself; to a stand, where its velocity is too much to lose on
        the way to the node, and to that of every motion from which an edge leads there."""
        playable, home = self.playable, self.playable.number[self.graph.home]
        if k == home or not len(playable.into(home)):
            return k
        velocity, spans = self.rows.velocity[n, :2].tolist(), playable.velocities
        names, p = playable.motions[k].parameter_names, self.aim(n, k)[0]
        wanted = [p[names.index(name)] if name in names else float(spans[k, axis].mean())
                  for axis, name in enumerate(("speed", "side"))]  # fmt: skip
        if math.dist(velocity, wanted) <= MOST_LOST_M_S:
            return k
        for before in {int(playable.edges.before[e]) for e in playable.into(k)}:
            nearest = [min(max(v, low), high) for v, (low, high) in zip(velocity, spans[before].tolist(), strict=True)]
            if math.dist(velocity, nearest) <= MOST_LOST_M_S:
                return k
        return home

    def _has_braked(self, n: int, want: int) -> bool:
        """Whether a hurried character that brakes, since nothing else leads where it is to go, is slow enough."""
        rows, playable = self.rows, self.playable
        if rows.wake[n] != WHEN_SLOW or playable.is_action[want] or playable.edges.after[rows.edge[n]] == want:
            return False
        return self._first_to(n, want) == want

    def _has_stopped(self, n: int, want: int) -> bool:
        """Whether a character has all but come to stand on its way to a gait that an edge leads to from there."""
        rows = self.rows
        if rows.phase[n] != ENTERING or math.isnan(rows.half_s[n]):
            return False
        return self._begins_from(int(self.playable.edges.after[rows.edge[n]]), want)

    def _faded(self, n: int, before: str, after: str, way: str) -> TypeChange:
        """A change that begins now and is complete when what the pose differs by has died away."""
        now, length = float(self.rows.time_s[n]), float(self.rows.fade_s[n])
        return TypeChange(before, after, way, float(self.rows.asked_s[n]), now, now + 0.5 * length, now + length)

    def _hear(self, n: int) -> None:
        """Goals of a layer that has just come in."""
        if self.rows.event[n] & TOLD:
            self.rows.event[n] &= np.uint8(0xFF ^ TOLD)  # ~TOLD is negative, and no byte
            self.tell(n)

    def planned(self, n: int) -> TypeChange | None:
        """The change that goes on, with the times at which it will be half done and complete."""
        rows = self.rows
        if rows.edge[n] < 0:
            return None
        before, after = self.playable.edge_names[rows.edge[n]]
        half, arrived = foresee(self.handle, n)
        return TypeChange(
            before, after, self._way(n, after), float(rows.since_s[n]), float(rows.begun_s[n]), half, arrived
        )

    def _note(self, n: int, change: TypeChange) -> None:
        self.changes.setdefault(n, deque(maxlen=REMEMBERED)).append(change)

    def tell(self, n: int) -> None:
        """Goals that the kernels cannot tell: of parameters beside speed, turn and side, or of more than two."""
        rows, steering = self.rows, self.playable.steering
        for v in range(int(rows.layers[n])):
            k = int(rows.motion[n, v])
            begin, axes, node = int(steering.begin[k]), int(steering.axes[k]), int(steering.cover[k])
            if axes and (self.playable.is_told[node] or n in self.own):
                rows.goal[n, v, begin : begin + axes] = self.aim(n, node)[0]

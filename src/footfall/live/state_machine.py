"""State machine of one character: which motions it plays, frame by frame, its clock and its way over the floor.

Park, Shin, Kim & Shin 2004, eq. 16-19: a request for another type is served by the edge to it. Over B, the steps the
edge shares with the node it leaves, the character is blended from one to the other, one clock driving both; over E
likewise into the node it enters. A request back inside B turns the blend round; any other waits, the newest counts; an
urgent one is served at once, by inertia. A blend that would be shorter than 0.12 s waits for the next step.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.graph.edges import BEYOND, Edge
from footfall.graph.graph import Graph
from footfall.live.easing import Easing
from footfall.live.inertia import LENGTH_S, Inertia
from footfall.live.playable_graph import PlayableGraph
from footfall.live.playback import Playback
from footfall.parametric.arc_root import moved, travel_between

# By eye, on streams of random requests (`footfall study park2004`, E3), unless another origin is given.
SHORTEST_S = 0.12  # a shorter blend is jerky
SHORTEST = 0.45  # of B: the least that is left of it where an edge begins; near its end the edge differs most
STOP_SHORTEST = 0.5  # the same where an edge ends standing: begun later, it leaves a foot behind
REMEMBERED = 256  # changes of type that are listed
PACE_S = 0.05  # time constant with which a blend turns round
BACK_IN_TIME, BACK_SLACK = 1.3, 2.0  # of the time blended so far, and of PACE_S: needed to turn a blend round
DONE = 0.999  # of a blend: what is left of it cannot be seen
FAR_ROUND = 1e3  # radians: of a heading beyond, whole rounds are dropped, to keep its precision
PREDICTED = 12  # pieces in which the way of a stop is foreseen
MOST_HELD_BACK = 0.9  # the largest share of a stop's way that is left out
MOST_STRETCHES = 10_000  # between key times in one step; more is a mistake


Shown = Callable[[], tuple[Pose, Pose, float] | None]  # the last two poses on the carrier and the seconds between them


class TypeChange(NamedTuple):
    """A change of type: when it was asked for, begun, half done and complete; seconds since the start."""

    before: str
    after: str
    way: str  # recorded, made, urgent
    asked_s: float
    begun_s: float
    half_s: float
    arrived_s: float


class StateMachine:
    """The state of one character and the rules by which it changes; poses are made from it elsewhere."""

    def __init__(
        self, graph: Graph, playable: PlayableGraph, shown: Shown, type: str | None, x: float, z: float, heading: float
    ) -> None:
        """In a type, or standing, at a place and heading; shown: how the poses made from it looked last."""
        self.graph, self.playable, self._shown = graph, playable, shown
        start = graph.home if type is None else self.known(type)
        self.time_s = 0.0
        self.heading = number("heading", heading)
        self.point = complex(number("z", z), number("x", x))  # z + ix
        self.rate = (0.0, 0.0, 0.0)  # forward and left m/s, turn rad/s, of the carrier over the last step
        self.node = start
        self.edge: Edge | None = None
        self.phase = "node"  # node, leaving (B), edge, entering (E)
        self.share = 1.0  # of the first playback
        self.inertia: Inertia | None = None
        self.changes: deque[TypeChange] = deque(maxlen=REMEMBERED)
        self.asked: dict[str, float] = {}
        self.goal = start  # the type asked for
        self.asked_s = self.latency_s = 0.0
        self.queue: deque[tuple[str, dict[str, float]]] = deque()  # actions to be done
        self._aims: dict[str, tuple[list[float], bool]] = {}
        self._progress = self._length = self._begun = self._half = self._since = 0.0
        self._pace, self._held_back = 1.0, 0.0
        self._edge_p: list[float] = []
        self.second: Playback | None = None
        self._enter(start)
        self.first = self.playback

    # --- requests ---------------------------------------------------------------------------------------------------
    def known(self, type: str) -> str:
        if type not in self.playable.nodes:
            raise UnknownName("type of motion", type, self.playable.nodes)
        return type

    def ask(self, **parameters: float | None) -> None:
        """Parameters that hold from now on; None leaves one as it is."""
        for name, value in parameters.items():
            if value is not None and value != self.asked.get(name):
                self.asked[name] = number(name, value)
                self._aims.clear()

    def request(self, type: str, urgent: bool) -> None:
        """Another type from now on."""
        if self.graph.nodes[self.known(type)].is_action:
            self.act(type, {}, urgent)
            return
        if type != self.goal:
            self.goal, self.asked_s = type, self.time_s
        if urgent and (type != self.node or self.edge is not None):
            self.queue.clear()
            self._jump_to(type, "urgent")

    def act(self, name: str, parameters: dict[str, float], urgent: bool) -> None:
        """Do an action once, after those that are still to be done, or at once."""
        if self.known(name) not in self.graph.actions:
            raise UnknownName("action of the graph", name, self.graph.actions)
        known = self.graph.nodes[name].motion.parameter_names
        for key, value in parameters.items():
            if key not in known:
                raise UnknownName(f"parameter of {name}", key, known)
            number(key, value)
        if urgent:
            self.queue.clear()
        if not self.queue:
            self.asked_s = self.time_s
        self.queue.append((name, dict(parameters)))
        if urgent:
            self._jump_to(name, "urgent")

    @property
    def wanted(self) -> str:
        """The node to be in: the next action, else the type asked for."""
        return self.queue[0][0] if self.queue else self.goal

    def aim(self, node: str) -> tuple[list[float], bool]:
        """Parameters of a node nearest to what is asked for, and whether they had to be changed."""
        if node not in self._aims:
            of, asked = self.graph.nodes[node], self.asked
            p = [asked.get(own, asked.get(name, usual)) for name, own, usual in of.usual]
            self._aims[node] = of.coverage.nearest(p)
        return self._aims[node]

    # --- time -------------------------------------------------------------------------------------------------------
    def advance(self, dt: float) -> None:
        """Go on by dt seconds, which should be short: shares of a blend change between calls only."""
        start, heading, left = self.point, self.heading, dt
        if self.edge is None:
            self.playback.ask(self.easing.go(self.aim(self.node)[0], dt))
            self._try_to_leave()
        if self.edge is not None:
            self._steer_edge(dt)
        for _ in range(MOST_STRETCHES):
            left = self._alone(left) if self.second is None else self._together(left)
            if left <= 1e-12:
                break
        if self.inertia is not None:
            self.point, self.heading = moved(self.point, self.heading, self.inertia.travel(dt))
            self.inertia.age += dt
            self.inertia = None if self.inertia.over else self.inertia
        self.time_s += dt
        if dt > 0.0:
            forward, left, turn = travel_between(start, heading, self.point, self.heading)
            self.rate = (forward / dt, left / dt, turn / dt)
        if abs(self.heading) > FAR_ROUND:
            self.heading = math.remainder(self.heading, 2.0 * math.pi)

    def _alone(self, left: float) -> float:
        """Go on with one playback to the end of the step or of its stretch; returns the time that is left."""
        playback = self.first
        end = playback.of.pieces
        m = min(int(playback.y), end - 1)
        used, dy = _gone(playback.y, m, playback.rates[m], left)
        self._travel(playback.travelled(playback.y, playback.y + dy))
        playback.y = m + 1.0 if used < left else playback.y + dy
        if self.edge is not None and playback.y >= end - self.edge.shared_after:
            self._begin_e()
        elif playback.y >= end:
            playback.wrapped()
            if not playback.of.loops:
                self._jump_to(self.graph.next_step(self.node, self.wanted), "made")
        return left - used

    def _together(self, left: float) -> float:
        """Go on with two playbacks on one clock to the end of the step, of their stretch or of their blend."""
        a, b = self.first, self.second
        assert b is not None
        assert self.edge is not None
        leaving = self.phase == "leaving"
        edge, node = (b, a) if leaving else (a, b)
        m = min(int(edge.y), edge.of.pieces - 1)
        k = min(int(node.y), node.of.pieces - 1)
        share, rate = self.share, edge.rates[m]
        stands = self.playable.nodes[self.edge.before if leaving else self.edge.after].pieces == 1
        if not stands:
            mine = share if leaving else 1.0 - share
            rate += mine * (node.rates[k] - rate)
        used, dy = _gone(edge.y, m, rate, left)
        node_dy = used * node.rates[k] if stands else dy
        ours = edge.travelled(edge.y, edge.y + dy)
        theirs = node.travelled(node.y, min(node.y + node_dy, k + 1.0))
        if leaving:
            self._travel(share * theirs + (1.0 - share) * ours)
        elif stands:  # an edge that stops comes to rest by itself, over its feet
            self._travel(ours)
        else:
            self._travel(share * ours + (1.0 - share) * theirs)
        through = used < left
        edge.y = m + 1.0 if through else edge.y + dy
        node.y = k + 1.0 if through and not stands else node.y + node_dy
        node.wrapped()
        self._blend(dy / edge.rates[m])
        return left - used

    def _blend(self, seconds: float) -> None:
        """Go on in the blend of B or E by so many seconds of the edge."""
        assert self.edge is not None
        assert self.second is not None
        leaving = self.phase == "leaving"
        edge = self.second if leaving else self.first
        if leaving and self._pace < 1.0:
            goal = -1.0 if self.wanted == self.edge.before else 1.0
            self._pace += (goal - self._pace) * (1.0 - math.exp(-seconds / PACE_S))
            self._progress += self._pace * seconds / max(self._length, 1e-9)
        else:  # by the time that is left, so that the blend ends with its steps even where their length changes
            end = self.edge.shared_before if leaving else edge.of.pieces
            rest = seconds_of(edge, edge.y, end - edge.y) if end > edge.y else 0.0
            self._progress += (1.0 - self._progress) * seconds / (seconds + rest)
        progress = min(max(self._progress, 0.0), 1.0)
        self.share = 0.5 + 0.5 * math.cos(math.pi * progress)
        if not leaving:
            self._half = self._half or (self.time_s if progress >= 0.5 else 0.0)
            if self.first.y >= self.first.of.pieces:
                self._arrive()
        elif self._pace < 0.0 and progress <= 0.0:
            self.second, self.share, self.phase, self.edge, self._held_back = None, 1.0, "node", None, 0.0
        elif self.second.y >= self.edge.shared_before:
            if self._pace < 1.0 and progress < DONE:  # turned round too late to be back in time
                self._jump_to(self.node, "made", keep=True)
                return
            self.first, self.second, self.share, self.phase = self.second, None, 1.0, "edge"
            if self.first.y >= self.first.of.pieces - self.edge.shared_after:
                self._begin_e()

    def _travel(self, travel: np.ndarray) -> None:
        if self._held_back and self.phase == "leaving":
            travel = travel * (1.0 - self._held_back * 4.0 * self.share * (1.0 - self.share))
        self.point, self.heading = moved(self.point, self.heading, travel)

    # --- edges ------------------------------------------------------------------------------------------------------
    def _try_to_leave(self) -> None:
        """Begin the edge to where the character should be, if this is a moment to."""
        wanted = self.wanted
        if wanted == self.node or self.graph.nodes[self.node].is_action:
            return
        goal = self.graph.next_step(self.node, wanted)
        edges = self.graph.edges.get((self.node, goal), ())
        if not edges or edges[0].made:
            self._jump_to(goal, "made")
        elif self.node in self.playable.stands:
            self._begin(edges[-1 if self.asked.get("turn", 0.0) > 0.0 else 0], 0.0)
        else:
            n = self.playback.of.pieces
            for edge in edges:
                x = (self.playback.y - edge.leave_at) % n
                if x < edge.shared_before:
                    whole = seconds_of(self.playback, float(edge.leave_at), edge.shared_before)
                    rest = seconds_of(self.playback, self.playback.y, edge.shared_before - x)
                    if rest >= max(SHORTEST_S, (STOP_SHORTEST if goal in self.playable.stands else SHORTEST) * whole):
                        self._begin(edge, x)
                        return

    def _begin(self, edge: Edge, x: float) -> None:
        """Start to leave by an edge, x key times after its start."""
        aim, _ = self.aim(edge.after)
        self.edge, self._pace = edge, 1.0
        self._edge_p = [*self.easing.p, *aim]
        self._edge_easing = Easing(aim, self.graph.nodes[edge.after].limits)
        playback = Playback(self.playable.edges[edge], self._edge_parameters(), x)
        self.second, self.phase, self.share = playback, "leaving", 1.0
        self._progress, self._length = 0.0, seconds_of(playback, x, edge.shared_before - x)
        self._held_back = self._too_far(edge, playback, x) if edge.after in self.playable.stands else 0.0
        self._begun, self._half, self._since = self.time_s, 0.0, self.asked_s
        self.latency_s = self.time_s - self.asked_s

    def _too_far(self, edge: Edge, playback: Playback, x: float) -> float:
        """How much of the way of a stop is to be left out, so that the body ends over its feet.

        Blended with the gait it leaves, a stop takes the body farther than it does by itself, past the foot it stands
        on; what stands takes no step to make up for it.
        """
        node, far = self.playback, edge.shared_before - x
        ways = np.zeros(3)  # blended, of the edge, of what may be left out
        for k in range(PREDICTED):
            a, b = x + far * k / PREDICTED, x + far * (k + 1) / PREDICTED
            gone = float(playback.travelled(a, b)[0])
            share = 0.5 + 0.5 * math.cos(math.pi * (k + 0.5) / PREDICTED)
            blended = gone + share * (_forward(node, edge.leave_at + a, edge.leave_at + b) - gone)
            ways += blended, gone, blended * 4.0 * share * (1.0 - share)
        return min(max(float(ways[0] - ways[1]) / max(float(ways[2]), 1e-6), 0.0), MOST_HELD_BACK)

    def _edge_parameters(self) -> list[float]:
        """The edge's parameters, not too far beyond its examples."""
        assert self.edge is not None
        assert self.edge.motion is not None
        table = self.edge.motion.parameters
        low, high = table.min(axis=0), table.max(axis=0)
        slack = BEYOND * (high - low)
        held = np.clip(self._edge_p, low - slack, high + slack)
        return list(held.tolist())

    def _steer_edge(self, dt: float) -> None:
        """Follow what is asked for while on an edge; turn back, where that is asked for early in B."""
        assert self.edge is not None
        count = len(self._edge_easing.p)
        leaving = self.phase == "leaving"
        if count:
            aim = self.aim(self.edge.after)[0]
            self._edge_p[len(self._edge_p) - count :] = self._edge_easing.go(aim, dt)
            edge = self.second if leaving else self.first
            if edge is not None:
                edge.ask(self._edge_parameters())
        if self.phase == "entering":
            self.playback.ask(self.easing.go(self.aim(self.edge.after)[0], dt))
        if leaving and self._pace == 1.0 and self.wanted == self.edge.before:
            left = (1.0 - self._progress) * self._length
            if left > BACK_IN_TIME * self._progress * self._length + BACK_SLACK * PACE_S:
                self._pace = math.nextafter(1.0, 0.0)  # it turns round from here

    def _begin_e(self) -> None:
        """The edge's last steps, shared with the node it enters."""
        edge, playback = self.edge, self.first
        assert edge is not None
        start = float(playback.of.pieces - edge.shared_after)
        self._enter(edge.after, float(edge.enter_at), self._exit(playback, edge.after))
        self.second, self.phase, self.share, self._pace = self.playback, "entering", 1.0, 1.0
        self._progress, self._length = 0.0, seconds_of(playback, start, edge.shared_after)

    def _exit(self, playback: Playback, node: str) -> list[float]:
        """The parameters with which an edge arrives: its speed and turn over the end of its last stretch."""
        m = playback.of.pieces - 1
        gone = (playback.travelled(m + 0.5, m + 1.0) * (2.0 * playback.rates[m])).tolist()
        rates = {"speed": gone[0], "side": gone[1], "turn": math.degrees(gone[2])}
        names = self.graph.nodes[node].motion.parameter_names
        return [rates.get(name, aim) for name, aim in zip(names, self.aim(node)[0], strict=True)]

    def _enter(self, node: str, y: float = 0.0, p: list[float] | None = None) -> None:
        """A playback in a node at parameters its examples cover."""
        of = self.graph.nodes[node]
        found = self.aim(node)[0] if p is None else of.coverage.nearest(p)[0]
        self.easing = Easing(found, of.limits)
        self.playback = Playback(self.playable.nodes[node], found, y)

    def _arrive(self) -> None:
        assert self.edge is not None
        edge = self.edge
        self.changes.append(
            TypeChange(edge.before, edge.after, "recorded", self._since, self._begun, self._half, self.time_s)
        )
        self.first, self.second, self.share, self._held_back = self.playback, None, 1.0, 0.0
        self.phase, self.edge, self.node = "node", None, edge.after

    def _jump_to(self, node: str, way: str, keep: bool = False) -> None:
        """Into a node at once; what the pose differs by dies away. keep: go on with the node's own playback."""
        if self.queue and node == self.queue[0][0]:
            _, given = self.queue.popleft()
            self.asked = {k: v for k, v in self.asked.items() if not k.startswith(f"{node}.")}
            self.asked |= {f"{node}.{k}": v for k, v in given.items()}
            self._aims.clear()
        before = self.node
        shown = self._shown()
        if not keep:
            feet = [any(foot) for foot in (self.first if self.share >= 0.5 or not self.second else self.second).down()]
            self._enter(node)
            self.playback.y = _matching(self.playback, feet)
            self.changes.append(
                TypeChange(
                    before, node, way, self.asked_s, self.time_s, self.time_s + 0.5 * LENGTH_S, self.time_s + LENGTH_S
                )
            )
            self.latency_s = self.time_s - self.asked_s
        self.first, self.second, self.share, self.phase, self.edge = self.playback, None, 1.0, "node", None
        self._held_back = 0.0
        self.node = node
        if shown is None:
            return
        before_pose, now_pose, dt = shown
        m = min(int(self.playback.y), self.playback.of.pieces - 1)
        rate = self.playback.rates[m]
        lost = np.array(self.rate) - self.playback.travelled(float(m), m + 1.0) * rate
        was, now = local_pose(self.playback, -dt * rate), local_pose(self.playback)
        self.inertia = Inertia(before_pose, now_pose, was, now, dt, lost, LENGTH_S)


def local_pose(playback: Playback, ahead: float = 0.0) -> Pose:
    """The pose of a playback on its carrier, some key times on."""
    y = playback.y + ahead
    y = y % playback.of.pieces if playback.of.loops else max(y, 0.0)
    return playback.of.motion.local_pose(y / playback.of.pieces, playback.weights)


def seconds_of(playback: Playback, start: float, far: float) -> float:
    """How long a playback takes from a place on for so many key times; a loop goes round."""
    total, y, end = 0.0, start, start + far
    while y < end - 1e-9:
        m = math.floor(y + 1e-9)
        stop = min(m + 1.0, end)
        total += (stop - y) / playback.rates[m % playback.of.pieces]
        y = stop
    return total


def _forward(playback: Playback, start: float, end: float) -> float:
    """Metres forward of a playback between two places, which may lie in its next round."""
    n = playback.of.pieces
    if start >= n:
        start, end = start - n, end - n
    if end <= n:
        return float(playback.travelled(start, end)[0])
    return float(playback.travelled(start, n)[0] + playback.travelled(0.0, end - n)[0])


def _gone(y: float, m: int, rate: float, left: float) -> tuple[float, float]:
    """How long and how far to go from y: to the end of stretch m at a rate, or of the time that is left."""
    need = (m + 1.0 - y) / rate
    return (need, m + 1.0 - y) if need < left else (left, left * rate)


def _matching(playback: Playback, feet: list[bool]) -> float:
    """Where in its cycle a playback has the same feet down; the start of what is no gait."""
    if playback.of.pieces == 1 or not playback.of.loops:
        return 0.0
    best, found = -1, 0.0
    for m in range(playback.of.pieces):
        playback.y = m + 0.5
        same = sum(any(foot) == ours for foot, ours in zip(playback.down(), feet, strict=True))
        if same > best:
            best, found = same, playback.y
    return found


def number(name: str, value: float) -> float:
    """A finite number, or a sentence that says which is not."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number, got {value!r}") from None
    if not math.isfinite(value):
        raise ParameterError(f"{name} must be a finite number, got {value}")
    return value

"""Live: one steered character a page, sixty poses a second by the clock, with what its feet do wrong measured.

A late loop goes to the newest tick in one step: what it missed is not sent, so time neither stops nor bursts. A page
that is slow, or not looked at, gets no poses while it has some to show: then the newest.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.pose import Pose
from footfall.core.references import reference
from footfall.graph.graph import Graph
from footfall.kinematics.ground import Ground
from footfall.live.chasing import Chaser
from footfall.live.controller import Controller
from footfall.live.sole_watch import new_watch
from footfall.studio import frames
from footfall.studio import messages as m
from footfall.studio.figures import skeleton_view
from footfall.studio.ground_shape import ground_shape
from footfall.studio.send_pace import SendPace

RATE = 60.0
MOST_AHEAD = 30  # ticks: poses a page may have that it has not shown yet; half a second
MOST_MISSED = 15  # ticks that are made up for; after a longer wait the clock is set anew
STATE_TICKS = 6  # between two words on the state
MOST_ACTIONS = 8  # waiting
SHORTEST_RECORDING = 2  # poses
LONGEST_RECORDING_S = 600.0
LIMITS = {"speed": 20.0, "turn": 720.0, "side": 20.0}
FARTHEST_M = 1000.0
AFRESH_M = 8.0  # from the middle of the ground that was sent: then it is sent anew around the character


class Page(Protocol):
    """A client, where poses and messages go; neither of these ever waits."""

    def send(self, message: m.ToPage) -> None: ...
    def send_frame(self, kind: int, track: int, data: bytes) -> None: ...


class LiveCharacter:
    """A character, who steers it, and its recording."""

    def __init__(self, page: Page, hero: Controller) -> None:
        self.page, self.hero = page, hero
        self.echo_ms = 0.0
        self.tick = 0
        self._start_s = 0.0  # of tick 0, on the clock
        self.pace = SendPace(MOST_AHEAD)
        self.missed = 0  # ticks that were not sent
        self._chaser: Chaser | None = None
        self._recorded: list[Pose] | None = None
        self._watch = reference(new_watch())
        self._slide_cm_s = self._depth_mm = 0.0
        self._drawn_at: tuple[float, float] | None = None  # x, z about which the page has the ground
        self._row = np.empty((len(hero.graph.skeleton), frames.WORDS), np.float32)

    # --- what the page asks for ---------------------------------------------------------------------------------------
    def steer(self, asked: m.LiveSteer) -> None:
        """Another motion, speed, turn or target from the next tick on."""
        if asked.motion is not None and asked.motion not in self.hero.graph.types:
            raise UnknownName("motion of the graph", asked.motion, self.hero.graph.types)
        for name, most in LIMITS.items():
            value = getattr(asked, name)
            if value is not None and not abs(value) <= most:
                raise ParameterError(f"{name} must be {-most:g} to {most:g}, got {value}")
        if asked.target is not None and not all(abs(x) <= FARTHEST_M for x in asked.target):
            raise ParameterError(f"a target lies within {FARTHEST_M:g} m, not at {asked.target}")
        self.echo_ms = asked.sent_ms if math.isfinite(asked.sent_ms) else 0.0
        if asked.target is not None:
            if self._chaser is None:
                self._chaser = Chaser(*asked.target)
            self._chaser.at(*asked.target)
            return
        self._chaser = None
        self.hero.ask(speed=asked.speed, turn=asked.turn, side=asked.side)
        if asked.motion is not None:
            self.hero.request(asked.motion)

    def act(self, name: str) -> None:
        """Do an action once."""
        if self.hero.actions_waiting >= MOST_ACTIONS:
            raise ParameterError(f"{MOST_ACTIONS} actions are waiting already; let one be done first")
        self.hero.act(name)

    def shove(self, x: float, z: float) -> None:
        """Push it by so many m/s, as seen in the world."""
        heading = self.hero.heading
        forward, left = x * math.sin(heading) + z * math.cos(heading), x * math.cos(heading) - z * math.sin(heading)
        self.hero.shove(forward, left)

    def record(self, on: bool) -> Clip | None:
        """Begin to record, or end and give what was recorded."""
        if on:
            self._recorded = [] if self._recorded is None else self._recorded
            return None
        poses, self._recorded = self._recorded, None
        if poses is None:
            raise ParameterError("nothing is being recorded; press record first")
        if len(poses) < SHORTEST_RECORDING:
            raise ParameterError("the recording is too short; record for a moment longer")
        together = Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses]))
        return Clip(self.hero.graph.skeleton, RATE, fix_signs(together), name="recording")

    @property
    def is_recording(self) -> bool:
        """Whether there is a recording that ending it would give."""
        return self._recorded is not None and len(self._recorded) >= SHORTEST_RECORDING

    # --- time ---------------------------------------------------------------------------------------------------------
    def begin(self, start_s: float) -> None:
        """Ticks count from this moment of the clock."""
        self._start_s = start_s - self.tick / RATE

    @property
    def due_s(self) -> float:
        """When the next tick is, on the clock."""
        return self._start_s + (self.tick + 1) / RATE

    def catch_up(self, now_s: float) -> None:
        """Go to the newest tick, if there is one since the last."""
        ticks = int((now_s - self._start_s) * RATE + 1e-6) - self.tick
        if ticks <= 0:  # the timer was early by a hair
            return
        if ticks > MOST_MISSED:
            self._start_s += (ticks - 1) / RATE
            self.missed += ticks - 1
            ticks = 1
        self.advance(ticks)

    def advance(self, ticks: int = 1) -> None:
        """Go on by so many ticks and send the last pose."""
        self.missed += ticks - 1
        if self._recorded is None:
            self._step(ticks)
        else:  # a recording has a pose for every tick
            for _ in range(ticks):
                self._step(1)
        if self.pace.is_ahead(self.tick):
            return
        row = self._row
        self.hero.write_joints(row)
        tail = frames.LiveTail(self.echo_ms, self._slide_cm_s, self._depth_mm)
        self.page.send_frame(frames.LIVE, 0, frames.encode_live(self.tick, 0, row, RATE, self.tick / RATE, tail))
        if self.tick % STATE_TICKS < ticks:
            self.page.send(self.state())
            self.show_ground()

    def show_ground(self) -> None:
        """Send the ground about the character, where the page does not have it."""
        ground, here = self.hero.ground, self.hero.point
        if ground is None or (self._drawn_at and abs(complex(*self._drawn_at[::-1]) - here) < AFRESH_M):
            return
        self._drawn_at = here.imag, here.real
        self.page.send(m.LiveGroundShape(ground_shape(ground, *self._drawn_at).view()))

    def _step(self, ticks: int) -> None:
        if self._chaser is not None:
            self._chaser.steer(self.hero)
        pose = self.hero.step(ticks / RATE)
        self.tick += ticks
        if self._recorded is not None and len(self._recorded) < LONGEST_RECORDING_S * RATE:
            self._recorded.append(pose)
        slide_m, depth_m = self.hero.watch_soles(self._watch)
        if self.hero.ground is not None:  # there, how deep soles are in what lies under each of them
            depth_m = max(0.0, -float(np.nanmin(self.hero.soles[1])))
        self._slide_cm_s, self._depth_mm = 100.0 * RATE / ticks * slide_m, 1e3 * depth_m

    def state(self) -> m.LiveState:
        """Where the character is, for people."""
        now = self.hero.state
        recorded = None if self._recorded is None else len(self._recorded) / RATE
        return m.LiveState(
            round(self.tick / RATE, 4), now.node, now.edge, round(now.canonical_time, 4),
            tuple(round(w, 4) for w in now.weights.tolist()), _rounded(now.asked), _rounded(now.achieved),
            round(now.latency_s, 4), now.waiting, now.clamped, round(self._slide_cm_s, 3), round(self._depth_mm, 3),
            recorded, self.hero.is_blocked,
        )  # fmt: skip


def graph_message(graph: Graph, asked: m.LiveStart, skin: str | None = None) -> m.LiveGraph:
    """A graph as the page draws it; skin: where its character's is to be had from."""
    nodes = []
    for node in graph.nodes.values():
        table, names = node.motion.parameters, tuple(node.motion.parameter_names)
        low, high, rows = _floats(table.min(axis=0)), _floats(table.max(axis=0)), tuple(map(_floats, table))
        nodes.append(m.LiveNode(node.name, node.is_action, names, low, high, rows))
    edges = tuple((a, b) for a, b in graph.edges)
    body = skeleton_view(graph.skeleton, skin)
    return m.LiveGraph(
        asked.graph, tuple(nodes), edges, graph.types, graph.actions, body, asked.character, asked.ground
    )


def ready_controller(graph: Graph, ground: Ground | None = None) -> Controller:
    """A character that has made its first step: everything it needs is compiled and packed."""
    hero = Controller(graph, ground=ground)
    hero.step(0.0)
    return hero


def _floats(row: np.ndarray) -> tuple[float, ...]:
    return tuple(round(float(x), 4) for x in row)


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(float(value), 4) for name, value in values.items()}

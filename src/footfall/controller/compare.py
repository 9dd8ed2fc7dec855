"""Live characters compared: several ways to drive one through the same script, and what each did with it.

Everything is measured on the poses that come out, so that any object with `step(dt, type=…, speed=…, turn=…)` can be
compared: how long until it goes as it was told, how far its feet slide, how hard its joints are thrown, what it costs.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from footfall.align.features import features
from footfall.controller.drive import Command
from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.quality.joins import excess_of_stream
from footfall.quality.slide import slide

FPS = 60.0
WITHIN = 0.1  # of what was asked for
SPEED_M_S, TURN_DEG_S = 0.1, 8.0  # or this near, whichever is wider
HOLDS_S = 0.3  # what is reached must be kept this long
WARM_STEPS = 5  # left out of the time: the first steps compile

# stand, walk, two turns, faster, run, turn, slower, stop
STANDARD = (
    Command(0.0, "stand", 0.0, 0.0), Command(1.5, "walk", 1.3, 0.0), Command(5.0, "walk", 1.3, 45.0),
    Command(8.5, "walk", 1.3, -45.0), Command(12.0, "walk", 1.7, 0.0), Command(15.5, "run", 3.0, 0.0),
    Command(18.5, "run", 3.0, 45.0), Command(21.5, "run", 4.0, 0.0), Command(24.5, "walk", 1.3, 0.0),
    Command(28.0, "stand", 0.0, 0.0),
)  # fmt: skip
SECONDS = 31.0


class Live(Protocol):
    """What is compared."""

    def step(self, dt: float, type: str | None = None, speed: float | None = None, turn: float | None = None) -> Pose:
        """Go on by dt seconds."""
        ...


class Row(NamedTuple):
    """One way, measured."""

    name: str
    requests: int
    reached: int  # of them, before the next
    response_s: float  # median of those reached, from the request until speed and turn are met
    slowest_s: float
    speed_error: float  # m/s, mean over the last half second before each next request
    turn_error: float  # °/s
    slide_cm_s: float  # mean
    slide_p95_cm_s: float
    excess: float  # m/s², the worst excess acceleration of the whole stream
    excess_joint: str
    megabytes: float
    us_a_step: float


def compare(
    controllers: Mapping[str, Live], skeleton: Skeleton, examples: Sequence[Clip],
    script: Sequence[Command] = STANDARD, seconds: float = SECONDS, fps: float = FPS,
) -> list[Row]:  # fmt: skip
    """Drive each through the script; skeleton is theirs, examples what accelerations are compared with."""
    if not script or seconds <= script[-1].t_s:
        raise ParameterError("a script needs a command, and to go on for a while after its last")
    rows = []
    for name, hero in controllers.items():
        clip, us = driven(hero, skeleton, script, seconds, fps)
        rows.append(measured(name, clip, script, examples, us, float(getattr(hero, "nbytes", np.nan)) / 1e6))
    return rows


def driven(
    hero: Live, skeleton: Skeleton, script: Sequence[Command], seconds: float = SECONDS, fps: float = FPS
) -> tuple[Clip, float]:
    """What a character makes of a script, and the microseconds of a step, on average."""
    count = round(seconds * fps)
    root_pos, rot = np.empty((count, 3)), np.empty((count, len(skeleton), 4))
    spent = np.empty(count)
    at = -1
    for k in range(count):
        while at + 1 < len(script) and script[at + 1].t_s <= k / fps + 1e-9:
            at += 1
        now = script[max(at, 0)]
        begin = time.perf_counter()
        pose = hero.step(1.0 / fps, type=now.type, speed=now.speed, turn=now.turn)
        spent[k] = time.perf_counter() - begin
        root_pos[k], rot[k] = pose.root_pos, pose.rot
    clip = Clip(skeleton, fps, fix_signs(Pose(root_pos, rot)), name="driven")
    return clip, float(spent[WARM_STEPS:].mean()) * 1e6


def measured(
    name: str, clip: Clip, script: Sequence[Command], examples: Sequence[Clip], us: float, megabytes: float
) -> Row:
    """The row of a driven clip."""
    speed = features(clip, ("pelvis",)).speed  # (T, 3)
    answers = responses(speed, clip.fps, script)
    times = np.array([a.response_s for a in answers if np.isfinite(a.response_s)])
    feet, throw = slide(clip), excess_of_stream(clip, examples)
    return Row(
        name, len(answers), len(times), float(np.median(times)) if len(times) else np.nan,
        float(times.max()) if len(times) else np.nan,
        float(np.mean([a.speed_error for a in answers])), float(np.mean([a.turn_error for a in answers])),
        feet.mean_cm_s, feet.p95_cm_s, throw.value, throw.joint, megabytes, us,
    )  # fmt: skip


class Response(NamedTuple):
    """How one request was answered."""

    response_s: float  # infinite where it was not met
    speed_error: float  # m/s, at the end
    turn_error: float  # °/s


def responses(speed: np.ndarray, fps: float, script: Sequence[Command]) -> list[Response]:
    """For every command but the first, from the path's speed (T, 3): forward m/s, left m/s, turn rad/s."""
    found = []
    ends = [c.t_s for c in script[1:]] + [len(speed) / fps]
    for now, end in list(zip(script, ends, strict=True))[1:]:
        part = speed[round(now.t_s * fps) : round(end * fps)]
        goes, turns = part[:, 0], np.degrees(part[:, 2])
        near = np.abs(goes - now.speed) <= max(WITHIN * abs(now.speed), SPEED_M_S)
        near &= np.abs(turns - now.turn) <= max(WITHIN * abs(now.turn), TURN_DEG_S)
        last = part[-round(0.5 * fps) :]
        found.append(
            Response(
                _first_kept(near, round(HOLDS_S * fps)) / fps,
                abs(float(last[:, 0].mean()) - now.speed),
                abs(float(np.degrees(last[:, 2]).mean()) - now.turn),
            )
        )
    return found


def _first_kept(near: np.ndarray, length: int) -> float:
    """The first frame from which so many in a row are near; infinite where there are none."""
    run = 0
    for k, here in enumerate(near):
        run = run + 1 if here else 0
        if run >= length:
            return float(k - length + 1)
    return np.inf


def table(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown."""
    head = (
        "| | requests met | median s | slowest s | speed off by m/s | turn off by °/s | slide cm/s (95 %) | "
        "excess m/s² | MB | µs a step |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    lines = [
        f"| {r.name} | {r.reached} of {r.requests} | {r.response_s:.2f} | {r.slowest_s:.2f} | {r.speed_error:.2f} | "
        f"{r.turn_error:.1f} | {r.slide_cm_s:.1f} ({r.slide_p95_cm_s:.1f}) | {r.excess:.0f} {r.excess_joint} | "
        f"{r.megabytes:.1f} | {r.us_a_step:.0f} |"
        for r in rows
    ]
    return "\n".join([head, *lines])

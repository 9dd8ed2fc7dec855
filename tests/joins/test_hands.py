"""Hands and fingers go across joins without pops: open hands close over the transition, by every method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.joins.transition import methods

FIST_RAD = 1.3  # each finger joint bends by this
FASTEST_RAD_S = 12.0  # twice what an eased change by that needs in half a second
HARDEST_RAD_S2 = 120.0  # a step of speed in one frame; the clips themselves have 13


def take(name: str, bent: float, swing: float, **parameters: float) -> Clip:
    """A built-in motion whose body has two fingers a hand, bent by so much and swinging a little."""
    clip = ff.motion(name, **parameters)
    clip = clip.with_pose(clip.pose, is_loop=False).resample(60)
    skeleton = clip.skeleton
    rows = [(skeleton.names[k], int(skeleton.parents[k]), skeleton.offsets[k]) for k in range(len(skeleton))]
    for side, out in (("Left", 1.0), ("Right", -1.0)):
        for finger, across in (("Index", 0.03), ("Thumb", 0.06)):
            hand = skeleton.names.index(f"{side}Hand")
            rows.append((f"{side}Hand{finger}1", hand, np.array([0.08 * out, 0.0, across])))
            rows.append((f"{side}Hand{finger}2", len(rows) - 1, np.array([0.04 * out, 0.0, 0.0])))
    names, parents, offsets = zip(*rows, strict=True)
    more = len(rows) - len(skeleton)
    body = replace(
        skeleton,
        names=names,
        parents=np.array(parents),
        offsets=np.array(offsets),
        rest=np.concatenate([skeleton.rest, np.tile(rotation.IDENTITY, (more, 1))]),
    )
    turn = rotation.exp((bent + swing * np.sin(8.0 * clip.times))[:, None] * np.array([0.0, 0.0, 1.0]))
    rot = np.concatenate([clip.pose.rot, np.repeat(turn[:, None], more, axis=1)], axis=1)
    return replace(clip, skeleton=body, pose=clip.pose._replace(rot=rot))


def finger_speeds(clip: Clip) -> np.ndarray:
    """(T - 1, F, 3) rad/s, of every finger joint."""
    roles = clip.skeleton.roles
    rot = clip.pose.rot[:, list(roles.fingers)]
    return rotation.log(rotation.multiply(rotation.conjugate(rot[:-1]), rot[1:])) * clip.fps


@pytest.fixture(scope="module")
def clips() -> tuple[Clip, Clip]:
    open_hands, fists = take("walk", 0.0, 0.2, cycles=3), take("kick", FIST_RAD, 0.1)
    assert len(open_hands.skeleton.roles.fingers) == 8
    return open_hands, fists


def _smooth(out: Clip) -> None:
    speeds = finger_speeds(out)
    assert np.linalg.norm(speeds, axis=-1).max() < FASTEST_RAD_S
    assert np.linalg.norm(np.diff(speeds, axis=0), axis=-1).max() * out.fps < HARDEST_RAD_S2
    first, last = out.pose.rot[0, list(out.skeleton.roles.fingers)], out.pose.rot[-1, list(out.skeleton.roles.fingers)]
    assert rotation.angle_between(first, last).min() > 0.7 * FIST_RAD  # they did close


@pytest.mark.parametrize("name", list(methods()))
def test_hands_close_over_a_join(clips: tuple[Clip, Clip], name: str) -> None:
    _smooth(ff.join(*clips, name))


def test_hands_close_over_a_timeline(clips: tuple[Clip, Clip]) -> None:
    _smooth(ff.timeline(list(clips)).render())


def test_hands_stay_as_they_are_where_a_run_is_led_on() -> None:
    out = ff.join(take("run", FIST_RAD, 0.0, speed=3.5, cycles=3), take("stand", FIST_RAD, 0.0))
    assert out.report is not None
    assert "bridge" in [segment.kind for segment in out.report.segments]
    fingers = len(out.skeleton.roles.fingers)
    assert np.linalg.norm(finger_speeds(out)[:, :fingers], axis=-1).max() < 0.1

"""Leading on: a clip that goes on in its own gait is what that gait would have done, and feet hold at any speed."""

from __future__ import annotations

import numpy as np
import pytest

import footfall as ff
from footfall.core.clip import Clip
from footfall.edit.mirrored_loop import mirrored_loop
from footfall.joins.bridge import alone, backwards, bridges, end_velocity, rounds
from footfall.joins.gait_cycle import end_cycle
from footfall.joins.lead_on import lead_on, profile
from footfall.quality.skate import skate

FPS = 60.0


def gait(name: str, cycles: int = 6, **parameters: float) -> Clip:
    clip = ff.motion(name, cycles=cycles, **parameters).resample(FPS)
    return clip.with_pose(clip.pose, is_loop=False)


@pytest.fixture(scope="module")
def walk() -> Clip:
    return gait("walk", speed=1.3)


def speed_m_s(clip: Clip, start_s: float, end_s: float) -> float:
    a, b = (round(t * clip.fps) for t in (start_s, end_s))
    place = clip.root_motion.position
    return float(np.linalg.norm(place[b] - place[a])) / (end_s - start_s)


def test_the_stride_of_a_gait_is_found(walk: Clip) -> None:
    cut = walk.trim(0.0, 3.1)
    cycle = end_cycle(cut)
    assert cycle is not None
    stride = walk.duration / 6.0
    share = cycle.loop.duration / stride
    assert min(abs(share - n) for n in (1.0, 2.0)) < 0.05
    assert cycle.speed_m_s == pytest.approx(1.3, rel=0.03)
    assert end_cycle(ff.motion("stand").resample(FPS).trim(0.0, 2.0)) is None


def test_a_walk_that_goes_on_is_the_walk_itself(walk: Clip) -> None:
    """The oracle is the rest of the same walk."""
    cut = walk.trim(0.0, 3.1)
    cycle = end_cycle(cut)
    assert cycle is not None
    longer = lead_on(cut, cycle, profile(cycle.speed_m_s, cycle.speed_m_s, 1.0, FPS))
    count = min(longer.frames, walk.frames)
    apart = np.linalg.norm(longer.positions[:count] - walk.positions[:count], axis=-1)
    assert apart.max() < 0.06
    kept = round(cycle.end_s * FPS)
    assert (longer.pose.root_pos[:kept] == cut.pose.root_pos[:kept]).all()


@pytest.mark.parametrize(("name", "own", "to"), [("walk", 1.3, 0.6), ("run", 3.5, 1.2), ("walk", 1.0, 1.4)])
def test_speeds_are_reached_on_feet_that_hold(name: str, own: float, to: float) -> None:
    clip = gait(name, 4, speed=own)
    cycle = end_cycle(clip)
    assert cycle is not None
    way = profile(cycle.speed_m_s, to, 2.0, FPS)
    longer = lead_on(clip, cycle, way)
    reached = cycle.end_s + (way.reached + 6) / FPS
    lasts = 0.5 * cycle.loop.duration / np.clip(to / own, 0.8, 1.25)
    assert speed_m_s(longer, reached, min(reached + 2.0 * lasts, longer.duration - 0.05)) == pytest.approx(to, rel=0.2)
    assert skate(longer) <= max(1.5 * skate(clip), 3.0)
    assert longer.positions[..., 1].min() > -0.05
    legs = np.abs(np.diff(way.speed)).max() * FPS
    assert legs <= 2.0 + 1e-6  # m/s², the gentle change


def test_half_a_stride_and_its_mirror_image_are_the_stride() -> None:
    """Built-in walks are symmetric: the other half is the oracle."""
    walk = gait("walk", 2, speed=1.2)
    stride = walk.duration / 2.0
    step = walk.trim(0.0, 0.5 * stride)
    whole = mirrored_loop(step)
    assert whole.is_loop
    count = min(whole.frames, round(stride * FPS))
    apart = np.linalg.norm(whole.positions[:count] - walk.positions[:count], axis=-1)
    assert apart.max() < 0.03


def test_backwards_is_backwards(walk: Clip) -> None:
    back = backwards(walk)
    assert np.array_equal(back.pose.root_pos[0], walk.pose.root_pos[-1])
    assert end_velocity(walk)[1] == pytest.approx(1.3, rel=0.1)
    assert end_velocity(back)[1] == pytest.approx(-1.3, rel=0.1)


def test_a_loop_is_played_in_rounds() -> None:
    loop = ff.motion("walk").resample(FPS)
    assert rounds(loop, 0.0).frames == loop.frames
    assert not rounds(loop, 0.0).is_loop
    assert rounds(loop, 1.0).duration >= loop.duration + 0.5
    kick = ff.motion("kick")
    assert rounds(kick, 1.0) is kick


def test_the_faster_motion_is_led_on() -> None:
    run, stand = gait("run", 3, speed=3.5), ff.motion("stand").resample(FPS).trim(0.0, 3.0)
    first, *_ = bridges(run, stand)
    left, entered = first[0]
    assert left is not None
    assert "slows from" in left.words
    assert entered.own is stand
    into, *_ = bridges(stand, run)
    assert into[0].left == alone(stand)
    assert "comes in" in into[0].entered.words
    assert into[0].entered.shift_s > 0.5
    assert np.isnan(into[0].entered.own_s(np.array([0.0]))).all()


@pytest.mark.parametrize("to", [0.9, 1.6])
def test_nothing_is_thrown_where_a_run_slows_down(to: float) -> None:
    """Accelerations stay near the run's own: no kink where stances grow longer, or where a run becomes a walk."""
    run = gait("run", 4, speed=3.5)
    cycle = end_cycle(run)
    assert cycle is not None
    longer = lead_on(run, cycle, profile(cycle.speed_m_s, to, 1.0, FPS))
    thrown = np.linalg.norm(np.diff(longer.positions, n=2, axis=0), axis=-1).max(axis=1) * FPS**2
    own = round(cycle.end_s * FPS)
    assert thrown[own - 1 :].max() <= 1.25 * thrown[: own - 2].max() + 10.0

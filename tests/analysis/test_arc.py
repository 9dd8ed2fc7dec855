"""Arcs: exact ones come back, sway and wagging do not matter, built-in speeds and turns are met."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers import humanoid, still_clip
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

from footfall.analysis.arc import arc_frames, fit_arc, fit_heading, fit_path, floor_plane, unit_arc
from footfall.analysis.key_times import KeyTime
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.kinematics.floor_align import FloorTransform
from footfall.motions.library import motion
from footfall_lab.oracles.arcs import fit_free, published_fit

TURNS = st.one_of(st.sampled_from([0.0, 1e-12, -1e-9, 1e-5, 3.1, -3.1]), st.floats(-3.0, 3.0))
HEADINGS = st.floats(-3.0, 3.0)


def body_on(path: np.ndarray, heading: np.ndarray, fps: float = 60.0) -> Clip:
    """A stiff body whose pelvis follows a complex floor path (T,) at headings (T,)."""
    skeleton = humanoid()
    rot = np.tile(skeleton.rest, (len(path), 1, 1))
    rot[:, 0] = rotation.yaw(heading)
    root = np.stack([path.imag, np.full(len(path), skeleton.offsets[0, 1]), path.real], axis=-1)
    return Clip(skeleton, fps, Pose(root, rotation.continuous_signs(rot)), name="glide")


@cache
def veering_walk() -> Clip:
    return motion("walk", speed=1.1, turn=30.0, side=0.2)


def strikes(start_s: float, cycle_s: float, cycles: int) -> list[KeyTime]:
    left = [KeyTime(start_s + k * cycle_s, "left", "strike") for k in range(cycles + 1)]
    return sorted(left + [KeyTime(k.t_s + 0.5 * cycle_s, "right", "strike") for k in left[:-1]])


@given(TURNS, HEADINGS, st.floats(0.2, 20.0), st.floats(-np.pi, np.pi))
def test_an_exact_arc_comes_back(theta, phi, length, looks):
    u = np.linspace(0.0, 1.0, 91)
    path = 2.0 - 3.0j + length * np.exp(1j * phi) * unit_arc(theta, u)
    arc = fit_arc(body_on(path, phi + looks + theta * u), key_times=[])
    duration = 90 / 60
    assert arc.start == pytest.approx((-3.0, 2.0), abs=1e-8 * length + 1e-9)
    assert np.exp(1j * arc.phi) == pytest.approx(np.exp(1j * phi), abs=1e-7)
    assert (arc.length, arc.theta) == pytest.approx((length, theta), rel=1e-8, abs=1e-8)
    assert arc.turn == pytest.approx(theta / duration, abs=1e-8)
    assert arc.speed == pytest.approx(length / duration * np.cos(looks), abs=1e-6 * length)
    assert arc.side == pytest.approx(-length / duration * np.sin(looks), abs=1e-6 * length)
    assert arc.residual < 1e-8 * length


@given(TURNS, HEADINGS, st.floats(0.6, 5.0), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_sway_and_wagging_change_nothing(theta, phi, stride, cycles, seed):
    rng = np.random.default_rng(seed)
    frames, theta = 60 * cycles + 1, theta * min(cycles, 2)
    u = np.linspace(0.0, 1.0, frames)
    cycle = 2j * np.pi * cycles * u

    def periodic(size: float, *shape: int) -> np.ndarray:
        parts = rng.normal(size=(6, *shape)) * size
        return sum(p * np.exp(k * cycle + 2j * np.pi * rng.random()) for k, p in enumerate(parts[:4], start=1))

    sway = (periodic(0.03).real + 1j * periodic(0.03).real) * np.exp(1j * (phi + theta * u))
    path = cycles * stride * np.exp(1j * phi) * unit_arc(theta, u) + sway
    clip = body_on(path, phi + theta * u + periodic(0.05).real)
    arc = fit_arc(clip, 0.0, clip.duration, key_times=strikes(0.0, 1.0, cycles))
    assert arc.cycles == cycles
    assert arc.speed == pytest.approx(stride, rel=1e-6)
    assert (arc.side, arc.turn) == pytest.approx((0.0, theta / cycles), abs=1e-6 * stride + 1e-6)
    assert arc.residual < 1e-6


def test_without_its_sway_a_printed_fit_mistakes_sway_for_turning():
    clip = motion("walk", speed=1.2)
    assert abs(np.degrees(published_fit(clip).theta) / clip.duration) > 5.0
    assert abs(np.degrees(fit_arc(clip).turn)) < 0.1


@pytest.mark.parametrize("theta", [0.0, 1e-7, 0.4, -1.9, 2.8, 5.5])
def test_the_free_fit_is_the_least_squares_one(theta, rng):
    u = np.linspace(0.0, 1.0, 120)
    noise = rng.normal(scale=0.02, size=(120, 2)) @ [1.0, 1j]
    path = 1.0 + 2.0j + 3.0 * np.exp(0.7j) * unit_arc(theta, u) + noise

    def left(q: np.ndarray) -> np.ndarray:
        gap = q[0] + 1j * q[1] + q[2] * np.exp(1j * q[3]) * unit_arc(q[4], u) - path
        return np.concatenate([gap.real, gap.imag])

    best = least_squares(left, [1.0, 2.0, 3.0, 0.7, theta], xtol=1e-14, ftol=1e-14, gtol=1e-14).x
    fit = fit_free(path, theta + 0.3)
    assert [abs(fit.chord), float(fit.theta)] == pytest.approx([best[2], best[4]], abs=1e-6)


def test_the_printed_fit_needs_no_heading():
    path = 3.0 * unit_arc(1.2, np.linspace(0.0, 1.0, 100))
    fit = published_fit(body_on(path, np.zeros(100)), key_times=[])
    assert (abs(fit.chord), float(fit.theta)) == pytest.approx((3.0, 1.2), abs=1e-9)


@given(TURNS, HEADINGS, st.floats(0.5, 6.0))
def test_arc_frames_follow_the_arc(theta, phi, length):
    u = np.linspace(0.0, 1.0, 61)
    path = 1.0j + length * np.exp(1j * phi) * unit_arc(theta, u)
    clip = body_on(path, phi + theta * u)
    arc = fit_arc(clip, key_times=[])
    frames = arc_frames(arc, clip.times)
    assert floor_plane(frames.position) == pytest.approx(path, abs=1e-7)
    assert frames.position[:, 1] == pytest.approx(0.0)
    t, h = 0.37, 1e-5
    step = floor_plane(arc_frames(arc, t + h).position - arc_frames(arc, t - h).position) / (2 * h)
    assert abs(step) == pytest.approx(arc.travel, rel=1e-6)
    assert step / abs(step) == pytest.approx(np.exp(1j * arc_frames(arc, t).heading), abs=1e-5)


@settings(max_examples=25)
@given(st.floats(-3.0, 3.0), st.floats(-20.0, 20.0), st.floats(-20.0, 20.0))
def test_a_floor_motion_changes_no_speed(turn, x, z):
    clip = veering_walk()
    moved = clip.with_pose(FloorTransform(np.array(turn), np.array([x, 0.0, z])).pose(clip.pose))
    a, b = fit_arc(clip), fit_arc(moved)
    assert (b.speed, b.side, b.turn, b.length) == pytest.approx((a.speed, a.side, a.turn, a.length), abs=1e-7)
    assert np.exp(1j * (b.phi - a.phi)) == pytest.approx(np.exp(1j * turn), abs=1e-7)


@pytest.mark.parametrize(("turn", "side"), [(0.0, 0.0), (35.0, 0.0), (-20.0, 0.3)])
def test_a_mirror_image_turns_the_other_way(turn, side):
    clip = motion("walk", speed=1.3, turn=turn, side=side, cycles=2)
    a, b = fit_arc(clip), fit_arc(clip.mirror())
    assert (b.speed, b.side, b.turn) == pytest.approx((a.speed, -a.side, -a.turn), abs=1e-4)


@pytest.mark.parametrize("factor", [0.5, 1.7])
def test_played_faster_it_is_faster(factor):
    clip = motion("walk", speed=1.3, turn=20.0, cycles=2)
    a, b = fit_arc(clip), fit_arc(replace(clip, fps=clip.fps * factor), key_times=_scaled(clip, factor))
    assert (b.speed, b.turn) == pytest.approx((a.speed * factor, a.turn * factor), rel=1e-6)


def _scaled(clip: Clip, factor: float) -> list[KeyTime]:
    from footfall.analysis.key_times import find_key_times

    return [k._replace(t_s=k.t_s / factor) for k in find_key_times(clip)]


GRID = [
    *(("walk", v, w, 0.0) for v, w in ((0.5, -90.0), (0.5, 0.0), (1.0, 20.0), (1.5, 0.0), (1.5, 90.0), (2.0, -45.0))),
    *(("run", v, w, 0.0) for v, w in ((2.0, 0.0), (2.0, 90.0), (3.5, -40.0), (5.5, 0.0), (5.5, -90.0))),
    ("walk", 1.0, 0.0, 0.5),
    ("walk", 1.4, 15.0, -0.5),
    ("run", 3.0, 0.0, 0.5),
]


@pytest.mark.parametrize("noisy", [False, True], ids=["clean", "noisy"])
@pytest.mark.parametrize(("name", "speed", "turn", "side"), GRID)
def test_built_in_motions(name, speed, turn, side, noisy, rng):
    clip = motion(name, speed=speed, turn=turn, side=side, cycles=3)
    true_speed, true_turn = pelvis_speed(clip, cycles=3)
    if noisy:  # half a degree at every joint, 3 mm at the root, new at every frame
        jitter = rotation.exp(rng.normal(scale=np.radians(0.5) / np.sqrt(3), size=(*clip.pose.rot.shape[:2], 3)))
        root = clip.pose.root_pos + rng.normal(scale=0.003, size=clip.pose.root_pos.shape)
        clip = clip.with_pose(Pose(root, rotation.continuous_signs(rotation.multiply(clip.pose.rot, jitter))))
    arc = fit_arc(clip)
    assert arc.travel == pytest.approx(true_speed, rel=0.02)
    assert np.degrees(arc.turn) == pytest.approx(np.degrees(true_turn), abs=2.0)
    assert np.degrees(true_turn) == pytest.approx(turn, abs=0.1)
    assert (arc.speed, arc.side) == pytest.approx((speed, side), abs=0.02 * speed)


def pelvis_speed(clip: Clip, cycles: int) -> tuple[float, float]:
    """Speed and turn of a periodic motion, from the distances between poses one cycle apart."""
    step = (clip.frames - 1) // cycles
    path, heading = floor_plane(clip.root_motion.position), clip.root_motion.heading
    theta = float((heading[step:] - heading[:-step]).mean())
    chord = np.abs(path[step:] - path[:-step]).mean()
    return chord / np.sinc(0.5 * theta / np.pi) / (step / clip.fps), theta / (step / clip.fps)


def test_a_batch_of_paths_is_fitted_like_each_alone(rng):
    points = np.cumsum(rng.normal(size=(5, 40, 2)) @ [0.01, 0.01j] + 0.03, axis=1)
    heading = np.cumsum(rng.normal(scale=0.02, size=(5, 40)), axis=1)
    start, theta = fit_heading(heading, 1)
    together = fit_path(points, theta, 1)
    for k in range(5):
        alone = fit_path(points[k], fit_heading(heading[k], 1)[1], 1)
        assert together.chord[k] == pytest.approx(alone.chord)
        assert start[k] == pytest.approx(fit_heading(heading[k], 1)[0])


def test_a_still_body_has_no_speed():
    arc = fit_arc(still_clip())
    assert (arc.speed, arc.side, arc.turn, arc.length) == pytest.approx((0.0, 0.0, 0.0, 0.0), abs=1e-12)


def test_turning_on_the_spot_is_heading_change_over_time():
    clip = body_on(np.full(121, 1.0 + 1.0j), np.linspace(0.0, 2.0, 121))
    assert fit_arc(clip, key_times=[]).turn == pytest.approx(1.0)


@pytest.mark.parametrize("span", [(0.5, 0.5), (-1.0, 0.5), (0.2, 9.0), (0.7, 0.3)])
def test_a_span_outside_the_clip_is_refused(span):
    with pytest.raises(ParameterError, match="cannot be fitted"):
        fit_arc(still_clip(), *span, key_times=[])


def test_one_frame_has_no_path():
    with pytest.raises(ParameterError, match="at least 2"):
        fit_arc(still_clip(frames=1), key_times=[])

"""Transitions by example: continuous ends, true details, entries, the kernels against plain numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.align.tables import build
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.kernels import kernel
from footfall.core.rotation_kernels import log, log_rate, quaternion
from footfall.joins.by_example import parts
from footfall.joins.by_example.example_search import curves, search_body, unrolled, windows
from footfall.joins.departure import Departure, from_state, leaving
from footfall.joins.methods import by_example
from footfall.joins.placement import between, floor_state, place, state_at
from footfall.joins.transition import Transition, TransitionRequest
from footfall.kinematics.floor_align import FloorTransform
from footfall_lab.oracles import by_example as plain


@pytest.fixture(scope="module")
def walk() -> Clip:
    return ff.motion("walk", speed=1.3)


@pytest.fixture(scope="module")
def run() -> Clip:
    return ff.motion("run", speed=3.0, turn=30)


@pytest.fixture(scope="module")
def kick() -> Clip:
    return ff.motion("kick")


def make(departure: Departure, target: Clip, length_s: float | None = 0.4, **request: Any) -> Transition:
    options = request.pop("options", {})
    return by_example.transition(departure, target, TransitionRequest(length_s, **request, options=options))


def velocities(departure: Departure, made: Transition) -> np.ndarray:
    """(K, J, 3) rad/s between the frames, the departure's first."""
    rot = np.concatenate([departure.state.pose.rot[None], made.pose.rot])
    return rotation.log(rotation.multiply(rotation.conjugate(rot[:-1]), rot[1:])) * departure.fps


def swaying(body: Clip, fps: float, seed: int) -> Clip:
    """Two seconds of waves, slow and quick, the same at every rate."""
    rng = np.random.default_rng(seed)
    t = np.arange(round(2 * fps) + 1)[:, None, None] / fps
    joints = (len(body.skeleton), 3)
    slow, quick = (
        a * np.sin(rng.uniform(f, 2 * f, joints) * t + rng.uniform(0, 6, joints)) for a, f in ((0.4, 4), (0.05, 25))
    )
    root = np.concatenate([0.1 * np.sin(5 * t[..., 0]), 1 + 0.03 * np.sin(20 * t[..., 0]), 1.2 * t[..., 0]], axis=-1)
    return Clip(
        body.skeleton, fps, body.pose._replace(root_pos=root, rot=rotation.exp(slow + quick)), name=f"sway {seed}"
    )


@pytest.mark.parametrize("by", ["body", "joint"])
def test_values_and_velocities_meet_at_both_ends(walk: Clip, by: str) -> None:
    """The error of a continuous velocity shrinks with the frame; that of a step would stay."""
    errors = []
    for fps in (60.0, 240.0, 960.0):
        a, b = swaying(walk, fps, 0), swaying(walk, fps, 1)
        departure = leaving(a, 0.25)
        made = make(departure, b, enter_s=0.25, options={"windows": by})
        end = state_at(b, 0.25)[0]
        rates = velocities(departure, made)
        roots = np.diff(np.concatenate([departure.state.pose.root_pos[None], made.pose.root_pos]), axis=0) * fps
        arriving = rotation.rotate(rotation.yaw(made.placement.turn), end.velocity)
        errors.append([
            np.abs(rates[0] - departure.state.spin).max(), np.abs(rates[-1] - end.spin).max(),
            np.abs(roots[0] - departure.state.velocity).max(), np.abs(roots[-1] - arriving).max(),
        ])  # fmt: skip
        placed = made.placement.pose(b.sample(0.25))
        np.testing.assert_allclose(made.pose.rot[-1], placed.rot, atol=1e-12)
        np.testing.assert_allclose(made.pose.root_pos[-1], placed.root_pos, atol=1e-12)
    assert (np.array(errors[2]) < 0.15 * np.array(errors[0])).all()
    assert max(errors[2][:2]) < 0.3  # rad/s, of up to 5


def test_smooth_curve_alone_when_nothing_is_long_enough(walk: Clip) -> None:
    short = walk.trim(0.0, 0.1)
    departure = leaving(short, 0.05)
    made = make(departure, short, 0.5)
    plain = make(departure, short, 0.5, options={"level": 1})
    assert "smooth curve" in made.note
    np.testing.assert_array_equal(made.pose.rot, plain.pose.rot)
    one = walk.with_pose(walk.pose.at(slice(0, 1)), is_loop=False)
    assert np.isfinite(make(leaving(one), one).pose.rot).all()


def test_details_are_those_of_the_example(walk: Clip) -> None:
    """Left as it goes on, a walk's own next frames are the example, and nearly what comes out."""
    departure = leaving(walk, 0.3)
    own = walk.sample(0.3 + np.arange(1, 49) / walk.fps)
    smooth, detailed = (make(departure, walk, enter_s=0.7, options={"level": k}) for k in (1, 6))
    error = [np.median(rotation.angle_between(m.pose.rot, own.rot)) for m in (smooth, detailed)]
    assert "walk from frame 36 on" in detailed.note
    assert error[1] < 0.3 * error[0]


def test_transition_does_not_depend_on_where_it_happens(walk: Clip, kick: Clip) -> None:
    move = FloorTransform(np.asarray(1.9), np.array([7.0, 0.0, -30.0]))
    away = walk.with_pose(move.pose(walk.pose))
    here, there = (make(leaving(clip, 0.5), kick) for clip in (walk, away))
    moved = move.pose(here.pose)
    np.testing.assert_allclose(there.pose.root_pos, moved.root_pos, atol=1e-8)
    assert rotation.angle_between(there.pose.rot, moved.rot).max() < 1e-6
    elsewhere = kick.with_pose(move.pose(kick.pose))
    again = make(leaving(walk, 0.5), elsewhere)
    np.testing.assert_allclose(again.pose.root_pos, here.pose.root_pos, atol=1e-8)


def test_entries(walk: Clip, run: Clip, kick: Clip) -> None:
    departure = leaving(walk, 0.5)
    assert make(departure, kick).enter_s == 0.0
    assert make(departure, kick, options={"pinned": False}).enter_s > 0.0
    by_table = make(departure, run)
    assert by_table.enter_s == build([walk, run]).enter_s("walk", 0.9, "run")
    assert make(departure, run, options={"tables": build([walk, run], {"run": 11})}).enter_s == 11 / run.fps
    assert make(departure, run, enter_s=0.3).enter_s == 0.3
    assert 0.1 <= make(departure, run, window_s=(0.1, 0.2)).enter_s <= 0.2
    assert make(departure, kick, window_s=(0.5, 0.6)).enter_s == 0.5
    with pytest.raises(ParameterError, match="cannot enter"):
        make(departure, kick, enter_s=99.0)


def test_bare_state_takes_its_example_from_the_target(walk: Clip, run: Clip) -> None:
    departure = from_state(walk.skeleton, leaving(walk, 0.5).state, fps=60.0)
    made = make(departure, run)
    assert made.note.startswith("details of run")
    assert made.tracks[0].clip == "departure"
    near = rotation.angle_between(run.sample(made.enter_s).rot, made.pose.rot[-1])
    assert near[1:].max() < 1e-9


def test_bad_requests_are_named(walk: Clip, run: Clip) -> None:
    departure = leaving(walk, 0.5)
    with pytest.raises(UnknownName, match="levl"):
        make(departure, run, options={"levl": 1})
    with pytest.raises(ParameterError, match="level is a whole number"):
        make(departure, run, options={"level": 0})
    with pytest.raises(ParameterError, match="windows is body or joint"):
        make(departure, run, options={"windows": "dof"})
    with pytest.raises(ParameterError, match="up to 60 s"):
        make(departure, run, 1e6)


def test_the_thesis_way_breaks_at_the_ends(walk: Clip, run: Clip) -> None:
    """Its pyramid needs a power of two of frames and meets neither motion exactly: why it is not the default."""
    departure = leaving(walk, 0.5)
    paper = make(departure, run, 0.5, enter_s=0.3, options={"paper": True})
    ours = make(departure, run, 0.5, enter_s=0.3)
    assert len(paper.pose.rot) == 64
    jump = [np.abs(velocities(departure, m)[0] - departure.state.spin).max() for m in (paper, ours)]
    assert jump[0] > 3.0 * jump[1]


@settings(max_examples=10)
@given(st.floats(0.0, 1.0), st.floats(0.0, 0.7), st.sampled_from([0.1, 0.4, 0.8]), st.sampled_from(["body", "joint"]))
def test_kernels_are_plain_numpy(at_s: float, enter_s: float, length_s: float, by: str) -> None:
    walk, run = ff.motion("walk", speed=1.3), ff.motion("run", speed=3.0)
    departure = leaving(walk, at_s)
    last = round(length_s * walk.fps)
    ends, fast = (module.met(departure, run, enter_s, length_s, last) for module in (plain, parts))
    for a, b in zip((*ends.start, *ends.end), (*fast.start, *fast.end), strict=True):
        np.testing.assert_allclose(b, a, atol=1e-12)
    np.testing.assert_allclose(fast.placement.turn, ends.placement.turn, atol=1e-12)
    np.testing.assert_allclose(fast.placement.shift, ends.placement.shift, atol=1e-12)
    np.testing.assert_allclose(fast.slow.arriving, ends.slow.arriving, atol=1e-9)
    np.testing.assert_allclose(fast.wanted, ends.wanted, atol=1e-9)
    sources = [(unrolled(c, walk.fps, 5, last), f, c.name) for c, f in ((walk, 3), (run, 40))]
    picked, _ = by_example._picked(sources, ends.wanted, last, by)
    place, rot = plain.laid_over(ends, picked)
    fast_place, fast_rot = parts.laid_over(fast, picked)
    np.testing.assert_allclose(fast_place, place, atol=1e-9)
    assert rotation.angle_between(fast_rot, rotation.normalize(rot)).max() < 1e-7


def test_body_search_is_the_plain_minimum(walk: Clip, run: Clip) -> None:
    last = 40
    motion = unrolled(run, 120.0, 5, last)
    ready = windows(motion, last)
    assert ready is not None
    wanted = np.random.default_rng(0).normal(size=ready.features.shape[1])
    at, cost = search_body(ready, wanted, 0.3, last)
    lively = 4.0 * last / 9.0 * (np.sqrt(ready.whole) - np.sqrt(0.3)) ** 2
    plain = ((ready.features - wanted) ** 2).sum(axis=1) + lively
    assert at == plain.argmin()
    assert cost == pytest.approx(plain.min())


def test_curves_of_a_turning_loop_repeat(run: Clip) -> None:
    """Moving frames: the same every lap, though the body faces elsewhere."""
    two = run.with_pose(run.sample(np.arange(2 * run.frames - 1) / run.fps), is_loop=False)
    x, lap = curves(two), run.frames - 1
    np.testing.assert_allclose(x[lap : 2 * lap] - x[lap], x[:lap] - x[0], atol=1e-9)


@kernel
def _logs(q: Any, spin: Any, out: Any) -> None:
    """Fill out (N, 2, 3): rotation vectors and their rates."""
    for n in range(len(q)):
        v = log(quaternion(q[n]))
        rate = log_rate(v, (spin[n, 0], spin[n, 1], spin[n, 2]))
        for d in range(3):
            out[n, 0, d], out[n, 1, d] = v[d], rate[d]


def test_rate_of_log_against_differences() -> None:
    rng = np.random.default_rng(1)
    v, spin = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    v *= np.minimum(1.0, 3.0 / np.linalg.norm(v, axis=-1, keepdims=True))
    v[:5] *= 1e-5
    v[5:8] = 3.1 * v[5:8] / np.linalg.norm(v[5:8], axis=-1, keepdims=True)
    h = 1e-6
    after, before = (rotation.log(rotation.multiply(rotation.exp(v), rotation.exp(s * h * spin))) for s in (1, -1))
    found = np.empty((50, 2, 3))
    _logs(rotation.exp(v), spin, found)
    np.testing.assert_allclose(found[:, 0], v, atol=1e-12)
    for rate in (found[:, 1], rotation.log_rate(v, spin)):
        np.testing.assert_allclose(rate, (after - before) / (2 * h), atol=1e-6)


def test_placement_is_constant_acceleration(walk: Clip, run: Clip) -> None:
    departure = leaving(walk, 0.5)
    here, there = floor_state(walk.skeleton, departure.state), state_at(run, 0.3)[1]
    moved = place(departure, run, 0.3, 0.5)
    v1 = rotation.rotate(rotation.yaw(moved.turn), there.velocity)
    a = (v1 - here.velocity) / 0.5
    np.testing.assert_allclose(
        moved.points(there.position), here.position + here.velocity * 0.5 + 0.5 * a * 0.5**2, atol=1e-9
    )
    assert moved.turn + there.heading == pytest.approx(here.heading + 0.25 * (here.turn_rate + there.turn_rate))
    batch = between(here, there, np.array([0.1, 0.5]))
    np.testing.assert_allclose(batch.shift[1], moved.shift)


def test_captured_joins_are_as_lively_as_their_sources(mocap: Path) -> None:
    from footfall_lab.studies import egbert2005_pairs as pairs

    takes = pairs.takes(mocap)[3:6]
    found = list(pairs.joins(takes, pinned=False, ways=("by-example", "linear crossfade")))
    energy = {way: np.array([j.energy for j in found if j.way == way]) for way in ("by-example", "linear crossfade")}
    off = {way: np.median(np.abs(np.log(e))) for way, e in energy.items()}
    assert off["by-example"] < off["linear crossfade"]
    assert np.mean((energy["by-example"] > 0.8) & (energy["by-example"] < 1.25)) >= 0.6


def test_picked_windows_never_leave_their_motion(walk: Clip, run: Clip) -> None:
    long, short = unrolled(walk, 120.0, 4, 60), unrolled(run.trim(0.0, 0.52), 120.0, 4, 60)
    assert windows(short, 60) is not None
    channels = len(walk.skeleton) + 1
    at = np.full(channels, 100)
    both = (long.detail, short.detail), (long.bend, short.bend)
    picked = parts.PickedWindows(*both, np.zeros(channels, bool), at, np.ones(channels), True)
    found = parts.details(picked, parts.rising(60))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, plain.details(picked, 60), atol=1e-12)


def test_long_motions_are_searched_at_a_stride(walk: Clip, monkeypatch: pytest.MonkeyPatch) -> None:
    from footfall.joins.by_example import example_search

    monkeypatch.setattr(example_search, "MOST_WINDOWS", 10)
    fresh = walk.with_pose(walk.pose)
    departure = leaving(fresh, 0.3)
    made = make(departure, fresh, enter_s=0.7)
    ready = windows(unrolled(fresh, 120.0, 5, 48), 48)
    assert ready is not None
    assert ready.every == 14
    assert len(ready.whole) == 10
    frame = int(made.note.split("frame ")[1].split()[0])
    assert frame % 14 == 0
    assert abs(frame - 36) <= 14  # near where the walk itself goes on
    monkeypatch.setattr(by_example, "MOST_CELLS", 10)
    assert make(departure, fresh).enter_s == pytest.approx(0.7, abs=2 / 120)  # without a table: the nearest in shape


@pytest.mark.parametrize("at_s", [0.2, 0.65, 5.0])
def test_places_of_joints_go_over_from_one_motion_to_the_other(walk: Clip, run: Clip, at_s: float) -> None:
    """Against both motions sampled, eased by hand; loops go round and other clips hold their ends."""
    rng = np.random.default_rng(0)

    def travelling(clip: Clip) -> Clip:
        places = clip.skeleton.offsets + 0.01 * rng.normal(size=(clip.frames, *clip.skeleton.offsets.shape))
        places[-1] = places[0]
        return clip.with_pose(clip.pose._replace(pos=places))

    left, entered = travelling(walk), travelling(run)
    for loop, other in ((left, entered), (left.with_pose(left.pose, is_loop=False), run)):
        departure = leaving(loop, min(at_s, loop.duration) if not loop.is_loop else at_s)
        made = by_example.transition(departure, other, TransitionRequest(length_s=0.5, enter_s=0.4))
        times = np.arange(1, len(made.pose.root_pos) + 1) / departure.fps
        u = times / times[-1]
        share = (u**3 * (10.0 - 15.0 * u + 6.0 * u * u))[:, None, None]
        theirs = other.sample(np.maximum(0.4 - times[-1] + times, 0.0)).pos
        theirs = other.skeleton.offsets if theirs is None else theirs
        expected = (1.0 - share) * departure.ahead(times).pos + share * theirs
        assert made.pose.pos is not None
        np.testing.assert_allclose(made.pose.pos, expected, atol=1e-6)

"""Blend spaces: from names, clips and files to clips whose feet hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.analysis.contacts import Contacts
from footfall.analysis.floor import find_floor
from footfall.core.errors import FootfallError
from footfall.feet.foot_lock import known_contacts
from footfall.kinematics.root import floor_root
from footfall.parametric.blend_space import blend_space, gait_cycles, kind_of, one_body
from footfall.quality.slide import slide
from footfall.retarget.character import character, scaled
from footfall.retarget.retarget import retarget

BETWEEN = [(1.1, 20.0), (0.8, -30.0), (1.05, 75.0), (1.5, -20.0), (0.95, -80.0), (1.8, 0.0)]


@pytest.fixture(scope="module")
def walk():
    return ff.blend_space("walk")


def told(clip):
    """Contacts as the events of the clip tell them."""
    flags = {
        part: np.any([(clip.times >= a - 1e-9) & (clip.times <= b + 1e-9) for a, b in spans], axis=0)
        for part, spans in known_contacts(clip).items()
    }
    return Contacts(clip.fps, **flags, floor=find_floor(clip))


@pytest.mark.parametrize(("speed", "turn"), BETWEEN)
def test_feet_hold_between_the_examples(walk, speed, turn):
    raw = walk(seconds=3.0, lock=False, speed=speed, turn=turn)
    locked = walk(seconds=3.0, speed=speed, turn=turn)
    assert slide(raw, told(raw)).mean_cm_s <= 3.0  # the examples' own is 0
    assert slide(locked, told(locked)).mean_cm_s <= 1.0
    assert slide(raw).mean_cm_s <= 3.0  # nor where contacts are found in the motion alone
    assert slide(locked).mean_cm_s <= 1.0
    assert locked.report.quality["lock_moved_m"] < 0.06


def test_one_round_is_a_loop_that_goes_on(walk):
    clip = walk(speed=1.25, turn=30.0)
    assert clip.is_loop
    position, heading = floor_root(clip.skeleton, clip.pose)
    again = clip.sample(clip.duration + clip.times)
    there, _ = floor_root(clip.skeleton, again)
    assert np.linalg.norm(there[0] - position[-1]) < 1e-6
    turned = np.degrees(np.unwrap(heading)[-1] - heading[0]) / clip.duration
    assert turned == pytest.approx(clip.parameters["turn"], rel=0.02)


def test_length_and_frame_rate_are_as_asked(walk):
    clip = walk(seconds=2.5, fps=30.0, speed=1.0)
    assert clip.frames == 76
    assert not clip.is_loop
    assert walk(seconds=0.0, speed=1.0).frames == 1
    for bad in ({"seconds": -1.0}, {"seconds": 1e9}, {"fps": 0.0}, {"seconds": float("nan")}):
        with pytest.raises(FootfallError, match="must be"):
            walk(speed=1.0, **bad)


def test_beyond_the_examples_is_extrapolated_and_far_beyond_refused(walk):
    clip = walk(seconds=1.0, speed=2.4)
    assert clip.parameters["speed"] > 2.1
    with pytest.raises(FootfallError, match="too far from the examples"):
        walk(seconds=1.0, speed=1e6)


def test_it_tells_what_it_is_made_of(walk):
    clip = walk(seconds=1.0, speed=1.1, turn=20.0)
    weights = walk.weights(speed=1.1, turn=20.0)
    assert sum(weights.values()) == pytest.approx(1.0)
    assert clip.report.segments[0].clips == tuple(weights)
    assert clip.report.provenance.weight.shape == (clip.frames, 13)
    assert clip.report.provenance.weight[5] == pytest.approx(list(weights.values()))
    assert walk.achieved(speed=1.1, turn=20.0) == pytest.approx(dict(clip.parameters))
    assert "speed 0.5 … 2" in repr(walk)


def test_parameters_are_found_in_clips_that_tell_nothing():
    clips = [ff.motion("walk", speed=v, turn=w) for v, w in ((0.8, 0.0), (1.4, 0.0), (1.1, 50.0), (1.1, -50.0))]
    bare = [replace(c, parameters={}, events=(), name=f"take {k}") for k, c in enumerate(clips)]
    space = blend_space(bare)
    assert space.motion.parameter_names == ("speed", "turn")
    wanted = np.array([[c.parameters["speed"], c.parameters["turn"]] for c in clips])
    assert np.abs(space.motion.parameters - wanted).max(axis=0) == pytest.approx(0.0, abs=0.05)
    clip = space(seconds=2.0, speed=1.1, turn=0.0)
    assert slide(clip).mean_cm_s < 1.0


def test_recordings_are_cut_into_cycles():
    long = replace(ff.motion("walk", speed=1.2, cycles=4), is_loop=False, events=())
    (best,) = gait_cycles(long)
    assert best.is_loop
    assert best.duration == pytest.approx(long.duration / 4, abs=0.02)
    assert len(gait_cycles(long, "all")) >= 2
    fast = replace(ff.motion("walk", speed=1.7, cycles=3), is_loop=False, events=(), name="fast")
    space = blend_space([replace(long, name="slow"), fast])
    assert space.motion.parameter_names == ("speed",)
    assert space(speed=1.45).parameters["speed"] == pytest.approx(1.45, abs=0.05)
    with pytest.raises(FootfallError, match="no whole gait cycle"):
        gait_cycles(ff.motion("wave"))
    with pytest.raises(FootfallError, match="best"):
        gait_cycles(long, "most")


def test_other_bodies_are_brought_onto_the_first():
    small = retarget(ff.motion("walk", speed=1.0), scaled(character("adult").skeleton, 1.2))
    big = ff.motion("walk", speed=1.5)
    clips = one_body([big, small])
    assert clips[1].skeleton.height == pytest.approx(big.skeleton.height)
    space = blend_space([big, small])
    assert space.motion.skeleton is big.skeleton
    onto = blend_space([big, small], onto="adult:1.5")
    assert onto.motion.skeleton.height == pytest.approx(1.5, abs=0.03)


def test_files_and_folders(tmp_path):
    for k, v in enumerate((0.9, 1.5)):
        ff.save(ff.motion("walk", speed=v, cycles=3), tmp_path / f"walk{k}.bvh")
    for given in (tmp_path, str(tmp_path), [tmp_path / "walk0.bvh", str(tmp_path / "walk1.bvh")]):
        space = blend_space(given)
        assert space.motion.examples == ("walk0", "walk1")
        assert space.ranges["speed"] == pytest.approx((0.9, 1.5), abs=0.03)


def test_what_cannot_be_blended_is_said(tmp_path):
    with pytest.raises(FootfallError, match="walk"):
        blend_space("wlak")
    with pytest.raises(FootfallError, match="no motion files"):
        blend_space(tmp_path)
    with pytest.raises(FootfallError, match=r"wave.*locomotion"):
        kind_of([ff.motion("walk"), ff.motion("run"), ff.motion("wave")])
    with pytest.raises(FootfallError, match="style"):
        blend_space("walk", by=("speed", "style"))
    with pytest.raises(FootfallError, match="weight method"):
        blend_space("walk", method="magic")
    with pytest.raises(FootfallError, match="scheme of time"):
        blend_space("walk", time="sundial")


def test_every_method_of_weights_works(walk):
    from footfall.weights.weights import methods

    for method in methods():
        space = walk if method == "rbf" else blend_space("walk", method=method)
        assert sum(space.weights(speed=1.2, turn=10.0).values()) == pytest.approx(1.0)
        assert space.achieved(speed=1.2, turn=10.0)["speed"] == pytest.approx(1.2, abs=0.25)


def test_captured_walks_blend(mocap):
    files = sorted((mocap / "cmu_bvh" / "walk_straight").glob("*.bvh"))[:3]
    space = blend_space(files)
    low, high = space.ranges["speed"]
    clip = space(seconds=3.0, speed=0.5 * (low + high))
    assert slide(clip).mean_cm_s < 3.0
    assert clip.parameters["speed"] == pytest.approx(0.5 * (low + high), abs=0.05)

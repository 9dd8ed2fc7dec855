"""Joins through a donor: taken where they are better, told whole, every frame where it says it comes from."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import footfall as ff
from footfall.core.errors import FootfallError
from footfall.quality.shown import joint_distances

pytestmark = pytest.mark.slow
IN_THE_AIR_S = 0.8


@pytest.fixture(scope="module")
def takes(tmp_path_factory):
    """A jump, and what leads nowhere."""
    folder = tmp_path_factory.mktemp("donors")
    ff.save(ff.motion("jump"), folder / "another_jump.npz")
    ff.save(ff.motion("start", speed=1.2).trim(0.0, 0.2), folder / "bit.npz")
    return folder


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FOOTFALL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def clips():
    return ff.motion("jump"), ff.motion("wave")


@pytest.fixture(scope="module")
def through(takes, clips):
    """A jump that must be left in the air, where nobody can begin to wave."""
    return ff.join(*clips, at_s=IN_THE_AIR_S, donors=takes)


def test_a_donor_is_taken_where_it_is_better_and_the_direct_way_is_told(through):
    donors = [s for s in through.report.segments if s.kind == "clip" and s.clips == ("another_jump.npz",)]
    assert len(donors) == 1
    assert "donor" in donors[0].reason
    assert [s.kind for s in through.report.segments].count("transition") == 2
    told = [r for s in through.report.joins for r in s.rejected]
    assert any(r.method == "auto" and r.reason.startswith("directly") for r in told)
    assert len(through.report.judgement["seams"]) == 2
    assert through.report.judgement["grade"] != "red"


def test_segments_follow_each_other_to_the_end(through):
    segments = through.report.segments
    assert segments[0].start_s == 0.0
    for a, b in itertools.pairwise(segments):
        assert b.start_s == pytest.approx(a.end_s, abs=1e-6)
    assert segments[-1].end_s == pytest.approx(through.duration, abs=1e-6)


def test_every_frame_of_one_source_is_that_sources_pose(through, clips, takes):
    sources = {clip.name: clip for clip in clips} | {"another_jump.npz": ff.load(takes / "another_jump.npz")}
    made, seen = through.report.provenance, set()
    ours = joint_distances(through)
    np.testing.assert_allclose(made.weight.sum(axis=1), 1.0, atol=1e-9)
    for frame in np.flatnonzero((made.weight.max(axis=1) > 1.0 - 1e-9) & (made.correction_m < 0.05)):
        column = int(made.weight[frame].argmax())
        name = made.clips[made.clip[frame, column]]
        theirs = joint_distances(sources[name])
        x = float(made.time_s[frame, column]) * sources[name].fps
        if sources[name].is_loop:
            x %= len(theirs) - 1
        if 0.0 <= x <= len(theirs) - 1:
            i = min(int(x), len(theirs) - 2)
            expected = theirs[i] + (x - i) * (theirs[i + 1] - theirs[i])
            moved = 0.01 + 2.0 * made.correction_m[frame]  # metres: as the judge tells a pose, and both feet moved
            assert np.abs(ours[frame] - expected).max() < moved
            seen.add(name)
    assert seen == set(sources)


def test_the_motion_goes_on_without_a_jump(through):
    speed = np.linalg.norm(np.diff(through.positions, axis=0), axis=-1).max() * through.fps
    assert speed < 12.0  # m/s: no foot of these is faster than 6


def test_a_folder_that_leads_nowhere_changes_nothing(clips, tmp_path):
    ff.save(ff.motion("start", speed=1.2).trim(0.0, 0.2), tmp_path / "takes" / "bit.npz")
    asked = {"at_s": IN_THE_AIR_S}
    direct, tried = ff.join(*clips, **asked), ff.join(*clips, **asked, donors=tmp_path / "takes")
    assert np.array_equal(direct.pose.rot, tried.pose.rot)
    told = [r for s in tried.report.joins for r in s.rejected if r.method == "donor"]
    assert len(told) == 1


@pytest.mark.parametrize("given", [{"method": "crossfade"}, {"b": ["wave", "kick"]}])
def test_what_donors_cannot_do_is_refused(takes, given):
    with pytest.raises(FootfallError, match="donor"):
        ff.join("run", **{"b": "wave", "donors": takes, **given})

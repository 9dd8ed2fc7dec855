"""Plots of an analysis: they are drawn for every kind of clip, and their curves are right."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from helpers import humanoid, still_clip, walking_clip
from PIL import Image

from footfall.analysis.summary import analyze
from footfall.core import rotation
from footfall.core.errors import MissingExtra
from footfall.motions.library import motion
from footfall.render import plot_analysis as plots
from footfall.render.theme import THEMES


def colours(png: bytes) -> set[tuple[int, int, int]]:
    image = Image.open(BytesIO(png)).convert("RGB")
    return {colour for _, colour in image.getcolors(1 << 24)}


def rgb(colour: str) -> tuple[int, int, int]:
    return tuple(int(colour[k : k + 2], 16) for k in (1, 3, 5))  # type: ignore[return-value]


@pytest.mark.parametrize("name", ["walk", "run", "stand", "kick"])
def test_built_in_motions(name, tmp_path):
    clip = motion(name)
    found = analyze(clip)
    png = plots.plot_analysis(clip, found, tmp_path / "a.png", title="a title")
    assert (tmp_path / "a.png").read_bytes() == png
    shown = colours(png)
    for label in {p.label for p in found.phases} - {"NS"}:
        assert rgb(plots.phase_colour(label)) in shown


def test_two_frames_can_be_drawn():
    clip = still_clip(frames=2)
    assert plots.plot_analysis(clip, analyze(clip)).startswith(b"\x89PNG")


def test_phase_colours_are_those_of_the_feet_and_their_mix():
    theme = THEMES["light"]
    left, right, both = (np.array(rgb(plots.phase_colour(p))) for p in ("LS", "RS", "DS"))
    assert plots.phase_colour("LS") == theme.left
    assert plots.phase_colour("RS") == theme.right
    assert np.abs(both - 0.5 * (left + right)).max() <= 1
    assert plots.phase_colour("NS") == "none"
    for a, b in ((left, right), (left, both), (right, both)):
        assert np.linalg.norm(a - b) > 60


@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_joint_curves_are_flexion(heading):
    """A thigh swung 40° ahead, a knee bent by 70°, whichever way the body faces."""
    skeleton = humanoid()
    clip = still_clip(frames=3)
    rot = np.tile(skeleton.rest, (3, 1, 1)).copy()
    rot[:, skeleton.roles.left_hip] = rotation.axis_angle(rotation.AXES["X"], -np.radians(40.0))
    rot[:, skeleton.roles.left_knee] = rotation.axis_angle(rotation.AXES["X"], np.radians(70.0))
    rot[:, 0] = rotation.yaw(heading)
    found = plots.joint_curves(clip.with_pose(clip.pose._replace(rot=rot)))
    assert found["hip"][0] == pytest.approx([40.0, 0.0], abs=1e-6)
    assert found["knee"][0] == pytest.approx([70.0, 0.0], abs=1e-6)
    assert found["ankle"][0, 0] == pytest.approx(found["ankle"][0, 1])


def test_the_floor_is_turned_so_that_the_walk_goes_up():
    clip = walking_clip(heading=1.1)
    arc = analyze(clip).arc
    path = clip.root_motion.position[:, [0, 2]] @ plots._turned(arc.phi)
    assert path[-1, 1] - path[0, 1] == pytest.approx(np.linalg.norm(path[-1] - path[0]), rel=1e-2)


def test_a_footprint_reaches_from_heel_to_tip():
    heel, tip = np.array([1.0, 2.0]), np.array([1.0, 2.25])
    outline = plots.footprint(heel, tip)
    assert outline[:, 1].min() == pytest.approx(2.0)
    assert outline[:, 1].max() == pytest.approx(2.25)
    assert 0.06 < np.ptp(outline[:, 0]) < 0.12


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    clip = still_clip(frames=4)
    with pytest.raises(MissingExtra, match=r"footfall\[plot\]"):
        plots.plot_analysis(clip, analyze(clip))

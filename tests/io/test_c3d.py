"""C3D: points of every kind of file as another reader has them, and a body solved from the markers on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from c3d_make import MACHINES, make_c3d, standing_c3d, standing_markers

import footfall as ff
from footfall.core import rotation
from footfall.core.errors import ReadError
from footfall.io.c3d_points import read_points
from footfall.io.raw import Reading, ReadOptions
from footfall.kinematics.fk import world_transforms

PLUG_IN_GAIT = {"LFWT": "LASI", "RFWT": "RASI", "LBWT": "LPSI", "RBWT": "RPSI"}
LEGS = [f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "ToeBase")]
ARMS = {f"{side}{ours}": f"{side[0].lower()}{theirs}" for side in ("Left", "Right")
        for ours, theirs in (("Arm", "humerus"), ("ForeArm", "radius"), ("Hand", "hand"))}  # fmt: skip


@pytest.fixture(scope="session")
def captures(mocap: Path) -> Path:
    folder = mocap.parent / "formats"
    if not (folder / "cmu_02_01.c3d").exists():
        pytest.skip("no C3D captures: put them at ../shared/formats")
    return folder


def points_of(path: Path) -> np.ndarray:
    return read_points(Reading(path, ReadOptions())).positions


@pytest.mark.parametrize("scale", [-0.1, 0.1])
@pytest.mark.parametrize("machine", MACHINES)
def test_every_machine_and_kind_of_number(machine: str, scale: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    places = np.round(rng.uniform(-2000.0, 2000.0, (7, 3, 3)), 1)
    places[3, 1] = np.nan
    path = tmp_path / "a.c3d"
    path.write_bytes(make_c3d(["A", "B", "*3"], places, machine, scale, analog=5, fps=59.94))
    made = ff.load_markers(path)
    assert made.names == ("A", "B")  # what the tracker could not name is left out
    assert made.fps == pytest.approx(59.94, rel=1e-6)
    np.testing.assert_allclose(made.positions, places[:, :2][..., [0, 2, 1]] * [0.001, 0.001, -0.001], atol=1e-6)
    assert np.isnan(made.positions[3, 1]).all()


@pytest.mark.parametrize("machine", ["intel", "dec"])  # ezc3d does not read MIPS
def test_another_reader_agrees(machine: str, tmp_path: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d", reason="no ezc3d: pip install ezc3d, and run this again")
    path = tmp_path / "a.c3d"
    path.write_bytes(standing_c3d(machine=machine, analog=0))
    theirs = ezc3d.c3d(str(path))["data"]["points"][:3].transpose(2, 1, 0)
    np.testing.assert_array_equal(points_of(path), theirs)


def test_another_reader_agrees_on_captures(captures: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d", reason="no ezc3d: pip install ezc3d, and run this again")
    for path in sorted(captures.glob("*.c3d")):
        ours = points_of(path)
        theirs = ezc3d.c3d(str(path))["data"]["points"][:3].transpose(2, 1, 0)[:, : ours.shape[1]]
        np.testing.assert_array_equal(ours, theirs)  # also which are not seen


def test_a_capture_agrees_with_its_bvh_and_amc(captures: Path, mocap: Path) -> None:
    """Pelvis and legs within 4 cm of the BVH in the median, arms within 6 cm of the AMC; every joint for itself."""
    clip = ff.load(captures / "cmu_02_01.c3d", clean=False)
    bvh = ff.load(mocap / "cmu_bvh/walk_straight/02_01.bvh", clean=False)
    amc = ff.load(mocap / "cmu_asfamc/02_01.amc", clean=False)
    back = rotation.conjugate(np.array(clip.source.world_from_file))
    places = rotation.rotate(back, clip.positions)[..., [1, 2, 0]]  # CMU's Z becomes the Y of its other files
    bvh_places = bvh.positions[1:]  # its first frame was put before the take
    for name in ("Hips", *LEGS):
        apart = places[:, clip.skeleton.index(name)] - bvh_places[:, bvh.skeleton.index(name)]
        assert np.median(np.linalg.norm(apart, axis=-1)) < 0.04, name
    for ours, theirs in ARMS.items():
        apart = places[:, clip.skeleton.index(ours)] - amc.positions[:, amc.skeleton.index(theirs)]
        assert np.median(np.linalg.norm(apart, axis=-1)) < 0.06, ours


def test_the_solved_body_walks(captures: Path) -> None:
    """As the BVH of the take does: its gait, speed and steps."""
    clip = ff.load(captures / "cmu_02_01.c3d")
    found = ff.analyze(clip).gait
    assert found.type == "walk"
    assert 1.0 < np.median(np.linalg.norm(clip.root_motion.velocity, axis=-1)) < 1.6
    assert clip.skeleton.roles.confidence > 0.8
    head = clip.skeleton.index("Head")
    crown = rotation.rotate(world_transforms(clip.skeleton, clip.pose)[1][:, head], rotation.UP)
    assert np.degrees(np.arccos(np.median(crown[:, 1]))) < 20.0  # upright: a band of markers is not worn level


def test_a_standing_body(tmp_path: Path) -> None:
    (tmp_path / "a.c3d").write_bytes(standing_c3d())
    clip = ff.load(tmp_path / "a.c3d", clean=False)
    assert 1.6 < clip.skeleton.height < 1.9
    joints = dict(zip(clip.skeleton.names, clip.positions[0], strict=True))
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        hip, knee, ankle, toe = (joints[side + part] for part in ("UpLeg", "Leg", "Foot", "ToeBase"))
        assert hip[1] > knee[1] > ankle[1] > toe[1] - 0.02
        across = sign * np.stack([hip, knee, ankle]) @ (joints["LeftUpLeg"] - joints["RightUpLeg"])
        assert (across > 0.0).all()  # each on its own side
        assert joints[f"{side}Hand"][1] < joints[f"{side}ForeArm"][1] < joints[f"{side}Arm"][1]
    assert clip.source.inferred["markers"].value == "CMU: 30 markers"
    assert abs(clip.root_motion.heading).max() < np.pi  # faces somewhere
    forward = joints["LeftToeBase"] - joints["LeftFoot"]
    facing = [np.sin(clip.root_motion.heading[0]), np.cos(clip.root_motion.heading[0])]
    assert forward[[0, 2]] @ facing > 0.1


@pytest.mark.parametrize("turn", [0.0, 0.7, 2.5])
def test_wherever_the_body_stands_it_is_the_same(turn: float, tmp_path: Path) -> None:
    """Turned about the vertical and moved: the same bones and the same local rotations."""
    markers = standing_markers()
    places = np.stack([*markers.values()])[None].repeat(3, axis=0)
    moved = rotation.rotate(rotation.yaw(turn), places) + [2.0, 0.0, -1.0]
    clips = []
    for name, data in (("a", places), ("b", moved)):
        (tmp_path / f"{name}.c3d").write_bytes(make_c3d([*markers], data[..., [2, 0, 1]] * 1000.0))
        clips.append(ff.load(tmp_path / f"{name}.c3d", clean=False))
    np.testing.assert_allclose(clips[1].skeleton.offsets[1:], clips[0].skeleton.offsets[1:], atol=1e-5)
    assert rotation.angle_between(clips[1].pose.rot[:, 1:], clips[0].pose.rot[:, 1:]).max() < 1e-3


def test_both_sets_of_names_are_one_body(tmp_path: Path) -> None:
    markers = standing_markers()
    places = np.stack([*markers.values()])[None].repeat(3, axis=0)[..., [2, 0, 1]] * 1000.0
    (tmp_path / "cmu.c3d").write_bytes(make_c3d([*markers], places))
    (tmp_path / "pig.c3d").write_bytes(make_c3d([PLUG_IN_GAIT.get(n, n) for n in markers], places))
    cmu, pig = ff.load(tmp_path / "cmu.c3d"), ff.load(tmp_path / "pig.c3d")
    np.testing.assert_array_equal(cmu.positions, pig.positions)
    assert pig.source.inferred["markers"].value.startswith("Plug-in Gait")


def test_gaps_are_filled_and_told(tmp_path: Path) -> None:
    markers = standing_markers()
    places = np.stack([*markers.values()])[None] * 1000.0 + np.arange(40)[:, None, None] * [0.0, 0.0, 10.0]
    whole = places[..., [2, 0, 1]].copy()
    broken = whole.copy()
    broken[10:20, [*markers].index("LKNE")] = np.nan
    for name, data in (("a", whole), ("b", broken)):
        (tmp_path / f"{name}.c3d").write_bytes(make_c3d([*markers], data))
    a, b = ff.load(tmp_path / "a.c3d", clean=False), ff.load(tmp_path / "b.c3d", clean=False)
    np.testing.assert_allclose(b.positions, a.positions, atol=1e-5)
    assert any("LKNE 25%" in warning for warning in b.warnings)
    assert not a.warnings


def test_missing_markers_are_named(captures: Path) -> None:
    with pytest.raises(ReadError, match=r"Plug-in Gait or CMU, found no LASI, .* more among its 26 .*ff.load_markers"):
        ff.load(captures / "EB015PI.c3d")
    assert ff.load_markers(captures / "EB015PI.c3d").positions.shape == (450, 26, 3)


def test_two_subjects_are_two_motions(tmp_path: Path) -> None:
    """Each from its own markers; one of whom a marker is missing is left out."""
    markers = standing_markers()
    places = np.stack([*markers.values()])[None].repeat(3, axis=0)[..., [2, 0, 1]] * 1000.0
    names = [f"Ann:{n}" for n in markers] + [f"Bob:{n}" for n in markers] + ["Cem:LASI"]
    both = np.concatenate([places, 1.1 * places + [500.0, 0.0, 0.0], places[:, :1]], axis=1)
    (tmp_path / "a.c3d").write_bytes(make_c3d(names, both))
    ann, bob = ff.load_all(tmp_path / "a.c3d", clean=False)
    assert (ann.name, bob.name) == ("Ann", "Bob")
    assert bob.skeleton.height > 1.05 * ann.skeleton.height


def test_one_missing_marker_is_named(tmp_path: Path) -> None:
    markers = {name: place for name, place in standing_markers().items() if name != "RELB"}
    places = np.stack([*markers.values()])[None][..., [2, 0, 1]] * 1000.0
    (tmp_path / "a.c3d").write_bytes(make_c3d([*markers], places))
    with pytest.raises(ReadError, match="found no RELB among its 29 markers"):
        ff.load(tmp_path / "a.c3d")


def changed(data: bytes, at: int, value: bytes) -> bytes:
    return data[:at] + value + data[at + len(value) :]


BAD = {
    "empty": (b"", "a C3D file"),
    "not one": (b"HIERARCHY" + bytes(600), "a C3D file"),
    "other machine": (changed(standing_c3d(), 512 + 3, b"\x63"), "Intel, DEC or MIPS"),
    "no points": (changed(standing_c3d(), 2, b"\0\0"), "1 to 4096 points"),
    "no scale": (changed(standing_c3d(), 12, bytes(4)), "a scale"),
    "frames backwards": (changed(standing_c3d(), 8, b"\0\0"), "at least one frame"),
    "data in the header": (changed(standing_c3d(), 16, b"\1\0"), "data after the header"),
    "rate of zero": (changed(standing_c3d(fps=0.0), 20, bytes(4)), "fps=120"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused(case: str, tmp_path: Path) -> None:
    data, message = BAD[case]
    (tmp_path / "a.c3d").write_bytes(data)
    with pytest.raises(ReadError, match=message):
        ff.load(tmp_path / "a.c3d")


def test_a_file_that_was_cut_off_is_read_up_to_there(tmp_path: Path) -> None:
    (tmp_path / "a.c3d").write_bytes(standing_c3d(frames=20)[:-1500])
    clip = ff.load(tmp_path / "a.c3d")
    assert 10 <= clip.frames < 20
    assert "cut off" in clip.warnings[0]
    with pytest.raises(ReadError, match="cut off"):
        ff.load(tmp_path / "a.c3d", strict=True)

"""npz: footfall's own files bit for bit, world positions under every convention, and archives that lie."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
from fuzz import mutations, survives
from hypothesis import given
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip, Event, Inferred, Skin, Source
from footfall.core.errors import ParameterError, ReadError, UnknownName
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.formats import npz as own
from footfall.io.load import read_raw
from footfall.io.raw import RawMotion, Reading, ReadOptions
from footfall.kinematics.fk import world_positions, world_transforms

OLD = Path(__file__).parent / "old"


def random_clip(
    seed: int, joints: int = 5, frames: int = 4, ends: int = 2, pos: bool = False, skin: bool = False
) -> Clip:
    rng = np.random.default_rng(seed)
    parents = [-1] + [int(rng.integers(0, j)) for j in range(1, joints)]
    names = tuple(f"joint {j} é\u2028{seed}" for j in range(joints))
    skeleton = Skeleton(
        names,
        np.array(parents),
        rng.normal(size=(joints, 3)),
        rotation.normalize(rng.normal(size=(joints, 4))),
        rng.integers(0, joints, ends),
        rng.normal(size=(ends, 3)),
        {"left_knee": names[-1]},
    )
    pose = Pose(
        rng.normal(size=(frames, 3)),
        rotation.normalize(rng.normal(size=(frames, joints, 4))),
        rng.normal(size=(frames, joints, 3)) if pos else None,
    )
    mesh = Skin(
        rng.normal(size=(6, 3)).astype(np.float32),
        rng.integers(0, 6, (4, 3)).astype(np.int32),
        rng.integers(0, joints, (6, 4)),
        np.full((6, 4), 0.25),
        rng.normal(size=(joints, 4, 4)),
        (0.1, 0.2, 0.30000000000000004),
    )
    source = Source(
        "some/where.bvh", "bvh", "take 1", 0.0254 / 0.45, tuple(rng.normal(size=4).tolist()),
        {"units": Inferred(0.01, "body size", 0.9), "axes": Inferred(("x", (1, 2.5), None, True), "told", 1 / 3)},
    )  # fmt: skip
    return Clip(
        skeleton, float(rng.uniform(1, 240)), pose, name="ä take", is_loop=bool(rng.integers(2)),
        events=(Event("step", float(rng.normal()), 1 / 3), Event("", 0.1, 0.1)), source=source,
        warnings=("line 3: odd", "ü"), repairs=("one",), skin=mesh if skin else None,
    )  # fmt: skip


def assert_same(a: object, b: object) -> None:
    """Equal to the last bit, in value, type and shape, through dataclasses, tuples and arrays."""
    if isinstance(a, np.ndarray):
        assert isinstance(b, np.ndarray)
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    elif dataclasses.is_dataclass(a):
        assert type(a) is type(b)
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name))
    elif isinstance(a, tuple):
        assert type(a) is type(b)
        assert len(a) == len(b)  # type: ignore[arg-type]
        for x, y in zip(a, b, strict=True):  # type: ignore[call-overload]
            assert_same(x, y)
    else:
        assert type(a) is type(b)
        assert a == b


# --- footfall's own files ---------------------------------------------------------------------------------------
@given(
    seed=st.integers(0, 2**32 - 1), joints=st.integers(1, 9), frames=st.integers(0, 9), ends=st.integers(0, 3),
    pos=st.booleans(), skin=st.booleans(),
)  # fmt: skip
def test_round_trip_is_exact(
    tmp_path_factory: pytest.TempPathFactory, seed: int, joints: int, frames: int, ends: int, pos: bool, skin: bool
) -> None:
    clip = random_clip(seed, joints, frames, ends, pos, skin)
    path = tmp_path_factory.mktemp("npz") / "clip.npz"
    ff.save(clip, path)
    assert_same(ff.load(path), clip)
    again = path.with_name("again.npz")
    ff.save(ff.load(path), again)
    assert again.read_bytes() == path.read_bytes()


def test_an_unnamed_clip_stays_unnamed_and_numpy_conclusions_become_numbers(tmp_path: Path) -> None:
    inferred = {
        "a": Inferred(np.float64(0.5), "", 1.0),
        "b": Inferred(np.array([1, 2]), "", 1.0),
        "c": Inferred(b"x", "", 1.0),
    }
    clip = dataclasses.replace(random_clip(1), name="", source=Source(inferred=inferred))
    ff.save(clip, tmp_path / "a.npz")
    back = ff.load(tmp_path / "a.npz")
    assert back.name == ""
    assert [back.source.inferred[k].value for k in "abc"] == [0.5, [1, 2], "b'x'"]


def test_options_of_the_caller_hold_for_own_files_too(tmp_path: Path) -> None:
    clip = random_clip(1)
    ff.save(clip, tmp_path / "a.npz")
    assert ff.load(tmp_path / "a.npz", fps=17.0).fps == 17.0
    assert ff.load(tmp_path / "a.npz", roles={"head": clip.skeleton.names[1]}).skeleton.role_overrides["head"]


def test_version_1_stays_readable() -> None:
    """The file was written by the first release's writer from the clip below."""
    clip = ff.load(OLD / "clip_v1.npz")
    assert clip.skeleton.names == ("pelvis", "left_knee", "toe")
    assert clip.skeleton.role_overrides == {"left_toe": "toe"}
    assert clip.frames == 3
    assert clip.fps == 30.0
    assert clip.name == "old"
    assert clip.is_loop
    assert clip.events == (Event("step", 0.0, 0.5),)
    assert clip.source.unit_m == 0.01
    assert clip.source.inferred["axes"] == Inferred(("y", 1), "told", 0.5)
    assert clip.warnings == ("a warning",)
    assert clip.repairs == ("a repair",)
    assert clip.pose.root_pos.tolist() == [[0.0, 1.0, 0.0], [0.0, 1.0, 0.1], [0.0, 1.0, 0.2]]
    assert clip.pose.rot.tolist() == [[[1.0, 0.0, 0.0, 0.0], [0.6, 0.8, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]] * 3
    assert clip.pose.pos is not None
    assert clip.skin is not None
    assert clip.skin.color == (0.5, 0.25, 0.125)


def rewritten(path: Path, to: Path, **changes: object) -> Path:
    """A copy of one of our files with header fields or arrays replaced (None takes one away)."""
    with np.load(path) as archive:
        arrays = {k: archive[k] for k in archive.files}
    header = json.loads(arrays["footfall"].tobytes())
    for key, value in changes.items():
        if key in header:
            header[key] = value
        elif value is None:
            del arrays[key]
        else:
            arrays[key] = value  # type: ignore[assignment]
    arrays["footfall"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    np.savez(to, **arrays)
    return to


BAD_FIELDS = {
    "newer": (dict(version=2), "version 1 or older, found version 2 .*newer footfall"),
    "no version": (dict(version="x"), "a header with a version"),
    "joint names": (dict(joints=["a"]), "1 joint names do not fit"),
    "names not text": (dict(joints=5), "a list of text"),
    "fps": (dict(fps=-1), "fps must be a number from"),
    "roles": (dict(role_overrides={"head": "nobody"}), "no joint 'nobody'"),
    "roles list": (dict(role_overrides=[1]), "a footfall clip"),
    "events": (dict(events=[["a", None, 0]]), "TypeError"),
    "infinite": (dict(events=[["a", float("inf"), 0]]), "Infinity, which JSON does not have"),
    "no rotations": (dict(rot=None), "an array 'rot'"),
    "parents": (dict(parents=np.array([-1, 0, 3, 1, 1], np.int32)), "parent first"),
    "two roots": (dict(parents=np.array([-1, -1, 0, 1, 1], np.int32)), "only root"),
    "end": (dict(end_parents=np.array([9, 0], np.int32)), "end sites belong to joints 0 to 4"),
    "frames": (dict(root_pos=np.zeros((7, 3))), "needs root_pos"),
    "nan": (dict(root_pos=np.full((4, 3), np.nan)), r"root_pos\[0, 0\]: expected finite"),
    "text": (dict(rot=np.full((4, 5, 4), "x")), "rot: expected an array of float, found dtype <U1"),
    "not unit": (dict(rot=np.zeros((4, 5, 4))), "quaternions of length 1"),
    "skin shapes": (dict(skin_weights=np.zeros((2, 2))), "skin: expected arrays of matching shapes"),
    "skin joints": (dict(skin_joints=np.full((6, 4), 99)), "skin_joints: expected whole numbers below 5"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_FIELDS)
def test_damaged_own_files_are_refused(tmp_path: Path, case: str) -> None:
    changes, message = BAD_FIELDS[case]
    ff.save(random_clip(0, skin=True), tmp_path / "good.npz")
    bad = rewritten(tmp_path / "good.npz", tmp_path / "bad.npz", **changes)
    with pytest.raises(ReadError, match=message) as error:
        ff.load(bad)
    assert str(error.value).count("bad.npz") == 1


def test_what_cannot_be_read_back_is_not_written(tmp_path: Path) -> None:
    clip = random_clip(0)
    ff.save(clip, tmp_path / "a.npz")
    before = (tmp_path / "a.npz").read_bytes()
    with pytest.raises(ParameterError, match="nothing was written"):
        ff.save(dataclasses.replace(clip, events=(Event("x", np.nan, 1.0),)), tmp_path / "a.npz")
    with pytest.raises(UnknownName, match=r"no option of writing \.npz 'shiny'"):
        ff.save(clip, tmp_path / "a.npz", shiny=True)
    assert (tmp_path / "a.npz").read_bytes() == before
    assert os.listdir(tmp_path) == ["a.npz"]


# --- world positions and rotations -----------------------------------------------------------------------------
def world_arrays(order: str, space: str, seed: int = 0, frames: int = 40, noise: float = 0.0) -> dict[str, np.ndarray]:
    """A body that moves, written under one of the four readings, joints shuffled."""
    clip = random_clip(seed, joints=7, frames=frames)
    rng = np.random.default_rng(seed + 1)
    positions, world = world_transforms(clip.skeleton, clip.pose)
    quaternions = world if space == "world" else clip.pose.rot
    quaternions = quaternions if order == "wxyz" else quaternions[..., [1, 2, 3, 0]]
    new = rng.permutation(7)
    place = np.argsort(new)
    return {
        "positions": (positions[:, new] + noise * rng.normal(size=positions.shape)).astype(np.float32),
        "quaternions": quaternions[:, new].astype(np.float32),
        "bone_names": np.array(clip.skeleton.names)[new],
        "parent_indices": np.array([place[p] if p >= 0 else -1 for p in clip.skeleton.parents[new]]),
        "framerate": np.array(60.0),
    }


def read_arrays(folder: Path, arrays: dict[str, np.ndarray], **options: object) -> RawMotion:
    np.savez(folder / "w.npz", **arrays)
    return read_raw(Reading(folder / "w.npz", ReadOptions(**options)))[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("space", ["world", "parent"])
@pytest.mark.parametrize("order", ["xyzw", "wxyz"])
def test_the_reading_whose_kinematics_fit_is_taken(tmp_path: Path, order: str, space: str) -> None:
    arrays = world_arrays(order, space)
    raw = read_arrays(tmp_path, arrays)
    assert raw.inferred["rotations"].value == f"{order}, in the {space}"
    assert raw.inferred["rotations"].confidence > 0.9
    assert raw.fps == 60.0
    got = world_positions(raw.skeleton, raw.pose)
    for i, name in enumerate(arrays["bone_names"]):
        np.testing.assert_allclose(got[:, raw.skeleton.index(str(name))], arrays["positions"][:, i], atol=1e-4)


def test_sliding_bones_keep_their_positions(tmp_path: Path) -> None:
    arrays = world_arrays("xyzw", "world", noise=0.03)
    raw = read_arrays(tmp_path, arrays)
    assert raw.pose.pos is not None
    got = world_positions(raw.skeleton, raw.pose)
    for i, name in enumerate(arrays["bone_names"]):
        np.testing.assert_allclose(got[:, raw.skeleton.index(str(name))], arrays["positions"][:, i], atol=1e-5)


def test_slight_motion_is_enough_to_tell(tmp_path: Path) -> None:
    """An idle body fits every reading loosely; the one that fits exactly is still taken."""
    rng = np.random.default_rng(3)
    clip = random_clip(0, joints=7, frames=40)
    sway = rotation.exp(0.01 * rng.normal(size=(40, 7, 3)))
    positions, world = world_transforms(
        clip.skeleton, clip.pose._replace(rot=rotation.multiply(clip.pose.rot[:1], sway))
    )
    arrays = {**world_arrays("xyzw", "world"), "positions": positions, "quaternions": world}
    arrays |= {"bone_names": np.array(clip.skeleton.names), "parent_indices": clip.skeleton.parents}
    raw = read_arrays(tmp_path, arrays)
    assert raw.inferred["rotations"].value == "wxyz, in the world"
    assert raw.inferred["rotations"].confidence > 0.9


def test_a_still_body_gives_low_confidence(tmp_path: Path) -> None:
    raw = read_arrays(
        tmp_path,
        {k: v[:1] if k in ("positions", "quaternions") else v for k, v in world_arrays("xyzw", "world").items()},
    )
    assert raw.inferred["rotations"].confidence < 0.5


BAD_WORLD = {
    "nothing fits": (dict(quaternions=lambda a: a[::-1]), "rotations that fit the positions"),
    "frames differ": (dict(quaternions=lambda a: a[:-1]), r"quaternions: expected shape \(40, 7, 4\)"),
    "joints differ": (dict(bone_names=lambda a: a[:-1]), r"positions: expected shape \(frames, 6, 3\)"),
    "same names": (dict(bone_names=lambda a: np.full(7, "x")), "names that differ"),
    "zeros": (dict(quaternions=lambda a: a * 0), "a unit quaternion"),
    "cycle": (dict(parent_indices=lambda a: np.array([-1, 2, 1, 0, 0, 0, 0])), "a tree"),
    "no root": (dict(parent_indices=lambda a: np.zeros(7, int)), "one root"),
    "parent out of range": (dict(parent_indices=lambda a: np.array([-1, 0, 0, 0, 0, 0, 7])), "parents below 7"),
    "parent below -1": (dict(parent_indices=lambda a: np.array([-1, 0, 0, 0, 0, 0, -9])), "one root"),
    "absurd integers": (dict(positions=lambda a: np.full(a.shape, -(2**63))), r"positions\[0, 0, 0\]: .*below 1e\+09"),
    "no frames": (dict(positions=lambda a: a[:0], quaternions=lambda a: a[:0]), "at least one frame"),
    "no rate": (dict(framerate=None), "a frame rate .*fps=120"),
    "rate 0": (dict(framerate=lambda a: np.array(0.0)), "one positive number"),
    "no names": (dict(bone_names=None), "expected poses .* found the arrays positions, quaternions, parent_indices"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_WORLD)
def test_bad_world_arrays_are_refused(tmp_path: Path, case: str) -> None:
    changes, message = BAD_WORLD[case]
    arrays = world_arrays("xyzw", "world")
    for key, change in changes.items():
        if change is None:
            del arrays[key]
        else:
            arrays[key] = change(arrays[key])
    with pytest.raises(ReadError, match=message):
        read_arrays(tmp_path, arrays)


def test_a_rate_given_serves_where_the_file_has_none(tmp_path: Path) -> None:
    arrays = world_arrays("xyzw", "world")
    del arrays["framerate"]
    assert read_arrays(tmp_path, arrays, fps=25.0).fps == 25.0


def test_a_real_take(mocap: Path) -> None:
    path = mocap / "npz" / "WalkingStickLeft_BR.npz"
    raw = read_raw(Reading(path, ReadOptions()))[0]
    with np.load(path) as archive:
        positions = archive["positions"]
    assert raw.inferred["rotations"].value == "xyzw, in the world"
    assert raw.name == "WalkingStickLeft_BR"
    away = np.linalg.norm(world_positions(raw.skeleton, raw.pose) - positions, axis=-1)
    assert away.max() < 0.015  # metres: spine, hips and neck of this take do slide a little
    assert np.median(away) < 0.002


# --- archives that lie -----------------------------------------------------------------------------------------
def npy(header: str, data: bytes = b"", version: int = 1) -> bytes:
    width = "<H" if version == 1 else "<I"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(header)) + header.encode("latin-1") + data


def archive_of(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


GOOD = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s), }\n"
LYING = {
    "shape too big": (npy(GOOD % "1000000000000, 156", bytes(64)), "as much data as the header declares"),
    "shape too small": (npy(GOOD % "1, 2", bytes(64)), "as much data"),
    "negative": (npy(GOOD % "-1, 66", bytes(64)), "one plain type"),
    "many digits": (npy(GOOD % ("9" * 5000), bytes(64)), "one plain type"),
    "records": (npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (8,), }", bytes(64)), "one plain type"),
    "no dtype": (npy("{'descr': 'spam', 'fortran_order': False, 'shape': (8,), }", bytes(64)), "one plain type"),
    "code": (npy("{'descr': __import__('os').abort(), 'fortran_order': False, 'shape': (8,)}"), "one plain type"),
    "pickle": (npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"cos\nabort\n(tR."), "never loaded"),
    "text": (npy("{'descr': '<U3', 'fortran_order': False, 'shape': (1, 66)}", bytes(66 * 12)), "found dtype <U3"),
    "header cut": (npy(GOOD % "8, 66")[:20], "expected an npy array"),
    "version 9": (npy(GOOD % "1, 66", bytes(528), version=9), "expected an npy array"),
    "huge header": (npy(" " * 60000, bytes(8)), "expected an npy array"),
    "not npy": (b"PICKLE", "expected an npy array"),
}  # fmt: skip


@pytest.mark.parametrize("case", LYING)
def test_lying_arrays_are_refused(tmp_path: Path, case: str) -> None:
    data, message = LYING[case]
    path = archive_of(tmp_path / "x.npz", {"poses.npy": data, "fps.npy": npy(GOOD % "", struct.pack("<d", 30.0))})
    with pytest.raises(ReadError, match=message):
        read_raw(Reading(path, ReadOptions()))


def test_python_2_and_fortran_headers_are_read(tmp_path: Path) -> None:
    table = np.arange(132.0).reshape(2, 66) / 100
    header = "{'shape': (2L, 66L), 'fortran_order': True, 'descr': '>f8'}"
    members = {
        "poses.npy": npy(header, table.T.astype(">f8").tobytes()),
        "fps.npy": npy(GOOD % "", struct.pack("<d", 30.0)),
    }
    members["trans.npy"] = npy(GOOD % "2, 3", bytes(48))
    raw = read_raw(Reading(archive_of(tmp_path / "x.npz", members), ReadOptions()))[0]
    np.testing.assert_allclose(rotation.log(raw.pose.rot[0, 1]), table[0, 3:6], atol=1e-12)


def test_bombs_are_refused_before_they_inflate(tmp_path: Path) -> None:
    frames = 200_000
    data = npy(GOOD % f"{frames}, 66", bytes(frames * 66 * 8))
    path = archive_of(tmp_path / "x.npz", {"poses.npy": data}, zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < len(data) / 500
    with pytest.raises(ReadError, match="packed less than 200:1"):
        read_raw(Reading(path, ReadOptions()))


def test_declared_size_is_not_trusted(tmp_path: Path) -> None:
    """A directory that promises fewer bytes than there are: the rest is not read, and the sum is wrong."""
    data = npy(GOOD % "2, 66", bytes(2 * 66 * 8))
    path = archive_of(tmp_path / "x.npz", {"poses.npy": data, "fps.npy": npy(GOOD % "", struct.pack("<d", 30.0))})
    broken = bytearray(path.read_bytes())
    at = broken.index(b"PK\x01\x02")
    struct.pack_into("<I", broken, at + 24, len(data) - 528)
    path.write_bytes(broken)
    with pytest.raises(ReadError, match=r"poses: "):
        read_raw(Reading(path, ReadOptions()))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "no zip"),
        (b"this is no zip" * 9, "no zip"),
        (b"PK\x03\x04" + bytes(500), "a zip that was cut off"),
        (b"PK\x05\x06" + bytes(8) + b"\xff\xff\xff\x7f" + bytes(6), "a zip directory of"),
        (b"PK\x05\x06" + bytes(18), "without any .npy member"),
    ],
)
def test_what_is_no_archive_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x.npz").write_bytes(data)
    with pytest.raises(ReadError, match=message):
        read_raw(Reading(tmp_path / "x.npz", ReadOptions()))


def test_unknown_layouts_list_what_was_found(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", betas=np.zeros(10), gender="male", objects=np.array([None, {}], dtype=object))
    with pytest.raises(ReadError, match=r"x\.npz: .*poses \+ trans.*found the arrays betas, gender, objects"):
        read_raw(Reading(tmp_path / "x.npz", ReadOptions()))


def test_broken_copies_only_give_read_errors(tmp_path: Path) -> None:
    ff.save(random_clip(0, skin=True, pos=True), tmp_path / "own.npz")
    world = io.BytesIO()
    np.savez_compressed(world, **world_arrays("xyzw", "world"))
    read = 0
    for data in ((tmp_path / "own.npz").read_bytes(), world.getvalue()):
        for broken in mutations(data, 250):
            read += survives(lambda p: read_raw(Reading(p, ReadOptions())), broken, tmp_path / "x.npz", ReadError)
    assert 0 < read < 500


def test_damage_inside_the_arrays_only_gives_read_errors(tmp_path: Path) -> None:
    np.savez(tmp_path / "w.npz", **world_arrays("xyzw", "world", frames=3))
    with zipfile.ZipFile(tmp_path / "w.npz") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for name, data in members.items():
        for broken in mutations(data, 40, seed=5):
            buffer = archive_of(tmp_path / "b.npz", {**members, name: broken}).read_bytes()
            survives(lambda p: read_raw(Reading(p, ReadOptions())), buffer, tmp_path / "x.npz", ReadError)


def test_damage_inside_the_header_only_gives_read_errors(tmp_path: Path) -> None:
    """Mutations of a zip mostly die at its check sums; these reach the JSON and the npy headers."""
    ff.save(random_clip(0, skin=True), tmp_path / "own.npz")
    with zipfile.ZipFile(tmp_path / "own.npz") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    text = members["footfall.npy"][128:].strip(b"\n")
    for broken in mutations(text, 150):
        data = npy(GOOD.replace("<f8", "|u1") % f"{len(broken)},", broken)
        buffer = archive_of(tmp_path / "b.npz", {**members, "footfall.npy": data}).read_bytes()
        survives(lambda p: read_raw(Reading(p, ReadOptions())), buffer, tmp_path / "x.npz", ReadError)
    for name in ("rot.npy", "parents.npy", "skin_joints.npy"):
        for broken in mutations(members[name], 60):
            buffer = archive_of(tmp_path / "b.npz", {**members, name: broken}).read_bytes()
            survives(lambda p: read_raw(Reading(p, ReadOptions())), buffer, tmp_path / "x.npz", ReadError)


def test_the_version_is_written() -> None:
    with np.load(OLD / "clip_v1.npz", allow_pickle=False) as archive:
        assert json.loads(archive["footfall"].tobytes())["version"] == 1
    assert own.VERSION == 1

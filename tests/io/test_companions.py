"""What a motion is read with: the very files the reader opens, and a folder that is listed once for all its files."""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest
from gltf_make import unpack
from hypothesis import given
from hypothesis import strategies as st
from test_asf_amc import AMC, ASF

import footfall as ff
from footfall.io import companions as module
from footfall.io.companions import asf_of, companions
from footfall.io.folder import content_hash
from footfall.library.build import stamps_of

LONG_AGO = 1_000_000_000  # a time at which no folder of a test was changed
STEMS = st.lists(st.sampled_from(["a", "a_1", "A_1_2", "b", "b_1", "c"]), unique_by=str.lower, max_size=4)


def split_gltf(folder: Path, uri: str, where: str) -> Path:
    """A walk as .gltf, its data in a file beside it that it names by `uri`, once kept at `where`."""
    document, data = unpack(ff.save(ff.motion("walk"), folder / "whole.glb").read_bytes())
    (folder / "whole.glb").unlink()
    document["buffers"][0]["uri"] = uri
    path = folder / "walk.gltf"
    path.write_text(json.dumps(document))
    (folder / where).parent.mkdir(exist_ok=True)
    (folder / where).write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("uri", "where"),
    [("a.bin", "a.bin"), ("my%20walk.bin", "my walk.bin"), ("data/walk.bin", "data/walk.bin"), ("ü.bin", "ü.bin")],
)
def test_what_a_gltf_names_counts_and_nothing_else_does(tmp_path: Path, uri: str, where: str) -> None:
    path, other = split_gltf(tmp_path, uri, where), tmp_path / "other.bin"
    other.write_bytes(b"not ours")
    assert ff.load(path).frames
    assert companions(path) == [tmp_path / where]
    before = content_hash(path), stamps_of([path])
    other.write_bytes(b"not ours either")
    assert (content_hash(path), stamps_of([path])) == before
    (tmp_path / where).write_bytes(b"other data")
    assert content_hash(path) != before[0]
    assert stamps_of([path]) != before[1]


@pytest.mark.parametrize("uri", ["../out.bin", "/etc/hosts", "a/../../out.bin", "C:\\out.bin", "file:///etc/hosts", ""])
def test_a_gltf_has_no_companion_outside_its_folder(tmp_path: Path, uri: str) -> None:
    (tmp_path / "out.bin").write_bytes(b"foreign")
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "a.gltf"
    path.write_text(json.dumps({"buffers": [{"uri": uri}, {"uri": "data:;base64," + base64.b64encode(b"x").decode()}]}))
    assert companions(path) == []


@given(skeletons=STEMS, motion=st.sampled_from(["a", "a_1", "A_1_2_3", "b_1_x", "d"]))
def test_the_skeleton_that_counts_is_the_one_that_is_read(
    tmp_path_factory: pytest.TempPathFactory, skeletons: list[str], motion: str
) -> None:
    folder = tmp_path_factory.mktemp("amc")
    path = folder / f"{motion}.amc"
    path.write_text(AMC)
    for number, stem in enumerate(skeletons):  # each of another length, so that what is read tells which it was
        (folder / f"{stem}.asf").write_text(ASF.replace("length 4", f"length {4 + number}"))
    found = companions(path)
    if not found:
        with pytest.raises(ff.FootfallError, match="asf"):
            ff.load(path)
        return
    alone = folder / "alone"
    alone.mkdir()
    (alone / path.name).write_text(AMC)
    (alone / found[0].name).write_text(found[0].read_text())
    assert (ff.load(path).skeleton.offsets == ff.load(alone / path.name).skeleton.offsets).all()


def test_a_folder_of_many_motions_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed, now = [], module._asf_now
    monkeypatch.setattr(module, "_asf_now", lambda folder: (listed.append(folder), now(folder))[1])
    for number in range(40):
        (tmp_path / f"02_{number:02}.amc").write_text(AMC)
    (tmp_path / "02.asf").write_text(ASF)
    os.utime(tmp_path, (LONG_AGO, LONG_AGO))
    paths = sorted(tmp_path.glob("*.amc"))
    stamps_of(paths)
    for path in paths:
        content_hash(path)
    assert len(listed) == 1


def test_a_skeleton_that_has_just_come_is_seen(tmp_path: Path) -> None:
    """Though the folder may bear the same time as when it was listed: no listing of a fresh folder is kept."""
    path = tmp_path / "02_01.amc"
    path.write_text(AMC)
    for name in ("x.asf", "02.asf", "02_01.asf"):
        asf_of(path)
        (tmp_path / name).write_text(ASF)
        assert asf_of(path) == tmp_path / name

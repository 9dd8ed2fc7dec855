"""Verdicts on broken glTF beside those of Khronos's validator: what is an error there is refused or warned of here."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any

import pytest
from fuzz import glb_mutations, glb_number_mutations
from gltf_make import pack, unpack
from helpers import walking_clip
from outside import errors_of_all

import footfall as ff
from footfall.core.errors import FootfallError
from footfall.io.gltf_check import MOST_TOLD

FEW, MANY = 40, 1500  # files of each of four kinds


def is_silent(path: Path) -> bool:
    """Whether a file is read without a word."""
    try:
        return not any(clip.warnings for clip in ff.load_all(path))
    except FootfallError:
        return False


def broken(folder: Path, count: int, seed: int) -> list[Path]:
    """Files with a body and without, properties or numbers broken."""
    paths = []
    for mesh, way in itertools.product((True, False), (glb_mutations, glb_number_mutations)):
        good = ff.save(walking_clip(cycles=0.3, fps=30.0), folder / "good.glb", mesh=mesh).read_bytes()
        for data in way(good, count, seed + mesh):
            paths.append(folder / f"{len(paths)}.glb")
            paths[-1].write_bytes(data)
    return paths


def compare(validator: Path, count: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = broken(Path(folder), count, seed)
        said = errors_of_all(validator, paths)
        assert sum(map(bool, said)) > len(paths) // 4  # the damage is real
        missed = [errors[:3] for path, errors in zip(paths, said, strict=True) if errors and is_silent(path)]
        assert missed == []


@pytest.mark.slow
def test_what_the_validator_calls_an_error_is_told_here(validator: Path) -> None:
    compare(validator, FEW, 7)


@pytest.mark.long
@pytest.mark.parametrize("seed", [100, 200, 300])
def test_the_same_of_thousands(validator: Path, seed: int) -> None:
    compare(validator, MANY, seed)


@pytest.mark.parametrize("mesh", [True, False])
def test_a_good_file_is_read_without_a_word(tmp_path: Path, mesh: bool) -> None:
    assert is_silent(ff.save(walking_clip(), tmp_path / "a.glb", mesh=mesh))


FAULTS = {
    "/asset/generator: not a text": ("asset", {"generator": -0.5}),
    "/scenes: not a list of one or more": ("scenes", []),
    "/scene: no index into the 0 of scenes": ("scenes", []),
    "/accessors/0/max: not a list": ("accessors", {0: {"max": 5}}),
    "/accessors/0/max: not the greatest": ("accessors", {0: {"max": [99.0] * 16}}),
    "/accessors/0/min: 2 numbers, where an element has 16": ("accessors", {0: {"min": [0.0, 0.0]}}),
    "/animations/0/channels/0/target: missing": ("animations", {0: {"channels": {0: {"target": None}}}}),
    "/nodes/0/extensions: not an object": ("nodes", {0: {"extensions": []}}),
    "is required, and not among those used": ("extensionsRequired", ["KHR_materials_unlit"]),
}


def changed(value: Any, to: Any) -> Any:
    """A JSON value with what lies inside it put, or where it is None taken out."""
    if not isinstance(to, dict) or not isinstance(value, dict | list):
        return to
    made = value.copy()
    for key, inner in to.items():
        if inner is None:
            del made[key]
        else:
            made[key] = changed(made[key] if isinstance(made, list) or key in made else {}, inner)
    return made


@pytest.mark.parametrize("said", FAULTS)
def test_a_fault_that_reading_survives_is_told_by_its_place(tmp_path: Path, said: str) -> None:
    document, data = unpack(ff.save(walking_clip(), tmp_path / "a.glb").read_bytes())
    key, change = FAULTS[said]
    document[key] = changed(document.get(key), change)
    (tmp_path / "b.glb").write_bytes(pack(document, data))
    assert said in " ".join(ff.load(tmp_path / "b.glb").warnings)


def test_of_many_faults_the_first_are_told_and_the_others_counted(tmp_path: Path) -> None:
    document, data = unpack(ff.save(walking_clip(), tmp_path / "a.glb").read_bytes())
    for accessor in document["accessors"]:
        accessor["min"] = "none"
    (tmp_path / "b.glb").write_bytes(pack(document, data))
    warnings, count = ff.load(tmp_path / "b.glb").warnings, len(document["accessors"])
    assert len(warnings) == MOST_TOLD + 1
    assert warnings[-1] == f"{count - MOST_TOLD} more faults against the glTF specification"

"""FBX: joints where Blender puts them, units and takes of the file, and bad files that break only another process."""

from __future__ import annotations

import resource
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from bodies import MIXAMO, body
from fbx_text import as_text
from outside import in_blender

import footfall as ff
from footfall.core.errors import ReadError
from footfall.io.load import load_all

# found, not imported: its objects crash the process that ends with them
pytestmark = pytest.mark.skipif(find_spec("ufbx") is None, reason="no ufbx: pip install 'footfall[fbx]'")

FILES = [
    "cmu_91_48.fbx", "cmu_91_50.fbx", "momentum_character.fbx", "momentum_motion.fbx", "momentum_multiple_motions.fbx",
]  # fmt: skip
NEAR = 1e-3  # of the body's height, from where Blender's importer has a joint
MOST_BYTES = 1 << 30
MUTANTS, MANY = 60, 600  # files, every time and where there is time


def as_the_file_has_it(path: Path, animation: str | int = 0) -> ff.Clip:
    return ff.load(path, animation, clean=False, unit_m=1.0, facing="z")


def worst(clip: ff.Clip, frames: list[int], theirs: np.ndarray, names: list[str]) -> float:
    """Largest distance of a joint over the body's size."""
    ours = clip.positions[frames] if clip.frames else clip.skeleton.rest_positions[None]
    shared = [name for name in names if name in clip.skeleton.names]
    assert len(shared) == len(names)
    off = ours[:, clip.skeleton.indices(shared)] - theirs[:, [names.index(name) for name in shared]]
    return float(np.linalg.norm(off, axis=-1).max() / np.ptp(clip.skeleton.rest_positions, axis=0).max())


@pytest.mark.slow
def test_joints_are_where_blender_puts_them(formats, blender, tmp_path):
    clips = [as_the_file_has_it(formats / name) for name in FILES]
    frames = [sorted({0, clip.frames // 3, max(clip.frames - 1, 0)}) for clip in clips]
    jobs = [
        {"file": str(formats / name), "frames": f, "fps": clip.fps}
        for name, clip, f in zip(FILES, clips, frames, strict=True)
    ]
    for name, clip, f, answer in zip(FILES, clips, frames, in_blender(blender, tmp_path, jobs), strict=True):
        assert worst(clip, f, *answer) < NEAR, name


def test_a_take_a_unit_and_a_skin_are_found(formats):
    take = ff.load(formats / "cmu_91_48.fbx")
    assert (take.frames, take.fps, len(take.skeleton)) == (111, 30.0, 43)
    assert take.skeleton.height == pytest.approx(1.67, abs=0.02)  # 167 m by the file's own word
    assert any("taken to be in cm" in line for line in take.warnings)
    assert take.skeleton.roles.confidence > 0.9
    assert ff.load(formats / "momentum_character.fbx").skin is not None
    assert ff.load(formats / "momentum_character.fbx").frames == 0
    assert ff.retarget(take, "adult").frames == take.frames


@pytest.fixture(scope="module")
def made(blender, tmp_path_factory) -> tuple[Path, list[ff.Clip]]:
    """Two takes of a body with names of a namespace, written by Blender's module."""
    skeleton, _ = body(MIXAMO)
    clips = [ff.retarget(ff.motion(name), skeleton).resample(30) for name in ("walk", "kick")]
    path = tmp_path_factory.mktemp("fbx") / "two.fbx"
    patch = pytest.MonkeyPatch()
    patch.setenv("FOOTFALL_BLENDER_PYTHON", str(blender))
    ff.save(clips, path)
    patch.undo()
    return path, clips


@pytest.mark.slow
def test_several_takes_go_out_through_blender_and_come_back(made, blender, tmp_path):
    path, clips = made
    back = {clip.name.split("|")[-1]: clip for clip in load_all(path, clean=False)}
    assert set(back) == {"walk", "kick"}
    for clip in clips:
        again = back[clip.name]
        assert set(clip.skeleton.names) <= set(again.skeleton.names)
        assert all(name.startswith("mixamorig:") for name in clip.skeleton.names)
        frames = np.arange(0, clip.frames, 7)
        frames = frames[frames < again.frames]
        order = again.skeleton.indices(clip.skeleton.names)
        off = np.linalg.norm(again.positions[frames][:, order] - clip.positions[frames], axis=-1)
        assert off.max() < NEAR * clip.skeleton.height, clip.name
    jobs = [{"file": str(path), "frames": [0, 9], "fps": 30.0, "animation": c.name} for c in clips]
    for clip, (theirs, names) in zip(clips, in_blender(blender, tmp_path, jobs), strict=True):
        file = as_the_file_has_it(path, back[clip.name].name)
        assert worst(file, [0, 9], theirs, names) < NEAR


@pytest.mark.slow
def test_the_ascii_form_says_the_same(made, tmp_path):
    path, _ = made
    text = tmp_path / "two.fbx"
    text.write_text(as_text(path), encoding="utf-8")
    assert text.read_bytes()[:5] == b"; FBX"
    for one, other in zip(load_all(path), load_all(text), strict=True):
        assert (one.name, one.frames, one.skeleton.names) == (other.name, other.frames, other.skeleton.names)
        assert np.abs(one.positions - other.positions).max() < 1e-4


# --- bad files -------------------------------------------------------------------------------------------------------
def mutants(seeds: list[bytes], count: int) -> list[bytes]:
    """Files with bytes changed, cut out, doubled or cut off; some in text form."""
    rng, out = np.random.default_rng(0), []
    for number in range(count):
        data = bytearray(seeds[number % len(seeds)])
        kind = number % 5
        if kind == 0:
            data = data[: int(rng.integers(30, len(data)))]
        elif kind in (1, 2):
            for at in rng.integers(27, len(data), int(rng.integers(1, 40))):
                data[at] = int(rng.integers(0, 256))
        elif kind == 3:
            a, b = sorted(rng.integers(27, len(data), 2).tolist())
            del data[a : min(b, a + 400)]
        else:
            at = int(rng.integers(27, len(data) - 8))
            data[at : at + 4] = b"\xff\xff\xff\x7f"
        out.append(bytes(data))
    return out


def read_mutant(path: Path) -> tuple[float, str]:
    """Seconds it took, and what is wrong about what happened."""
    start = time.monotonic()
    try:
        clips = load_all(path)
        wrong = "" if all(np.isfinite(clip.positions).all() for clip in clips) else "positions that are no numbers"
    except ReadError as error:
        wrong = "" if "\n" not in str(error) and path.name in str(error) else str(error)
    return time.monotonic() - start, wrong


@pytest.mark.parametrize(
    "count", [pytest.param(MUTANTS, marks=pytest.mark.slow), pytest.param(MANY, marks=pytest.mark.long)]
)
def test_mutants_give_a_clip_or_one_sentence(formats, tmp_path, record_property, count):
    seeds = [
        (formats / name).read_bytes() for name in ("momentum_motion.fbx", "cmu_91_48.fbx", "momentum_character.fbx")
    ]
    seeds.append(as_text(formats / "momentum_motion.fbx").encode())
    paths = []
    for number, data in enumerate(mutants(seeds, count)):
        paths.append(tmp_path / f"mutant_{number}.fbx")
        paths[-1].write_bytes(data)
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(read_mutant, paths))
    assert [wrong for _, wrong in found if wrong] == []
    record_property("longest_s", max(seconds for seconds, _ in found))  # ended after ten seconds by the one that asks
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 < MOST_BYTES


def test_what_is_no_fbx_is_told(tmp_path):
    (tmp_path / "hero.fbx").write_bytes(b"GIF89a" + bytes(100))
    with pytest.raises(ReadError, match=r"hero\.fbx:byte 0: expected an FBX file"):
        ff.load(tmp_path / "hero.fbx")

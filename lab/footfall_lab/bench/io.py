"""Reading speed and memory, against numpy on the same numbers, and start-up times."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.load import load
from footfall.io.save import save
from footfall_lab.bench._measure import Row, median_s, peak_memory_mb, start_up_s

FRAMES, JOINTS = 10_000, 31
LONG_FRAMES = 500_000


def run() -> list[Row]:
    """Every figure of this benchmark."""
    with tempfile.TemporaryDirectory() as folder:
        wide, long = Path(folder, "wide.bvh"), Path(folder, "long.bvh")
        save(swaying(FRAMES, JOINTS), wide)
        _write_long(long)
        return [*_speed(wide, Path(folder)), *_memory(long), *_start_up(wide)]


def swaying(frames: int, joints: int) -> Clip:
    """A smooth motion of a branching skeleton: every joint swings at its own rate."""
    parents = np.array([-1, *(max(0, j - 1 if j % 5 else j - 5) for j in range(1, joints))])
    offsets = np.tile([0.03, -0.11, 0.02], (joints, 1))
    skeleton = Skeleton(tuple(f"joint_{j}" for j in range(joints)), parents, offsets)
    t = np.arange(frames)[:, None] / 120.0
    rates = 0.3 + 0.05 * np.arange(joints)
    swing = np.stack([0.6 * np.sin(rates * t), 0.3 * np.cos(0.7 * rates * t), 0.2 * np.sin(1.3 * rates * t)], axis=-1)
    root = np.stack([np.sin(0.2 * t[:, 0]), np.full(frames, 0.9), 0.5 * t[:, 0]], axis=-1)
    return Clip(skeleton, 120.0, Pose(root, rotation.exp(swing)))


def _speed(path: Path, folder: Path) -> list[Row]:
    text = path.read_text().split("Frame Time:")[1].split("\n", 1)[1]
    numbers = median_s(lambda: np.fromstring(text, sep=" "))
    ours = median_s(lambda: load(path), warm_up=2)
    clip = load(path)
    glb, npz = folder / "a.glb", folder / "a.npz"
    save(clip, glb)
    save(clip, npz)
    count = text.count(" ") + text.count("\n")
    ratio = numbers / ours
    return [
        Row(f"BVH, {FRAMES} frames x {JOINTS} joints ({count:,} numbers), whole load", f"{1e3 * ours:.1f} ms"),
        Row("numpy.fromstring on the same numbers alone", f"{1e3 * numbers:.1f} ms"),
        Row("ratio", f"{ratio:.1f}x", "at least 10x", ratio >= 10),
        Row("the same clip from GLB", f"{1e3 * median_s(lambda: load(glb)):.1f} ms"),
        Row("the same clip from npz", f"{1e3 * median_s(lambda: load(npz)):.1f} ms"),
        Row("written as BVH", f"{1e3 * median_s(lambda: save(clip, folder / 'b.bvh'), repeats=3):.0f} ms"),
        Row("written as GLB", f"{1e3 * median_s(lambda: save(clip, glb), repeats=3):.0f} ms"),
    ]


def _write_long(path: Path) -> None:
    channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    head = f"HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\n{channels}\n"
    head += f"End Site\n{{\nOFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: {LONG_FRAMES}\nFrame Time: 0.0083333\n"
    row = "{:.4f} 90.1234 {:.4f} 12.3456 -7.8910 {:.4f}\n"
    with path.open("w") as file:
        file.write(head)
        for start in range(0, LONG_FRAMES, 10_000):
            file.write("".join(row.format(i * 1e-3, i * 2e-3, i % 360) for i in range(start, start + 10_000)))


def _memory(path: Path) -> list[Row]:
    peak = peak_memory_mb(f"import footfall as ff\nassert ff.load({str(path)!r}).frames == {LONG_FRAMES}")
    seconds = start_up_s(f"import footfall as ff\nff.load({str(path)!r})", repeats=3)
    return [
        Row(f"{LONG_FRAMES} frames of one joint: peak memory", f"{peak:.0f} MB", "under 300 MB", peak < 300),
        Row("the same, whole process", f"{seconds:.2f} s"),
    ]


def _start_up(path: Path) -> list[Row]:
    short = path.with_name("short.bvh")
    save(swaying(300, JOINTS), short)
    cli = "from footfall.cli import main\nimport sys\ntry: main({})\nexcept SystemExit: pass"
    imported = start_up_s("import footfall") - start_up_s("pass")
    helped = start_up_s(cli.format(["--help"]))
    told = start_up_s(cli.format(["info", "--json", str(short)]))
    return [
        Row("import footfall", f"{imported:.3f} s", "at most 0.3 s", imported <= 0.3),
        Row("footfall --help", f"{helped:.3f} s", "under 0.25 s", helped < 0.25),
        Row("footfall info of a 300-frame BVH", f"{told:.3f} s", "under 0.6 s", told < 0.6),
    ]

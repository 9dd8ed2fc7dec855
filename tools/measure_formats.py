"""Figures of the formats in docs/results.md: how near each comes to another opinion, and to itself.

usage: python tools/measure_formats.py SHARED     the folder that holds mocap/ and formats/
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

import footfall as ff
from footfall.core import rotation
from footfall.io.smpl_body import smpl_body

CLIPS = 24  # captures that go through HumanML3D and USD, spread over all
LEGS = [f"{side}{part}" for side in ("Left", "Right") for part in ("UpLeg", "Leg", "Foot", "ToeBase")]
ARMS = {"Arm": "humerus", "ForeArm": "radius", "Hand": "hand"}


def row(name: str, *values: object) -> None:
    print(f"| {name} | " + " | ".join(str(v) for v in values) + " |", flush=True)


def cm(values: np.ndarray) -> str:
    return f"{100 * np.median(values):.2f} / {100 * np.quantile(values, 0.95):.2f} / {100 * values.max():.2f} cm"


def captures(mocap: Path) -> list[Path]:
    files = sorted(mocap.glob("cmu_bvh/*/*.bvh")) + sorted(mocap.glob("bandai_namco/*.bvh"))
    return files[:: max(1, len(files) // CLIPS)][:CLIPS]


def c3d(shared: Path) -> None:
    clip = ff.load(shared / "formats/cmu_02_01.c3d", clean=False)
    bvh = ff.load(shared / "mocap/cmu_bvh/walk_straight/02_01.bvh", clean=False)
    amc = ff.load(shared / "mocap/cmu_asfamc/02_01.amc", clean=False)
    places = rotation.rotate(rotation.conjugate(np.array(clip.source.world_from_file)), clip.positions)[..., [1, 2, 0]]

    def apart(ours: str, other: ff.Clip, theirs: str, first: int) -> np.ndarray:
        their = other.positions[first : first + clip.frames, other.skeleton.index(theirs)]
        return np.linalg.norm(places[:, clip.skeleton.index(ours)] - their, axis=-1)

    legs = {name: apart(name, bvh, name, 1) for name in ("Hips", *LEGS)}
    arms = {s + o: apart(s + o, amc, s[0].lower() + t, 0) for s in ("Left", "Right") for o, t in ARMS.items()}
    for name, distance in (legs | arms).items():
        row(f"C3D {name}", cm(distance))
    row("C3D pelvis and legs", cm(np.concatenate([*legs.values()])))
    row("C3D arms", cm(np.concatenate([*arms.values()])))


def humanml3d(shared: Path, folder: Path) -> None:
    """Positions of captures on the SMPL body, and of their own bodies' joints, whose bones are not quite rigid."""
    rng, rigid, noisy = np.random.default_rng(0), [], []
    parents = smpl_body(66)[0].parents
    for file in captures(shared / "mocap"):
        clip = ff.retarget(ff.load(file), "smpl")
        first = np.load(ff.save(clip, folder / "a.npy")).astype(float)
        back = np.load(ff.save(ff.load(folder / "a.npy", clean=False), folder / "b.npy"))
        rigid.append(np.linalg.norm(back - first, axis=-1).ravel())
        loose = first.copy()
        for j in range(1, 22):
            bone = first[:, j] - first[:, parents[j]]
            loose[:, j] = loose[:, parents[j]] + bone * rng.normal(1.0, 0.03, (len(bone), 1))
        np.save(folder / "c.npy", loose)
        back = np.load(ff.save(ff.load(folder / "c.npy", clean=False), folder / "d.npy"))
        noisy.append(np.linalg.norm(back - loose, axis=-1).ravel())
    row("HumanML3D positions, rigid bones", cm(np.concatenate(rigid)))
    row("HumanML3D positions, bones that change by 3 %", cm(np.concatenate(noisy)))


def amass(shared: Path, folder: Path) -> None:
    worst = 0.0
    for file in captures(shared / "mocap")[::3]:
        ff.save(ff.retarget(ff.load(file), "smplh"), folder / "a.npz", format="amass", betas=[0.1] * 16)
        ff.save(ff.load(folder / "a.npz", clean=False), folder / "b.npz", format="amass")
        with np.load(folder / "a.npz") as a, np.load(folder / "b.npz") as b:
            turns = [rotation.exp(z["poses"].reshape(-1, 52, 3)) for z in (a, b)]
            worst = max(
                worst, float(rotation.angle_between(*turns).max()), float(np.abs(a["betas"] - b["betas"]).max())
            )
    row("AMASS, largest change of a rotation", f"{worst:.1e} rad")


def usd(shared: Path, folder: Path) -> None:
    worst, many = 0.0, [*captures(shared / "mocap")[::3], *sorted((shared / "mocap/gltf").glob("*.glb"))]
    many += sorted((shared / "characters").glob("*.glb"))
    for file in many:
        clip = ff.load(file, clean=False)
        again = ff.load(ff.save(clip, folder / "a.usdc"), clean=False, facing="z")
        moved = np.abs(again.positions - clip.positions).max(initial=0.0)
        rest = np.abs(again.skeleton.rest_positions - clip.skeleton.rest_positions).max()
        skin = (
            0.0 if clip.skin is None or again.skin is None else np.abs(again.skin.vertices - clip.skin.vertices).max()
        )
        worst = max(worst, float(moved), float(skin))
        if max(moved, skin) > 1e-5:
            row(f"USD {file.name}", f"moved {moved:.1e} m, rest {rest:.1e} m, skin {skin:.1e} m")
    row(f"USD round trip of {len(many)} files, largest", f"{worst:.1e} m")


def main() -> None:
    shared = Path(sys.argv[1])
    print("| figure | median / 95 % / largest |\n|---|---|")
    with tempfile.TemporaryDirectory() as name:
        c3d(shared)
        humanml3d(shared, Path(name))
        amass(shared, Path(name))
        usd(shared, Path(name))


if __name__ == "__main__":
    main()

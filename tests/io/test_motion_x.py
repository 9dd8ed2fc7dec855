"""Motion-X: 322 numbers a frame, on the SMPL-X body, whichever axis points up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import footfall as ff
from footfall.core.errors import ReadError
from footfall.io.smpl_body import smpl_body


def table(frames: int = 4, stands: str = "y", seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    made = rng.uniform(-0.3, 0.3, (frames, 322))
    made[:, :3] = (np.pi / 2 if stands == "z" else 0.0, 0.0, 0.0)
    made[:, 312:] = np.arange(10)
    return made


@pytest.mark.parametrize("stands", ["y", "z"])
def test_joints_follow_the_model(stands: str, tmp_path: Path) -> None:
    data = table(stands=stands)
    np.save(tmp_path / "a.npy", data.astype(np.float32))
    clip = ff.load(tmp_path / "a.npy", clean=False)
    body, origin = smpl_body(165)
    order = {"jaw": data[:, 156:159], **{n: data[:, 3 * i : 3 * i + 3] for i, n in enumerate(body.names[:22])}}
    order |= {n: data[:, 66 + 3 * i : 69 + 3 * i] for i, n in enumerate(body.names[25:])}
    for frame in range(len(data)):
        world: dict[str, tuple[Rotation, np.ndarray]] = {}
        for j, name in enumerate(body.names):
            turn = Rotation.from_rotvec(order[name][frame]) if name in order else Rotation.identity()
            above = world[body.names[body.parents[j]]] if j else (Rotation.identity(), data[frame, 309:312] + origin)
            world[name] = (above[0] * turn, above[1] + (above[0].apply(body.offsets[j].copy()) if j else 0.0))
        places = np.array([world[name][1] for name in body.names])
        if stands == "z":
            places = places[:, [0, 2, 1]] * [1, 1, -1]
        np.testing.assert_allclose(clip.positions[frame], places, atol=1e-5)
    assert clip.skeleton.rest_positions[body.index("head"), 1] > 0.4
    assert clip.fps == 30.0
    assert clip.source.inferred["betas"].value == tuple(range(10))


def test_bad_shapes_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.zeros((0, 322)))
    with pytest.raises(ReadError, match="at least one frame"):
        ff.load(tmp_path / "a.npy")


def test_it_can_be_written_as_amass(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", table())
    ff.save(ff.load(tmp_path / "a.npy", clean=False), tmp_path / "a.npz", format="amass")
    with np.load(tmp_path / "a.npz") as made:
        np.testing.assert_allclose(made["betas"][:10], np.arange(10))
        np.testing.assert_allclose(made["poses"][:, 3:66], table()[:, 3:66], atol=1e-9)
        np.testing.assert_allclose(made["poses"][:, 66:], table()[:, 66:156], atol=1e-9)

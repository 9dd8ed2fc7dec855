"""Every capture reads, or is refused for the fault it was made with."""

from __future__ import annotations

import numpy as np

import footfall as ff
from footfall.core.errors import ReadError
from footfall.io.load import readable

FAULTY = {  # files made wrong on purpose, and what their error must speak of
    "nan_row__02_01.bvh": "nan",
    "decimal_comma__02_01.bvh": "decimal comma",
    "unbalanced_brace__02_01.bvh": "}",
    "zero_frame_time__02_01.bvh": "Frame Time",
}


def test_every_capture_reads(mocap):
    files = [p for p in sorted(mocap.rglob("*")) if p.suffix.lower() in readable() and p.is_file()]
    assert len(files) > 100
    refused = {}
    for path in files:
        try:
            clips = ff.load_all(path)
        except ReadError as error:
            refused[path.name] = str(error)
            continue
        for clip in clips:
            rot = clip.pose.rot
            assert np.isfinite(clip.positions).all(), path
            assert np.allclose(np.linalg.norm(rot, axis=-1), 1.0, atol=1e-9), path
            assert ((rot[1:] * rot[:-1]).sum(-1) >= 0).all(), path
    assert set(refused) == set(FAULTY)
    for name, word in FAULTY.items():
        assert word in refused[name]


def test_people_are_of_human_size_and_stand_upright(mocap):
    """Units and up axis of every humanoid folder: heads above feet, bodies between 1.2 and 2.1 m."""
    for folder in ("cmu_bvh", "cmu_asfamc", "bandai_namco", "smartbody", "deepmimic", "npz"):
        for path in sorted((mocap / folder).rglob("*.*")):
            if path.suffix.lower() not in readable() or path.suffix == ".asf":
                continue
            clip = ff.load(path)
            roles = clip.skeleton.roles
            assert 1.2 < clip.skeleton.height < 2.1, path
            above = clip.positions[:, roles.head, 1] - clip.positions[:, roles.left_ankle, 1]
            assert np.median(above) > 0.9, path

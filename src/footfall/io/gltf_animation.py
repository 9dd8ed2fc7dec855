"""glTF animations: samplers of every interpolation, and the uniform frame rate that their keys fit.

Khronos glTF 2.0 specification, section 3.11 and appendix C (interpolation).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Inferred
from footfall.io.gltf_container import GltfDocument, JsonObject
from footfall.io.gltf_extras import KeptExtras, kept

WIDTH = {"translation": 3, "rotation": 4, "scale": 3}
COMMON_RATES = (24.0, 25.0, 30.0, 60.0, 50.0, 48.0, 100.0, 120.0)
DEFAULT_RATE = 30.0
SLOWEST_RATE = 10.0  # evenly spaced keys slower than this are poses to move between, not frames
MAX_RATE = 100_000.0
FLOATS = 5126  # the component type
NOT_UNIT = 0.00769  # by which the length of a rotation may differ from 1, as Khronos's validator has it
NOT_UNIT_PACKED = 0.02  # keys stored as bytes are off by up to 1 %


class AnimationChannel(NamedTuple):
    """One animated property of one node. CUBICSPLINE values carry (in-tangent, value, out-tangent) per key."""

    node: int
    path: str  # "translation", "rotation" or "scale"
    interpolation: str
    times: np.ndarray  # (K,) seconds, rising
    values: np.ndarray  # (K, W), or (K, 3, W) for CUBICSPLINE; rotations wxyz


class Animation(NamedTuple):
    name: str
    channels: list[AnimationChannel]
    made: KeptExtras | None  # what footfall noted, where it added this animation to the file


def read_animations(document: GltfDocument) -> list[Animation]:
    """Every animation, its channels checked; morph weights are left out."""
    return [_animation(document, i, entry) for i, entry in enumerate(document.items("animations"))]


def _animation(document: GltfDocument, number: int, entry: JsonObject) -> Animation:
    place = f"/animations/{number}"
    samplers = document.objects(entry, "samplers", place)
    found: dict[tuple[int, str], AnimationChannel] = {}
    for c, channel in enumerate(document.objects(entry, "channels", place)):
        at = f"{place}/channels/{c}"
        target = document.child(channel, "target", at) or {}
        node, path = document.index(target, "node", "nodes", f"{at}/target"), target.get("path")
        if node is None or path in ("weights", "pointer"):
            continue
        if not isinstance(path, str) or path not in WIDTH:
            document.fail(f"{at}/target/path", "translation, rotation, scale or weights", path)
        which = document.whole(channel, "sampler", at)
        if which >= len(samplers):
            document.fail(f"{at}/sampler", f"an index into {place}/samplers", which)
        if (node, path) in found:
            document.reading.warn(at, f"a second channel for {path} of node {node}; the last one counts")
        sampler, at = samplers[which], f"{place}/samplers/{which}"
        found[node, path] = _channel(document, sampler, at, node, path)
    name = document.text(entry, "name", place) or f"animation_{number}"
    return Animation(name, list(found.values()), kept(document, entry, place))


def _channel(document: GltfDocument, sampler: JsonObject, place: str, node: int, path: str) -> AnimationChannel:
    interpolation = document.text(sampler, "interpolation", place, "LINEAR")
    if interpolation not in ("LINEAR", "STEP", "CUBICSPLINE"):
        document.fail(f"{place}/interpolation", "LINEAR, STEP or CUBICSPLINE", interpolation)
    source = document.must_index(sampler, "input", "accessors", place)
    times = document.floats(source, ("SCALAR",), "key times")[:, 0]
    if (np.diff(times) <= 0).any():
        key = int(np.argmax(np.diff(times) <= 0)) + 1
        document.fail(f"/accessors/{source}[{key}]", "key times that rise", f"{times[key]:g} s")
    if len(times) and times[0] < 0.0:
        document.reading.warn(f"/accessors/{source}", f"key times from {times[0]:g} s on; the clip begins there")
    kind = "VEC4" if path == "rotation" else "VEC3"
    output = document.must_index(sampler, "output", "accessors", place)
    values = document.floats(output, (kind,), path)
    per_key = 3 if interpolation == "CUBICSPLINE" else 1
    if len(values) != per_key * len(times):
        expected = f"{per_key * len(times)} values for {len(times)} keys"
        document.fail(f"{place}/output", expected, len(values))
    if per_key == 3:
        values = values.reshape(-1, 3, WIDTH[path])
    if path == "rotation":
        is_exact = document.item("accessors", output).get("componentType") == FLOATS
        values = _unit_keys(document, values, f"/accessors/{output}", is_exact)
    return AnimationChannel(node, path, interpolation, times, values)


def _unit_keys(document: GltfDocument, values: np.ndarray, place: str, is_exact: bool) -> np.ndarray:
    """Rotation keys as unit wxyz; tangents are scaled along with their key."""
    values = values[..., [3, 0, 1, 2]]
    keys = values[:, 1] if values.ndim == 3 else values
    length = np.linalg.norm(keys, axis=-1)
    if (length < 1e-6).any():
        document.fail(f"{place}[{int((length < 1e-6).argmax())}]", "a unit quaternion", "all zeros")
    worst = float(np.abs(length - 1.0).max())
    if worst > (NOT_UNIT if is_exact else NOT_UNIT_PACKED):
        document.reading.warn(place, f"quaternions of length {1 + worst:.3g} or its inverse were normalised")
    return values / length.reshape(-1, *[1] * (values.ndim - 1))


# --- evaluation -----------------------------------------------------------------------------------------------
def evaluate(channel: AnimationChannel, query: np.ndarray) -> np.ndarray:
    """Values (T, W) at the query times (T,), held before the first key and after the last; rotations are unit."""
    times, values = channel.times, channel.values
    i, u, span = _locate(times, query)
    after = np.minimum(i + 1, len(times) - 1)
    is_rotation = channel.path == "rotation"
    if channel.interpolation == "STEP":
        return values[i]
    if channel.interpolation == "CUBICSPLINE":
        out = _hermite(values[i], values[after], u[:, None], span[:, None])
        return _safe_unit(out, np.where(u[:, None] < 0.5, values[i, 1], values[after, 1])) if is_rotation else out
    if is_rotation:
        return rotation.slerp(values[i], values[after], u)
    return values[i] + u[:, None] * (values[after] - values[i])


def _locate(times: np.ndarray, query: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Key before each query time, the fraction of the way to the next, and the seconds between the two."""
    # keys are float32: a frame time within their rounding of a key is meant to be on it
    near = 1e-6 + 2.5e-7 * np.abs(query)
    i = np.clip(np.searchsorted(times, query + near, side="right") - 1, 0, len(times) - 1)
    after = np.minimum(i + 1, len(times) - 1)
    span = times[after] - times[i]
    into = query - times[i]
    into = np.where(np.abs(into) <= near, 0.0, into)
    u = np.clip(into / np.where(span > 0, span, 1.0), 0.0, 1.0)
    return i, u, span


def _hermite(first: np.ndarray, last: np.ndarray, u: np.ndarray, d: np.ndarray) -> np.ndarray:
    """Cubic spline of appendix C.4 between keys (T, 3, W) of in-tangent, value and out-tangent, d (T, 1) s apart."""
    a, out_a, b, in_b = first[:, 1], first[:, 2], last[:, 1], last[:, 0]
    u2, u3 = u * u, u * u * u
    return (2 * u3 - 3 * u2 + 1) * a + d * (u3 - 2 * u2 + u) * out_a + (3 * u2 - 2 * u3) * b + d * (u3 - u2) * in_b


def _safe_unit(q: np.ndarray, fallback: np.ndarray) -> np.ndarray:
    """Unit quaternions; where a spline passes through zero it has no direction, and the nearer key is taken."""
    lost = np.linalg.norm(q, axis=-1, keepdims=True) < 1e-6
    return rotation.normalize(np.where(lost, fallback, q))


# --- the uniform grid -----------------------------------------------------------------------------------------
def frame_rate(times: np.ndarray) -> Inferred:
    """Frames a second that keys (K,) stand for: exact if they are evenly spaced, else the common rate that fits."""
    if len(times) < 2:
        return Inferred(DEFAULT_RATE, "a single key has no rate; the default", 0.2)
    steps = (len(times) - 1) / (times[-1] - times[0])
    even = times[0] + np.arange(len(times)) / steps
    if np.abs(times - even).max() < 0.02 / steps and SLOWEST_RATE <= steps <= MAX_RATE:
        return Inferred(_round_rate(steps), "evenly spaced keys", 1.0)
    best, share = DEFAULT_RATE, 0.0
    for rate in COMMON_RATES:
        at = (times - times[0]) * rate
        on_frame = float((np.abs(at - np.round(at)) < 2e-4 * rate + 0.01).mean())
        if on_frame > share + 0.1:  # an earlier rate wins when a later one adds little
            best, share = rate, on_frame
    if share < 0.6:
        return Inferred(DEFAULT_RATE, "keys fit no common rate; the default", 0.2)
    return Inferred(best, f"{share:.0%} of the keys fall on its frames", 0.9 * share)


def key_times(channels: list[AnimationChannel]) -> np.ndarray:
    """Every key time of the channels, once each (keys closer than float32 tells apart count as one)."""
    unique = {id(c.times.base if c.times.base is not None else c.times): c.times for c in channels}
    times = np.unique(np.concatenate(list(unique.values())))
    keep = np.concatenate([[True], np.diff(times) > 2e-6 + 5e-7 * np.abs(times[1:])])
    return times[keep]


def _round_rate(rate: float) -> float:
    """A whole rate, or one of the NTSC rates, when the keys' rounding cannot tell it from the measured one."""
    whole = max(round(rate), 1)
    for candidate in (float(whole), whole * 1000 / 1001):
        if abs(rate - candidate) < 2e-4 * candidate:
            return candidate
    return float(rate)


def frame_times(times: np.ndarray, fps: float) -> np.ndarray:
    """Times of the frames: from the first of the key times on, one every 1/fps, until the last is reached."""
    frames = int(np.ceil((times[-1] - times[0]) * fps - 0.02)) + 1
    return times[0] + np.arange(max(frames, 1)) / fps

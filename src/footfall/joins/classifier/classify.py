"""Compiled entry classifier: where many states enter a motion, one pass a state, one thread.

The readable twins, used as its oracles, are `limbs` and `entry_classifier`;
the constants below are theirs, and a test holds them together.
"""

from __future__ import annotations

import math

import numpy as np

from footfall.core.kernels import kernel

SHORTEST_S, LONGEST_S, STILL = 0.1, 0.8, 0.05  # as footfall.joins.classifier.entry_classifier


@kernel
def state_numbers(
    rot: np.ndarray,  # (N, J, 4)
    spin: np.ndarray,  # (N, J, 3)
    pelvis: np.ndarray,  # (N, 2, 3) values and rates of tilt and height
    joints: np.ndarray,  # (J',)
    mean: np.ndarray,  # (J', 4)
    value: np.ndarray,  # (N, D) out
    rate: np.ndarray,  # (N, D) out
) -> None:
    """Rotation vectors about the means, and their rates."""
    last = 3 * len(joints)
    for n in range(len(rot)):
        for k in range(len(joints)):
            q, m, s = rot[n, joints[k]], mean[k], spin[n, joints[k]]
            # conjugate(mean) times q
            w = m[0] * q[0] + m[1] * q[1] + m[2] * q[2] + m[3] * q[3]
            x = m[0] * q[1] - m[1] * q[0] - m[2] * q[3] + m[3] * q[2]
            y = m[0] * q[2] + m[1] * q[3] - m[2] * q[0] - m[3] * q[1]
            z = m[0] * q[3] - m[1] * q[2] + m[2] * q[1] - m[3] * q[0]
            if w < 0.0:
                w, x, y, z = -w, -x, -y, -z
            sine = math.sqrt(x * x + y * y + z * z)
            scale = 2.0 + sine * sine / 3.0 if sine < 1e-6 else 2.0 * math.atan2(sine, w) / sine
            x, y, z = scale * x, scale * y, scale * z
            angle = scale * sine
            c = 1.0 / 12.0 + angle * angle / 720.0
            if angle >= 1e-3:
                c = (1.0 - 0.5 * angle / math.tan(0.5 * angle)) / (angle * angle)
            ax, ay, az = y * s[2] - z * s[1], z * s[0] - x * s[2], x * s[1] - y * s[0]
            at = 3 * k
            value[n, at], value[n, at + 1], value[n, at + 2] = x, y, z
            rate[n, at] = s[0] + 0.5 * ax + c * (y * az - z * ay)
            rate[n, at + 1] = s[1] + 0.5 * ay + c * (z * ax - x * az)
            rate[n, at + 2] = s[2] + 0.5 * az + c * (x * ay - y * ax)
        for k in range(3):
            value[n, last + k], rate[n, last + k] = pelvis[n, 0, k], pelvis[n, 1, k]


@kernel
def root_numbers(
    turn: np.ndarray,  # (N, 4) of the pelvis, joint 0
    spin: np.ndarray,  # (N, 3)
    height: np.ndarray,  # (N,)
    lift: np.ndarray,  # (N,)
    up: np.ndarray,  # (3,)
    across: np.ndarray,  # (2, 3)
    unit_m: float,
    step_s: float,
    out: np.ndarray,  # (N, 2, 3)
) -> None:
    """Tilt and height of the pelvis where it is joint 0, and their rates by differences over step_s."""
    for n in range(len(turn)):
        w, x, y, z = turn[n, 0], turn[n, 1], turn[n, 2], turn[n, 3]
        # up seen from the pelvis: second row of its rotation matrix
        up_now = (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x))
        s = (spin[n, 0], spin[n, 1], spin[n, 2])
        once = _cross(up_now, s)
        twice = _cross(once, s)
        before = _tilt(up_now, once, twice, -0.5 * step_s, up, across)
        now = _tilt(up_now, once, twice, 0.0, up, across)
        after = _tilt(up_now, once, twice, 0.5 * step_s, up, across)
        for a in range(2):
            out[n, 0, a], out[n, 1, a] = now[a], (after[a] - before[a]) / step_s
        out[n, 0, 2], out[n, 1, 2] = height[n] / unit_m, lift[n] / unit_m


@kernel
def _cross(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float]:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def _tilt(
    u: tuple[float, float, float],
    once: tuple[float, float, float],
    twice: tuple[float, float, float],
    h: float,
    up: np.ndarray,
    across: np.ndarray,
) -> tuple[float, float]:
    """Tilt h seconds on: u turned against the spin, by the series to second order (h is 1e-4 s)."""
    k = 0.5 * h * h
    v = (u[0] + h * once[0] + k * twice[0], u[1] + h * once[1] + k * twice[1], u[2] + h * once[2] + k * twice[2])
    m = (up[0], up[1], up[2])
    axis = _cross(m, v)
    sine = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    scale = math.atan2(sine, m[0] * v[0] + m[1] * v[1] + m[2] * v[2]) / sine if sine > 1e-12 else 1.0
    return (
        scale * (across[0, 0] * axis[0] + across[0, 1] * axis[1] + across[0, 2] * axis[2]),
        scale * (across[1, 0] * axis[0] + across[1, 1] * axis[1] + across[1, 2] * axis[2]),
    )


@kernel
def classify_numbers(
    value: np.ndarray,  # (N, D)
    rate: np.ndarray,  # (N, D)
    bounds: np.ndarray,  # (limbs + 1,)
    weights: np.ndarray,  # (2, D) position, velocity
    limits: np.ndarray,  # accept_loss, min_gap_s, catch_up_s, per_limb (0 or 1)
    allowed: np.ndarray,  # (K,) bool
    key_s: np.ndarray,  # (K,)
    gap_s: np.ndarray,  # (K,)
    key_value: np.ndarray,  # (K, D)
    diff: np.ndarray,  # (K, D)
    frame_rate: np.ndarray,  # (F, D)
    fps: float,
    duration: float,
    loop: bool,
    key: np.ndarray,  # (N, limbs) out
    time: np.ndarray,  # (N, D) out
    ends: np.ndarray,  # (N, 3) out: front, laggard, score
    leader: np.ndarray,  # (N,) out
) -> None:
    """All three levels for every state."""
    limbs, keys, dofs = len(bounds) - 1, len(key_s), value.shape[1]
    total = np.zeros(limbs)
    for limb in range(limbs):
        for d in range(bounds[limb], bounds[limb + 1]):
            total[limb] += weights[0, d]
    score_p = np.empty((limbs, keys))
    for n in range(len(value)):
        _limb_keys(value[n], rate[n], bounds, weights, total, limits[3] > 0.0, allowed, key_value, diff, loop, score_p,
                   key[n])  # fmt: skip
        leader[n] = _co_ordinate(bounds, total, limits, key_s, duration, loop, score_p, key[n])
        _refine(value[n], rate[n], bounds, weights[0], limits[2], key_s, gap_s, key_value, diff, frame_rate, fps,
                duration, loop, key[n], time[n])  # fmt: skip
        ends[n, 0], ends[n, 1] = _ends(time[n], duration, loop)
        near = 0.0
        for limb in range(limbs):
            for d in range(bounds[limb], bounds[limb + 1]):
                near += weights[0, d] * (value[n, d] - key_value[key[n, limb], d]) ** 2
        ends[n, 2] = near / total.sum()
        for d in range(dofs - 3, dofs):  # the pelvis's own
            ends[n, 2] += (value[n, d] - key_value[key[n, limbs - 1], d]) ** 2


@kernel
def _limb_keys(
    value: np.ndarray, rate: np.ndarray, bounds: np.ndarray, weights: np.ndarray, total: np.ndarray, per_limb: bool,
    allowed: np.ndarray, key_value: np.ndarray, diff: np.ndarray, loop: bool, score_p: np.ndarray, key: np.ndarray,
) -> None:  # fmt: skip
    keys = len(allowed)
    for limb in range(len(total)):
        share = 1.0 / total[limb] if per_limb and total[limb] > 0.0 else 1.0
        near, least = -1, np.inf
        for i in range(keys):
            score = 0.0
            for d in range(bounds[limb], bounds[limb + 1]):
                score += weights[0, d] * (value[d] - key_value[i, d]) ** 2
            score_p[limb, i] = score * share
            if allowed[i] and (near < 0 or score_p[limb, i] < least):
                near, least = i, score_p[limb, i]
        after = (near + 1) % keys if loop else min(near + 1, keys - 1)
        here, there = 0.0, 0.0
        for d in range(bounds[limb], bounds[limb + 1]):
            here += weights[1, d] * (rate[d] - diff[near, d]) ** 2
            there += weights[1, d] * (rate[d] - diff[after, d]) ** 2
        key[limb] = after if there < here and allowed[after] else near


@kernel
def _co_ordinate(
    bounds: np.ndarray, total: np.ndarray, limits: np.ndarray, key_s: np.ndarray, duration: float, loop: bool,
    score_p: np.ndarray, key: np.ndarray,
) -> int:  # fmt: skip
    leader = -1
    for limb in range(len(total)):
        if total[limb] > 0.0 and (leader < 0 or score_p[limb, key[limb]] < score_p[leader, key[leader]]):
            leader = limb
    proposed = key[leader]
    for limb in range(len(total)):
        apart = abs(key_s[key[limb]] - key_s[proposed])
        if loop:
            apart = min(apart, duration - apart)
        loss = score_p[limb, proposed] - score_p[limb, key[limb]]
        if total[limb] <= 0.0 or (apart > limits[1] and loss < limits[0]):
            key[limb] = proposed
    return leader


@kernel
def _refine(
    value: np.ndarray, rate: np.ndarray, bounds: np.ndarray, weight: np.ndarray, catch_up_s: float, key_s: np.ndarray,
    gap_s: np.ndarray, key_value: np.ndarray, diff: np.ndarray, frame_rate: np.ndarray, fps: float, duration: float,
    loop: bool, key: np.ndarray, time: np.ndarray,
) -> None:  # fmt: skip
    frames = len(frame_rate)
    for limb in range(len(bounds) - 1):
        i = key[limb]
        trust, told = 0.0, 0.0
        for d in range(bounds[limb], bounds[limb + 1]):
            speed = abs(diff[i, d])
            if speed < STILL:
                time[d] = -1.0  # marks a DOF that waits for its limb's time
                continue
            early = min(abs(value[d] - key_value[i, d]) / speed, gap_s[i])
            t = key_s[i] - early
            if loop:
                t = t % duration
            x = min(max(t, 0.0), duration) * fps
            f = min(int(x), max(frames - 2, 0))
            a, b = frame_rate[f, d], frame_rate[min(f + 1, frames - 1), d]
            slope = a + (x - f) * (b - a)
            early = min(early + catch_up_s * min(1.0, abs(rate[d] - slope) / speed), gap_s[i])
            time[d] = early
            trust += weight[d] + 1e-9
            told += (weight[d] + 1e-9) * early
        mean = told / trust if trust > 0.0 else 0.0
        for d in range(bounds[limb], bounds[limb + 1]):
            t = key_s[i] - (mean if time[d] < 0.0 else time[d])
            time[d] = t % duration if loop else t


@kernel
def _ends(time: np.ndarray, duration: float, loop: bool) -> tuple[float, float]:
    if not loop:
        return time.max(), time.min()
    ordered = np.sort(time)
    last = len(ordered) - 1
    widest, front, laggard = -1.0, ordered[last], ordered[0]
    for k in range(last + 1):
        gap = ordered[k + 1] - ordered[k] if k < last else ordered[0] + duration - ordered[last]
        if gap > widest:
            widest, front, laggard = gap, ordered[k], ordered[(k + 1) % (last + 1)]
    return front, laggard

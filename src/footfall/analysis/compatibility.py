"""Compatibility: which clips blend badly with each other, why, and what cures it.

Blending by parameters needs clips of one structure: the same events in the same order, on the same feet, of similar
length, on the same body (Park, Shin, Kim & Shin 2004, section 3; Kovar & Gleicher 2003). One function finds one kind of
fault in many pairs at once: in all, or in those that are worth comparing (library/partners.py). docs/lint.md explains
every kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from footfall.analysis.traits import GAITS, SEGMENTS, SINGLE, TURNING, Traits

# Limits of what blends well, all by eye; ratios are larger over smaller.
LENGTH_RATIO = 1.5  # beyond it a time-warp shows
OPPOSITE_DEG = 150.0  # near 180° the shortest way between two rotations is a matter of chance
FPS_RATIO = 1.01  # 29.97 and 30 frames a second are the same
BODY_RATIO, UNIT_RATIO = 1.15, 2.0  # of leg lengths: another body; another unit
SHARE = 0.12  # of the leg: segments that differ by more make feet and hands miss
BLOCK = 512  # pairs whose poses are compared at once
REST_DEG = 30.0  # rest poses further apart give the same rotations another meaning


@dataclass(frozen=True)
class Finding:
    """A fault of a pair, or of one clip alone (b is empty)."""

    a: str
    b: str
    kind: str  # a key of CHECKS
    why: str
    cure: str


Fault = tuple[Traits, Traits | None, str, str]  # of a clip with another, or alone: why, and what cures it


def all_pairs(count: int) -> np.ndarray:
    """(M, 2) every pair of so many clips, i < j, in order."""
    return np.stack(np.triu_indices(count, 1), axis=1)


def lint(clips: Sequence[Traits], pairs: np.ndarray | None = None) -> list[Finding]:
    """Every fault, clip by clip, then pair by pair in the order given; pairs: (M, 2), i < j, unless all are meant."""
    pairs = all_pairs(len(clips)) if pairs is None else pairs
    order = {clip.name: i for i, clip in enumerate(clips)}
    found = [
        Finding(a.name, b.name if b else "", kind, why, cure)
        for kind, check in CHECKS.items()
        for a, b, why, cure in check(clips, pairs)
    ]
    kinds = list(CHECKS)
    return sorted(found, key=lambda f: (order[f.a], order.get(f.b, -1), kinds.index(f.kind)))


def groups(clips: Sequence[Traits], findings: Sequence[Finding], pairs: np.ndarray | None = None) -> list[list[str]]:
    """Clips that blend well, each with all others of its group; the largest groups first, loners left out.

    Greedy: the clip with the most partners left takes them one by one, each time the one that leaves the most others.
    pairs: those that were compared, where not all were; others are taken not to blend.
    """
    index = {clip.name: i for i, clip in enumerate(clips)}
    good: list[set[int]] = [set() for _ in clips]
    for i, j in (all_pairs(len(clips)) if pairs is None else pairs).tolist():
        good[i].add(j)
        good[j].add(i)
    for finding in findings:
        i = index[finding.a]
        for j in [index[finding.b]] if finding.b else list(good[i]):
            good[i].discard(j)
            good[j].discard(i)
    found: list[list[str]] = []
    partners = np.array([len(some) for some in good], int)  # that are free
    while len(clips):
        seed = int(partners.argmax())
        if partners[seed] <= 0:
            break
        members, suits = {seed}, {i for i in good[seed] if partners[i] >= 0}
        while suits:
            best = max(sorted(suits), key=lambda i: len(good[i] & suits))
            members.add(best)
            suits &= good[best]
        for i in members:
            partners[i] = -1
        for i in members:
            for j in good[i]:
                partners[j] -= partners[j] > 0
        found.append([clips[i].name for i in sorted(members)])
    return sorted(found, key=lambda group: -len(group))


# --- what the motion is ------------------------------------------------------------------------------------------


def type_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """A walk and a kick, or a wave of the left hand and one of the right."""
    cure = "join them with a transition instead of blending them"
    for a, b in _where(clips, pairs, _differ([(c.type, c.effector) for c in clips], pairs)):
        yield a, b, f"one is {_called(a)}, the other {_called(b)}", cure


def direction_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """Forward and backward."""
    cure = "keep them in separate blends; between opposite directions the feet would shuffle on the spot"
    differ = _same_type(clips, pairs) & _differ([c.direction for c in clips], pairs)
    for a, b in _where(clips, pairs, differ):
        if a.direction and b.direction:
            yield a, b, f"one goes {a.direction}, the other {b.direction}", cure


def start_foot_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """One starts on the left foot, one on the right."""
    steps = np.array([c.steps for c in clips], int)[pairs].min(axis=1)
    differ = _same_type(clips, pairs) & _differ([c.start_foot for c in clips], pairs) & (steps > 0)
    for a, b in _where(clips, pairs, differ):
        longer = a if a.steps >= b.steps else b
        cure = f"mirror one (footfall edit --mirror), or cut the first step off {longer.name} (--trim)"
        yield a, b, f"first strikes: {a.start_foot}, {b.start_foot}", cure


def step_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """Three steps and five."""
    differ = _same_type(clips, pairs) & _differ([c.steps for c in clips], pairs)
    for a, b in _where(clips, pairs, differ):
        fewer, more = sorted((a, b), key=lambda c: c.steps)
        cure = f"cut {more.name} to {_count(fewer.steps)} (footfall edit --trim)" if fewer.steps else (
            "join them with a transition instead")  # fmt: skip
        yield a, b, f"{_count(a.steps)} against {_count(b.steps)}", cure


def structure_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """Feet strike and leave in another order."""
    strides = np.array([c.type in GAITS and c.stride_s > 0 for c in clips], bool)[pairs].all(axis=1)
    steps = ~_differ([c.steps for c in clips], pairs)  # other step counts have their own finding
    comparable = _same_type(clips, pairs) & (strides | steps)
    for a, b in _where(clips, pairs, comparable & _differ([c.structure for c in clips], pairs)):
        at = next((i for i, (x, y) in enumerate(zip(a.structure, b.structure, strict=False)) if x != y), None)
        if at is None:
            why = f"{len(a.structure)} strikes and offs against {len(b.structure)}"
        else:
            why = f"event {at + 1} after the first strike: {a.structure[at]}, {b.structure[at]}"
        cure = "cut both to stretches with the same events (footfall analyze lists them), or leave one out"
        yield a, b, why, cure


def length_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """One takes more than half as long again; strides are compared where step counts differ."""
    whole, stride = (np.array([getattr(c, name) for c in clips]) for name in ("duration_s", "stride_s"))
    by_stride = _differ([c.steps for c in clips], pairs) & (stride[pairs].min(axis=1) > 0)
    ratio = np.where(by_stride, _ratio(stride, pairs), _ratio(whole, pairs))
    for k in np.flatnonzero(_same_type(clips, pairs) & (ratio > LENGTH_RATIO)):
        i, j = pairs[k]
        lengths, what = ((stride, "strides of ") if by_stride[k] else (whole, ""))  # fmt: skip
        why = f"{what}{lengths[i]:.2f} s against {lengths[j]:.2f} s, {ratio[k]:.1f} times as long"
        cure = "add a clip in between, or change one's speed (footfall edit --speed)"
        yield clips[i], clips[j], why, cure


def rotation_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """A joint is turned the other way round at the same phase."""
    bodies = body_codes(clips)
    same = pairs[~_differ([(*clip.matching, bodies[i]) for i, clip in enumerate(clips)], pairs)]
    least = np.cos(0.5 * np.radians(OPPOSITE_DEG))
    cure = "look at both there (footfall render --at): one is likely captured wrong, or put a clip between"
    for start in range(0, len(same), BLOCK):
        some = same[start : start + BLOCK]
        left, right = (np.stack([clips[i].poses for i in column]) for column in some.T)  # (n, S, R, 4)
        dots = np.abs((left * right).sum(axis=-1))
        dots = np.where(np.isnan(dots), 1.0, np.minimum(dots, 1.0)).min(axis=1)  # (n, R) over phase
        for k in np.flatnonzero(dots.min(axis=1) < least):
            joint = int(dots[k].argmin())
            apart = np.degrees(2.0 * np.arccos(dots[k, joint]))
            why = f"{_spoken(TURNING[joint])} {apart:.0f}° apart at the same phase"
            yield clips[some[k, 0]], clips[some[k, 1]], why, cure


# --- what it is the motion of ------------------------------------------------------------------------------------


def skeleton_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """Other joints, other names or another rest pose."""
    cure = "bring both onto one body before blending: footfall convert IN OUT --character FILE"
    codes = _codes([(c.names, c.joints, c.rest.round(2).tobytes()) for c in clips])
    told: dict[tuple[int, int], str] = {}
    for i, j in pairs[codes[pairs[:, 0]] != codes[pairs[:, 1]]].tolist():
        key = int(codes[i]), int(codes[j])
        if key not in told:
            told[key] = _skeletons_differ(clips[i], clips[j])
        if told[key]:
            yield clips[i], clips[j], told[key], cure


def proportion_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """Another body: legs or parts of limbs of other lengths."""
    legs = np.array([c.leg_m for c in clips])
    ratio = _ratio(legs, pairs)
    parts = np.stack([c.segments for c in clips]) if clips else np.zeros((0, len(SEGMENTS)))
    apart = np.abs(parts[pairs[:, 1]] - parts[pairs[:, 0]])
    apart = np.where(np.isnan(apart), 0.0, apart)
    cure = "footfall convert IN OUT --character the other's file, or let foot lock take out what feet slide and float"
    for k in np.flatnonzero((ratio > BODY_RATIO) | (apart.max(axis=1, initial=0.0) > SHARE)):
        (i, j), worst = pairs[k], int(apart[k].argmax())
        if ratio[k] > UNIT_RATIO:
            continue  # told by unit_faults
        if ratio[k] > BODY_RATIO:
            why = f"legs of {legs[i]:.2f} m and {legs[j]:.2f} m"
        else:
            first, last = (_spoken(role) for role in SEGMENTS[worst])
            why = f"{first} to {last} is {parts[i, worst]:.0%} and {parts[j, worst]:.0%} of the leg"
        yield clips[i], clips[j], why, cure


def unit_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """A body of no human size, alone or against another."""
    cure = "say the unit when reading (--unit cm)"
    for c in clips:
        if c.unit_doubt:
            yield c, None, c.unit_doubt, cure
    for a, b in _where(clips, pairs, _ratio(np.array([c.height_m for c in clips]), pairs) > UNIT_RATIO):
        yield a, b, f"bodies {a.height_m:.2f} m and {b.height_m:.2f} m tall", cure


def fps_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """Other frame rates."""
    differ = _ratio(np.array([c.fps for c in clips]), pairs) > FPS_RATIO
    for a, b in _where(clips, pairs, differ):
        cure = f"resample {min((a, b), key=lambda c: c.fps).name} (footfall convert --fps {max(a.fps, b.fps):g})"
        yield a, b, f"{a.fps:g} and {b.fps:g} frames a second", cure


def ground_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """Of two gaits, one was made on a slope, on steps or on uneven ground, the other on a level floor."""
    differ = _same_type(clips, pairs) & _differ([bool(c.ground) for c in clips], pairs)
    for a, b in _where(clips, pairs, differ):
        off = a if a.ground else b
        cure = f"lay {off.name} flat (footfall convert --ground flat), and what is blended on a ground again"
        yield a, b, f"{off.name} was made on {off.ground}, the other on a level floor", cure


def glitch_faults(clips: Sequence[Traits], pairs: np.ndarray) -> Iterator[Fault]:
    """A joint jumps within a clip: it would jump in every blend."""
    cure = "cut it out (footfall edit --trim) or smooth it (--smooth); reading repairs what it can unless --no-clean"
    for c in clips:
        if c.glitch:
            yield c, None, c.glitch, cure


CHECKS: dict[str, Callable[[Sequence[Traits], np.ndarray], Iterator[Fault]]] = {
    "units": unit_faults,
    "glitch": glitch_faults,
    "skeleton": skeleton_faults,
    "proportions": proportion_faults,
    "type": type_faults,
    "direction": direction_faults,
    "ground": ground_faults,
    "start-foot": start_foot_faults,
    "steps": step_faults,
    "structure": structure_faults,
    "length": length_faults,
    "rotation": rotation_faults,
    "fps": fps_faults,
}


# --- helpers -----------------------------------------------------------------------------------------------------


def _skeletons_differ(a: Traits, b: Traits) -> str:
    """What is different, the gravest first; empty where it is only a rounding."""
    for here, there in ((a, b), (b, a)):
        lacking = [_spoken(r) for r, x, y in zip(SINGLE, here.names, there.names, strict=True) if y and not x]
        if lacking:
            return f"{here.name} has no {', '.join(lacking[:4])}{' …' if len(lacking) > 4 else ''}"
    renamed = [(x, y) for x, y in zip(a.names, b.names, strict=True) if x != y]
    if renamed:
        return f"{len(renamed)} joints are called differently ({renamed[0][0]}, {renamed[0][1]})"
    if a.joints != b.joints:
        return f"{a.joints} joints against {b.joints}"
    cosine = np.clip((a.rest * b.rest).sum(axis=-1), -1.0, 1.0)
    cosine = np.where(np.isnan(cosine), 1.0, cosine)
    worst = int(cosine.argmin())
    apart = float(np.degrees(np.arccos(cosine[worst])))
    return f"rest poses differ: {_spoken(SEGMENTS[worst][0])} by {apart:.0f}°" if apart > REST_DEG else ""


def body_codes(clips: Sequence[Traits]) -> np.ndarray:
    """(N,) equal for clips whose local rotations mean the same."""
    codes: list[int] = []
    models: list[Traits] = []
    for clip in clips:
        same = (k for k, m in enumerate(models) if m.names == clip.names and not _skeletons_differ(m, clip))
        code = next(same, len(models))
        if code == len(models):
            models.append(clip)
        codes.append(code)
    return np.array(codes, int)


def _codes(values: Sequence[object]) -> np.ndarray:
    """(N,) small numbers, equal where values are."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(v, len(known)) for v in values], int)


def _differ(values: Sequence[object], pairs: np.ndarray) -> np.ndarray:
    """(M,) which pairs have different values."""
    codes = _codes(values)
    return np.asarray(codes[pairs[:, 0]] != codes[pairs[:, 1]])


def _same_type(clips: Sequence[Traits], pairs: np.ndarray) -> np.ndarray:
    return ~_differ([c.type for c in clips], pairs)


def _ratio(values: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """(M,) larger over smaller."""
    both = np.maximum(values, 1e-9)[pairs]
    return np.asarray(both.max(axis=1) / both.min(axis=1))


def _where(clips: Sequence[Traits], pairs: np.ndarray, mask: np.ndarray) -> list[tuple[Traits, Traits]]:
    return [(clips[i], clips[j]) for i, j in pairs[mask].tolist()]


def _called(clip: Traits) -> str:
    if clip.type == "other":
        return f"an action of the {_spoken(clip.effector)}" if clip.effector else "an action"
    return "standing" if clip.type == "stand" else f"a {clip.type}"


def _count(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"


def _spoken(role: str) -> str:
    return role.replace("_", " ")

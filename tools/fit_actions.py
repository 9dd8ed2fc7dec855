#!/usr/bin/env python3
"""Fits how trunk, hips and arms take part in the built-in kick and punch to captures: writes motions/data/actions.json.

usage: python tools/fit_actions.py MOCAP_FOLDER MORE_FOLDER

Strikes are found in the takes below. Each is seen from the way it strikes and mirrored to the right side; time is cut
at its key moments (leaving rest, apex, back) and every stretch sampled at the same shares. The median over takes gives
key poses: yaw, pitch and roll of pelvis and chest, both wrists from their shoulders, and how long each stretch takes.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import footfall as ff
from footfall.analysis.limb_signals import limb_signals
from footfall.analysis.one_shots import find_one_shots
from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.kinematics.fk import world_transforms
from footfall_lab.action_traits import action_traits

TAKES = {  # straight strikes: the first folder's, then the second's
    "kick": ((0, "cmu_bvh/kick/143_24.bvh"), (0, "cmu_bvh/kick/74_03.bvh"), (1, "punch/86_01.bvh")),
    "punch": ((0, "cmu_bvh/punch/143_23.bvh"), (1, "punch/86_01.bvh")),
}
STRAIGHT_DEG = 60.0  # a strike whose hips turn further is a spin or a roundhouse
LEAD_S, TAIL_S = 0.3, 0.3  # before the limb leaves rest and after it is back
SHARES = {"lead": (0.0, 0.5), "out": (0.0, 0.25, 0.5, 0.75), "back": (0.0, 0.25, 0.5, 0.75), "tail": (0.0, 0.5, 1.0)}
MOVED = 0.12  # of its way out: a limb nearer to its start or its end than this is at rest


class Strike(NamedTuple):
    """One strike, seen from its own direction, as if done with the right side."""

    take: str
    times: tuple[float, float, float]  # leaves rest, apex, back
    knots: dict[str, np.ndarray]  # channel -> (K, 3)


def strikes_of(path: Path, kind: str) -> list[Strike]:
    """The straight strikes of a take."""
    clip, limb = ff.load(path), "leg" if kind == "kick" else "arm"
    found = []
    for shot in find_one_shots(clip):
        if shot.name == kind and action_traits(clip, shot.at_s, limb, shot.side).pelvis_deg < STRAIGHT_DEG:
            found.append(strike_of(clip, path.stem, limb, shot.side, shot.at_s))
    return found


def strike_of(clip: Clip, take: str, limb: str, side: str, at_s: float) -> Strike:
    """Key poses of one strike."""
    signals = limb_signals(clip)
    own = next(x for x in (signals.arms if limb == "arm" else signals.legs) if x.side == side)
    at = round(at_s * clip.fps)
    off, back = (_rests(own.place, at, step) for step in (-1, 1))
    times = np.concatenate([
        off / clip.fps - LEAD_S + LEAD_S * np.array(SHARES["lead"]),
        (off + (at - off) * np.array(SHARES["out"])) / clip.fps,
        (at + (back - at) * np.array(SHARES["back"])) / clip.fps,
        back / clip.fps + TAIL_S * np.array(SHARES["tail"]),
    ])  # fmt: skip
    frames = np.clip(np.round(times * clip.fps).astype(int), 2, clip.frames - 1)
    aim = _strike_yaw(clip, limb, side, at)
    return Strike(take, (off / clip.fps, at_s, back / clip.fps), _channels(clip, frames, aim, side == "left"))


def _rests(place: np.ndarray, at: int, step: int) -> int:
    """The frame, going from the apex by steps, at which the limb is back from its strike or turns round."""
    away = np.linalg.norm(place - place[at], axis=-1)
    i, farthest = at, 0.0
    while 0 < i + step < len(place) and away[i + step] > farthest - 0.02 and abs(i - at) < 90:
        i += step
        farthest = max(farthest, float(away[i]))
    goal, edge = (1.0 - MOVED) * farthest, at
    while edge != i and away[edge] < goal:
        edge += step
    return edge


def _strike_yaw(clip: Clip, limb: str, side: str, at: int) -> float:
    roles = clip.skeleton.roles
    ends = (f"{side}_hip", f"{side}_ankle") if limb == "leg" else (f"{side}_shoulder", f"{side}_wrist")
    start, end = (clip.positions[at, getattr(roles, name)] for name in ends)
    return float(np.arctan2(*(end - start)[[0, 2]]))


def _channels(clip: Clip, frames: np.ndarray, aim: float, mirrored: bool) -> dict[str, np.ndarray]:
    """(K, 3) each: pelvis in the world and chest against it, degrees; wrists from their shoulders, seen from the chest,
    in arm lengths, as a left arm's."""
    names, roles = clip.skeleton.names, clip.skeleton.roles
    places, turns = (x[frames] for x in world_transforms(clip.skeleton, clip.pose))
    turns = rotation.multiply(rotation.yaw(-aim), turns)
    places = rotation.rotate(rotation.yaw(-aim), places)
    pelvis, chest = turns[:, names.index("Hips")], turns[:, names.index("Spine1")]
    made = {"pelvis": _angles(pelvis), "chest": _angles(rotation.multiply(rotation.conjugate(pelvis), chest))}
    for side in ("left", "right"):
        shoulder, elbow, wrist = (places[:, getattr(roles, f"{side}_{p}")] for p in ("shoulder", "elbow", "wrist"))
        arm = np.linalg.norm(elbow - shoulder, axis=-1) + np.linalg.norm(wrist - elbow, axis=-1)
        seen = rotation.rotate(rotation.conjugate(chest), wrist - shoulder) / arm[:, None]
        made[f"{side}_wrist"] = seen * (rotation.MIRROR_VECTOR if side == "right" else 1.0)
    if mirrored:
        made = {
            "pelvis": made["pelvis"] * [-1, 1, -1], "chest": made["chest"] * [-1, 1, -1],
            "left_wrist": made["right_wrist"], "right_wrist": made["left_wrist"],
        }  # fmt: skip
    return made


def _angles(q: np.ndarray) -> np.ndarray:
    """(K, 3) yaw to the left, pitch forward and roll to the right, degrees, as actions have them."""
    angles = np.degrees(rotation.to_euler(q, "YXZ"))
    return np.column_stack([np.degrees(np.unwrap(np.radians(angles[:, 0]))), angles[:, 1:]])


def fit(kind: str, roots: tuple[Path, Path]) -> dict[str, Any]:
    """The median strike."""
    strikes = [s for root, name in TAKES[kind] for s in strikes_of(roots[root] / name, kind)]
    takes = sorted({s.take for s in strikes})
    # every take weighs the same: first its own median, then that of all
    knots = {
        channel: np.median(
            [np.median([s.knots[channel] for s in strikes if s.take == take], axis=0) for take in takes], axis=0
        )
        for channel in strikes[0].knots
    }
    out, back = (
        float(np.median([np.median([b - a for a, b in _spans(strikes, take, i)]) for take in takes])) for i in (0, 1)
    )
    print(f"{kind}: {len(strikes)} strikes of {', '.join(takes)}; {out:.2f} s out, {back:.2f} s back")
    return {
        "out_s": round(out, 3), "back_s": round(back, 3), "lead_s": LEAD_S, "tail_s": TAIL_S,
        "shares": {name: list(shares) for name, shares in SHARES.items()},
        "knots": {name: np.round(values, 3 if "wrist" in name else 1).tolist() for name, values in knots.items()},
    }  # fmt: skip


def _spans(strikes: list[Strike], take: str, i: int) -> list[tuple[float, float]]:
    return [(s.times[i], s.times[i + 1]) for s in strikes if s.take == take]


def main() -> None:
    roots = (Path(sys.argv[1]), Path(sys.argv[2]))
    fitted = {kind: fit(kind, roots) for kind in TAKES}
    target = Path(__file__).resolve().parents[1] / "src/footfall/motions/data/actions.json"
    target.write_text(json.dumps(fitted, separators=(",", ":")))
    print(f"wrote {target.name}, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()

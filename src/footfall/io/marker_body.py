"""A body from the markers on it: joint centres by published rules, for Plug-in Gait's and CMU's full-body sets.

Hips by regression from the pelvis' width and depth (Harrington et al. 2007, "Prediction of the hip joint centre in
adults, children, and patients with cerebral palsy"); knees, ankles and elbows half a joint's width inside the marker on
their outer side, as in Plug-in Gait (Davis et al. 1991, "A gait analysis data collection and reduction technique"),
with widths as shares of the leg, since files do not hold measured ones; wrists, chest and neck between pairs of
markers. docs/formats/c3d.md has the rules one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.skeleton import JointRow, Skeleton

# our name -> what the sets call it, and what older takes do; a marker of several names needs only one
PELVIS = {
    "LASI": ("LASI", "LFWT"), "RASI": ("RASI", "RFWT"),
    "LPSI": ("LPSI", "LBWT", "SACR"), "RPSI": ("RPSI", "RBWT", "SACR"),
}  # fmt: skip
TRUNK = {"C7": ("C7",), "CLAV": ("CLAV",), "STRN": ("STRN",), "T10": ("T10",)}
HEAD = {side + part: (side + part,) for side in "LR" for part in ("FHD", "BHD")}
LEG = {"KNE": ("KNE",), "ANK": ("ANK",), "HEE": ("HEE",), "TOE": ("TOE",)}
ARM = {"SHO": ("SHO",), "ELB": ("ELB",), "WRA": ("WRA", "WRI"), "WRB": ("WRB", "WRI"), "FIN": ("FIN", "HND")}
MARKERS: dict[str, tuple[str, ...]] = {
    **PELVIS, **TRUNK, **HEAD,
    **{s + name: tuple(s + other for other in others) for s in "LR" for name, others in (LEG | ARM).items()},
}  # fmt: skip

# Published (Harrington et al. 2007): metres, and shares of the pelvis' depth and width
HIP_BACK, HIP_DOWN, HIP_OUT = (-0.24, -0.0099), (-0.30, -0.0109), (0.33, 0.0073)
# Half the width of a joint and the radius of a marker, as shares of the leg: 6.0, 4.3 and 4.3 cm on a leg of 0.86 m.
# By eye, after a look at where one CMU walk (02_01) has its joints beside its markers; so are those below.
KNEE_INSIDE, ANKLE_INSIDE, ELBOW_INSIDE = 0.070, 0.050, 0.050
SHOULDER_DOWN = 0.050  # of the leg: marker on the acromion to the joint's centre. By eye, 4.3 cm on the average man
HEAD_DOWN = 0.09  # of the leg: from the band of head markers to the head's joint. By eye
SPINE_UP, SPINE_BACK = (
    0.30,
    0.20,
)  # of the pelvis' width and depth: from its markers' middle to the spine's joint. By eye
COLLAR_BACK, COLLAR_OUT = 0.02, 0.03  # of the leg: from the notch over the breastbone to the clavicle's joint. By eye
BALL_BACK = 0.25  # of the way from toe marker to heel marker: where the toes bend. By eye
STRAIGHT, BENT = np.sin(
    np.radians((10.0, 35.0))
)  # of the elbow: between them its axis passes to the arm's plane. By eye

SIDES = (("L", "Left", 1.0), ("R", "Right", -1.0))
TIPS = ("heel", "thumb side", "little side", "finger", "left of head", "right of head", "front of head")  # no joints


def _rows() -> list[JointRow]:
    """Joints and tips of a standing adult with arms out, facing +Z: name, parent, place in metres. By eye."""
    rows: list[JointRow] = [
        ("Hips", "", (0.0, 1.0, 0.0)), ("Spine", "Hips", (0.0, 1.07, -0.03)), ("Spine1", "Spine", (0.0, 1.23, -0.01)),
        ("Neck", "Spine1", (0.0, 1.48, -0.01)), ("Head", "Neck", (0.0, 1.58, 0.01)),
        ("left of head", "Head", (0.07, 1.67, 0.01)), ("right of head", "Head", (-0.07, 1.67, 0.01)),
        ("front of head", "Head", (0.0, 1.67, 0.11)),
    ]  # fmt: skip
    for _, name, x in SIDES:
        rows += [
            (f"{name}Shoulder", "Spine1", (0.03 * x, 1.44, 0.04)),
            (f"{name}Arm", f"{name}Shoulder", (0.18 * x, 1.44, -0.01)),
            (f"{name}ForeArm", f"{name}Arm", (0.46 * x, 1.44, -0.02)),
            (f"{name}Hand", f"{name}ForeArm", (0.72 * x, 1.44, -0.01)),
            (f"{name} thumb side", f"{name}ForeArm", (0.72 * x, 1.44, 0.03)),
            (f"{name} little side", f"{name}ForeArm", (0.72 * x, 1.44, -0.05)),
            (f"{name} finger", f"{name}Hand", (0.81 * x, 1.44, -0.01)),
            (f"{name}UpLeg", "Hips", (0.09 * x, 0.93, 0.0)), (f"{name}Leg", f"{name}UpLeg", (0.09 * x, 0.5, 0.0)),
            (f"{name}Foot", f"{name}Leg", (0.09 * x, 0.08, -0.01)),
            (f"{name}ToeBase", f"{name}Foot", (0.09 * x, 0.03, 0.13)),
            (f"{name} heel", f"{name}Foot", (0.09 * x, 0.03, -0.06)),
        ]  # fmt: skip
    return rows


def marker_body() -> Skeleton:
    """Joints and tips, standing along Y; the tips hold markers that say how hands, feet and head are turned."""
    rows = _rows()
    place = {name: np.array(where) for name, _, where in rows}
    relative = [(n, p, tuple(place[n] - place[p]) if p else (0.0, 0.0, 0.0)) for n, p, _ in rows]
    ends = [("Head", (0.0, 0.2, 0.02)), ("LeftToeBase", (0.0, -0.01, 0.07)), ("RightToeBase", (0.0, -0.01, 0.07))]
    return Skeleton.of_rows(relative, ends)


class Named(NamedTuple):
    """Which point is which marker, and which markers there are none of."""

    points: dict[str, int]
    missing: tuple[str, ...]


def name_markers(names: Sequence[str]) -> dict[str, Named]:
    """The markers of each subject, who is named before a colon; both sets at once, since many takes mix them."""
    subjects = dict.fromkeys(name.rpartition(":")[0] for name in names)
    return {subject: _named(names, subject) for subject in subjects}


def _named(names: Sequence[str], subject: str) -> Named:
    split = [name.rpartition(":") for name in names]
    known = {word.strip().upper(): i for i, (who, _, word) in reversed(list(enumerate(split))) if who == subject}
    points: dict[str, int] = {}
    for marker, spellings in MARKERS.items():
        found = next((known[s] for s in spellings if s in known), None)
        if found is not None:
            points[marker] = found
    return Named(points, tuple(MARKERS[m][0] for m in MARKERS if m not in points))


def joint_centres(markers: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """(T, 3) places of all joints and tips, by the names of `marker_body`; markers (T, 3) in metres, any axes."""
    hips, places = _pelvis(markers)
    leg = float(np.median([np.linalg.norm(hips[s] - markers[f"{s}ANK"], axis=-1) for s, _, _ in SIDES]))
    left = rotation.unit(hips["L"] - hips["R"])
    for letter, side, sign in SIDES:
        places |= _leg(markers, letter, side, hips[letter], sign * left, leg)
    chest, thorax = _trunk(markers, leg)
    places |= chest
    for letter, side, sign in SIDES:
        places |= _arm(markers, letter, side, thorax, sign, leg)
    return places | _head(markers, thorax, leg)


class _Axes(NamedTuple):
    """A segment's own directions, unit vectors (T, 3)."""

    left: np.ndarray
    up: np.ndarray
    ahead: np.ndarray


def _pelvis(markers: dict[str, np.ndarray]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    front, back = 0.5 * (markers["LASI"] + markers["RASI"]), 0.5 * (markers["LPSI"] + markers["RPSI"])
    left = rotation.unit(markers["LASI"] - markers["RASI"])
    ahead = rotation.unit(_across(front - back, left))
    axes = _Axes(left, rotation.cross(ahead, left), ahead)
    width = float(np.median(np.linalg.norm(markers["LASI"] - markers["RASI"], axis=-1)))
    depth = float(np.median(np.linalg.norm(front - back, axis=-1)))
    middle = 0.5 * (front + back)
    inner = front + axes.ahead * _line(HIP_BACK, depth) + axes.up * _line(HIP_DOWN, width)
    hips = {s: inner + sign * axes.left * _line(HIP_OUT, width) for s, _, sign in SIDES}
    spine = middle + axes.up * (SPINE_UP * width) - axes.ahead * (SPINE_BACK * depth)
    return hips, {"Hips": middle, "Spine": spine, "LeftUpLeg": hips["L"], "RightUpLeg": hips["R"]}


def _leg(
    markers: dict[str, np.ndarray], letter: str, side: str, hip: np.ndarray, out: np.ndarray, leg: float
) -> dict[str, np.ndarray]:
    """Knee, ankle, toe joint and heel; `out` points from the body's middle to this side."""
    knee, ankle, heel, toe = (markers[letter + name] for name in ("KNE", "ANK", "HEE", "TOE"))
    sign = 1.0 if letter == "L" else -1.0
    shank = rotation.unit(knee - ankle)
    foot_out = sign * rotation.unit(rotation.cross(shank, toe - heel))  # the foot says how the shank is turned
    both = rotation.unit(out) + foot_out
    knee_centre = knee - KNEE_INSIDE * leg * rotation.unit(_across(both, rotation.unit(hip - ankle)))
    ankle_centre = ankle - ANKLE_INSIDE * leg * rotation.unit(_across(foot_out, shank))
    ball = toe + BALL_BACK * (heel - toe)
    return {f"{side}Leg": knee_centre, f"{side}Foot": ankle_centre, f"{side}ToeBase": ball, f"{side} heel": heel}


def _trunk(markers: dict[str, np.ndarray], leg: float) -> tuple[dict[str, np.ndarray], _Axes]:
    neck, chest = 0.5 * (markers["C7"] + markers["CLAV"]), 0.5 * (markers["T10"] + markers["STRN"])
    up = rotation.unit(neck - chest)
    ahead = rotation.unit(_across(markers["CLAV"] + markers["STRN"] - markers["C7"] - markers["T10"], up))
    axes = _Axes(rotation.cross(up, ahead), up, ahead)
    collar = markers["CLAV"] - COLLAR_BACK * leg * ahead
    collars = {f"{side}Shoulder": collar + sign * COLLAR_OUT * leg * axes.left for _, side, sign in SIDES}
    return {"Spine1": chest, "Neck": neck, **collars}, axes


def _arm(
    markers: dict[str, np.ndarray], letter: str, side: str, thorax: _Axes, sign: float, leg: float
) -> dict[str, np.ndarray]:
    shoulder = markers[f"{letter}SHO"] - SHOULDER_DOWN * leg * thorax.up
    elbow, thumb, little = (markers[letter + name] for name in ("ELB", "WRA", "WRB"))
    wrist = 0.5 * (thumb + little)
    upper = rotation.unit(elbow - shoulder)
    plane = sign * rotation.cross(upper, rotation.unit(wrist - elbow))  # inwards while the elbow bends ahead
    share = np.clip((np.linalg.norm(plane, axis=-1, keepdims=True) - STRAIGHT) / (BENT - STRAIGHT), 0.0, 1.0)
    inwards = share * rotation.unit(plane) + (1.0 - share) * rotation.unit(_across(-sign * thorax.left, upper))
    places = {
        f"{side}Arm": shoulder,
        f"{side}ForeArm": elbow + ELBOW_INSIDE * leg * rotation.unit(inwards),
        f"{side}Hand": wrist,
    }
    return places | {
        f"{side} thumb side": thumb,
        f"{side} little side": little,
        f"{side} finger": markers[f"{letter}FIN"],
    }


def _head(markers: dict[str, np.ndarray], thorax: _Axes, leg: float) -> dict[str, np.ndarray]:
    """A band of markers is not worn level: over a take the head is, in the median, as upright as the thorax."""
    left = 0.5 * (markers["LFHD"] + markers["LBHD"])
    right = 0.5 * (markers["RFHD"] + markers["RBHD"])
    front = 0.5 * (markers["LFHD"] + markers["RFHD"])
    middle = 0.5 * (left + right)
    side = rotation.unit(left - right)
    ahead = rotation.unit(_across(front - middle, side))
    up = rotation.cross(ahead, side)
    tilt = float(np.median(np.arctan2((thorax.up * ahead).sum(axis=-1), (thorax.up * up).sum(axis=-1))))
    up, ahead = np.cos(tilt) * up + np.sin(tilt) * ahead, np.cos(tilt) * ahead - np.sin(tilt) * up
    reach = float(np.median(np.linalg.norm(front - middle, axis=-1)))
    joint = middle - HEAD_DOWN * leg * up
    return {"Head": joint, "left of head": left, "right of head": right, "front of head": middle + reach * ahead}


def _line(rule: tuple[float, float], of: float) -> float:
    """A published line: a share of a length and a constant."""
    return rule[0] * of + rule[1]


def _across(v: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The part of v (T, 3) across a unit axis (T, 3)."""
    return v - (v * axis).sum(axis=-1, keepdims=True) * axis

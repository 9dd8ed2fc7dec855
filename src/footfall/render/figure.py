"""Figure: a skeleton dressed in round cones, by the roles of its joints, or by bone lengths where there are none.

Every end of a cone is a mix of joint and end-site positions plus an offset in one joint's frame, so one product
poses a whole film. Radii are those of a slim person of 1.75 m, scaled by the skeleton's height.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.roles import ARM, LEG, SIDES
from footfall.core.skeleton import Skeleton
from footfall.kinematics.fk import end_positions, with_ancestors, with_descendants, world_transforms
from footfall.kinematics.hand_shape import HAND, hand_axes

BODY, LEFT, RIGHT = 0, 1, 2
ADULT_M = 1.75  # the height radii are given for
ZERO = np.zeros(3)
Mix = dict[int, float]  # shares of points: a place between them


@dataclass(frozen=True)
class Figure:
    """N round cones in terms of P points: the joints, then the end sites."""

    mix: np.ndarray  # (N, 2, P) share of each point in each end
    frame: np.ndarray  # (N, 2) joint whose frame the offset is in
    offset: np.ndarray  # (N, 2, 3) metres
    radius: np.ndarray  # (N, 2) metres
    part: np.ndarray  # (N,) BODY, LEFT or RIGHT
    piece: np.ndarray  # (N,) first row of the piece, such as the trunk, whose cones melt together
    height: float  # of the body, metres
    soles: tuple[tuple[int, int, int], ...] = ()  # left and right: cones that end at the heel, the ball and the tip


def build_figure(clip: Clip) -> Figure:
    """The figure of a clip's skeleton; the clip tells where its feet stand and which way its head looks."""
    builder = _Builder(clip)
    roles = clip.skeleton.roles
    if all(None not in roles.joints(side, *LEG[:3], *ARM[1:]) for side in SIDES):
        builder.trunk()
        builder.head()
        for side, part in zip(SIDES, (LEFT, RIGHT), strict=True):
            builder.leg(side, part)
            builder.arm(side, part)
        builder.fingers()
    else:
        builder.bones()
    return builder.figure()


def pose_figure(figure: Figure, skeleton: Skeleton, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
    """Both ends of every cone, (..., N, 2, 3), from world positions (..., J, 3) and rotations (..., J, 4)."""
    ends = end_positions(skeleton, positions, rotations)
    points = np.concatenate([positions, ends], axis=-2)  # (..., P, 3)
    return np.einsum("nep,...pc->...nec", figure.mix, points) + rotation.rotate(
        rotations[..., figure.frame, :], figure.offset
    )


class _Cone(NamedTuple):
    mixes: list[Mix]  # of both ends
    frame: int  # joint whose frame the offsets are in
    offsets: tuple[np.ndarray, np.ndarray]
    radii: np.ndarray  # (2,)
    part: int


class _Builder:
    """Collects cones."""

    def __init__(self, clip: Clip) -> None:
        self.skeleton = clip.skeleton
        self.roles = clip.skeleton.roles
        few = np.unique(np.linspace(0, max(clip.frames - 1, 0), 240).astype(int)) if clip.frames else None
        if few is None:
            self.positions, self.rotations = (x[None] for x in clip.skeleton.rest_world)
        else:
            self.positions, self.rotations = world_transforms(clip.skeleton, clip.pose.at(few))
        self.points = np.concatenate(
            [self.positions, end_positions(self.skeleton, self.positions, self.rotations)], axis=-2
        )
        self.size = self._size()
        self.scale = self.size / ADULT_M
        self.pieces: list[int] = []
        self.soles: list[tuple[int, int, int]] = []
        self.cones: list[_Cone] = []

    def _size(self) -> float:
        height = self.skeleton.height
        if not (np.isfinite(height) and height > 1e-6):
            height = float(np.ptp(self.points.reshape(-1, 3), axis=0).max())
        return height if height > 1e-6 else 1.0

    def cone(
        self,
        a: int | Mix,
        b: int | Mix,
        radii: tuple[float, float],
        part: int,
        frame: int = 0,
        offset_a: np.ndarray = ZERO,
        offset_b: np.ndarray = ZERO,
    ) -> None:
        """Add one from a to b; radii in metres of a 1.75 m body, offsets in metres of this one, in a joint's frame."""
        mixes = [{end: 1.0} if isinstance(end, int) else end for end in (a, b)]
        self.pieces.append(len(self.cones))
        self.cones.append(_Cone(mixes, frame, (offset_a, offset_b), self.scale * np.array(radii), part))

    def fuse(self, first: int) -> None:
        """Make all cones from a row on one smooth piece."""
        self.pieces[first:] = [first] * (len(self.cones) - first)

    def figure(self) -> Figure:
        n, p = len(self.cones), self.points.shape[-2]
        mix, offset, radius = np.zeros((n, 2, p)), np.zeros((n, 2, 3)), np.zeros((n, 2))
        frame, part = np.zeros((n, 2), int), np.zeros(n, int)
        for i, cone in enumerate(self.cones):
            for e, shares in enumerate(cone.mixes):
                for point, share in shares.items():
                    mix[i, e, point] += share
            offset[i], radius[i], frame[i], part[i] = cone.offsets, cone.radii, cone.frame, cone.part
        return Figure(mix, frame, offset, radius, part, np.array(self.pieces), self.size, tuple(self.soles))

    def joint(self, role: str) -> int:
        """The joint of a role that is known to be there."""
        return int(getattr(self.roles, role))

    def middle(self, role: str) -> Mix:
        """Half-way between the left and the right joint of a role."""
        return {self.joint(f"{side}_{role}"): 0.5 for side in SIDES}

    # --- directions fixed to a joint --------------------------------------------------------------------------
    def in_joint(self, joint: int, world: np.ndarray, frames: np.ndarray | None = None) -> np.ndarray:
        """Unit direction in a joint's frame that stays closest to world directions (T, 3) over the clip."""
        local = rotation.rotate(rotation.conjugate(self.rotations[:, joint]), world)
        mean = local[frames if frames is not None else slice(None)].mean(axis=0)
        length = np.linalg.norm(mean)
        return mean / length if length > 1e-6 else np.array([0.0, 1.0, 0.0])

    def forward(self) -> np.ndarray:
        """(T, 3) where the trunk faces: left across up."""
        r, p = self.roles, self.positions
        left = p[:, r.left_hip] - p[:, r.right_hip] + p[:, r.left_shoulder] - p[:, r.right_shoulder]
        up = 0.5 * (p[:, r.left_shoulder] + p[:, r.right_shoulder] - p[:, r.left_hip] - p[:, r.right_hip])
        return rotation.unit(np.cross(left, up))

    def length(self, a: int, b: int) -> float:
        """Median distance of two points, metres."""
        return float(np.median(np.linalg.norm(self.points[:, a] - self.points[:, b], axis=-1)))

    def tips(self, joint: int) -> list[int]:
        """Points of the end sites on a joint or below it."""
        below = with_descendants(self.skeleton.parents, [joint])
        return [len(self.skeleton) + e for e, of in enumerate(self.skeleton.end_parents) if int(of) in below]

    # --- a person ---------------------------------------------------------------------------------------------
    def trunk(self) -> None:
        """Four levels (hips, waist, chest, collar), each a middle and two sides, joined into a flat-fronted body."""
        hips, top = self.middle("hip"), self.middle("shoulder")
        chest, waist = _blend(top, hips, 0.26), self._waist(hips, top)
        half = 0.5 * self.length(self.joint("left_shoulder"), self.joint("right_shoulder")) / self.scale
        slim = float(np.clip(half / 0.165, 0.78, 1.05))
        levels = ((hips, 0.080), (waist, 0.084), (chest, 0.100), (_blend(top, chest, 0.12), 0.066))
        spread = (0.0, 0.30, 0.46, 0.62)  # of the half shoulder width; the hips have joints of their own
        sides: list[list[Mix]] = []
        for side in SIDES:
            shoulder = {self.joint(f"{side}_shoulder"): 1.0}
            hip = _blend(hips, {self.joint(f"{side}_hip"): 1.0}, 0.92)
            out = [_moved(mid, top, shoulder, x) for (mid, _), x in zip(levels, spread, strict=True)]
            sides.append([hip, *out[1:]])
        for line in (sides[0], [mid for mid, _ in levels], sides[1]):
            for n in range(3):
                self.cone(line[n], line[n + 1], (levels[n][1] * slim, levels[n + 1][1] * slim), BODY)
        for left, right, (_, radius) in zip(*sides, levels, strict=True):
            self.cone(left, right, (radius * slim, radius * slim), BODY)
        self.fuse(0)

    def _waist(self, hips: Mix, top: Mix) -> Mix:
        """The spine joint nearest to 40 % of the way up, so that the body bends where the skeleton does."""
        a, b = self._at(hips), self._at(top)
        share = [
            float(np.median(((self.points[:, j] - a) * (b - a)).sum(-1) / np.maximum(((b - a) ** 2).sum(-1), 1e-9)))
            for j in self.roles.spine
        ]
        good = [(abs(x - 0.4), j) for x, j in zip(share, self.roles.spine, strict=True) if 0.2 < x < 0.6]
        return {min(good)[1]: 1.0} if good else _blend(hips, top, 0.4)

    def _at(self, mix: Mix) -> np.ndarray:
        """(T, 3) where a mix of points is."""
        return np.asarray(sum(share * self.points[:, point] for point, share in mix.items()))

    def head(self) -> None:
        r = self.roles
        if r.head is None:
            return
        hips, top = self.middle("hip"), self.middle("shoulder")
        here = self.positions[:, r.head]
        tips = [t for t in self.tips(r.head) if self.length(r.head, t) > 0.03 * self.scale]
        if tips:
            upward = self.points[:, tips].mean(axis=1) - here
        else:  # between where the neck points, which leans forward, and the trunk
            below = {r.neck[-1]: 1.0} if r.neck else top
            upward = rotation.unit(here - self._at(below)) + rotation.unit(self._at(top) - self._at(hips))
        crown, ahead = self.in_joint(r.head, upward), self.in_joint(r.head, self.forward())
        ahead = ahead - (ahead @ crown) * crown
        ahead /= max(float(np.linalg.norm(ahead)), 1e-6)
        s = self.scale
        first = len(self.cones)
        base: int | Mix = top
        if r.neck and self.length(r.neck[-1], r.head) > 0.02 * s:
            base = r.neck[-1]
            self.cone(top, base, (0.056, 0.053), BODY)
        self.cone(base, r.head, (0.053, 0.050), BODY, r.head, ZERO, 0.03 * s * crown)
        skull, jaw = 0.118 * s * crown - 0.004 * s * ahead, 0.062 * s * crown + 0.024 * s * ahead
        self.cone(r.head, r.head, (0.090, 0.070), BODY, r.head, skull, jaw)
        self.fuse(first)

    def leg(self, side: str, part: int) -> None:
        r = self.roles
        hip, knee, ankle, toe = r.joints(side, *LEG)
        self.cone(hip, knee, (0.080, 0.054), part)
        self.cone(knee, ankle, (0.054, 0.036), part)
        tips = self.tips(ankle)
        if toe is None and not tips:
            return
        ball = toe if toe is not None else tips[0]
        low = self.positions[:, ankle, 1] + self.points[:, ball, 1]
        standing = low <= np.quantile(low, 0.25)  # the sole is level in these frames
        up = self.in_joint(ankle, np.tile(rotation.UP, (len(low), 1)), standing)
        ahead = self.in_joint(ankle, self.points[:, ball] - self.positions[:, ankle])
        ahead = ahead - (ahead @ up) * up
        ahead /= max(float(np.linalg.norm(ahead)), 1e-6)
        drop = float(np.median((self.positions[:, ankle, 1] - self.points[:, ball, 1])[standing]))
        heel_r, s = 0.034, self.scale
        heel = -0.030 * s * ahead - max(drop - 0.004 * s, 0.0) * up
        first = len(self.cones)
        self.cone(ankle, ankle, (0.036, heel_r), part, ankle, ZERO, heel)
        self.cone(ankle, ball, (heel_r, 0.034), part, ankle, heel)
        self.cone(ankle, ball, (0.034, 0.030), part, ankle, ZERO, 0.012 * s * up)
        far = max((t for t in tips), key=lambda t: self.length(ankle, t), default=None)
        if toe is not None and far is not None and self.length(toe, far) > 0.01 * s:
            self.cone(ball, far, (0.034, 0.024), part)
        elif toe is not None:
            self.cone(ball, ball, (0.034, 0.024), part, ankle, ZERO, 0.06 * s * ahead)
        self.fuse(first)
        self.soles.append((first, first + 1, len(self.cones) - 1))

    def arm(self, side: str, part: int) -> None:
        r = self.roles
        shoulder, elbow, wrist = r.joints(side, *ARM[1:])
        self.cone(shoulder, elbow, (0.050, 0.037), part)
        self.cone(elbow, wrist, (0.037, 0.026), part)
        fingers = self._beyond(wrist, [j for j in self.roles.fingers if self.skeleton.parents[j] == wrist])
        if len(fingers) > 1:
            self.cone(wrist, dict.fromkeys(fingers, 1.0 / len(fingers)), (0.028, 0.027), part)
        else:
            self._simple_hand(shoulder, elbow, wrist, part)

    def _simple_hand(self, shoulder: int, elbow: int, wrist: int, part: int) -> None:
        """Palm, fingers and thumb where the skeleton has none."""
        children = [j for j in range(len(self.skeleton)) if self.skeleton.parents[j] == wrist]
        far = self._beyond(wrist, children) or self._beyond(wrist, self.tips(wrist))
        here = self.positions[:, wrist]
        out = self.points[:, far].mean(axis=1) - here if far else here - self.positions[:, elbow]
        arm, turn = self.positions[:, [shoulder, elbow, wrist]], self.rotations[:, wrist]
        axes = hand_axes(arm, turn, self.in_joint(wrist, out), self.forward(), part == LEFT)
        first = len(self.cones)
        for piece in HAND:
            start, end = (self.size * (np.array(place) @ axes) for place in (piece.start, piece.end))
            radii = (ADULT_M * piece.radii[0], ADULT_M * piece.radii[1])
            self.cone(wrist, wrist, radii, part, wrist, start, end)
        self.fuse(first)

    def _beyond(self, wrist: int, points: list[int]) -> list[int]:
        """Those that lie 2 to 20 cm beyond the wrist of an adult."""
        return [p for p in points if 0.02 * self.scale < self.length(wrist, p) < 0.2 * self.scale]

    def fingers(self) -> None:
        fingers = set(self.roles.fingers)
        for j in self.roles.fingers:
            parent = int(self.skeleton.parents[j])
            if parent in fingers and self.length(parent, j) > 0.005 * self.scale:
                self.cone(parent, j, (0.010, 0.009), self._side(j))
        for e, of in enumerate(self.skeleton.end_parents):
            point = len(self.skeleton) + e
            if int(of) in fingers and 0.005 * self.scale < self.length(int(of), point) < 0.06 * self.scale:
                self.cone(int(of), point, (0.009, 0.008), self._side(int(of)))

    def _side(self, joint: int) -> int:
        while joint >= 0:
            if joint in (self.roles.left_wrist, self.roles.left_hip):
                return LEFT
            if joint in (self.roles.right_wrist, self.roles.right_hip):
                return RIGHT
            joint = int(self.skeleton.parents[joint])
        return BODY

    # --- anything else ----------------------------------------------------------------------------------------
    def bones(self) -> None:
        """Every bone as a cone as thick as its length suggests, thicker towards the root."""
        joints = len(self.skeleton)
        # joints from the root to the pelvis place the body, they are not part of it
        above = with_ancestors(self.skeleton.parents, [self.roles.pelvis])
        pairs = [(int(p), j) for j, p in enumerate(self.skeleton.parents) if p >= 0 and j not in above]
        pairs += [(int(of), joints + e) for e, of in enumerate(self.skeleton.end_parents)]
        for a, b in pairs:
            length = self.length(a, b)
            if length < 1e-4 * self.size:
                continue
            r = float(np.clip(0.16 * length / self.scale, 0.012, 0.075))
            self.cone(a, b, (r, 0.75 * r), self._side(a))
        if not self.cones:
            self.cone(0, 0, (0.08, 0.08), BODY)


def _blend(a: Mix, b: Mix, share: float) -> Mix:
    """The mix a share of the way from a to b."""
    return {p: (1.0 - share) * a.get(p, 0.0) + share * b.get(p, 0.0) for p in {**a, **b}}


def _moved(a: Mix, start: Mix, end: Mix, share: float) -> Mix:
    """The mix a, moved by a share of the way from start to end."""
    return {p: a.get(p, 0.0) + share * (end.get(p, 0.0) - start.get(p, 0.0)) for p in {**a, **start, **end}}

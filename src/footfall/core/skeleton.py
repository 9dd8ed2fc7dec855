"""Skeleton: the joints of a body, their order, lengths and rest pose; frozen, and checked when made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from . import rotation
from .errors import SkeletonError, UnknownName
from .rig_file import RigFile
from .roles import Roles, find_roles

MAX_JOINTS = 20_000
LEAST_LEG_M = 1e-5  # metres: a hundredth of a millimetre is no leg
LONGEST_M = 1e9  # metres of an offset, or units of a file while it is read
NOT_UNIT = 1e-3  # a rotation farther than this from length 1 is no rounded one: it is a mistake
Place = tuple[float, float, float]
JointRow = tuple[str, str, Place]


def readonly(array: np.ndarray, dtype: type = float) -> np.ndarray:
    """A C-ordered copy nobody can write to."""
    array = np.array(array, dtype=dtype, order="C")
    array.flags.writeable = False
    return array


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Joints listed parent first. End sites (toe tips, crown) are not joints: they carry no rotation."""

    names: tuple[str, ...]
    parents: np.ndarray  # (J,) int32; parents[0] == -1, parents[j] < j
    offsets: np.ndarray  # (J, 3) metres, in the parent's frame
    rest: np.ndarray = None  # type: ignore[assignment]  # (J, 4) local rotations of the rest pose; identity if None
    end_parents: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))  # (E,) joint of each end site
    end_offsets: np.ndarray = field(default_factory=lambda: np.zeros((0, 3)))  # (E, 3) metres, in that joint's frame
    role_overrides: Mapping[str, str] = field(default_factory=dict)  # role -> joint name, given by the user
    rig: RigFile | None = None  # the file it was read from, where motion can be added to that file

    @classmethod
    def of_rows(cls, rows: Sequence[JointRow], ends: Sequence[tuple[str, Place]]) -> Skeleton:
        """Of joints (name, parent's name, offset), the root first with no parent, and end sites (joint, offset)."""
        names = [name for name, _, _ in rows]
        return cls(
            tuple(names),
            np.array([names.index(parent) if parent else -1 for _, parent, _ in rows]),
            np.array([place for _, _, place in rows]),
            end_parents=np.array([names.index(name) for name, _ in ends]),
            end_offsets=np.array([place for _, place in ends]),
        )

    def __post_init__(self) -> None:
        joints = len(self.names)
        rest = np.tile(rotation.IDENTITY, (joints, 1)) if self.rest is None else self.rest
        for name, value, dtype in (
            ("parents", self.parents, np.int32),
            ("offsets", self.offsets, float),
            ("rest", rest, float),
            ("end_parents", self.end_parents, np.int32),
            ("end_offsets", self.end_offsets, float),
        ):
            object.__setattr__(self, name, readonly(value, dtype))
        object.__setattr__(self, "names", tuple(self.names))
        self._check()

    def _check(self) -> None:
        joints = len(self.names)
        if not 1 <= joints <= MAX_JOINTS:
            raise SkeletonError(f"a skeleton has 1 to {MAX_JOINTS} joints, this one {joints}")
        shapes = (self.parents.shape, self.offsets.shape, self.rest.shape, self.end_offsets.shape)
        if shapes != ((joints,), (joints, 3), (joints, 4), (len(self.end_parents), 3)):
            raise SkeletonError(f"{joints} joint names do not fit arrays of shape {shapes}")
        if self.parents[0] != -1 or (self.parents[1:] < 0).any():
            raise SkeletonError("joint 0 must be the only root")
        if (self.parents[1:] >= np.arange(1, joints)).any():
            raise SkeletonError("joints must be listed parent first")
        if len(set(self.names)) != joints:
            raise SkeletonError("joint names must differ from each other")
        if not all(np.isfinite(a).all() for a in (self.offsets, self.rest, self.end_offsets)):
            raise SkeletonError("offsets and rest rotations must be finite")
        if max(np.abs(a).max(initial=0.0) for a in (self.offsets, self.end_offsets)) >= LONGEST_M:
            raise SkeletonError(f"offsets must be below {LONGEST_M:g} metres")
        if (np.abs((self.rest**2).sum(axis=-1) - 1.0) > 2.0 * NOT_UNIT).any():
            raise SkeletonError("rest rotations must be quaternions of length 1 (footfall.core.rotation.normalize)")
        if self.end_parents.size and not 0 <= self.end_parents.min() <= self.end_parents.max() < joints:
            raise SkeletonError(f"end sites belong to joints 0 to {joints - 1}")

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joints, {self.names[0]!r} …, {self.height:.2f} m)"

    def index(self, name: str) -> int:
        """Index of a joint by name; the error offers near names."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownName("joint", name, self.names) from None

    def indices(self, names: Iterable[str]) -> np.ndarray:
        return np.array([self.index(n) for n in names], dtype=int)

    @cached_property
    def roles(self) -> Roles:
        """Which joint is the pelvis, a knee, a toe, …: from names and geometry, overridden by role_overrides."""
        return find_roles(
            self.names,
            self.parents,
            self.rest_positions,
            self.end_parents,
            self.end_rest_positions,
            self.role_overrides,
        )

    def with_roles(self, **joint_of_role: str) -> Skeleton:
        """The same skeleton with roles given by joint name: with_roles(left_knee="shin_L")."""
        for name in joint_of_role.values():
            self.index(name)
        return replace(self, role_overrides={**self.role_overrides, **joint_of_role})

    @cached_property
    def rest_world(self) -> tuple[np.ndarray, np.ndarray]:
        """Rest pose in the world, joint 0 at its offset: positions (J, 3) and rotations (J, 4)."""
        positions, rotations = self.offsets.copy(), self.rest.copy()
        turned = (self.rest != rotation.IDENTITY).any()  # most files rest unturned: then offsets just add up
        for j, p in enumerate(self.parents[1:], start=1):
            if turned:
                positions[j] = rotation.rotate(rotations[p], self.offsets[j])
                rotations[j] = rotation.multiply(rotations[p], self.rest[j])
            positions[j] += positions[p]
        return readonly(positions), readonly(rotations)

    @property
    def rest_positions(self) -> np.ndarray:  # (J, 3)
        return self.rest_world[0]

    @cached_property
    def end_rest_positions(self) -> np.ndarray:  # (E, 3)
        positions, rotations = self.rest_world
        return positions[self.end_parents] + rotation.rotate(rotations[self.end_parents], self.end_offsets)

    @cached_property
    def height(self) -> float:
        """Length of the body from sole to crown: along its bones where roles are known, else the rest pose's size."""
        return self.roles.body_height(self.rest_positions, self.end_parents, self.end_rest_positions)

    @cached_property
    def leg_length(self) -> float:
        """Mean of both legs, hip to ankle along the bones, metres."""
        r = self.roles
        legs = [(r.left_hip, r.left_knee, r.left_ankle), (r.right_hip, r.right_knee, r.right_ankle)]
        lengths = []
        for hip, knee, ankle in legs:
            if hip is not None and knee is not None and ankle is not None:
                p = self.rest_positions
                lengths.append(np.linalg.norm(p[knee] - p[hip]) + np.linalg.norm(p[ankle] - p[knee]))
        if not lengths:
            raise SkeletonError(
                "this skeleton has no legs footfall can find; name them: skeleton.with_roles(left_hip=…, left_knee=…, "
                "left_ankle=…)"
            )
        if not np.mean(lengths) >= LEAST_LEG_M:
            raise SkeletonError("this skeleton's legs have no length; footfall needs bones to walk on")
        return float(np.mean(lengths))

    def transformed(self, turn: np.ndarray, scale: float) -> Skeleton:
        """Lengths times scale, joint 0's rest turned by the quaternion: used once, at the edge, by readers."""
        offsets = self.offsets * scale
        offsets[0] = rotation.rotate(turn, offsets[0])
        rest = self.rest.copy()
        rest[0] = rotation.multiply(turn, rest[0])
        rig = None if self.rig is None else self.rig.transformed(turn, scale)
        moved = replace(self, offsets=offsets, rest=rest, end_offsets=self.end_offsets * scale, rig=rig)
        if "roles" in self.__dict__:  # turning and scaling change no role: do not find them again
            moved.__dict__["roles"] = self.roles
        return moved

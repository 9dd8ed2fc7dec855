"""A skeleton's tree as role finding needs it: children, depths, subtrees, bone lengths; all in linear time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LIMB_JOINTS = 12  # a limb is followed this far at most: keeps every pass linear on endless chains


class JointTree:
    """Joints 0 … J-1, parent first; `bone[j]` is the distance to the parent in the rest pose."""

    def __init__(self, parents: np.ndarray, rest: np.ndarray, end_parents: np.ndarray, end_rest: np.ndarray) -> None:
        self.parents: list[int] = np.asarray(parents).tolist()
        count = len(self.parents)
        self.rest = np.asarray(rest, float)  # (J, 3)
        above = self.rest[np.maximum(parents, 0)]
        self.bone: list[float] = np.sqrt(((self.rest - above) ** 2).sum(axis=-1)).tolist()
        self.bone[0] = 0.0
        self.end: list[float] = [0.0] * count  # length of the longest end site on each joint
        self.end_at: dict[int, int] = {}  # joint -> index of that end site
        self.end_rest = np.asarray(end_rest, float).reshape(-1, 3)
        for e, j in enumerate(np.asarray(end_parents).tolist()):
            length = float(np.linalg.norm(self.end_rest[e] - self.rest[j]))
            if length > self.end[j] or j not in self.end_at:
                self.end[j], self.end_at[j] = length, e
        self.children: list[list[int]] = [[] for _ in range(count)]
        self.depth = [0] * count
        for j in range(1, count):
            self.children[self.parents[j]].append(j)
            self.depth[j] = self.depth[self.parents[j]] + 1
        self._intervals(count)

    def _intervals(self, count: int) -> None:
        """Preorder numbers and subtree sizes, so that "is a above b" is one comparison."""
        self.size = [1] * count
        for j in range(count - 1, 0, -1):
            self.size[self.parents[j]] += self.size[j]
        self.order = [0] * count
        for j in range(count):
            at = self.order[j] + 1
            for child in self.children[j]:
                self.order[child] = at
                at += self.size[child]

    def __len__(self) -> int:
        return len(self.parents)

    def above(self, a: int, b: int) -> bool:
        """Is a a strict ancestor of b?"""
        return self.order[a] < self.order[b] < self.order[a] + self.size[a]

    def meet(self, a: int, b: int) -> int:
        """The lowest joint at or above both."""
        while a != b:
            if self.depth[a] < self.depth[b]:
                a, b = b, a
            a = self.parents[a]
        return a

    def path(self, top: int, bottom: int) -> list[int]:
        """Joints from below `top` down to `bottom`, which is included; empty when top is not above bottom."""
        if not self.above(top, bottom):
            return []
        line = []
        while bottom != top:
            line.append(bottom)
            bottom = self.parents[bottom]
        return line[::-1]

    def length(self, joints: Sequence[int]) -> float:
        """Sum of the bones that end in these joints."""
        return sum(self.bone[j] for j in joints)

    def reach(self, skip: frozenset[int]) -> tuple[list[float], list[int]]:
        """For every joint the longest way down along the bones, and the child it starts with (-1 at a leaf).

        Branches made of joints to skip alone (twists, ends) do not count; one inside a limb is passed through.
        """
        reach, best = list(self.end), [-1] * len(self)
        useful = [j not in skip for j in range(len(self))]
        for j in range(len(self) - 1, 0, -1):
            if not useful[j]:
                continue
            p, way = self.parents[j], self.bone[j] + reach[j]
            useful[p] = True
            if best[p] < 0 or way >= reach[p]:
                reach[p], best[p] = max(way, reach[p]), j
        return reach, best

    def subtree(self, joint: int) -> list[int]:
        """The joints at and below a joint, top down."""
        found = [joint]
        for j in found:
            found.extend(self.children[j])
        return found

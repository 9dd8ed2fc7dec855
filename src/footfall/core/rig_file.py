"""RigFile: the file a body was read from, and which of its nodes each joint is, so motion can be put back there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import rotation


class RigFile(NamedTuple):
    """A character's own file. Its units and axes are kept, since what is added to it must be in them."""

    path: str
    nodes: tuple[int, ...]  # node of each joint; -1 for a root that the file does not have
    names: tuple[str, ...]  # of those nodes, to know the file again; empty for that root
    unit_m: float = 1.0  # metres per unit of the file
    world_from_file: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)  # turn applied on reading

    def transformed(self, turn: np.ndarray, scale: float) -> RigFile:
        """The same file, where what was read of it has been turned and scaled."""
        w, x, y, z = rotation.multiply(turn, np.array(self.world_from_file)).tolist()
        return self._replace(unit_m=self.unit_m * scale, world_from_file=(w, x, y, z))

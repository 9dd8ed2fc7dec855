"""Pose: where every joint is, as a struct of arrays with any leading batch shape."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Pose(NamedTuple):
    """One pose (batch shape ()), a clip (T,), a crowd (N,), …; the last axes carry the meaning.

    `pos` is there only where bones stretch or slide; None means every joint but the first sits at its offset.
    """

    root_pos: np.ndarray  # (..., 3)    metres, world position of joint 0
    rot: np.ndarray  # (..., J, 4) unit wxyz, in the parent's frame; joint 0 in the world
    pos: np.ndarray | None = None  # (..., J, 3) metres, in the parent's frame; joint 0's entry is not used

    def __repr__(self) -> str:
        many = " × ".join(str(n) for n in self.batch)
        bones = ", bones that slide" if self.pos is not None else ""
        return f"Pose({f'{many} poses of ' if many else ''}{self.rot.shape[-2]} joints{bones})"

    def at(self, index: Any) -> Pose:
        """The poses at an index, slice or mask of the batch axes."""
        return Pose(self.root_pos[index], self.rot[index], None if self.pos is None else self.pos[index])

    @property
    def batch(self) -> tuple[int, ...]:
        return self.root_pos.shape[:-1]

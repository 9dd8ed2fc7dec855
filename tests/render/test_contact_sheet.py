"""Contact sheets: one cell a clip, in order."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.core.errors import ParameterError
from footfall.motions.library import motion
from footfall.render.sheet import contact_sheet


def test_cells_are_laid_out_in_rows_and_show_their_own_clip():
    clips = {"a": motion("walk"), "b": motion("kick"), "c": motion("walk"), "d": motion("bow")}
    cell = (120, 80)
    picture = contact_sheet(clips, columns=3, cell=cell)
    assert picture.shape == (160, 360, 3)
    cells = [picture[80 * (i // 3) :, 120 * (i % 3) :][:80, :120] for i in range(6)]
    below_label = [c[20:].astype(int) for c in cells]
    assert np.abs(below_label[0] - below_label[2]).max() == 0  # the same motion looks the same
    assert np.abs(below_label[0] - below_label[1]).max() > 50
    assert (cells[5] == cells[5][0, 0]).all()  # the last row is filled up with background


def test_nothing_to_show_is_said_so():
    with pytest.raises(ParameterError, match="at least one"):
        contact_sheet({})

"""Comparison pictures of joins: one row a method, curves and words that are those of the clips."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

import footfall as ff
from footfall.core.errors import ParameterError
from footfall.joins.join import join
from footfall.render.compare_joins import _bends, _starts_at, figures_in_words, join_of, picture_joins


@pytest.fixture(scope="module")
def clips():
    return ff.motion("walk"), ff.motion("stand", seconds=1)


@pytest.fixture(scope="module")
def joined(clips):
    return {method: join(*clips, method, at_s=0.5) for method in ("crossfade", "inertialize")}


def test_a_row_for_every_method(joined, clips, tmp_path):
    path = tmp_path / "x.png"
    two = Image.open(BytesIO(picture_joins(joined, clips, path)))
    one = Image.open(BytesIO(picture_joins({"crossfade": joined["crossfade"]}, clips)))
    assert two.width == one.width == 1300
    assert two.height > one.height + 150
    assert path.read_bytes().startswith(b"\x89PNG")
    assert np.asarray(two.convert("RGB")).std() > 5.0


def test_joins_are_found_in_reports(joined, clips):
    found = join_of(joined["crossfade"])
    assert (found.start_s, found.end_s) == (pytest.approx(0.5), pytest.approx(0.9))
    assert _starts_at(found, 0) == pytest.approx(0.0)
    assert _starts_at(found, 1) == pytest.approx(0.9 - 0.4)
    with pytest.raises(ParameterError, match="no join to show"):
        join_of(clips[0])
    with pytest.raises(ParameterError, match="at least one"):
        picture_joins({}, clips)


def test_bends_of_known_poses():
    bends = _bends(ff.motion("bow"))
    assert set(bends) >= {"hip", "knee", "elbow"}
    elbow = bends["elbow"]
    assert elbow.shape[1] == 2
    assert np.isfinite(elbow).all()
    assert (elbow >= 0.0).all()
    assert (elbow < 160.0).all()


def test_words_name_only_what_is_known():
    assert figures_in_words({}) == ""
    assert figures_in_words({"skate_ratio": 1.234, "excess_m_s2": 12.6}) == "skate ×1.23 · excess 13 m/s²"

"""Where to leave and to enter: against every pair of moments, exact distances, and what a clip of the folder gives."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.align.features import row_distances
from footfall.core.errors import UnknownName
from footfall.io.save import save
from footfall.library.build import Settings, update
from footfall.library.find import APART_S, well_apart
from footfall.library.index_file import Index
from footfall.library.match import LEFT_S, PLAYED_S, best_places, between, match
from footfall.library.moments import FPS, moments_facet
from footfall.motions.library import motion
from footfall.retarget.character import character

FACET = moments_facet(character("adult"))


@pytest.fixture(scope="module")
def hundred(tmp_path_factory):
    """A library of a hundred clips: gaits and actions, mirrored and at other speeds."""
    folder = tmp_path_factory.mktemp("hundred")
    rng = np.random.default_rng(2)
    names = ["walk", "run", "kick", "wave", "punch", "jump", "stand"]
    for k in range(100):
        name = names[k % len(names)]
        given = {"walk": {"speed": 1.2, "turn": 10.0}, "run": {"speed": 3.0}}.get(name, {})
        given = {key: float(value * rng.uniform(0.6, 1.4)) for key, value in given.items()}
        clip = motion(name, **given).speed(float(rng.uniform(0.8, 1.25)))
        save(clip.mirror() if rng.random() < 0.5 else clip, folder / "takes" / f"{k:03}.npz")
    update(folder / "takes", [FACET], Settings(place=folder / "place"))
    return Index(folder / "place")


def exhaustive(index, rows, own):
    """The ten best by every pair of moments."""
    column, best = index.column(FACET.key, "rows"), []
    first = min(round(PLAYED_S * FPS), len(rows) // 2)
    for k, (file, _, name) in enumerate(index.names(FACET.key)):
        held = column.of(k)
        held = held[: max(len(held) - 1 - round(LEFT_S * FPS), 0) + 1].astype(np.float32)
        costs = np.stack([row_distances(held, row) for row in rows[first:]], axis=1)
        if own == (file, name):
            apart = np.abs(np.arange(len(held))[:, None] - (first + np.arange(costs.shape[1]))) / FPS
            costs[apart < APART_S] = np.inf
        least = costs.min(axis=1)
        best += [(float(least[i]), file, i / FPS) for i in well_apart(least, APART_S * FPS, 10)]
    return sorted(best)[:10]


def test_pruning_finds_the_ten_best_places(hundred):
    column, names = hundred.column(FACET.key, "rows"), hundred.names(FACET.key)
    hits = total = 0
    for k in range(0, 100, 9):
        rows, own = column.of(k).astype(np.float32), (names[k][0], names[k][2])
        wanted = exhaustive(hundred, rows, own)
        worst = wanted[-1][0] + 1e-3  # metres: of places as good as equal either will do
        found = best_places(hundred, FACET, rows, 10, own)
        hits, total = hits + sum(place.cost_m <= worst for place in found), total + len(wanted)
    assert hits >= 0.98 * total


def test_distances_at_once_are_those_one_by_one(rng):
    a, b = rng.normal(size=(7, 36)).astype(np.float32), rng.normal(size=(5, 36)).astype(np.float32)
    one_by_one = np.stack([row_distances(a, row) for row in b], axis=1)
    np.testing.assert_allclose(between(a, b), one_by_one, atol=2e-5)


def test_a_walk_goes_on_in_the_same_phase(tmp_path):
    save(motion("walk", speed=1.2, cycles=4), tmp_path / "walk.bvh")
    save(motion("stand"), tmp_path / "stand.bvh")
    best = match(motion("walk", speed=1.2, cycles=3), tmp_path, count=3)
    assert best[0].file == "walk.bvh"
    assert best[0].cost_m < 0.01
    cycle = motion("walk", speed=1.2).duration
    phase = (best[0].leave_s - best[0].enter_s) / cycle
    assert phase == pytest.approx(round(phase), abs=0.06)
    assert best[0].leave_s >= PLAYED_S
    assert [p.cost_m for p in best] == sorted(p.cost_m for p in best)


def test_a_clip_of_the_folder_does_not_go_on_at_the_same_moment(tmp_path):
    path = save(motion("walk", speed=1.2, cycles=4), tmp_path / "walk.bvh")
    for place in match(path, tmp_path):
        assert abs(place.leave_s - place.enter_s) >= APART_S - 1e-9


def test_a_reading_option_that_is_none_is_told(tmp_path):
    with pytest.raises(UnknownName, match="nonsense"):
        match(motion("walk"), tmp_path, nonsense=1)

"""Stretches that lead from one motion to another: against every pair of moments of every recording."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from footfall.align.features import points_of, row_distances
from footfall.io.save import save
from footfall.library.build import Settings, update
from footfall.library.donors import LASTS_S, PER_S_M, donor_stretches
from footfall.library.index_file import Index
from footfall.library.moments import FPS, KEY, moments_facet, on_body, turned_rows
from footfall.motions.library import motion
from footfall.retarget.character import character

BODY = character("adult")
FACET = moments_facet(BODY)


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """Gaits, changes between them and actions."""
    folder = tmp_path_factory.mktemp("donors")
    for speed in (1.0, 1.4, 3.0):
        for name in ("start", "stop"):
            save(motion(name, speed=speed), folder / "takes" / f"{name}{speed}.npz")
    for name in ("walk", "run"):
        save(motion(name, cycles=3), folder / "takes" / f"{name}.npz")
    for name in ("kick", "wave", "stand"):
        save(motion(name), folder / "takes" / f"{name}.npz")
    save(motion("kick").trim(0.0, 0.3), folder / "takes" / "short.npz")
    update(folder / "takes", [FACET], Settings(place=folder / "place", jobs=1))
    return Index(folder / "place")


def rows_of(name, **given):
    return turned_rows(on_body(motion(name, **given), BODY), points_of(BODY.skeleton))


PAIRS = {
    "run to stand": (rows_of("run", speed=3.0, cycles=2)[-30:], rows_of("stand")[:30]),
    "stand to walk": (rows_of("stand")[-30:], rows_of("walk", speed=1.4, cycles=2)[:30]),
    "kick to wave": (rows_of("kick")[-20:], rows_of("wave")[:20]),
}


def exhaustive(index, leaving, entering):
    """(cost with length, file) of the cheapest stretch of each recording by every pair of its moments, in order."""
    column, best = index.column(FACET.key, "rows"), []
    shortest, longest = (round(s * FPS / KEY) * KEY for s in LASTS_S)
    for k, (file, _, _) in enumerate(index.names(FACET.key)):
        held = column.of(k).astype(np.float32)
        into, out_of = (
            np.stack([row_distances(held, row) for row in rows]).min(axis=0) for rows in (leaving, entering)
        )
        pairs = [
            (into[i] + out_of[j] + PER_S_M / FPS * (j - i), file)
            for i, j in itertools.combinations(range(len(held)), 2)
            if shortest <= j - i <= longest
        ]
        best += [min(pairs)] if pairs else []
    return sorted(best)


@pytest.mark.parametrize("pair", PAIRS)
def test_the_cheapest_stretches_are_found(index, pair):
    leaving, entering = PAIRS[pair]
    wanted = exhaustive(index, leaving, entering)[:3]
    found = donor_stretches(index, FACET, leaving, entering, 3)
    costs = [one.cost_m + PER_S_M * (one.leave_s - one.enter_s) for one in found]
    assert costs[0] <= wanted[0][0] + 2e-3  # metres: keys are near moments, not all of them
    assert found[0].file in {file for cost, file in wanted if cost <= wanted[0][0] + 5e-3}
    assert [one.cost_m for one in found] == sorted(one.cost_m for one in found)
    for one in found:
        slack_s = 2.0 * KEY / FPS  # both ends may move by a key's rows
        assert LASTS_S[0] - slack_s <= one.leave_s - one.enter_s <= LASTS_S[1] + slack_s
        assert one.file != "short.npz"


def test_a_stop_leads_from_a_run_to_standing(index):
    found = donor_stretches(index, FACET, *PAIRS["run to stand"], 3)
    assert found[0].file == "stop3.0.npz"


def test_clips_that_are_joined_are_no_donors(index):
    pair = PAIRS["run to stand"]
    best = donor_stretches(index, FACET, *pair, 1)[0]
    others = donor_stretches(index, FACET, *pair, 20, own=[(best.file, best.clip)])
    assert best.file not in {one.file for one in others}
    assert len(others) > 3

"""Pairs of a large library: what pruning finds against all pairs, what it costs, and groups that blend."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from footfall.analysis.compatibility import all_pairs, lint
from footfall.analysis.summary import analyze
from footfall.analysis.traits import traits
from footfall.library import partners
from footfall.library.partners import TOLD, compare, kind_groups, kinds_of, near_pairs, pose_vectors
from footfall.motions.library import motion


@cache
def hundred():
    """Walks and runs of many speeds and turns, some mirrored."""
    rng = np.random.default_rng(4)
    found = []
    for k in range(100):
        name, low, high = ("walk", 0.7, 1.9) if k % 3 else ("run", 2.4, 4.0)
        clip = motion(name, speed=float(rng.uniform(low, high)), turn=float(rng.uniform(-40, 40)))
        clip = clip.mirror() if k % 4 == 0 else clip
        found.append(traits(clip, analyze(clip), f"{k:03}"))
    return found


def exhaustive(clips):
    """Every clip's partners by all pairs, the nearest first."""
    pairs = all_pairs(len(clips))
    bad = {(f.a, f.b) for f in lint(clips, pairs)}
    vectors = pose_vectors(clips)
    found = [[] for _ in clips]
    for i, j in pairs.tolist():
        if (clips[i].name, clips[j].name) not in bad:
            distance = np.linalg.norm(vectors[i] - vectors[j])
            found[i].append((distance, clips[j].name))
            found[j].append((distance, clips[i].name))
    return [[name for _, name in sorted(some)[:TOLD]] for some in found]


def test_pruning_finds_nearly_all_that_all_pairs_find():
    clips = hundred()
    told = compare(clips)
    assert len(told.pairs) < len(all_pairs(100)) / 2
    wanted = exhaustive(clips)
    hits = sum(len(set(a) & set(b.partners)) for a, b in zip(wanted, told.clips, strict=True))
    assert hits >= 0.98 * sum(len(a) for a in wanted)


def test_pairs_grow_with_the_clips_and_not_with_their_square():
    clips = [replace(c, name=f"{c.name} {k}") for k in range(8) for c in hundred()]
    some, many = (len(near_pairs(c, kinds_of(c), pose_vectors(c))) for c in (clips[:400], clips))
    assert many < 2.2 * some
    assert many <= len(clips) * (partners.IN_KIND + partners.OF_TYPE)


def test_groups_of_many_blend_with_their_middle():
    clips = hundred()
    found = kind_groups(clips, kinds_of(clips))
    named = {c.name: c for c in clips}
    members = [name for group in found for name in group]
    assert len(members) == len(set(members)) >= 90
    for group in found:
        length = sorted(named[name].stride_s for name in group)
        assert length[-1] <= 1.5 * length[0] + 1e-9
        faults = {f.a for f in lint([named[name] for name in group])} if len(group) > 1 else set()
        assert not faults


def test_a_loner_is_told_the_least_cure():
    clips = [*hundred(), replace(hundred()[1], name="odd", steps=7)]
    odd = compare(clips).clips[-1]
    assert odd.partners == []
    assert [f.kind for f in odd.nearest] == ["steps"]
    assert "7 steps" in odd.nearest[0].cure or "cut odd" in odd.nearest[0].cure


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_a_few_are_compared_with_all(count):
    clips = hundred()[:count]
    told = compare(clips)
    assert len(told.pairs) == count * (count - 1) // 2
    assert [c.name for c in told.clips] == [c.name for c in clips]
    assert told.findings == lint(clips)

"""A build that is killed at any moment, and two at once: nothing is lost, nothing is damaged, nothing is done twice."""

from __future__ import annotations

import random
import subprocess
import sys
import time

import pytest

from footfall.io.save import save
from footfall.library.build import Settings, update
from footfall.library.facts import facts_facet
from footfall.library.index_file import Index, array_bytes, ordered_dump
from footfall.library.index_tables import LibraryDamaged
from footfall.library.kept_traits import traits_facet
from footfall.library.moments import moments_facet
from footfall.motions.library import motion
from footfall.retarget.character import character

FILES = 24
FACETS = [facts_facet(), traits_facet(), moments_facet(character("adult"))]
BUILD = """
import sys
from pathlib import Path
from footfall.library import build
from footfall.library.facts import facts_facet
from footfall.library.kept_traits import traits_facet
from footfall.library.moments import moments_facet
from footfall.retarget.character import character
build.BATCH_FILES = 2
facets = [facts_facet(), traits_facet(), moments_facet(character("adult"))]
print("start", flush=True)
report = build.update(Path(sys.argv[1]), facets, build.Settings(place=Path(sys.argv[2]), jobs=int(sys.argv[3])))
print(report.read, flush=True)
"""


@pytest.fixture(scope="module")
def takes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed") / "takes"
    for k in range(FILES):
        save(motion("walk", speed=0.9 + 0.03 * k, cycles=2), folder / f"{k:02}.npz")
    return folder


@pytest.fixture(scope="module")
def whole(takes):
    """What an undisturbed build makes, and how long it takes."""
    start, place = time.monotonic(), takes.parent / "whole"
    process = started(takes, place, 2)
    assert process.communicate()[0].split() == ["start", str(FILES)]
    return content(place), time.monotonic() - start


def started(takes, place, jobs):
    command = [sys.executable, "-c", BUILD, str(takes), str(place), str(jobs)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def content(place):
    return ordered_dump(place), array_bytes(place)


def killed_once(takes, place, after_s):
    """Files that a build had done when it was killed."""
    process = started(takes, place, 2)
    assert process.stdout.readline() == "start\n"
    time.sleep(after_s)
    process.kill()
    process.communicate()
    try:
        return len(Index(place).files)
    except LibraryDamaged:  # it had not begun
        return 0


def kill_and_go_on(takes, whole, place, moments, seed):
    chance, (content_then, length_s), seen = random.Random(seed), whole, set()
    for k in range(moments):
        here = place / str(k)
        done = killed_once(takes, here, chance.uniform(0.0, length_s))
        seen.add(done)
        report = update(takes, FACETS, Settings(place=here, jobs=1))
        assert report.read == FILES - done  # nothing twice but what was in flight
        assert content(here) == content_then
        assert update(takes, FACETS, Settings(place=here)).read == 0
    return seen


@pytest.mark.slow
def test_a_build_killed_at_any_moment_goes_on(takes, whole, tmp_path):
    kill_and_go_on(takes, whole, tmp_path, 4, seed=1)


@pytest.mark.long
def test_a_build_killed_at_twenty_moments_goes_on(takes, whole, tmp_path):
    assert len(kill_and_go_on(takes, whole, tmp_path, 20, seed=2)) > 4  # at moments that differ


@pytest.mark.long
def test_killed_again_and_again_it_still_comes_to_its_end(takes, whole, tmp_path):
    chance, done = random.Random(5), []
    for _ in range(5):
        done.append(killed_once(takes, tmp_path / "place", chance.uniform(0.2, 0.6) * whole[1]))
    assert done == sorted(done)  # what was done stays done
    update(takes, FACETS, Settings(place=tmp_path / "place"))
    assert content(tmp_path / "place") == whole[0]


@pytest.mark.slow
def test_two_at_once_wait_for_each_other(takes, whole, tmp_path):
    processes = [started(takes, tmp_path / "place", jobs) for jobs in (1, 2)]
    read = [int(p.communicate()[0].split()[1]) for p in processes]
    assert sorted(read) == [0, FILES]
    assert content(tmp_path / "place") == whole[0]


@pytest.mark.slow
def test_readers_read_while_it_is_filled(takes, whole, tmp_path):
    place = tmp_path / "place"
    process = started(takes, place, 2)
    seen = []
    while process.poll() is None:
        try:
            index = Index(place)
            column = index.column(FACETS[2].key, "rows")
            column.whole()
            seen.append(len(column.crcs))
        except LibraryDamaged:
            assert not seen  # it had not begun
        time.sleep(0.05)
    process.communicate()
    assert seen == sorted(seen)
    assert content(place) == whole[0]

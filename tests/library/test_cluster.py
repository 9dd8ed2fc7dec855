"""A library made by Dask workers: the same bytes, also when workers or the driver are killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from footfall.core.errors import ParameterError
from footfall.io.save import save
from footfall.library.build import Settings, update
from footfall.library.facts import facts_facet
from footfall.library.index_file import Index, array_bytes, ordered_dump
from footfall.library.kept_traits import traits_facet
from footfall.motions.library import motion

pytest.importorskip("distributed", reason="needs footfall[cluster]")
pytestmark = pytest.mark.filterwarnings("ignore")  # of asyncio and tornado, when processes are killed

from footfall.library.cluster import cluster_workers  # noqa: E402

FACETS = [facts_facet(), traits_facet()]
BUILD = """
import sys
from pathlib import Path
from footfall.library import build
from footfall.library.build import Settings, update
from footfall.library.cluster import cluster_workers
from footfall.library.facts import facts_facet
from footfall.library.kept_traits import traits_facet
build.BATCH_FILES = 2
if __name__ == "__main__":
    workers = cluster_workers("local:2")
    follow = lambda done, total: print(done, flush=True)
    settings = Settings(place=Path(sys.argv[2]), workers=workers, follow=follow)
    update(Path(sys.argv[1]), [facts_facet(), traits_facet()], settings)
"""


@pytest.fixture(scope="module")
def takes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cluster") / "takes"
    for k in range(16):
        save(motion("walk", speed=0.9 + 0.05 * k, cycles=3), folder / f"{k:02}.bvh")
    (folder / "bad.bvh").write_text("nothing")
    return folder


@pytest.fixture(scope="module")
def alone(takes):
    place = takes.parent / "alone"
    update(takes, FACETS, Settings(place=place, jobs=1))
    return content(place)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr("footfall.library.build.BATCH_FILES", 2)


def content(place):
    return ordered_dump(place), array_bytes(place)


@pytest.mark.slow
@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.long)])
def test_workers_make_the_same_bytes(takes, alone, tmp_path, count):
    workers = cluster_workers(f"local:{count}")
    try:
        assert workers.count == count
        report = update(takes, FACETS, Settings(place=tmp_path, workers=workers))
    finally:
        workers.close()
    assert report.read == 17
    assert content(tmp_path) == alone


@pytest.mark.slow
def test_killed_workers_change_nothing(takes, alone, tmp_path):
    workers = cluster_workers("local:2")
    chance, killed, over = random.Random(3), [], threading.Event()

    def kill_some():
        while len(killed) < 5 and not over.wait(chance.uniform(0.3, 1.2)):
            pids = [w.pid for w in workers._own.workers.values() if w.pid]
            if pids:
                killed.append(chance.choice(pids))
                os.kill(killed[-1], signal.SIGKILL)

    killer = threading.Thread(target=kill_some)
    killer.start()
    try:
        for k in range(5):  # long enough for five workers to be killed
            update(takes, FACETS, Settings(place=tmp_path / str(k), workers=workers))
            if len(killed) == 5:
                break
    finally:
        over.set()
        killer.join()
        workers.close()
    assert killed
    for place in tmp_path.iterdir():
        assert content(place) == alone


@pytest.mark.slow
def test_a_killed_driver_leaves_what_was_done(takes, alone, tmp_path):
    place = tmp_path / "place"
    command = [sys.executable, "-c", BUILD, str(takes), str(place)]
    driver = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in driver.stdout:
        if int(line) >= 4:
            break
    driver.kill()
    driver.wait()
    driver.stdout.close()
    time.sleep(0.5)
    done = len(Index(place).files)
    assert 4 <= done < 17
    report = update(takes, FACETS, Settings(place=place))
    assert report.read == 17 - done  # only what was missing
    assert content(place) == alone


def test_what_is_no_cluster_is_told_in_a_line(monkeypatch):
    monkeypatch.setattr("footfall.library.cluster.TIMEOUT_S", 1.0)  # nobody comes to answer there
    with pytest.raises(ParameterError, match="local:4"):
        cluster_workers("somewhere")
    with pytest.raises(ParameterError, match="no Dask cluster"):
        cluster_workers("tcp://127.0.0.1:9")


@pytest.mark.slow
def test_commands_take_a_cluster(takes, tmp_path, capsys, monkeypatch):
    from helpers import run_cli

    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    assert run_cli("convert", takes, "-o", tmp_path / "out", "--format", "npz", "--cluster", "local:2") == 3
    assert len(list((tmp_path / "out").iterdir())) == 16
    printed = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in printed] == [str(tmp_path / "out" / f"{k:02}.npz") for k in range(16)]
    assert run_cli("library", "build", takes, "--index", tmp_path / "place", "--cluster", "local:2") == 3
    assert "16 clips of 17 files" in capsys.readouterr().out

"""The store: whatever happens while it writes, the file is the old or the new one, and nobody's work is overwritten."""

from __future__ import annotations

import errno
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footfall.core.errors import FootfallError, WriteError
from footfall.studio.store import Conflict, Store, project_bytes
from footfall.timeline.file import load_timeline, to_plain
from footfall.timeline.model import Layer, Timeline, TimelineClip, TimelineTrack

KILLS = """
import json, os, random, signal, sys, time
from pathlib import Path
from footfall.studio.store import Store
from footfall.timeline.file import load_timeline
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

def version(n):
    clips = tuple(TimelineClip("walk", speed=1.0 + 0.001 * (n % 1000)) for _ in range(40))
    return Timeline((TimelineTrack(clips, name=f"version {n}"),))

folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
rng = random.Random(4)
store = Store(folder)
store.save(version(0), "p.json")
store.close()
seen, torn = set(), []
for kill in range(rounds):
    ready, say = os.pipe()
    child = os.fork()
    if child == 0:
        store = Store(folder)
        store.open("p.json")
        os.write(say, b"x")
        n = 1000 * kill
        while True:
            n += 1
            store.save(version(n), "p.json")
            store.autosave(json.dumps({"n": n}).encode())
    os.read(ready, 1)
    os.close(ready), os.close(say)
    time.sleep(rng.uniform(0.0, 0.06))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    for name in ("p.json", "p.json.bak"):
        if not (folder / name).exists():
            continue
        try:
            track = load_timeline(folder / name).tracks[0]
            n = int(track.name.split()[1])
            whole = len(track.clips) == 40 and all(c.speed == 1.0 + 0.001 * (n % 1000) for c in track.clips)
            seen.add(n)
            if not whole:
                torn.append((kill, name, n))
        except Exception as error:
            torn.append((kill, name, repr(error)))
    left = Store(folder).recoverable()
    if left is not None:
        json.loads(left.data)
print(json.dumps({"torn": torn, "seen": len(seen)}))
"""


def line(name: str = "Hero", *clips: str) -> Timeline:
    return Timeline((TimelineTrack(tuple(TimelineClip(c) for c in clips or ("walk",)), name=name),))


def name_of(path: Path) -> str:
    return load_timeline(path).tracks[0].name


def killed(folder: Path, rounds: int) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", KILLS, str(folder), str(rounds)], capture_output=True, text=True, timeout=240, check=True
    )
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_killed_while_saving(tmp_path: Path) -> None:
    found = killed(tmp_path, 12)
    assert found["torn"] == []


@pytest.mark.long
def test_killed_at_two_hundred_random_moments_of_saving(tmp_path: Path) -> None:
    found = killed(tmp_path, 200)
    assert found["torn"] == []
    assert int(str(found["seen"])) > 20  # it was saving all the time


def test_a_save_keeps_the_one_before(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(line("one"), "takes/a.json")
    store.save(line("two"), "takes/a.json")
    assert name_of(tmp_path / "takes/a.json") == "two"
    assert name_of(tmp_path / "takes/a.json.bak") == "one"
    assert store.files() == ("takes/a.json",)


@pytest.mark.parametrize("after", [0, 30, 100_000])
def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    store = Store(tmp_path)
    store.save(line("one"), "a.json")
    before = (tmp_path / "a.json").read_bytes()

    def full(self: Path, data: bytes) -> int:
        with self.open("wb") as file:
            file.write(data[:after])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(WriteError, match="No space left"):
            store.save(line("two"), "a.json")
        with pytest.raises(WriteError, match="No space left"):
            store.autosave(b"{}")
    assert (tmp_path / "a.json").read_bytes() == before
    assert not [p for p in tmp_path.rglob("*") if p.suffix == ".part"]
    store.save(line("two"), "a.json")
    assert name_of(tmp_path / "a.json") == "two"


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    Store(tmp_path).save(line("one"), "a.json")
    ours, theirs = Store(tmp_path), Store(tmp_path)
    ours.open("a.json")
    theirs.open("a.json")
    theirs.save(line("theirs"), "a.json")
    with pytest.raises(Conflict, match=r"a\.conflict\.json"):
        ours.save(line("ours"), "a.json")
    assert name_of(tmp_path / "a.json") == "theirs"
    assert name_of(tmp_path / "a.conflict.json") == "ours"
    assert ours.files() == ("a.json",)
    ours.open("a.json")
    ours.save(line("both"), "a.json")
    assert name_of(tmp_path / "a.json") == "both"


def test_a_file_nobody_opened_is_not_overwritten(tmp_path: Path) -> None:
    Store(tmp_path).save(line("one"), "a.json")
    with pytest.raises(Conflict, match="already"):
        Store(tmp_path).save(line("two"), "a.json")
    assert name_of(tmp_path / "a.json") == "one"


def test_a_file_that_was_removed_is_written_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.save(line("one"), "a.json")
    (tmp_path / "a.json").unlink()
    store.save(line("two"), "a.json")
    assert name_of(tmp_path / "a.json") == "two"


def test_the_lock_of_a_living_process_warns_and_that_of_a_dead_one_does_not(tmp_path: Path) -> None:
    Store(tmp_path).save(line("one"), "a.json")
    lock = next((tmp_path / ".footfall").glob("lock-*"))
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as other:
        lock.write_text(json.dumps({"pid": other.pid}))
        warning = Store(tmp_path).open("a.json")[1]
        assert str(other.pid) in str(warning)
        other.kill()
    store = Store(tmp_path)
    assert store.open("a.json")[1] is None
    assert json.loads(lock.read_text())["pid"] == os.getpid()
    store.close()
    assert not lock.exists()
    for nonsense in (b"", b"{}", b'{"pid": "x"}', b'{"pid": -1}', b"[1]", b"\xff", b'{"pid": 99999999999999999999}'):
        lock.write_bytes(nonsense)
        Store(tmp_path).open("a.json")


def test_unsaved_work_of_a_dead_process_is_found(tmp_path: Path) -> None:
    code = "import sys\nfrom pathlib import Path\nfrom footfall.studio.store import Store\n"
    code += "Store(Path(sys.argv[1])).autosave(b'work'); import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False, timeout=60)
    store = Store(tmp_path)
    store.autosave(b"own")
    left = store.recoverable()
    assert left is not None
    assert left.data == b"work"
    store.forget(left)
    assert store.recoverable() is None
    store.forget_autosave()
    assert not list((tmp_path / ".footfall").glob("autosave-*"))


def test_work_set_aside_is_kept_beside_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.autosave(b"first")
    store.set_aside()
    store.autosave(b"second")
    assert sorted(p.read_bytes() for p in (tmp_path / ".footfall").glob("autosave-*")) == [b"first", b"second"]


def test_old_temporary_files_are_swept_and_young_ones_are_not(tmp_path: Path) -> None:
    old, young, mine = tmp_path / ".a.json.x1abcdef.part", tmp_path / ".a.json.x2abcdef.part", tmp_path / ".notes.part"
    for path in (old, young, mine):
        path.write_bytes(b"half")
    for path in (old, mine):
        os.utime(path, (time.time() - 3600.0,) * 2)
    Store(tmp_path).sweep()
    assert (old.exists(), young.exists(), mine.exists()) == (False, True, True)


@pytest.mark.parametrize(
    "name", ["../a.json", "/etc/passwd", "a.txt", "", "..\\a.json", "C:a.json", ".footfall/x.json"]
)
def test_names_outside_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    store = Store(tmp_path)
    with pytest.raises(FootfallError):
        store.save(line(), name)
    with pytest.raises(FootfallError):
        store.open(name)


def test_an_empty_project_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(FootfallError, match="nothing to save"):
        Store(tmp_path).save(Timeline(()), "a.json")


def test_clips_of_the_folder_are_named_from_where_the_file_lies(tmp_path: Path) -> None:
    clip = tmp_path / "clips" / "a.bvh"
    far = Timeline(
        (
            TimelineTrack(
                (TimelineClip(str(clip)), TimelineClip("walk")), layers=(Layer(str(clip), 0.0),), character=str(clip)
            ),
        )
    )
    data = json.loads(project_bytes(far, tmp_path / "takes" / "p.json", tmp_path))
    assert data["tracks"][0]["clips"][0]["clip"] == "../clips/a.bvh"
    assert data["tracks"][0]["clips"][1]["clip"] == "walk"
    assert data["tracks"][0]["layers"][0]["clip"] == data["tracks"][0]["character"] == "../clips/a.bvh"
    store = Store(tmp_path)
    store.save(far, "takes/p.json")
    back, _ = store.open("takes/p.json")
    assert os.path.normpath(str(back.tracks[0].clips[0].clip)) == str(clip)
    assert to_plain(back)["version"] == 1


def test_other_json_and_broken_files_are_no_projects(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text('{"format": "footfall graph"}')
    (tmp_path / "noise.json").write_bytes(b"\xff\x00")
    (tmp_path / "broken.json").write_text('{"tracks": [')
    store = Store(tmp_path)
    assert store.files() == ("broken.json",)
    with pytest.raises(FootfallError, match=r"broken\.json"):
        store.open("broken.json")


def test_every_start_begins_above_the_revisions_of_those_before_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages stay open from one studio to the next, and take what is newer by its number."""
    firsts = []
    for now_s in (2e9, 1e9, 0.0, 2e9, -1.0):
        monkeypatch.setattr(time, "time", lambda now_s=now_s: now_s)
        monkeypatch.setattr(time, "time_ns", lambda now_s=now_s: int(1e9 * now_s))
        store = Store(tmp_path)
        firsts.append(store.first_revision())
        store.close()
    assert all(b - a >= 1000 for a, b in itertools.pairwise(firsts))

"""Every reader footfall has, each with good files to break, and a loop that breaks them.

`python tests/fuzz_readers.py 20000` breaks so many files for each reader and writes what crashed one to tests/crashers,
where the normal tests read it ever after.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "io")]

from c3d_make import standing_c3d  # noqa: E402
from fuzz import glb_mutations, glb_number_mutations, json_mutations, mutations, npz_mutations  # noqa: E402
from helpers import walking_clip  # noqa: E402

import footfall as ff  # noqa: E402
from footfall.core.clip import Clip  # noqa: E402
from footfall.core.errors import FootfallError  # noqa: E402

CRASHERS = HERE / "crashers"
MOST_BYTES = 1 << 30  # of memory, more than before
START_S, PER_KB_S = 1.0, 0.1  # processor time of reading: to begin with, and for a kilobyte of file


@dataclass(frozen=True)
class Reader:
    """One way into footfall: good files, all written beside each other, and what reads the one that is broken."""

    name: str
    suffix: str
    seeds: Callable[[], list[bytes]]
    read: Callable[[Path], object]
    beside: Callable[[], dict[str, bytes]] = dict  # files a seed is read with


# --- good files -------------------------------------------------------------------------------------------------------


@cache
def clip() -> Clip:
    return walking_clip(cycles=0.3, fps=30.0)


def saved(suffix: str, **options: object) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return ff.save(clip(), Path(folder) / f"a{suffix}", **options).read_bytes()


def npz(**arrays: Any) -> bytes:
    import io

    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def amass() -> bytes:
    return npz(
        poses=np.zeros((4, 156)), trans=np.zeros((4, 3)), mocap_framerate=np.array(60.0), gender=np.array("male")
    )


def world() -> bytes:
    made = clip()
    names, parents = np.array(made.skeleton.names), made.skeleton.parents
    return npz(
        positions=made.positions.astype("f4"), quaternions=made.pose.rot.astype("f4"), bone_names=names,
        parent_indices=parents, framerate=np.array(30.0),
    )  # fmt: skip


def places() -> bytes:
    made = clip()
    return npz(
        positions=made.positions.astype("f4"), joint_names=np.array(made.skeleton.names), parents=made.skeleton.parents,
        fps=np.array(30.0),
    )  # fmt: skip


def npy(array: np.ndarray) -> bytes:
    import io

    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def humanml3d() -> list[bytes]:
    """Positions, and vectors of a body that stands."""
    from footfall.io.smpl_body import smpl_body

    standing = np.repeat(smpl_body(66)[0].rest_positions[None], 6, axis=0) + [0.0, 1.0, 0.0]
    vectors = np.zeros((6, 263))
    vectors[:, 0], vectors[:, 3], vectors[:, 4:67] = 0.01, standing[:, 0, 1], standing[:, 1:].reshape(6, 63)
    return [npy(standing.astype("f4")), npy(vectors.astype("f4"))]


def usd_text() -> bytes:
    """Short, so that damage meets more than numbers."""
    with tempfile.TemporaryDirectory() as folder:
        few = clip().trim(0.0, 0.1)
        return ff.save(few, Path(folder) / "a.usda", mesh=False).read_bytes()


def timeline() -> dict[str, Any]:
    layer = {"clip": "wave", "start_s": 0.5, "joints": ["left arm"], "weight": [[0.0, 0.0], [0.5, 1.0]]}
    walk = {"clip": "walk:speed=1.2", "start_s": 0.0, "trim_s": [0.0, 1.0], "speed": 1.1, "mirror": True, "repeat": 2}
    track = {"name": "Hero", "character": "adult:1.5", "clips": [walk, "kick"], "layers": [layer]}
    other = {"clips": [{"clip": "stand", "animation": "x", "method": "transition"}], "goal": {"position": [0, 1]}}
    marker = {"tracks": [0, 1], "clips": [0, 0], "at_s": [0.1, 0.2]}
    return {"version": 1, "fps": 30, "tracks": [track, other], "markers": [marker], "options": {"s_min": 0.2}}


TOML = b"""fps = 30
[[tracks]]
name = "Hero"
clips = [{clip = "walk", start_s = 0.5}, "kick"]
[tracks.goal]
position = [0, 1]
"""


def old(folder: str, name: str) -> bytes:
    return (HERE / folder / "old" / name).read_bytes()


def autosave() -> bytes:
    from footfall.studio import history
    from footfall.studio.project import opened
    from footfall.timeline.file import timeline_of

    project = opened(timeline_of(timeline()), lambda entry, animation: entry)
    return history.pack(project, 1000.0)


@cache
def library() -> tuple[bytes, bytes]:
    """Tables and arrays of a library of one file."""
    from footfall.library import index_file, index_tables
    from footfall.library.build import Settings, update

    with tempfile.TemporaryDirectory() as folder:
        takes, place = Path(folder) / "takes", Path(folder) / "place"
        ff.save(walking_clip(cycles=1.0, fps=30.0), takes / "a.bvh")
        update(takes, library_facets(), Settings(place=place))
        return (place / index_tables.TABLE).read_bytes(), index_file.array_bytes(place)


@cache
def library_facets() -> list[Any]:
    from footfall.graph.build.recording_scan import recording_facet
    from footfall.library.facts import facts_facet
    from footfall.library.kept_traits import traits_facet
    from footfall.library.moments import moments_facet
    from footfall.retarget.character import character

    return [facts_facet(), traits_facet(), moments_facet(character("adult")), recording_facet()]


def resigned_graph(path: Path) -> object:
    """A graph whose arrays were broken and whose JSON vouches for them: only what is in them can be refused."""
    import hashlib

    header = json.loads(old("graph", "small.json"))
    header["arrays"] = {"file": path.name, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    told = path.with_suffix(".json")
    told.write_text(json.dumps(header))
    return ff.graph(told)


def classifier() -> bytes:
    from footfall.joins.classifier.entry_parameters import PUBLISHED

    return json.dumps(PUBLISHED.to_json()).encode()


# --- what reads them --------------------------------------------------------------------------------------------------


def load(path: Path) -> None:
    """Reading, then what every reader promises of its result."""
    for made in ff.load_all(path):
        assert np.isfinite(made.pose.root_pos).all()
        np.testing.assert_allclose((made.pose.rot**2).sum(axis=-1), 1.0, atol=1e-8)
        assert all(text.isprintable() for text in made.warnings)


def load_usd(path: Path) -> None:
    """The same, with usd-core in a fork of this process, where it is imported already: starting one takes longest."""
    from footfall.io.formats import usd

    before = usd.run_apart
    usd.run_apart = forked
    try:
        load(path)
    finally:
        usd.run_apart = before


def _own_bytes() -> int:
    """What this process has mapped, where the system tells."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[0]) * 4096 if told.exists() else 0


def forked(arguments: list[str], seconds: int) -> tuple[int, bytes]:
    import os

    from pxr import Sdf, Usd, UsdGeom, UsdSkel  # noqa: F401  (imported once, before the fork)

    from footfall.io import usd_extract

    with tempfile.TemporaryFile() as told:
        child = os.fork()
        if not child:
            os.dup2(told.fileno(), 1)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
            sys.argv[1:], code = arguments, 1
            own, limited = _own_bytes(), usd_extract.limit  # a fork has all that this process has mapped
            usd_extract.limit = lambda most_bytes, seconds: limited(most_bytes + own, seconds)
            try:
                usd_extract.main()
                code = 0
            except SystemExit as stop:
                code = int(stop.code or 0)
            finally:
                sys.stdout.flush()
                os._exit(code)
        status = os.waitpid(child, 0)[1]
        told.seek(0)
        return os.waitstatus_to_exitcode(status), told.read()


def load_timeline(path: Path) -> object:
    from footfall.timeline.file import load_timeline

    return load_timeline(path)


def unpack(path: Path) -> object:
    from footfall.studio import history

    return history.unpack(path.read_bytes(), lambda entry, animation: entry)


def build_file(path: Path) -> object:
    from footfall.graph.build.build_file import load_build, text_of

    return text_of(load_build(path))


def read_library(tables: bytes, arrays: bytes, path: Path) -> None:
    """A library read as everyone does: it adds up, or is refused as damaged."""
    from footfall.graph.build.recording_scan import scans_of
    from footfall.library import index_file, index_tables
    from footfall.library.facets import facet_code
    from footfall.library.kept_traits import all_traits
    from footfall.studio.describe import item_of

    place = path.parent / "place"
    place.mkdir(exist_ok=True)
    (place / index_tables.TABLE).write_bytes(tables)
    for number in range(9):
        (place / index_tables.ARRAYS.format(number)).write_bytes(arrays)
    _, traits, moments, _ = library_facets()
    index = index_file.Index(place)
    for clip in index.clips("facts"):
        item_of(clip.name, clip.told)
    index.problems("facts")
    index.stamps("facts", facet_code())
    all_traits(index, traits)
    for name in ("rows", "keys", "speed", "down"):
        index.column(moments.key, name).whole()
    scans_of(index)


def script(path: Path) -> object:
    from footfall.live.drive import read_script
    from footfall.live.path_following import read_path

    graph = _small()
    return read_path(path, graph) if path.read_bytes()[:1] == b"x" else read_script(path, graph)


@cache
def _small() -> Any:
    return ff.graph(HERE / "graph" / "old" / "small.json")


def parameters(path: Path) -> object:
    from footfall.joins.classifier.entry_parameters import read

    return read(path)


def cached(path: Path) -> object:
    """What is kept in caches is never an error: it is nothing where it is broken."""
    from footfall.graph.build import build_cache

    try:
        return build_cache.unpacked(path)
    except (ValueError, KeyError):  # as build_cache.kept takes it
        return None


def answer(path: Path) -> object:
    from footfall.studio.describer import answer_of

    return answer_of(path.read_bytes())


def an_answer() -> bytes:
    import msgspec

    from footfall.studio.describe import Answer, describe

    return msgspec.msgpack.encode(Answer((describe(clip()),)))


def joined_report() -> bytes:
    """What the studio writes of a join, without its film, which nobody reads."""
    import io
    import zipfile

    import msgspec

    from footfall.studio.join_report import FIRST, SECOND, TOLD, told_of
    from footfall.studio.messages import JoinView

    join = JoinView(2, 3, "bridge", 0.2, 0.4, "steps", None, (), 1.2, 30.0, "poor", "stops too hard")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(TOLD, msgspec.json.encode(told_of(clip(), clip(), 0.2, join)))
        for name in (FIRST, SECOND):
            packed.writestr(name, saved(".npz"))
    return buffer.getvalue()


def read_report(path: Path) -> object:
    from footfall.studio.join_report import read_report

    return read_report(path)


def notes(path: Path) -> object:
    """Notes on clips are never an error: there are none where they are broken."""
    from footfall.studio.clip_notes import ClipNotes

    made = ClipNotes(path)
    made.read()
    return made


NOTES = b'{"version":1,"clips":{"walk":{"name":"my walk","favourite":true},"kick":{"name":"","favourite":true}}}'
SCRIPT = b"t_s,type,speed,turn\n0,walk,1.4,0\n3,stand,0,-30\n# later\n6,walk,1,0\n"
PATH = b"x,z,type,speed\n0,0,walk,1.2\n0,3,walk,1.2\n2,5,walk,1.0\n"

READERS = (
    Reader("bvh", ".bvh", lambda: [saved(".bvh")], load),
    Reader("glb", ".glb", lambda: [saved(".glb"), saved(".glb", mesh=False)], load),
    Reader("npz", ".npz", lambda: [saved(".npz"), amass(), world()], load),
    Reader("positions", ".npz", lambda: [places()], load),
    Reader("humanml3d", ".npy", humanml3d, load),
    Reader("c3d", ".c3d", lambda: [standing_c3d(), standing_c3d(machine="dec", scale=0.1)], load),
    Reader("motion-x", ".npy", lambda: [npy(np.full((5, 322), 0.1))], load),
    Reader("amc", ".amc", lambda: [_acclaim()[1]], load, lambda: {"a.asf": _acclaim()[0]}),
    Reader("asf", ".asf", lambda: [_acclaim()[0]], load),
    Reader("deepmimic", ".txt", lambda: [_deepmimic()], load),
    Reader("timeline", ".json", lambda: [json.dumps(timeline()).encode()], load_timeline),
    Reader("toml", ".toml", lambda: [TOML], load_timeline),
    Reader("graph", ".json", lambda: [old("graph", "small.json")], ff.graph,
           lambda: {"small.npz": old("graph", "small.npz")}),
    Reader("graph arrays", ".npz", lambda: [old("graph", "small.npz")], resigned_graph),
    Reader("build", ".graph", lambda: [old("graph", "built.graph")], build_file),
    Reader("built", ".graph.npz", lambda: [old("graph", "built.graph.npz")],
           lambda path: ff.graph(path.with_suffix("")), lambda: {"a.graph": old("graph", "built.graph")}),
    Reader("autosave", ".json", lambda: [autosave()], unpack),
    Reader("library", ".sqlite", lambda: [library()[0]],
           lambda path: read_library(path.read_bytes(), library()[1], path)),
    Reader("library arrays", ".bin", lambda: [library()[1]],
           lambda path: read_library(library()[0], path.read_bytes(), path)),
    Reader("build cache", ".npz", lambda: [old("graph", "built.graph.npz")], cached),
    Reader("answer", ".msgpack", lambda: [an_answer()], answer),
    Reader("classifier", ".json", lambda: [classifier()], parameters),
    Reader("script", ".csv", lambda: [SCRIPT, PATH], script),
    Reader("join report", ".join.zip", lambda: [joined_report()], read_report),
    Reader("clip notes", ".json", lambda: [NOTES], notes),
)  # fmt: skip
if find_spec("pxr"):
    READERS += (
        Reader("usd", ".usda", lambda: [usd_text()], load_usd),
        Reader("usd binary", ".usdc", lambda: [saved(".usdc", mesh=False), saved(".usdc")], load_usd),
    )


def _acclaim() -> tuple[bytes, bytes]:
    asf = (
        ":version 1.10\n:name a\n:units\n length 0.45\n angle deg\n:root\n order TX TY TZ RX RY RZ\n axis XYZ\n"
        " position 0 0 0\n orientation 0 0 0\n:bonedata\n begin\n  id 1\n  name hip\n  direction 0 -1 0\n  length 4\n"
        "  axis 0 0 20 XYZ\n  dof rx ry rz\n end\n begin\n  name knee\n  direction 0 -1 0\n  length 3\n"
        "  axis 0 0 0 XYZ\n  dof rx\n end\n:hierarchy\n begin\n  root hip\n  hip knee\n end\n"
    )
    rows = "".join(f"{i}\nroot 0 {i} 0 0 0 0\nhip 10 {i} 3\nknee {5 * i}\n" for i in range(1, 8))
    return asf.encode(), f":FULLY-SPECIFIED\n:DEGREES\n{rows}".encode()


def _deepmimic() -> bytes:
    frame = [1 / 30, 0, 1, 0, 1, 0, 0, 0] + [1.0, 0, 0, 0] * 3 + [0.1] + [1.0, 0, 0, 0] + [1.0, 0, 0, 0] + [0.1]
    frame += [1.0, 0, 0, 0] + [0.1] + [1.0, 0, 0, 0] * 2 + [0.1]
    return json.dumps({"Loop": "none", "Frames": [frame] * 4}).encode()


# --- the loop ---------------------------------------------------------------------------------------------------------


class TooLong(Exception):
    """Reading used more processor time than its file is worth."""


@contextmanager
def limited(size: int) -> Iterator[None]:
    """Processor time by the size of the file, and memory; more is a failure, and a hang is ended."""
    limit = START_S + PER_KB_S * size / 1000.0

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"more than {limit:.1f} s of processor time for {size} bytes")

    before, memory = signal.signal(signal.SIGVTALRM, stop), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    assert more * 1024 < MOST_BYTES, f"{more >> 10} MB for {size} bytes"


def try_one(reader: Reader, data: bytes, path: Path) -> bool:
    """Whether it was read; everything but success and one sentence is a failure."""
    path.write_bytes(data)
    try:
        with limited(len(data)):
            reader.read(path)
    except FootfallError as error:
        told = str(error)
        assert told.strip()
        assert told.isprintable()
        return False
    return True


def broken(reader: Reader, count: int, seed: int) -> Iterator[bytes]:
    """Broken copies of a reader's good files: bytes, and where it is JSON, values."""
    seeds = reader.seeds()
    every = (mutations, json_mutations, npz_mutations, glb_mutations, glb_number_mutations)
    ways = [(data, way) for data in seeds for way in every]
    made = [way(data, count, seed + i) for i, (data, way) in enumerate(ways)]
    rng, left = np.random.default_rng(seed), count
    while left and made:
        one = made[int(rng.integers(len(made)))]
        data = next(one, None)
        if data is None:
            made.remove(one)
            continue
        left -= 1
        yield data


def prepared(reader: Reader, folder: Path) -> Path:
    """The file to break, with the files it is read with beside it; a good one is read first, for all to be loaded."""
    for name, data in reader.beside().items():
        (folder / name).write_bytes(data)
    path = folder / f"a{reader.suffix}"
    for data in reader.seeds():
        path.write_bytes(data)
        reader.read(path)
    return path


def run(count: int, seed: int, names: list[str]) -> int:
    """Break files for every reader, or for those named; keep what crashed one. The number of kinds of crashes."""
    warnings.simplefilter("error")
    crashes: dict[tuple[str, str], bytes] = {}
    total = 0
    for reader in (r for r in READERS if not names or r.name in names):
        start, read = time.process_time(), 0
        with tempfile.TemporaryDirectory() as folder:
            path = prepared(reader, Path(folder))
            for data in broken(reader, count, seed):
                total += 1
                try:
                    read += try_one(reader, data, path)
                except Exception as error:
                    last = traceback.extract_tb(error.__traceback__)[-1]
                    key = (reader.name, f"{type(error).__name__} {Path(last.filename).name}:{last.lineno}")
                    if key not in crashes or len(data) < len(crashes[key]):
                        crashes[key] = data
        print(f"{reader.name:12} {count:7} broken, {read:6} read, {time.process_time() - start:6.1f} s", flush=True)
    for (name, what), data in crashes.items():
        kept = CRASHERS / name / f"{abs(hash(what)) % 10**8:08d}{Path(what).suffix}"
        print(f"CRASH {name}: {what} ({len(data)} bytes)")
        if len(data) < 20_000:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.with_suffix(".bin").write_bytes(data)
    print(f"{total} broken files, {len(crashes)} kinds of crashes")
    return len(crashes)


if __name__ == "__main__":
    sys.exit(bool(run(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0, sys.argv[3:])))

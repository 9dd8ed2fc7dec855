"""Keep what footfall makes, and tell later whether it still makes the same: for changes that must not change anything.

    python tools/fingerprint_outputs.py --save before              every case, into a folder
    python tools/fingerprint_outputs.py --against before           again: same or differs, and by how much
    python tools/fingerprint_outputs.py --against before --only "join*"

Only public calls are made (`import footfall as ff`, and the command line), so that modules may move. Every run starts
with empty caches. Compare on one machine with the same packages: other processors round otherwise.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import hashlib
import io
import json
import multiprocessing
import os
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import footfall as ff

CAPTURES = Path(__file__).resolve().parents[2] / "shared" / "mocap"
SAME, SAME_LIVE = 1e-9, 1e-6  # metres, also of what is made in float32; of other numbers so much of their size
VOLATILE = {"sha256", "us_a_step"}  # in files: a sum over bytes, a timing
PINNED = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
PINNED |= {"MPLBACKEND": "agg", "COLUMNS": "120", "NO_COLOR": "1", "TERM": "dumb"}
Arrays = dict[str, np.ndarray]
Case = Callable[[], Arrays]

# --- what is made: every case runs in a folder that has captures in mocap/, some of them in takes/, and these files ---
CMU, BANDAI = "mocap/cmu_bvh/", "mocap/bandai_namco/dataset-1_"
CLIPS = {"WALK": CMU + "walk_straight/02_01.bvh", "RUN": CMU + "run_straight/02_03.bvh", "KICK": CMU + "kick/74_05.bvh"}
CLIPS |= {"STROLL": BANDAI + "walk_normal_001.bvh", "BOW": BANDAI + "bow_normal_001.bvh"}
TAKES = ["walk_straight/16_31", "walk_straight/16_21", "walk_turn/16_11", "walk_turn/16_17", "walk_turn/16_23"]
TAKES += ["run_straight/16_35", "run_turn/16_37", "run_turn/16_39", "transition/16_57", "jump/16_05"]
FILES = {
    "script.csv": "t_s,type,speed,turn\n0,walk,1.4,0\n8,walk,1.0,30\n16,run,3.2,-30\n24,walk,1.1,0\n32,walk,1.8,-60\n"
    "42,run,4.0,20\n52,walk,0.8,0\n58,walk,1.2,9\n",
    "path.csv": "x,z,type,speed\n0,0,walk,1.4\n0,4,walk,1.4\n3,7,walk,1.4\n3,10,run,3.0\n-2,14,run,3\n",
    "waving.toml": """fps = 60
[[tracks]]
start = {position = [0, 0], heading_deg = 0}
clips = ["walk:cycles=3", {clip = "wave", start_s = 0.2}, "kick", {clip = "running-kick", mirror = true}]""",
    "starts.toml": """[[tracks]]
clips = [{clip = "walk", repeat = 3, start_s = 0}, {clip = "run:speed=3.5", repeat = 2, start_s = 3.0},
    {clip = "stand", trim_s = [0, 1.5], start_s = 5.5}, {clip = "punch", speed = 1.3, start_s = 8.0}]""",
    "two.toml": """markers = [{tracks = [0, 1], clips = [1, 1], at_s = [0.5, 0.3]}]
[[tracks]]
clips = ["walk:cycles=2", "kick"]
goal = {position = [1, 2], heading_deg = 90}
[[tracks]]
clips = ["stand", "bow"]
character = "adult:1.2"
layers = [{clip = "wave", start_s = 0.5, joints = ["left arm"], weight = [[0, 0], [0.4, 1], [1.5, 0]]},
    {clip = "walk:cycles=2", start_s = 1.0, joints = ["spine"], mode = "additive"}]""",
    "captured.toml": """[[tracks]]
clips = [{clip = "mocap/cmu_bvh/walk_straight/104_35.bvh", trim_s = [1, 8]},
    {clip = "mocap/cmu_bvh/wave_gesture/111_37.bvh", start_s = 2.0}]""",
}
METHODS = ("auto", "crossfade", "inertialize", "dead-blend", "by-example", "classifier")
JOINS = """walk_kick: walk kick | run_walk: run:speed=3.4 walk:turn=25 | stand_walk: stand walk
| mocap_walk_run: WALK RUN | mocap_bow_walk: BOW STROLL | mocap_bodies: RUN STROLL"""
TIMELINES = """row: walk:cycles=3 kick running-kick stand | gaits: start walk walk-to-run run
| actions: reach jump turn-in-place skip stop | wave_over_walk: waving.toml | explicit_starts: starts.toml
| two_tracks: two.toml | mocap_row: WALK RUN KICK | mocap_bodies: STROLL WALK kick | mocap_bandai: STROLL BOW
| mocap_composition: captured.toml"""
WEIGHTS = ("rbf", "knn", "barycentric", "inverse-blending", "smooth-inverse")
EDITS: dict[str, tuple[float, ...]] = {"trim": (0.3, 0.9), "mirror": (), "loop": (), "resample": (50.0,)}
EDITS |= {"smooth": (4.0,), "floor": (), "in_place": (), "speed": (1.3,)}
COMMANDS = """
timeline.best: synth walk:cycles=3 kick run stand -o a.npz --best --save b.json
timeline.paper: synth waving.toml -o a.npz --paper --report b.json
timeline.picture: synth walk wave kick -o a.glb --picture a.png --report b.json --fps 30
timeline.mocap_character: synth WALK kick -o a.bvh --character adult:1.2
blend.command: blend walk --set speed=1.4 --set turn=20 --seconds 4 --onto adult:1.2 -o a.glb; blend reach
convert.builtin: convert walk:cycles=3 a.bvh; convert walk:cycles=3 a.glb; convert kick a.npz
convert.mocap_cmu: convert WALK a.bvh; convert WALK a.glb; convert WALK a.npz
convert.mocap_bandai: convert BOW a.bvh; convert BOW a.glb; convert BOW a.npz
convert.amass: convert amass.npz a.bvh; convert amass.npz a.glb --onto adult
convert.mocap_amc: convert mocap/cmu_asfamc/02_01.amc a.bvh --fps 30; convert mocap/cmu_asfamc/02_04.amc b.glb
convert.mocap_others: convert mocap/deepmimic/humanoid3d_kick.txt a.glb; convert mocap/npz/WalkingStickLeft_BR.npz b.bvh
convert.mocap_robot: convert mocap/gltf/RobotExpressive.glb a.bvh --all
convert.mocap_gltf: convert mocap/gltf/CesiumMan.glb a.npz; convert mocap/gltf/Fox.glb a.glb --animation 1
retarget.builtin: convert walk:cycles=2,turn=30 a.glb --onto adult:1.2
retarget.mocap_male: convert WALK a.glb --onto mocap/gltf/mesh2motion_human-male.glb
retarget.mocap_cesium: convert RUN a.glb --onto mocap/gltf/CesiumMan.glb
retarget.mocap_mannequin: convert STROLL a.glb --onto mocap/gltf/mannequiny-0.3.0.glb
retarget.mocap_adult: convert KICK a.bvh --onto adult; convert RUN b.bvh --onto adult:1.2 --metres
retarget.mocap_cmu: convert BOW a.bvh --onto WALK
retarget.mocap_bandai: convert WALK a.bvh --onto STROLL
retarget.mocap_deepmimic: convert mocap/deepmimic/humanoid3d_run.txt a.bvh --onto adult
retarget.mocap_reach: convert mocap/smartbody/catching_Far_Left.bvh a.bvh --onto adult
retarget.mocap_refused: convert RUN a.bvh --onto mocap/gltf/Fox.glb
retarget.mocap_robot: convert RUN a.bvh --onto mocap/gltf/RobotExpressive.glb
edit.command: edit walk:cycles=3 a.bvh --trim 0.5:1.6 --speed 0.8 --mirror --fps 60
edit.mocap_command: edit WALK a.glb --trim 0.5:1.6 --smooth --loop --floor --in-place
analyze.command: analyze --json walk:speed=1.2,cycles=3 kick jump; analyze walk --plot a.png; check --json walk run kick
analyze.mocap_command: analyze --json WALK RUN KICK STROLL mocap/deepmimic/humanoid3d_walk.txt
check.mocap: check --json WALK RUN KICK STROLL; check WALK RUN KICK --no-clean
info.mocap: info --json WALK BOW mocap/gltf/RobotExpressive.glb mocap/cmu_asfamc/02_01.amc; info mocap/gltf/Fox.glb
lint.mocap: lint --json takes; lint takes --character adult
find.mocap: find --json walk:speed=1.2@0.5 takes --mirror -n 12; find kick@0.6 takes --picture a.png
render.builtin: render walk:cycles=2 a.png; render kick b.png --at 0.7 --theme dark
render.mocap: render WALK STROLL a.png --side-by-side --size 320x240; render KICK b.gif --fps 8 --size 200x150
render.join: join walk kick -o a.bvh --compare crossfade,by-example --picture b.png
tune: tune --population 8 --generations 3 --states 20 --seed 3 --json -o a.json
fresh.mocap_convert: convert KICK a.bvh
fresh.mocap_join: join WALK RUN -o a.npz --method by-example --report b.json
live.walk: walk builtin script.csv -o a.npz --report b.json
live.walk_no_lock: walk builtin script.csv -o a.npz --no-lock --fps 50
live.path: walk builtin path.csv -o a.glb --report b.json
live.mocap_graph: graph build takes -o a.graph --json; walk a.graph script.csv -o b.npz --report c.json
live.mocap_adult: graph build takes -o a.graph --character adult:1.2 --coverage c.png; walk a.graph path.csv -o b.npz
live.compare: compare builtin script.csv --csv a.csv
"""


def cases() -> dict[str, Case]:
    """All cases by name. Those of names with mocap need captures, those that begin with live may differ more."""
    found: dict[str, Case] = {
        "motions": lambda: _together((name, of_clip(ff.motion(name))) for name in ff.motion_names()),
        "load.mocap_oddballs": lambda: _together((p.stem, _read(p)) for p in sorted(Path("mocap/oddball").glob("*/*"))),
        "live.graph": lambda: of_data(ff.graph("builtin").save("graph.json").name),
    }
    for pair, sources in _table(JOINS).items():
        found |= {f"join.{how}.{pair}": partial(_joined, *sources.split(), method=how) for how in METHODS}
    found["join.given_times"] = partial(_joined, "walk:cycles=2", "kick", at_s=1.3, length_s=0.5, enter_s=0.2)
    found["join.several"] = partial(_joined, "run", "walk", "kick", "stand")
    found["join.no_lock"] = partial(_joined, "walk", "run", method="crossfade", foot_lock=False, shape="linear")
    found["join.mocap_onto_builtin"] = partial(_joined, "walk", "KICK")
    found |= {f"timeline.{name}": partial(_arranged, row.split()) for name, row in _table(TIMELINES).items()}
    found["timeline.unmeasured"] = partial(_arranged, ["walk", "kick", "run"], measured=False)
    gait = [{"speed": 1.3, "turn": 11.0}, {"speed": 0.7, "turn": -70.0, "seconds": 4.0}, {"lock": False, "fps": 30.0}]
    point, own = [{"x": -0.2, "y": 1.2, "z": 0.7}], [f"walk:speed={speed}" for speed in (0.8, 1.3, 1.8)]
    for how in WEIGHTS:
        found[f"blend.walk.{how}"] = partial(_blended, "walk", gait, method=how)
        found[f"blend.punch.{how}"] = partial(_blended, "punch", point, method=how)
    found |= {f"blend.{name}": partial(_blended, name, point) for name in ("reach", "kick")}
    found |= {f"blend.{name}": partial(_blended, name, [{"speed": 3.1, "turn": 20.0}]) for name in ("run", "park-run")}
    found["blend.locomotion"] = partial(_blended, "locomotion", [{"speed": 1.5, "turn": 9.0, "side": 0.2}])
    found["blend.jump"] = partial(_blended, "jump", [{"distance": 0.7, "direction": 20.0, "height": 0.2}])
    found["blend.own_values"] = partial(_blended, own, [{"tired": 0.4}], by=["tired"], values={"tired": [0, 1, 2]})
    walks = [f"takes/{name}.bvh" for name in ("16_31", "16_11", "16_17", "16_23")]
    found["blend.mocap_own"] = partial(_blended, walks, gait[:1], by=("speed", "turn"))
    found["blend.mocap_onto"] = partial(_blended, walks, [{"speed": 1.1}], by=["speed"], onto="adult", cycles="all")
    found |= {"blend.stream": partial(_streamed, False), "live.stream": partial(_streamed, True)}
    for verb, given in EDITS.items():
        found[f"edit.{verb}"] = partial(_edited, "walk:turn=20", verb, given)
        found[f"edit.mocap_{verb}"] = partial(_edited, "STROLL" if verb == "mirror" else "WALK", verb, given)
    for source in ("walk:cycles=3", "kick", "mocap_WALK", "mocap_BOW", "mocap_KICK"):
        found[f"analyze.{source.split(':')[0]}"] = partial(_analyzed, source.removeprefix("mocap_"))
    lines = _table(COMMANDS, "\n")
    lines |= {f"fresh.{how}": f"join walk kick -o a.npz --method {how} --report b.json" for how in METHODS}
    for name, row in lines.items():  # in a fresh process, readable twins of compiled code are used
        found[name] = partial(_commands, *row.split("; "), fresh=name.startswith("fresh"))
    for seed in (1, 2):
        found[f"live.controller.{seed}"] = partial(_steered, "Controller", "builtin", seed, 60.0)
        found[f"live.matching.{seed}"] = partial(_steered, "MotionMatching", "builtin", seed, 60.0)
    found["live.urgent_act"] = partial(_steered, "Controller", "builtin", 5, 20.0, act_at_once=True)
    found["live.mocap_matching"] = partial(_steered, "MotionMatching", "mocap/cmu_bvh/walk_turn", 3, 30.0)
    found["live.mocap_bandai"] = partial(_steered, "Controller", "mocap/bandai_namco", 4, 30.0)
    return found | {"live.many": partial(_crowd, 24)}


def _table(text: str, end: str = "|") -> dict[str, str]:
    """name -> what stands after it, captures with their paths."""
    text = re.sub("|".join(CLIPS), lambda found: CLIPS[found[0]], text)
    rows = [row.strip().partition(": ") for row in text.split(end) if row.strip()]
    return {name: " ".join(words.split()) for name, _, words in rows}


def _clip(source: str) -> Any:
    """A file, a capture by its name, or a built-in motion such as walk:speed=1.2,turn=20."""
    path, (name, _, given) = CLIPS.get(source, source), source.partition(":")
    if path.endswith(".bvh"):
        return ff.load(path)
    pairs = [pair.split("=") for pair in given.split(",") if pair]
    return ff.motion(name, **{key: int(value) if key == "cycles" else float(value) for key, value in pairs})


def _read(path: Path) -> Arrays:
    try:
        return of_clip(ff.load(path))
    except ff.FootfallError as error:
        return of_data(str(error))


def _joined(a: str, *b: str, **options: Any) -> Arrays:
    return of_clip(ff.join(_clip(a), [_clip(each) for each in b], **options))


def _arranged(row: Sequence[str], measured: bool = True) -> Arrays:
    clips = ff.timeline(row[0] if row[0].endswith(".toml") else row).renders(measured=measured)
    return _together((f"track{n}", of_clip(clip)) for n, clip in enumerate(clips))


def _blended(source: str | Sequence[str], asked: Sequence[Mapping[str, Any]], **options: Any) -> Arrays:
    space = ff.blend_space(source if isinstance(source, str) else [_clip(each) for each in source], **options)
    parameters = [{key: value for key, value in each.items() if key in space.ranges} for each in asked]
    told = [space.ranges, space.left_out, [space.weights(**each) for each in parameters]]
    return _together((str(n), of_clip(space(**each))) for n, each in enumerate(asked)) | of_data(told)


def _streamed(compiled: bool) -> Arrays:
    stream = ff.blend_space("walk").stream(x=1.0, heading=0.3, compiled=compiled)
    poses = [stream.step(1 / 60, speed=1.2 + 0.5 * np.sin(k / 80), turn=k / 10 - 30) for k in range(600)]
    return _of_poses(stream.motion.skeleton, poses, [stream.achieved, stream.position])


def _edited(source: str, verb: str, given: Sequence[float]) -> Arrays:
    return of_clip(getattr(_clip(source), verb)(*given))


def _analyzed(source: str) -> Arrays:
    clip, parts = _clip(source), ("left_heel", "left_toe", "right_heel", "right_toe")
    told = [ff.analyze(clip).to_json(source), [clip.contacts.spans(part) for part in parts]]
    return {part: getattr(clip.contacts, part) for part in parts} | clip.root_motion._asdict() | of_data(told)


def _requests(seed: int, count: int, types: Iterable[str]) -> list[tuple[str, float, float]]:
    rng, limits = np.random.default_rng(seed), {"walk": (0.6, 1.9), "run": (2.2, 4.5), "stand": (0.0, 0.0)}
    kinds = rng.choice([kind for kind in limits if kind in types], count)
    return [(str(kind), float(rng.uniform(*limits[kind])), float(rng.uniform(-60, 60))) for kind in kinds]


def _steered(kind: str, source: str, seed: int, seconds: float, act_at_once: bool = False) -> Arrays:
    """One character with a new request every two seconds, now and then an urgent one or an action."""
    hero: Any = ff.Controller(ff.graph(source)) if kind == "Controller" else ff.MotionMatching(source)
    types = hero.graph.types if kind == "Controller" else hero.database.types
    asked, poses, told = _requests(seed, int(seconds / 2), types), [], []
    for k in range(int(seconds * 60)):
        type, speed, turn = asked[k // 120]
        poses.append(hero.step(1 / 60, type=type, speed=speed, turn=turn, urgent=k % 600 == 480))
        if kind == "Controller" and source == "builtin" and k % 900 == 700:
            hero.act(("kick", "wave", "jump")[k // 900 % 3], urgent=act_at_once)
        if k % 60 == 0:
            told.append(hero.state)
    return _of_poses(hero.skeleton, poses, [told, hero.position, getattr(hero, "changes", ())])


def _crowd(count: int) -> Arrays:
    graph = ff.graph("builtin")
    many = ff.Controllers(graph, [(1.5 * n, 0.5 * n, 0.3 * n) for n in range(count)])
    asked, poses = [_requests(seed, 10, graph.types) for seed in range(count)], []
    for k in range(900):
        types, speeds, turns = zip(*(row[k // 90] for row in asked), strict=True)
        poses.append(many.step(1 / 60, type=types, speed=speeds, turn=turns))
    return _of_poses(graph.skeleton, poses, many.states())


def _commands(*lines: str, fresh: bool) -> Arrays:
    """What command lines print. fresh: each in a process of its own."""
    ran = [_ran(line.split(), fresh) for line in lines]
    printed = [text for line, (_, text) in zip(lines, ran, strict=True) if not line.startswith("compare")]  # it times
    told = [[json.loads(line) if line.startswith("{") else line for line in text.splitlines()] for text in printed]
    return of_data([[code for code, _ in ran], told])


def _ran(words: Sequence[str], fresh: bool) -> tuple[int, str]:
    """Exit code and text of a command; what goes wrong is told, progress is not."""
    if fresh:
        done = subprocess.run([sys.executable, "-m", "footfall", *words], capture_output=True, text=True)
        return done.returncode, done.stdout + (done.stderr if done.returncode else "")
    out, err, code, before = io.StringIO(), io.StringIO(), 0, sys.argv
    sys.argv = ["footfall", *words]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            runpy.run_module("footfall", run_name="__main__")
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    finally:
        sys.argv = before
    return code, out.getvalue() + (err.getvalue() if code else "")


# --- an output: arrays by name ----------------------------------------------------------------------------------------


def of_data(data: Any) -> Arrays:
    """Plain data: its numbers in a row, and the rest as text with # where a number stood."""
    numbers: list[float] = []

    def taken(value: Any) -> Any:
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int | float | np.number):
            numbers.append(float(value))
            return "#"
        if isinstance(value, Mapping):
            return {str(key): taken(each) for key, each in value.items() if key not in VOLATILE}
        return [taken(each) for each in value] if isinstance(value, Iterable) else str(value)

    text = json.dumps(taken(data), ensure_ascii=False)
    return {"numbers": np.array(numbers), "text": np.array(text)}


def of_clip(clip: Any) -> Arrays:
    """Joint positions (metres), rotations, and all that is told about a clip."""
    report, bones = clip.report, clip.skeleton
    told = [clip.name, clip.fps, clip.is_loop, bones.names, clip.events, clip.parameters, clip.warnings, clip.repairs]
    found = {"positions": clip.positions, "rotations": clip.pose.rot, "parents": bones.parents, "bones": bones.offsets}
    if report and report.provenance:
        source = report.provenance
        found |= {"clip": source.clip, "time_s": source.time_s, "weight": source.weight, "moved": source.correction_m}
    return found | of_data([*told, report and report.to_json()])


def _of_poses(skeleton: Any, poses: Sequence[Any], told: Any) -> Arrays:
    """Poses of one character or many, stepped live."""
    rot = np.stack([pose.rot for pose in poses]).reshape(-1, len(skeleton), 4)
    root = np.stack([pose.root_pos for pose in poses]).reshape(-1, 3)
    return {"positions": ff.Clip(skeleton, 60.0, ff.Pose(root, rot)).positions, "rotations": rot, **of_data(told)}


def of_file(path: Path) -> Arrays:
    """Anything a command writes."""
    if path.suffix in (".json", ".graph"):
        return of_data(json.loads(path.read_text("utf-8")))
    if path.suffix == ".csv":
        return of_data(list(csv.DictReader(path.read_text("utf-8").splitlines())))
    if path.suffix in (".png", ".gif"):
        from PIL import Image, ImageSequence

        return {
            "pixels": np.stack([np.asarray(frame.convert("RGB")) for frame in ImageSequence.Iterator(Image.open(path))])
        }
    if path.suffix == ".npz" and "graph" in path.name:
        return {key: value for key, value in np.load(path).items() if key != "header"}
    return _together((str(n), of_clip(clip)) for n, clip in enumerate(ff.load_all(path)))


def _together(parts: Iterable[tuple[str, Arrays]]) -> Arrays:
    return {f"{name}.{key}": value for name, arrays in parts for key, value in arrays.items()}


# --- running and comparing --------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _folder(captures: Path) -> Iterator[None]:
    """A folder to be in, with what cases need."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        for file, text in FILES.items():
            Path(file).write_text(text)
        t = np.arange(120)[:, None] / 60.0
        poses = 0.3 * np.random.default_rng(7).normal(size=(1, 156)) * np.sin(2.0 * np.pi * t)
        np.savez("amass.npz", poses=poses, trans=np.hstack([t, 0.0 * t, 0.0 * t + 1.0]), mocap_framerate=60.0)
        if captures.is_dir():
            Path("mocap").symlink_to(captures)
            Path("takes").mkdir()
            for take in TAKES:
                shutil.copy(captures / "cmu_bvh" / f"{take}.bvh", "takes")
        yield


def run_case(name: str, captures: Path) -> tuple[str, Arrays, float]:
    """One case with its seconds, in a worker; an error is an output too."""
    import numba  # noqa: F401  footfall uses compiled code where the compiler is loaded: so it is in every worker

    start = time.perf_counter()
    with _folder(captures):
        before = set(Path().iterdir())
        try:
            found = cases()[name]()
            written = sorted(path for path in Path().iterdir() if path not in before)
            found |= _together((path.name, of_file(path)) for path in written)
        except Exception as error:
            found = {"error": np.array(f"{type(error).__name__}: {error}")}
        texts = {key: str(value).replace(os.getcwd(), ".") for key, value in found.items() if value.dtype.kind == "U"}
    return name, {**found, **{key: np.array(text) for key, text in texts.items()}}, time.perf_counter() - start


def fingerprint(arrays: Arrays) -> str:
    found = hashlib.sha256()
    for key, value in sorted(arrays.items()):
        found.update(f"{key} {value.dtype} {value.shape}".encode() + np.ascontiguousarray(value).tobytes())
    return found.hexdigest()


def differences(old: Arrays, new: Arrays, same: float) -> tuple[bool, str]:
    """Whether two outputs are the same, and in words by how much they differ."""
    words = [f"{key} is only there {'before' if key in old else 'now'}" for key in sorted(old.keys() ^ new.keys())]
    good, largest = not words, {"positions": (0.0, ""), "others": (0.0, "")}
    for key in sorted(old.keys() & new.keys()):
        a, b = old[key], new[key]
        if a.dtype.kind != b.dtype.kind or (a.dtype.kind != "U" and a.shape != b.shape):
            words.append(f"{key} was {a.dtype} {a.shape}, is {b.dtype} {b.shape}")
        elif a.dtype.kind == "U":
            x, y = str(a), str(b)
            at = max(next((k for k, pair in enumerate(zip(x, y, strict=False)) if len({*pair}) > 1), 0) - 20, 0)
            words += [f"{key} was …{x[at : at + 50]}…, is …{y[at : at + 50]}…"] if x != y else []
        else:
            a, b = a.astype(float), b.astype(float)
            apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.nan_to_num(np.abs(a - b), nan=np.inf))
            metres = key.endswith("positions")
            good = good and bool((apart <= (same if metres else same * np.maximum(1.0, np.abs(a)))).all())
            kind = "positions" if metres else "others"
            largest[kind] = max(largest[kind], (float(apart.max(initial=0.0)), key))
    told = [f"{kind} {by:.2g}{' m' * (kind == 'positions')} ({key})" for kind, (by, key) in largest.items() if by]
    return good and not words, "; ".join(told + words[:3] + ["…"] * (len(words) > 3))


def outputs(names: Sequence[str], captures: Path, jobs: int) -> Iterator[tuple[str, Arrays, float]]:
    """Cases as they are done, in processes of their own with nothing in footfall's caches."""
    package = Path(ff.__file__).resolve().parent
    print(f"{len(names)} outputs of {package}", flush=True)
    with tempfile.TemporaryDirectory() as cache:
        os.environ.update(PINNED, FOOTFALL_CACHE=cache, PYTHONPATH=str(package.parent))
        with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
            for future in as_completed([pool.submit(run_case, name, captures) for name in names]):
                yield future.result()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--save", type=Path, metavar="DIR", help="write every output there")
    what.add_argument("--against", type=Path, metavar="DIR", help="compare with the outputs there")
    parser.add_argument("--only", default="*", metavar="PATTERN", help='cases such as "join*"')
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--captures", type=Path, default=CAPTURES, metavar="DIR", help="default: ../shared/mocap")
    given = parser.parse_args()
    kept: Path = given.save or given.against
    names = [name for name in cases() if fnmatch(name, given.only)]
    if not given.captures.is_dir():
        print(f"no captures at {given.captures}: {sum('mocap' in name for name in names)} cases are left out")
        names = [name for name in names if "mocap" not in name]
    if not names:
        parser.error(f"no case is called {given.only}")
    begun, bad, hashes = time.perf_counter(), 0, {}
    for name, arrays, seconds in outputs(names, given.captures.resolve(), given.jobs):
        hashes[name], path = fingerprint(arrays), kept / f"{name}.npz"
        verdict, words = "made", str(arrays.get("error", ""))
        if given.save:
            kept.mkdir(parents=True, exist_ok=True)
            np.savez(path, **arrays)  # type: ignore[arg-type]
        elif path.exists():
            good, words = differences(dict(np.load(path)), arrays, SAME_LIVE if name.startswith("live") else SAME)
            verdict, bad = ("same", bad) if good else ("differs", bad + 1)
        else:
            verdict, bad = "new", bad + 1
        print(f"{verdict:8} {name:36} {seconds:5.1f} s  {words}".rstrip(), flush=True)
    if given.save:
        (kept / "hashes.json").write_text(json.dumps(hashes, indent=1, sort_keys=True) + "\n")
    print(f"{len(hashes)} outputs, {time.perf_counter() - begun:.0f} s" + (f", {bad} differ" if given.against else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

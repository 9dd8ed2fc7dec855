#!/usr/bin/env python3
"""The films of the site's gallery, from built-in motions only: short, and below 300 kB each.

usage: python tools/make_gallery.py [-o DIR] [--again] [NAME ...]        default build/gallery, those not made yet

The films are not committed. Beside them lies films.json, which the site's page is made from (tools/docsite).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import footfall as ff
from footfall.core.clip import Clip, fix_signs
from footfall.core.errors import FootfallError
from footfall.core.pose import Pose
from footfall.feet.on_ground import put_on_ground
from footfall.graph.graph import Graph
from footfall.io.save import atomic_write
from footfall.render.camera import Camera
from footfall.render.film import render_film
from footfall.render.scene import Actor, Scene
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

FOLDER = Path(__file__).resolve().parents[1] / "build" / "gallery"
MOST_BYTES = 300_000
SIZES = ((400, 300), (320, 240), (240, 180))  # of a panel: the first whose film is small enough
FPS = 20.0
BEFORE_S, AFTER_S = 1.0, 2.6  # shown around a join
CROWD_S = 6.0
BLEND_S = {"walk": 2.6, "run": 1.8}  # after which the slowest and the quickest are still near each other
SIDE = Camera(azimuth=-75.0, elevation=10.0)
BEHIND = Camera(azimuth=-120.0, elevation=10.0)  # of stairs up: the risers face the camera
Point = tuple[float, float, float]


class Film(NamedTuple):
    """One film: what it shows in words, what made it, and its scenes, one a panel."""

    group: str
    title: str
    text: str
    made: str
    scenes: Callable[[], list[Scene]]


def before_and_after(a: str, b: str) -> list[Scene]:
    """A plain crossfade at the clips' ends, feet as they come, beside what footfall does."""
    plain = ff.join(a, b, "crossfade", foot_lock=False, at_s=ff.timeline(a).render().duration - 0.2)
    return [
        Scene([Actor(around(plain))], title="crossfade", camera=SIDE),
        Scene([Actor(around(ff.join(a, b)))], title="footfall", camera=SIDE),
    ]


def around(clip: Clip) -> Clip:
    """The part of a joined clip that shows its join."""
    assert clip.report is not None
    joins = clip.report.joins
    return clip.trim(max(0.0, joins[0].start_s - BEFORE_S), min(clip.duration, joins[-1].end_s + AFTER_S))


def join(a: str, b: str, text: str) -> Film:
    return Film(
        "Joins, before and after",
        f"{a.split(':')[0]} to {b.split(':')[0]}",
        text,
        f'ff.join("{a}", "{b}")',
        lambda: before_and_after(a, b),
    )


def take(title: str, text: str, *clips: TimelineClip) -> Film:
    timeline = Timeline((TimelineTrack(clips),), fps=60.0)
    made = f"footfall synth {' '.join(str(clip.clip) for clip in clips)} -o take.glb"
    return Film("Timelines", title, text, made, lambda: [Scene([Actor(ff.timeline(timeline).render())])])


def row(clips: list[Clip], apart_m: float = 1.1, targets: list[Point | None] | None = None) -> list[Scene]:
    """Clips beside each other, on one floor, each with the point it goes for, where it has one."""
    middle = (len(clips) - 1) / 2
    places: list[Point] = [(apart_m * (n - middle), 0.0, 0.0) for n in range(len(clips))]
    aims = targets or [None] * len(clips)
    return [Scene([Actor(clip, offset=at, target=aim) for clip, at, aim in zip(clips, places, aims, strict=True)])]


def blends(title: str, text: str, name: str, apart_m: float, *asked: dict[str, float]) -> Film:
    made = f'ff.blend_space("{name}")({", ".join(f"{k}={v:g}" for k, v in asked[-1].items())})'

    def scenes() -> list[Scene]:
        return row([blended(name, one) for one in asked], apart_m, [aimed_at(one) for one in asked])

    return Film("Blends by parameters", title, text, made, scenes)


def aimed_at(asked: dict[str, float]) -> Point | None:
    """The point that a hand or foot was asked to go to; a blend begins at the world's origin and faces +Z."""
    return (asked["x"], asked["y"], asked["z"]) if {"x", "y", "z"} <= set(asked) else None


def blended(name: str, asked: dict[str, float]) -> Clip:
    space = ff.blend_space(name)
    return space(seconds=BLEND_S[name], **asked) if space.motion.is_loop else space(**asked)


def on_ground(title: str, text: str, name: str, ground: str, camera: Camera = SIDE, **parameters: float) -> Film:
    def scenes() -> list[Scene]:
        put = put_on_ground(ff.motion(name, **parameters), ff.ground(ground))
        return [Scene([Actor(put.clip)], ground=put.ground, camera=camera)]

    return Film("On ground", title, text, f'ff.motion("{name}").on_ground("{ground}")', scenes)


@cache
def builtin() -> Graph:
    return ff.graph("builtin")


def live(title: str, text: str, *commands: tuple[float, dict[str, object]]) -> Film:
    """One character told something at some seconds."""

    def scenes() -> list[Scene]:
        hero = ff.Controller(builtin())
        told: dict[str, object] = {}
        places, turns = [], []
        waiting = list(commands)
        for frame in range(int(60 * (commands[-1][0] + 2.5))):
            while waiting and waiting[0][0] <= frame / 60:
                told = waiting.pop(0)[1]
                if "shove" in told:
                    hero.shove(*told["shove"])  # type: ignore[misc]
                    told = {}
                if "act" in told:
                    hero.act(str(told["act"]))
                    told = {}
            pose = hero.step(1 / 60, **told)  # type: ignore[arg-type]
            places.append(np.array(pose.root_pos, float))
            turns.append(np.array(pose.rot, float))
        whole = fix_signs(Pose(np.stack(places), np.stack(turns)))
        return [Scene([Actor(Clip(hero.skeleton, 60.0, whole, name="hero"))])]

    return Film("Live characters", title, text, 'ff.Controller(ff.graph("builtin"))', scenes)


def crowd(count: int, goals: list[tuple[float, float]] | None, text: str) -> Film:
    def scenes() -> list[Scene]:
        many = ff.Crowd(builtin(), count, goals=goals)
        steps = [many.step(1 / 30) for _ in range(int(30 * CROWD_S))]
        places = np.array([pose.root_pos for pose in steps], float)  # (T, N, 3)
        turns = np.array([pose.rot for pose in steps], float)  # (T, N, J, 4)
        body = builtin().skeleton
        clips = [Clip(body, 30.0, fix_signs(Pose(places[:, n], turns[:, n]))) for n in range(count)]
        camera = Camera("fixed", elevation=32.0)
        return [Scene([Actor(clip) for clip in clips], camera=camera, trail=False, contacts=False)]

    return Film("Live characters", f"{count} characters", text, f"ff.Crowd(graph, {count})", scenes)


def bodies(title: str, text: str, name: str, *sizes: str, **parameters: float) -> Film:
    def scenes() -> list[Scene]:
        return row([ff.retarget(ff.motion(name, **parameters), size) for size in sizes], 1.2)

    return Film("Bodies", title, text, f'ff.retarget("{name}", "{sizes[0]}")', scenes)


def film_list() -> dict[str, Film]:
    """Every film by name."""
    at = TimelineClip
    return {
        "join_walk_kick": join(
            "walk:cycles=2", "kick", "A walk slows by a step and kicks; in the crossfade the feet slide."
        ),
        "join_run_stand": join(
            "run:cycles=3", "stand", "A run comes to stand by steps of its own; the crossfade stops it dead."
        ),
        "join_walk_run": join("walk:cycles=2", "run:cycles=3", "A walk speeds up into a run."),
        "join_stand_run": join("stand", "run:cycles=3", "A stand starts to run; the crossfade glides."),
        "join_jump_walk": join("jump", "walk:cycles=2", "Out of a jump's landing into a walk."),
        "join_run_kick": join("run:cycles=3", "kick", "A run slows down before it kicks."),
        "join_walk_bow": join("walk:cycles=2", "bow", "A walk comes to stand and bows."),
        "join_punch_walk": join("punch", "walk:cycles=2", "Out of a fighting stance into a walk."),
        "take_kick": take(
            "walk, kick, running kick, stand",
            "Four clips in a row, each as soon as possible.",
            at("walk:cycles=2"),
            at("kick"),
            at("running-kick"),
            at("stand"),
        ),
        "take_wave": take(
            "walk and wave", "A wave inside a walk is laid over it.", at("walk:cycles=4", 0.0), at("wave", 0.8)
        ),
        "take_pick_up": take(
            "walk, pick up, walk on",
            "A walk stops, picks something up and goes on.",
            at("walk:cycles=2"),
            at("pick-up"),
            at("walk:cycles=2"),
        ),
        "take_turn": take(
            "walk, turn, run",
            "A walk, a turn on the spot, a run.",
            at("walk:cycles=2"),
            at("turn-in-place"),
            at("run:cycles=4"),
        ),
        "blend_speed": blends(
            "walks by speed",
            "Five walks from 0.6 to 1.8 m/s out of the same examples.",
            "walk",
            1.0,
            *({"speed": s, "turn": 0.0} for s in (0.6, 0.9, 1.2, 1.5, 1.8)),
        ),
        "blend_turn": blends(
            "walks by turn",
            "Walks that turn by -45 to 45 degrees a second.",
            "walk",
            1.6,
            *({"speed": 1.1, "turn": t} for t in (-45.0, 0.0, 45.0)),
        ),
        "blend_run": blends(
            "runs by speed",
            "Runs at 2, 3 and 4 m/s.",
            "run",
            1.3,
            *({"speed": s, "turn": 0.0} for s in (2.0, 3.0, 4.0)),
        ),
        "blend_reach": blends(
            "reaches to points",
            "A reach low, ahead and high, each to a point that was asked for.",
            "reach",
            1.4,
            *({"x": 0.1, "y": y, "z": 0.5} for y in (0.9, 1.2, 1.5)),
        ),
        "blend_kick": blends(
            "kicks to points",
            "Kicks of three heights.",
            "kick",
            1.5,
            *({"x": 0.0, "y": y, "z": 0.7} for y in (0.7, 0.9, 1.1)),
        ),
        "blend_jump": blends(
            "jumps by distance",
            "Jumps of 0.3, 0.6 and 0.9 m.",
            "jump",
            1.3,
            *({"distance": d, "direction": 0.0} for d in (0.3, 0.6, 0.9)),
        ),
        "live_gaits": live(
            "stand, walk, run, stand",
            "A character is told to walk, to run and to stand.",
            (0.0, {"type": "stand"}),
            (0.6, {"type": "walk", "speed": 1.4}),
            (2.6, {"type": "run", "speed": 3.2}),
            (5.0, {"type": "stand", "speed": 0.0}),
        ),
        "live_turn": live(
            "steered",
            "A walk is steered left, then right.",
            (0.0, {"type": "walk", "speed": 1.3, "turn": 40.0}),
            (2.5, {"turn": -60.0}),
            (5.0, {"turn": 0.0}),
        ),
        "live_act": live(
            "an action on request",
            "A walking character is asked to wave, and waves as it walks.",
            (0.0, {"type": "walk", "speed": 1.3}),
            (1.5, {"act": "wave"}),
            (5.0, {"type": "walk"}),
        ),
        "live_shove": live(
            "shoved",
            "A standing character is pushed from behind and catches itself with a step.",
            (0.0, {"type": "stand"}),
            (1.0, {"shove": (1.4, 0.4)}),
            (3.0, {"type": "stand"}),
        ),
        "crowd_wander": crowd(12, None, "Twelve characters wander about and keep out of each other's way."),
        "crowd_goals": crowd(
            10, [(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)], "Ten characters go round the same four points."
        ),
        "ground_up": on_ground(
            "stairs up", "A walk up a flight of stairs, tread by tread.", "walk", "stairs:15x35", BEHIND, cycles=4
        ),
        "ground_down": on_ground("stairs down", "A walk down stairs.", "walk", "stairs:-17x32", cycles=4),
        "ground_slope": on_ground(
            "uphill", "A walk up a slope of 20 per cent, leaning into it.", "walk", "slope:20", cycles=4
        ),
        "ground_downhill": on_ground("downhill", "A walk down a slope of 20 per cent.", "walk", "slope:-20", cycles=4),
        "ground_rough": on_ground(
            "rough floor", "A walk over plates up to 10 cm high.", "walk", "rough:10x3", cycles=4
        ),
        "ground_waves": on_ground("a run over waves", "A run over waves of 25 cm.", "run", "waves:25x300", cycles=4),
        "bodies_walk": bodies(
            "three bodies walk",
            "The same walk on bodies of 1.2, 1.75 and 2.1 m.",
            "walk",
            "adult:1.2",
            "adult:1.75",
            "adult:2.1",
            cycles=3,
        ),
        "bodies_kick": bodies(
            "three bodies kick",
            "The same kick on bodies of 1.2, 1.75 and 2.1 m.",
            "kick",
            "adult:1.2",
            "adult:1.75",
            "adult:2.1",
        ),
    }


def main(folder: Path, names: list[str], again: bool) -> None:
    films = film_list()
    unknown = sorted(set(names) - set(films))
    if unknown:
        sys.exit(f"no film {', '.join(unknown)}; there are {', '.join(films)}")
    folder.mkdir(parents=True, exist_ok=True)
    write_list(folder, films)
    failed = []
    for name, film in films.items():
        path = folder / f"{name}.mp4"
        if (names and name not in names) or (path.is_file() and not (again or names)):
            continue
        try:
            make(film, path)
        except FootfallError as error:  # one film less is no reason to make none of the others
            failed.append(name)
            print(f"{path}: not made: {error}", file=sys.stderr, flush=True)
            continue
        print(f"{path}: {path.stat().st_size / 1000:.0f} kB", flush=True)
    if failed:
        sys.exit(f"{len(failed)} of {len(films)} films were not made: {', '.join(failed)}")


def make(film: Film, path: Path) -> None:
    """Its film, in the first size that is small enough."""
    scenes = [replace(scene, theme="light") for scene in film.scenes()]
    for size in SIZES:
        wide = size if len(scenes) == 1 else (size[0] * 3 // 4, size[1])
        render_film(scenes, path, wide, FPS)
        if path.stat().st_size <= MOST_BYTES:
            break


def write_list(folder: Path, films: dict[str, Film]) -> None:
    """What the site's page is made from; written first, so that a run that is cut short still has a gallery."""
    rows = [
        {"name": name, "group": film.group, "title": film.title, "text": film.text, "made": film.made}
        for name, film in films.items()
    ]
    atomic_write(folder / "films.json", json.dumps(rows, indent=1).encode())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--out", type=Path, default=FOLDER)
    parser.add_argument("--again", action="store_true", help="also those that are there already")
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    main(given.out, given.names, given.again)

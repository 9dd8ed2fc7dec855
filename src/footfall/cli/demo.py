"""Show what footfall does with the built-in motions: files, pictures and one HTML report."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from footfall.cli._busy import progress
from footfall.cli._out import check_folder, out_option

if TYPE_CHECKING:
    from footfall.core.clip import Clip

MOTIONS: list[tuple[str, str, dict[str, float]]] = [  # file, built-in motion, parameters
    ("stroll", "walk", {"speed": 0.8, "cycles": 2}),
    ("walk", "walk", {"speed": 1.4, "cycles": 2}),
    ("walk_turning", "walk", {"speed": 1.2, "turn": 40.0, "cycles": 3}),
    ("run", "run", {"speed": 3.5, "cycles": 3}),
]
STAIRS = "stairs:15x30x7"  # rise x run in cm, and how many
CLIMB_FPS = 10.0  # frames a second of its film: each takes half a second of a core to draw


@click.command(name="demo")
@out_option("Folder to write into.", "FOLDER", default=Path("footfall-demo"), show_default=True)
@click.option("--quick", is_flag=True, help="Pictures only, no film.")
def command(out: Path, quick: bool) -> None:
    """Do the main job on the built-in motions: write clips, pictures and one HTML report into a folder.

    \b
    Example:  footfall demo -o my-demo
    """
    check_folder(out)
    rows: list[list[str]] = []
    jobs = _jobs(out, quick, rows)
    with progress() as bar:
        task = bar.add_task("footfall demo", total=len(jobs))
        for name, job in jobs.items():
            bar.update(task, description=name)
            job()
            bar.advance(task)
    _write_report(out, rows, quick)
    click.echo(f"{out / 'report.html'}: open it in a browser")
    click.echo(f"{out / 'walk.glb'}: drop it into Blender or any glTF viewer")
    click.echo("next: footfall synth walk:cycles=3 kick stand -o take.glb   footfall join walk kick -o out.glb")


def _jobs(out: Path, quick: bool, rows: list[list[str]]) -> dict[str, Callable[[], None]]:
    """Steps of the demo; those that measure add rows to the report's table."""
    from footfall.motions.library import motion

    clips = {file: motion(name, **parameters) for file, name, parameters in MOTIONS}
    jobs = {f"writing {file}": partial(_write, out, file, clip, rows) for file, clip in clips.items()}
    jobs["pictures"] = partial(_pictures, out, clips)
    jobs["clips on a timeline"] = partial(_take, out)
    jobs["one join in three ways"] = partial(_joined, out)
    jobs["the library"] = partial(_library, out)
    jobs["a walk up stairs"] = partial(_climb, out, quick)
    if not quick:
        jobs["film"] = partial(_film, out, clips)
    return dict(jobs)


def _write(out: Path, file: str, clip: Clip, rows: list[list[str]]) -> None:
    """Write a clip in every format, read one back, and measure it."""
    import numpy as np

    from footfall.io.load import load
    from footfall.io.save import save
    from footfall.quality.penetration import penetration
    from footfall.quality.slide import slide

    for suffix in (".bvh", ".glb", ".npz"):
        save(clip, out / f"{file}{suffix}")
    back = load(out / f"{file}.bvh")
    slid, deep = slide(back), penetration(back)
    speed = float(np.linalg.norm(back.root_motion.velocity, axis=1).mean())
    speeds = f"{speed:.2f} m/s", f"{slid.mean_cm_s:.2f} cm/s"
    rows.append([file, f"{clip.duration:.2f} s", *speeds, f"{deep.deepest_cm:.2f} cm"])


def _pictures(out: Path, clips: dict[str, Clip]) -> None:
    from footfall.render.film import save_png
    from footfall.render.sheet import render_strip

    for file, clip in clips.items():
        save_png(render_strip(clip), out / f"{file}.png")


def _take(out: Path) -> None:
    """Clips in a row become one motion; a wave is laid over the walk."""
    from footfall.io.save import save
    from footfall.render.plot_timeline import plot_timeline
    from footfall.timeline.arrangement import Arrangement
    from footfall.timeline.file import save_timeline
    from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack

    clips = (
        TimelineClip("walk:cycles=4", 0.0),
        TimelineClip("wave", 0.6),
        TimelineClip("kick"),
        TimelineClip("walk-back", repeat=2),
        TimelineClip("stand", trim_s=(0.0, 1.5)),
    )
    arranged = Arrangement(Timeline((TimelineTrack(clips, name="take"),), fps=60.0))
    take = arranged.render()
    save(take, out / "take.glb")
    save_timeline(arranged.timeline, out / "take.json")
    plot_timeline(take, arranged.plan()[0], out / "take.png", "walk with a wave, kick, walk back, stand")


def _joined(out: Path) -> None:
    """A walk into a kick by three methods, side by side."""
    from footfall.joins.join import join
    from footfall.motions.library import motion
    from footfall.render.compare_joins import picture_joins

    walk, kick = motion("walk", cycles=2), motion("kick")
    ways = {method: join(walk, kick, method) for method in ("crossfade", "inertialize", "auto")}
    picture_joins(ways, (walk, kick), out / "joins.png")


def _library(out: Path) -> None:
    """Every built-in motion on one contact sheet."""
    from footfall.motions.library import motion, motion_names
    from footfall.render.film import save_png
    from footfall.render.sheet import contact_sheet

    save_png(contact_sheet({name: motion(name) for name in motion_names()}), out / "library.png")


def _climb(out: Path, quick: bool) -> None:
    """A walk, made on a level floor, goes up a flight of stairs: a clip, a picture and a film."""
    from footfall.feet.on_ground import put_on_ground
    from footfall.io.open_ground import ground
    from footfall.io.save import save
    from footfall.motions.library import motion
    from footfall.render.camera import Camera
    from footfall.render.film import render_film, save_png
    from footfall.render.scene import Actor, Scene
    from footfall.render.sheet import render_strip

    put = put_on_ground(motion("walk", speed=1.2, cycles=5), ground(STAIRS))
    save(put.clip, out / "climb.glb")
    save_png(render_strip(put.clip, ground=put.ground), out / "climb.png")
    if not quick:
        camera = Camera("follow", azimuth=-118.0, elevation=12.0)  # from where the risers are seen
        scene = Scene([Actor(put.clip)], camera=camera, ground=put.ground)
        render_film(scene, out / "climb.gif", (280, 240), CLIMB_FPS, progress=True)


def _film(out: Path, clips: dict[str, Clip]) -> None:
    from footfall.render.film import render_film
    from footfall.render.scene import Actor, Scene

    titles = {"stroll": "0.8 m/s", "walk": "1.4 m/s", "run": "3.5 m/s"}
    scenes = [Scene([Actor(clips[file])], title=title) for file, title in titles.items()]
    render_film(scenes, out / "gaits.gif", size=(300, 360), end_s=2.2, progress=True)


def _write_report(out: Path, rows: list[list[str]], quick: bool) -> None:
    from footfall.io.save import atomic_write

    def table_row(cells: list[str], tag: str = "td") -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    pictures = "".join(
        f'<figure><img src="{f}.png" alt="{f}"><figcaption>{f}: <a href="{f}.glb">GLB</a>, <a href="{f}.bvh">BVH</a>, '
        f'<a href="{f}.npz">npz</a></figcaption></figure>'
        for f, _, _ in MOTIONS
    )
    film = "" if quick else '<img src="gaits.gif" alt="Three gaits side by side">'
    climb = "" if quick else '<img src="climb.gif" alt="A film of the climb">'
    head = ["motion", "length", "speed", "slide while planted", "deepest penetration"]
    page = f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>footfall demo</title><style>
body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#223}}
img{{max-width:100%;border-radius:8px}} figure{{margin:1.5rem 0}} figcaption{{color:#667}}
table{{border-collapse:collapse;margin:1rem 0}} td,th{{padding:.3rem 1rem;text-align:right;
border-bottom:1px solid #dde}}
td:first-child,th:first-child{{text-align:left}}
</style>
<h1>footfall demo</h1><p>Everything here was made from built-in motions.</p>
{film}<h2>Clips on a timeline</h2><p>Five clips in, one motion out: how each pair is joined is chosen, and said.
<a href="take.glb">GLB</a>, <a href="take.json">the timeline</a>.</p><img src="take.png" alt="Poses, phases and joins">
<h2>One join in three ways</h2><img src="joins.png" alt="Walk to kick by three methods">
<h2>A walk up stairs</h2><p>Made on a level floor, put on stairs of 15 × 30 cm. <a href="climb.glb">GLB</a>.</p>
<img src="climb.png" alt="Poses up the stairs">{climb}
<h2>What it brings along</h2><img src="library.png" alt="Contact sheet of all built-in motions">
<h2>Measured</h2><table>{table_row(head, "th")}{"".join(table_row(r) for r in rows)}</table>{pictures}
<p>Next, in this folder: <code>footfall info walk.bvh</code>,
<code>footfall analyze walk.bvh --picture walk_phases.png</code>,
<code>footfall join walk.bvh kick -o out.glb</code>, <code>footfall synth take.json -o again.bvh</code>. (In a checkout,
<code>. .venv/bin/activate</code> puts the command on your path.)</p></html>"""
    atomic_write(out / "report.html", page.encode())

"""Make a crowd of characters that wander, or go from goal to goal, and avoid each other: npz, glb or a film."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._busy import busy, progress
from footfall.cli._ground import ground_option
from footfall.cli._options import RATE, SECONDS, Number
from footfall.cli._out import FILMS, check_file, out_option

if TYPE_CHECKING:
    import numpy as np

    from footfall.core.clip import Clip
    from footfall.kinematics.ground import Ground

ARRAYS = ".npz"
SCENE = ".glb"
MOST_GLB = 1000  # characters of one .glb: viewers choke on more; by eye


@click.command(name="crowd")
@click.argument("graph_name", metavar="GRAPH")
@out_option("File to write: .npz (arrays), .glb (one scene), .mp4 or .gif (a film).", required=True)
@click.option(
    "-n", "count", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Number of characters."
)
@click.option("--seconds", type=SECONDS, default=20.0, show_default=True, metavar="S", help="Duration.")
@click.option("--fps", type=RATE, default=30.0, show_default=True, help="Frames per second.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Another seed gives another crowd.")
@click.option("--side", type=Number(), metavar="M", help="Side of their square, in metres (default: room for all).")
@click.option("--goals", type=click.Path(path_type=Path), metavar="CSV", help="Points x,z that all visit in turn.")
@ground_option("Let them walk on a ground")
@click.option("--device", type=click.Choice(["cpu", "cuda"]), default="cpu", show_default=True,
              help="cuda: on a GPU, without avoiding each other.")  # fmt: skip
def command(
    graph_name: str, out: Path, count: int, seconds: float, fps: float, seed: int, side: float | None,
    goals: Path | None, ground: str | None, device: str,
) -> None:  # fmt: skip
    """Let N characters of GRAPH (a file, or builtin) walk about for a while, and write what they do to OUT.

    Each goes to points at random, at a speed it likes, stands there for a moment and goes on; with --goals all go round
    the same points, each beginning with another. They turn, slow down and stand to keep out of each other's way. The
    same seed gives the same crowd.

    \b
    Example:  footfall crowd builtin -n 200 --seconds 20 -o crowd.mp4
              footfall crowd builtin -n 50 --goals square.csv -o crowd.glb
    """
    from footfall.core.errors import ParameterError
    from footfall.graph.build.open_graph import graph
    from footfall.live.crowd import Crowd

    kind = out.suffix.lower()
    if kind not in (ARRAYS, SCENE, *FILMS):
        raise ParameterError(f"{out.name}: a crowd is written as {ARRAYS}, {SCENE}, {' or '.join(FILMS)}")
    if kind == SCENE and count > MOST_GLB:
        raise ParameterError(f"a .glb holds up to {MOST_GLB} characters, got {count}; write an .npz instead")
    check_file(out)
    with busy() as tell:
        first = "the built-in graph; the first time it is built, which takes a minute"
        tell(first if graph_name == "builtin" else "graph")
        found = graph(graph_name)
        points = None if goals is None else _points(goals)
        crowd = Crowd(found, count, seed, side, points, ground=ground, device=device)
    root_pos, rot = _walk(crowd, seconds, fps)
    if kind == ARRAYS:
        _write_arrays(out, found.skeleton, fps, root_pos, rot)
    else:
        from footfall.core.clip import Clip, fix_signs
        from footfall.core.pose import Pose

        clips = [Clip(found.skeleton, fps, fix_signs(Pose(root_pos[:, n].astype(float), rot[:, n].astype(float))),
                      name=f"character {n}") for n in range(count)]  # fmt: skip
        _show(out, clips, crowd.characters.ground)
    share = crowd.pushed / max(count * len(root_pos), 1)
    click.echo(f"{out}: {count} characters, {len(root_pos)} frames; pushed apart in {100.0 * share:.1f} % of them")


def _walk(crowd, seconds: float, fps: float) -> tuple[np.ndarray, np.ndarray]:  # type: ignore[no-untyped-def]
    """Places (T, N, 3) of joint 0 and rotations (T, N, J, 4), float32, of every frame."""
    import numpy as np

    frames = max(round(seconds * fps), 0) + 1
    first = crowd.step(0.0)
    root_pos = np.empty((frames, *first.root_pos.shape), np.float32)
    rot = np.empty((frames, *first.rot.shape), np.float32)
    with progress() as bar:
        for k in bar.track(range(frames), description="walking"):
            pose = first if k == 0 else crowd.step(1.0 / fps)
            root_pos[k], rot[k] = on_host(pose.root_pos), on_host(pose.rot)
    return root_pos, rot


def on_host(values: Any) -> np.ndarray:
    """Numbers of numpy, or of a device."""
    return values.cpu().numpy() if hasattr(values, "cpu") else values


def _points(path: Path) -> list[tuple[float, float]]:
    """Points of a CSV file x,z."""
    from footfall.live.drive import number_at, read_rows

    return [(number_at(path, line, row, "x"), number_at(path, line, row, "z"))
            for line, row in read_rows(path, ("x", "z"))]  # fmt: skip


def _write_arrays(out: Path, skeleton, fps: float, root_pos: np.ndarray, rot: np.ndarray) -> None:  # type: ignore[no-untyped-def]
    """A plain archive: names, parents and offsets of the joints, frames a second, and the poses of all."""
    import io

    import numpy as np

    from footfall.io.save import atomic_write

    buffer = io.BytesIO()
    np.savez(buffer, names=np.array(skeleton.names), parents=skeleton.parents, offsets=skeleton.offsets,
             fps=np.array(fps), root_pos=root_pos, rot=rot)  # fmt: skip
    atomic_write(out, buffer.getvalue())


def _show(out: Path, clips: list[Clip], ground: Ground | None) -> None:
    """One scene with all of them, as a .glb or as a film."""
    if out.suffix.lower() == SCENE:
        from footfall.io.gltf_writer import write_many_glb

        write_many_glb(clips, out)
        return
    from footfall.render.camera import Camera
    from footfall.render.film import render_film
    from footfall.render.scene import Actor, Scene

    camera = Camera("fixed", elevation=32.0)
    scene = Scene([Actor(clip) for clip in clips], camera=camera, trail=False, contacts=False, ground=ground)
    render_film(scene, out, (960, 540), progress=True)

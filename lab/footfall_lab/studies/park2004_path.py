"""E4: a character follows a curve, with type and speed given along it."""

from __future__ import annotations

import io

import numpy as np

from footfall.graph.build.open_graph import graph
from footfall.graph.graph import Graph
from footfall.live.controller import Controller
from footfall.live.drive import DriveResult, drive, path_errors
from footfall.live.path_following import FollowedPath, PathFollower, Waypoint, path_of
from footfall.quality.slide import slide
from footfall_lab.bench._measure import Row

COLORS = {"stand": "#777777", "walk": "#3a6ea5", "run": "#d9822b"}


def s_curve(radius: float, kind: str = "walk", speed: float = 1.3) -> FollowedPath:
    """Two half circles, one to the left and one to the right."""
    angle = np.linspace(0.0, np.pi, 13)
    first = [(radius * (1.0 - np.cos(a)), radius * np.sin(a)) for a in angle]
    second = [(2.0 * radius + radius * (1.0 - np.cos(a)), -radius * np.sin(a)) for a in angle[1:]]
    return path_of([Waypoint(float(x), float(z), kind, speed) for x, z in first + second])


def mixed_path() -> FollowedPath:
    """A curve walked, run and walked again."""
    rows = [(0, 0, "walk", 1.3), (0.5, 4, "walk", 1.5), (3, 7, "run", 2.8), (8, 8, "run", 3.2), (13, 6, "run", 2.6),
            (16, 9, "walk", 1.4), (15, 13, "walk", 1.2), (12, 15, "walk", 1.2)]  # fmt: skip
    return path_of([Waypoint(float(x), float(z), kind, speed) for x, z, kind, speed in rows])


def followed(graph: Graph, path: FollowedPath) -> DriveResult:
    """A character from the start of a path to its end."""
    first, follower = complex(path.points[0]), PathFollower(path)
    hero = Controller(graph, x=first.imag, z=first.real, heading=float(path.headings[0]))
    seconds = path.length / max(float(path.speeds.min()), 0.4) + 4.0
    return drive(graph, follower.steer, seconds, hero=hero, until=follower.stands, name="path")


def run(quick: bool) -> tuple[list[Row], list[tuple[str, bytes]]]:
    """E4: path errors, and the paths coloured by type."""
    found = graph("builtin")
    rows, pictures = [], []
    for radius in (2.0,) if quick else (2.0, 3.0, 5.0):
        driven = followed(found, s_curve(radius))
        off = path_errors(driven, s_curve(radius).points)
        text = f"{100 * off.mean():.1f} cm on average, {100 * off.max():.1f} cm at most"
        rows.append(Row(f"E4 walking round curves of {radius:g} m radius, pelvis with its sway", text, "mean <= 5 cm",
                        bool(off.mean() <= 0.05)))  # fmt: skip
    path = mixed_path()
    driven = followed(found, path)
    off = path_errors(driven, path.points)
    end = float(np.hypot(*(driven.roots[-1, :2] - [path.points[-1].imag, path.points[-1].real])))
    rows += [
        Row("E4 walk, run, walk along a curve", f"{100 * off.mean():.1f} cm, at most {100 * off.max():.1f} cm", "told"),
        Row("E4 stands from the end of the path", f"{100 * end:.0f} cm", "<= 50 cm", end <= 0.5),
        Row("E4 slide on the way", f"{slide(driven.clip).mean_cm_s:.2f} cm/s", "<= 1 cm/s",
            slide(driven.clip).mean_cm_s <= 1.0),
    ]  # fmt: skip
    pictures.append(("E4 path by type", path_picture(path, driven)))
    return rows, pictures


def path_picture(path: FollowedPath, driven: DriveResult) -> bytes:
    """The path and where the character went, coloured by type."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 6), layout="constrained")
    panel.plot(path.points.imag, path.points.real, color="#bbbbbb", lw=7, label="path", solid_capstyle="round")
    place = driven.clip.root_motion.position
    kinds = np.array([s.node if s.phase == "node" else s.edge.split(" to ")[1] for s in driven.states])
    for kind, color in COLORS.items():
        mask = np.where(kinds == kind, 1.0, np.nan)
        panel.plot(place[:, 0] * mask, place[:, 2] * mask, color=color, lw=1.6, label=kind)
    panel.set_aspect("equal")
    panel.set_xlabel("x, m")
    panel.set_ylabel("z, m")
    panel.legend()
    buffer = io.BytesIO()
    figure.savefig(buffer, dpi=110)
    plt.close(figure)
    return buffer.getvalue()

"""Make once what many tests would each wait for: kernels compiled, and the built-in graph.

    python tools/warm_up.py takes
    python tools/warm_up.py live

One process a part, so that two cores compile different kernels; two processes of a test run would both compile the
same ones, at the same time. What is made goes where footfall keeps it for everybody.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import footfall as ff
from footfall.joins.transition import methods
from footfall.render.sheet import render_strip

STEPS = 120  # of a live character: two seconds, enough to start, turn and stop


def takes() -> None:
    """Reading, joining by every method, a timeline with its verdict, another body, stairs, and a picture."""
    with tempfile.TemporaryDirectory() as folder:
        path = ff.save(ff.motion("walk", cycles=20), Path(folder) / "walk.bvh")  # long enough for the compiled scanner
        walk = ff.load(path).trim(0.0, 3.0)
    ff.timeline(["walk:cycles=2", "kick", "stand"]).render()
    kick = ff.motion("kick")
    for method in methods():
        ff.join(walk, kick, method=method)
    ff.retarget(walk, "adult:1.2")
    walk.on_ground("stairs:15x35")
    render_strip(walk)


def live() -> None:
    """The graph, characters that walk it, on the floor and on stairs, and a crowd."""
    graph = ff.graph("builtin")
    for hero in (ff.Controller(graph), ff.Controller(graph, ground="stairs:15x32x6")):
        for k in range(STEPS):
            hero.step(1 / 60, type="walk" if k < STEPS // 2 else "stand", speed=1.3, turn=20.0)
    crowd = ff.Crowd(graph, 4, seed=1)
    for _ in range(STEPS):
        crowd.step(1 / 60)


if __name__ == "__main__":
    {"takes": takes, "live": live}[sys.argv[1]]()

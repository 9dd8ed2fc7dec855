"""A character in ten lines: stand, walk, run, wave, and a file of what it did."""

import numpy as np

import footfall as ff

hero = ff.Controller(ff.graph("builtin"))  # the first time the graph is built, which takes a while
plan = [("stand", 0.0, 0.0), ("walk", 1.4, 20.0), ("run", 3.2, -40.0), ("walk", 1.2, 0.0), ("stand", 0.0, 0.0)]
poses = [hero.step(1 / 60, type=t, speed=v, turn=w) for t, v, w in plan for _ in range(120)]
hero.act("wave")
poses += [hero.step(1 / 60) for _ in range(240)]
pose = ff.Pose(np.stack([p.root_pos for p in poses]), np.stack([p.rot for p in poses]))
ff.save(ff.Clip(hero.graph.skeleton, 60.0, pose, name="hero"), "hero.glb")

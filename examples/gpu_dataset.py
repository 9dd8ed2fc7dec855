"""A dataset of motion with what was asked and what was achieved, written while a GPU makes it, in parts of a minute.

Ten thousand characters for an hour at 10 frames a second are 360 million poses and about 70 GB:
    python examples/gpu_dataset.py dataset --characters 10000 --seconds 3600 --fps 10
Each part_NNNN.npz has root (T, N, 3) x, z, heading; rot (T, N, J, 4) int16, 32767 is 1; asked (T, N, 3) type, speed,
turn; achieved (T, N, 3) forward and left m/s, turn °/s; node and contacts. Needs footfall[gpu] and a GPU.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

import footfall as ff
from footfall.io.save import atomic_write

STEPS_S, CHANGE_S, PART_S = 60, 3.0, 60.0  # steps a second; seconds between commands, and of a part


def commands(count, random, asked, share):
    """Other types, speeds and turns for a share of all, as tensors."""
    draw = torch.rand((4, count), device="cuda", generator=random)
    fresh = torch.stack([(3 * draw[1]).floor(), 0.5 + 3.5 * draw[2], 160 * draw[3] - 80])
    return torch.where(draw[0] < share, fresh, asked)


def write(path, fps, arrays):
    """One part, whole or not at all."""

    def into(place):
        with place.open("wb") as file:
            np.savez(file, fps=fps, **arrays)

    atomic_write(path, into)


def main():
    take = argparse.ArgumentParser()
    take.add_argument("folder", type=Path)
    take.add_argument("--graph", default="")
    for name, usual in (("characters", 10_000), ("seconds", 3600), ("fps", 10), ("seed", 0)):
        take.add_argument(f"--{name}", type=int, default=usual)
    given = take.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    crowd = ff.Crowd(given.graph or ff.graph("builtin"), given.characters, seed=given.seed, device="cuda")
    random = torch.Generator("cuda").manual_seed(given.seed)
    numbers = torch.tensor([crowd.types.index(name) for name in ("stand", "walk", "run")], device="cuda")
    asked = commands(given.characters, random, torch.zeros((3, given.characters), device="cuda"), 1.0)
    begun, written, every = time.time(), 0, STEPS_S // given.fps
    for part in range(int(np.ceil(given.seconds / PART_S))):
        frames = []
        seconds = min(PART_S, given.seconds - part * PART_S)
        for step in range(int(seconds * STEPS_S)):
            asked = commands(given.characters, random, asked, 1 / (CHANGE_S * STEPS_S))
            shown = crowd.step(1 / STEPS_S, type=numbers[asked[0].long()].int(), speed=asked[1], turn=asked[2])
            if step % every == 0:
                velocity = crowd.state("velocity")
                achieved = torch.stack([velocity[0], velocity[1], torch.rad2deg(velocity[2])])
                frames.append((crowd.state("root").T.cpu(), (shown.rot * 32767).round().short().cpu(), asked.T.cpu(),
                               achieved.T.float().cpu(), crowd.state("node").to(torch.int8).cpu(),
                               shown.contacts.clone().cpu()))  # fmt: skip
        names = ("root", "rot", "asked", "achieved", "node", "contacts")
        arrays = {name: np.stack([frame[k].numpy() for frame in frames]) for k, name in enumerate(names)}
        path = given.folder / f"part_{part:04d}.npz"
        write(path, given.fps, arrays)
        written += path.stat().st_size
        print(f"{path}: {(part + 1) * PART_S:.0f} s, {written / 1e9:.2f} GB, {time.time() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()

"""Every command of the command line, by what is typed for it, and a call of each."""

from __future__ import annotations

from footfall.cli import every_command

# One call of every command that takes clips, with the name of a built-in motion for each. OUT is a file without its
# ending, FOLDER a folder of recordings.
CLIPS = {
    "analyze": ("walk",),
    "blend": ("walk", "walk:speed=1.8", "-o", "OUT.bvh"),
    "check": ("walk",),
    "convert": ("walk", "-o", "OUT.glb"),
    "edit": ("walk", "-o", "OUT.bvh", "--mirror"),
    "find": ("walk@0.5", "FOLDER", "-n", "1", "-o", "OUT.png"),
    "info": ("walk",),
    "join": ("walk", "stand", "-o", "OUT.bvh", "--method", "crossfade"),
    "match": ("walk", "FOLDER", "-n", "1"),
    "pack": ("walk", "-o", "OUT.glb"),
    "render": ("walk", "-o", "OUT.png", "--at", "0", "--size", "64x48"),
    "synth": ("walk", "stand", "-o", "OUT.npz"),
    "tune": ("walk", "-o", "OUT.json", "--population", "8", "--generations", "2", "--states", "10"),
}
# A call of every other command with something that is not there.
OTHERS = {
    "augment": ("nowhere", "-o", "OUT"),
    "bench": ("nowhere",),
    "compare": ("nowhere", "-o", "OUT.csv"),
    "crowd": ("nowhere", "-o", "OUT.npz"),
    "demo": ("-o", "OUT"),
    "graph build": ("nowhere", "-o", "OUT.graph"),
    "library build": ("nowhere",),
    "lint": ("nowhere",),
    "studio": ("nowhere",),
    "study": ("nowhere", "-o", "OUT"),
    "walk": ("nowhere", "script.csv", "-o", "OUT.bvh"),
}


ALL = every_command()

"""Source of the kernels: constants and the body of a graph as a header, then the files of `kernels/`, as one text.

Constants and coefficients are those that the CPU's kernels use, read from their modules; a body's bones, legs and soles
are compiled in, so that forward kinematics stays in registers.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from footfall.edit import coast
from footfall.feet import limits, live_knee
from footfall.graph import coverage
from footfall.joins.methods import inertialize
from footfall.live import clock, easing, inertia, leaving, packed_weights, rows, steering, wandering
from footfall.live.gpu.layout import CHUNK, OUTERMOST, row_fields, table_arrays, work_fields
from footfall.live.gpu.packed_graph import PackedGraph
from footfall.parametric import sampling

FILES = ("maths", "sampling", "steering", "clock", "inertia", "leaving", "decisions", "legs", "feet", "pose",
         "wander", "step")  # fmt: skip
POSE_THREADS = 128  # of a block of the pose kernel; measured
POSE_BLOCKS, GO_BLOCKS = 3, 5  # blocks of them that a multiprocessor has room for; measured
PRECISION = "float"  # of feet and legs, relative to the carrier; where they stand in the world is kept in 64 bits

WHOLE: dict[Any, str] = {  # whole numbers: module, names
    rows: "NODE LEAVING EDGE ENTERING SPEED TURN SIDE ARRIVED ENDED WAKE WHEN_SLOW",
    steering: "FREE BOX POLYGON OUTSIDE",
    packed_weights: "ALONE LATTICE RADIAL",
    clock: "MOST_STRETCHES",
    leaving: "PREDICTED TRIED",
}
REAL: dict[Any, str] = {
    clock: "REACHED TOGETHER PACE_S DONE FAR_ROUND TO_DEGREES MOST_LOST_M_S",
    easing: "QUICK SLOW AT_REST",
    coverage: "SAME",
    leaving: "SHORTEST_S SHORTEST STOP_SHORTEST BACK_IN_TIME BACK_SLACK_S MOST_HELD_BACK RATE_S VELOCITY_COST "
    "REROUTE_UNLIKE DETOUR_UNLIKE HASTE_COST BELIEVED_M_S2",
    inertia: "FADE_S SLOW_M_S STEP_S MOST_BRAKE_M_S2 EASE_PEAK MOST_SPEED FASTEST_RAD_S KNEE_ROUND_RAD "
    "KNEE_LEAST_RAD KNEE_RAD_S",
    inertialize: "MOST_RAD_S2 MOST_M_S2 SOONEST_S",
    coast: "MOST_RAD_S",
    wandering: "TURN_RATE MOST_TURN NEAR_M",
    live_knee: "STRAIGHT",
    limits: "LEG_SOFT_FROM LEG_MAX_EXTENSION LEG_NEARLY_STRAIGHT LEG_ROUNDING LEG_FREE LIVE_BACKWARDS LIVE_ASKEW "
    "LIVE_KNEE_RAD_S LIVE_KNEE_RAD_S2 LIVE_KNEE_FASTER LIVE_KNEE_BRAKE_RAD_S2 LIVE_KNEE_LOW_M "
    "LIVE_KNEE_ASIDE LIVE_KNEE_ASIDE_FROM_M LIVE_POLE_S "
    "LIVE_SHIFT_S LIVE_LIFT_S LIVE_LOW_M LIVE_LOWER_M LIVE_WRONG_M LIVE_EASE_S LIVE_FADE_S LIVE_SETTLE_S "
    "LIVE_FASTEST_M_S LIVE_BRAKE_M_S2 LIVE_STOP_M_S2 LIVE_SLAP_M_S2 LIVE_SUNK_M LIVE_RISE_M_S LIVE_NEAR_M "
    "LIVE_FAR_M",
}
# What lies next to 0 or 1 in each precision of feet: guards against division by nothing, directions that are opposite,
# spheres that touch
GUARDS = {"double": (1e-300, 1e-12, 1e-12), "float": (1e-30, 1e-6, 1e-6)}


@cache
def _file(name: str) -> str:
    return (Path(__file__).parent / "kernels" / f"{name}.cuh").read_text(encoding="utf-8")


def source(packed: PackedGraph, feet: str = PRECISION) -> str:
    """All of it, for one graph."""
    return "\n".join([_file("machine"), _constants(packed, feet), _world(packed), *map(_file, FILES)])


def _number(value: Any) -> str:
    return f"{float(value)!r}" if np.isfinite(value) else ("INFINITY" if value > 0 else "-INFINITY")


def _constants(packed: PackedGraph, feet: str) -> str:
    """Sizes, constants, coefficients and the body."""
    parents, offsets, legs = packed["body.parents"], packed["body.offsets"], packed["body.legs"]
    below, sole, standing = packed["body.below"].tolist(), packed["body.sole"], packed["body.standing"]
    carriers = packed["body.sole_joints"]
    has_legs = bool(legs[0, 0] >= 0)
    tiny, opposite, touches = GUARDS[feet]
    fastest = np.abs(packed["d.velocities"][~packed["d.is_action"].astype(bool)]).max(initial=0.0)
    sizes = {
        "JOINTS": len(parents), "JP": packed["m.mean"].shape[2], "ROW": packed["m.rows"].shape[1],
        "EXAMPLES": packed["m.log_rates"].shape[2], "PIECES": packed["m.log_rates"].shape[1],
        "DIMS": packed.dimensions, "SPANS": packed["m.spans"].shape[2] // 8, "NODES": len(packed.names),
        "BINS": len(packed["m.mean"]), "CHUNK": CHUNK, "POSE_THREADS": POSE_THREADS,
        "POSE_BLOCKS": POSE_BLOCKS, "GO_BLOCKS": GO_BLOCKS, "HAS_LEGS": int(has_legs),
        "HOME": packed.home,
    }  # fmt: skip
    real = {name: getattr(module, name) for module, names in REAL.items() for name in names.split()}
    real |= {"PI": np.pi, "NEAR_GOAL": easing.ARRIVED, "JUST_BELOW_ONE": np.nextafter(1.0, 0.0), "TINY": tiny,
             "OPPOSITE": opposite, "TOUCHES": touches, "FASTEST_GAIT_M_S": fastest}  # fmt: skip
    lines = [f"#define {name} {value}" for name, value in sizes.items()]
    lines += [f"#define {name} {getattr(module, name)}" for module, names in WHOLE.items() for name in names.split()]
    lines += [f"#define {name} {_number(value)}" for name, value in real.items()]
    lines += [f"#define FEET {feet}", f"#define FARTHEST {float(sampling.FARTHEST)!r}f"]
    for name in ("LOG", "COS", "SINC"):
        lines.append(_chooser(name, "float", "int i", "i", [f"{float(c)!r}f" for c in getattr(sampling, name)]))
    lines.append(_chooser("parent", "int", "int j", "j", parents.tolist()))
    lines.append(_chooser("is_below", "bool", "int j", "j", [str(j in below).lower() for j in range(len(parents))]))
    for k, axis in enumerate("xyz"):
        lines.append(_chooser(f"offset_{axis}", "float", "int j", "j", [f"{float(o)!r}f" for o in offsets[:, k]]))
        lines.append(_of_feet(f"sole_{axis}", "double", map(_number, sole[:, :, k].ravel())))
    lines.append(_of_feet("leg_joint", "int", np.maximum(legs, 0).ravel()))
    lines.append(_of_feet("sole_joint", "int", np.maximum(carriers, 0).ravel()))
    lines.append(_of_feet("standing", "double", map(_number, standing.ravel())))
    return "\n".join(lines)


def _chooser(name: str, kind: str, takes: str, by: str, values: Any) -> str:
    """A table as a function that folds to a number where its argument is one."""
    *all_but_last, last = [str(value) for value in values]
    chain = "".join(f"{by} == {k} ? {value} : " for k, value in enumerate(all_but_last))
    return f"HD constexpr {kind} {name}({takes}) {{ return {chain}{last}; }}"


def _of_feet(name: str, kind: str, values: Any) -> str:
    return _chooser(name, kind, "int side, int k", "(3 * side + k)", values)


def _world(packed: PackedGraph) -> str:
    """The struct of pointers, and a character's row as kernels read and write it."""
    fields = row_fields(packed, 1)
    pointers = [f"{f.c_type} *r_{f.name};" for f in fields] + [f"{f.c_type} *{f.name};" for f in work_fields(packed, 1)]
    kinds = {np.dtype(np.float32): "float", np.dtype(np.float64): "double", np.dtype(np.int32): "int",
             np.dtype(np.uint8): "unsigned char"}  # fmt: skip
    pointers += [f"const {kinds[a.dtype]} *{name};" for name, a in table_arrays(packed).items()]
    ways = []
    for f in fields:
        size = int(np.prod(f.shape))
        if f.name in OUTERMOST:
            ways.append(f"HD {f.c_type} *{f.name}() const {{ return w.r_{f.name} + (size_t)n * {size}; }}")
        elif len(f.shape) == 1:
            ways.append(f"HD {f.c_type} &{f.name}() const {{ return w.r_{f.name}[n]; }}")
        else:
            ways.append(f"HD {f.c_type} &{f.name}(int i) const {{ return w.r_{f.name}[(size_t)i * w.n + n]; }}")
    methods = "\n    ".join(way.replace("HD ", "INSIDE ", 1) for way in ways)
    body = "\n    ".join(pointers)
    world = f"struct World {{\n    long long n;\n    {body}\n}};"
    return f"{world}\nstruct Me {{\n    const World &w;\n    int n;\n    {methods}\n}};"


def world_words(packed: PackedGraph, count: int, pointers: dict[str, int]) -> np.ndarray:
    """The struct as words: how many characters, then where every array lies."""
    names = [f"r_{f.name}" for f in row_fields(packed, 1)] + [f.name for f in work_fields(packed, 1)]
    return np.array([count] + [pointers[name] for name in [*names, *table_arrays(packed)]], np.uint64)

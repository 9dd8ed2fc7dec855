"""One pose of motion matching: between two frames of a database, with what is left of an offset, feet held.

The readable twin is `live.motion_matching.plain_pose`; feet are held as in `live.frame`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from footfall.core.kernels import kernel
from footfall.feet.live_lock import only_low
from footfall.live.frame import plant_one, step_joint


@kernel(_nrt=False)
def matched_pose(rot_table: Any, root_table: Any, i: int, j: int, u: float, offset: Any, heading: float, parents: Any,
                 joint_offsets: Any, rot: Any, world: Any) -> None:  # fmt: skip
    """Rotations rot (1, J, 4) and joints world (J, 8) relative to the floor frame, turned as the world is.

    offset (J + 1, 3): a rotation vector for every joint, applied in its own frame, and the root's move on the frame.
    """
    joints = len(parents)
    for k in range(joints):
        a, b = rot_table[i, k], rot_table[j, k]
        dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
        s = np.float64(u) if dot >= 0.0 else -np.float64(u)
        w, x = (1.0 - u) * a[0] + s * b[0], (1.0 - u) * a[1] + s * b[1]
        y, z = (1.0 - u) * a[2] + s * b[2], (1.0 - u) * a[3] + s * b[3]
        vx, vy, vz = 0.5 * offset[k, 0], 0.5 * offset[k, 1], 0.5 * offset[k, 2]
        angle = np.sqrt(vx * vx + vy * vy + vz * vz)
        c = np.cos(angle)
        f = np.sin(angle) / angle if angle > 1e-6 else 1.0 - angle * angle / 6.0
        p, q, r = f * vx, f * vy, f * vz
        w, x, y, z = (w * c - x * p - y * q - z * r, w * p + x * c + y * r - z * q,
                      w * q - x * r + y * c + z * p, w * r + x * q - y * p + z * c)  # fmt: skip
        size = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
        rot[0, k, 0], rot[0, k, 1], rot[0, k, 2], rot[0, k, 3] = w * size, x * size, y * size, z * size
    hc, hs = np.cos(0.5 * heading), np.sin(0.5 * heading)
    a, b, d, e = (np.float64(rot[0, 0, 0]), np.float64(rot[0, 0, 1]), np.float64(rot[0, 0, 2]),
                  np.float64(rot[0, 0, 3]))  # fmt: skip
    rot[0, 0, 0], rot[0, 0, 1] = hc * a - hs * d, hc * b + hs * e
    rot[0, 0, 2], rot[0, 0, 3] = hc * d + hs * a, hc * e - hs * b
    left = (1.0 - u) * root_table[i, 0] + u * root_table[j, 0] + offset[joints, 0]
    up = (1.0 - u) * root_table[i, 1] + u * root_table[j, 1] + offset[joints, 1]
    ahead = (1.0 - u) * root_table[i, 2] + u * root_table[j, 2] + offset[joints, 2]
    c, s = np.cos(heading), np.sin(heading)
    for m in range(4):
        world[0, m] = rot[0, 0, m]
    world[0, 4], world[0, 5], world[0, 6] = c * left + s * ahead, up, c * ahead - s * left
    for k in range(1, joints):
        step_joint(rot[0], parents[k], k, joint_offsets, world)


@kernel(_nrt=False)
def live_pose(rot_table: Any, root_table: Any, i: int, j: int, u: float, offset: Any, root: Any, body: Any, feet: Any,
              down: Any, soon: Any, torn: bool, dt: float, lock: bool, place: Any, turns: Any) -> None:  # fmt: skip
    """A pose in the world: place (3,) of joint 0 and turns (J, 4), float64; root: x, z, heading of the floor frame.

    torn: there is an offset; what is down then stands only once it is near the floor. feet.down is written.
    """
    matched_pose(rot_table, root_table, i, j, u, offset, root[2], body.parents, body.offsets, feet.rot, feet.world)
    x = y = z = 0.0
    if lock:
        for side in range(2):
            feet.down[side, 0], feet.down[side, 1] = down[side, 0], down[side, 1]
        if torn:
            only_low(body.sole_joints, body.sole, body.standing, feet.world, feet.down)
            for side in range(2):
                if feet.hold[side] >= 0:
                    feet.down[side, 0], feet.down[side, 1] = down[side, 0], down[side, 1]
        ahead = (np.float64(soon[0]), np.float64(soon[1]))
        x, y, z = plant_one(body.sole_joints, body.sole, body.standing, body.parents, body.offsets, body.legs,
                            body.below, feet.world, feet.rot, root, feet.floor, feet.lift, feet.shift, feet.down, ahead,
                            feet.hold, feet.held, feet.offset, feet.speed, feet.slip, feet.was, feet.grip,
                            dt)  # fmt: skip
    place[0], place[1], place[2] = feet.world[0, 4] + x + root[0], feet.world[0, 5] + y, feet.world[0, 6] + z + root[1]
    for k in range(len(turns)):
        total = 0.0
        for m in range(4):
            total += np.float64(feet.rot[0, k, m]) ** 2
        size = 1.0 / np.sqrt(total)
        for m in range(4):
            turns[k, m] = feet.rot[0, k, m] * size

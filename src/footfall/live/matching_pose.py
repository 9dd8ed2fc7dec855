"""Pose kernels of motion matching: between two frames of a database, with what is left of an offset, feet held."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.core.kernels import kernel
from footfall.feet.live_lock import only_low
from footfall.live.frame import plant_one, step_joint


class DatabaseMoment(NamedTuple):
    """A place in a database of N frames, and what is added to the pose there."""

    rot: np.ndarray  # (N, J, 4) f32 of the database, joint 0 on the floor frame
    root: np.ndarray  # (N, 3) f32 of the database
    frame: int
    after: int  # the frame that follows
    share: float  # of the way from frame to after
    offset: np.ndarray  # (J + 1, 3) a rotation vector for every joint, in its own frame, and the root's move


class FootContacts(NamedTuple):
    """What the feet do at a moment."""

    down: np.ndarray  # (2, 2) bool, heel and toe of left and right
    soon: np.ndarray  # (2,) f32 1 where a foot is down or about to be
    inertialized: bool  # an offset is added: what is down then stands only once it is near the floor
    lock: bool  # hold the feet


@kernel(_nrt=False)
def sample(moment: Any, rot: Any, root: Any) -> None:
    """The pose of a moment on the floor frame: rotations rot (J, 4) and root (3,)."""
    i, j, u, joints = moment.frame, moment.after, moment.share, len(rot)
    for k in range(joints):
        a, b, v = moment.rot[i, k], moment.rot[j, k], moment.offset[k]
        dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
        s = np.float64(u) if dot >= 0.0 else -np.float64(u)
        w, x = (1.0 - u) * a[0] + s * b[0], (1.0 - u) * a[1] + s * b[1]
        y, z = (1.0 - u) * a[2] + s * b[2], (1.0 - u) * a[3] + s * b[3]
        vx, vy, vz = 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]
        angle = np.sqrt(vx * vx + vy * vy + vz * vz)
        c = np.cos(angle)
        f = np.sin(angle) / angle if angle > 1e-6 else 1.0 - angle * angle / 6.0
        p, q, r = f * vx, f * vy, f * vz
        w, x, y, z = (w * c - x * p - y * q - z * r, w * p + x * c + y * r - z * q,
                      w * q - x * r + y * c + z * p, w * r + x * q - y * p + z * c)  # fmt: skip
        size = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
        rot[k, 0], rot[k, 1], rot[k, 2], rot[k, 3] = w * size, x * size, y * size, z * size
    for c in range(3):
        root[c] = (1.0 - u) * moment.root[i, c] + u * moment.root[j, c] + moment.offset[joints, c]


@kernel(_nrt=False)
def turned_pose(moment: Any, heading: float, body: Any, feet: Any, place: Any) -> None:
    """Rotations feet.rot and joints feet.world relative to the floor frame, turned as the world is; place (3,) room."""
    rot, world = feet.rot[0], feet.world
    sample(moment, rot, place)
    hc, hs = np.cos(0.5 * heading), np.sin(0.5 * heading)
    a, b, d, e = np.float64(rot[0, 0]), np.float64(rot[0, 1]), np.float64(rot[0, 2]), np.float64(rot[0, 3])
    rot[0, 0], rot[0, 1] = hc * a - hs * d, hc * b + hs * e
    rot[0, 2], rot[0, 3] = hc * d + hs * a, hc * e - hs * b
    c, s = np.cos(heading), np.sin(heading)
    for m in range(4):
        world[0, m] = rot[0, m]
    world[0, 4], world[0, 5] = c * place[0] + s * place[2], place[1]
    world[0, 6] = c * place[2] - s * place[0]
    for k in range(1, len(body.parents)):
        step_joint(rot, body.parents[k], k, body.offsets, world)


@kernel(_nrt=False)
def live_pose(moment: Any, contacts: Any, root: Any, body: Any, feet: Any, dt: float, place: Any, turns: Any) -> None:
    """A pose in the world: place (3,) of joint 0 and turns (J, 4), float64; root: x, z, heading of the floor frame.

    feet.down is written: which parts of feet were taken to be down.
    """
    turned_pose(moment, root[2], body, feet, place)
    x = y = z = 0.0
    if contacts.lock:
        down = contacts.down
        for side in range(2):
            feet.down[side, 0], feet.down[side, 1] = down[side, 0], down[side, 1]
        if contacts.inertialized:
            only_low(body.sole_joints, body.sole, body.standing, feet.world, feet.down)
            for side in range(2):
                if feet.hold[side] >= 0:
                    feet.down[side, 0], feet.down[side, 1] = down[side, 0], down[side, 1]
        soon = (np.float64(contacts.soon[0]), np.float64(contacts.soon[1]))
        x, y, z = plant_one(body, feet, root, soon, dt)
    place[0], place[1], place[2] = feet.world[0, 4] + x + root[0], feet.world[0, 5] + y, feet.world[0, 6] + z + root[1]
    for k in range(len(turns)):
        total = 0.0
        for m in range(4):
            total += np.float64(feet.rot[0, k, m]) ** 2
        size = 1.0 / np.sqrt(total)
        for m in range(4):
            turns[k, m] = feet.rot[0, k, m] * size

"""Random start states for tuning and judging the entry classifier, and how far a figure gets from one.

A pool of built-in motions gives the range of every joint: its rotation vectors about its mean in the pool. A random
state draws every component of every joint's vector evenly from its range, widened by a tenth on both sides, and its
rate from a normal distribution with the standard deviation that rate has in the pool; tilt of the pelvis likewise; its
height evenly from the pool's range; its heading evenly from the circle; its velocity on the floor in an even direction
with a speed evenly from 0 to 1.5 m/s. Joints are drawn independently: limbs disagree, which is what the classifier is
for.

*Joint speed*: the fastest that any joint moves through the world in the frames of the blend.

*Distance walked*: how far the floor root of the motion that is made gets from where it started, in a straight line, in
a fixed time that includes the blend. The motion is placed as every transition is (`placement`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip
from footfall.core.pose import Pose
from footfall.edit.coast import State, state_of
from footfall.joins.classifier.entry_blend import blend
from footfall.joins.classifier.entry_classifier import ClassifiedEntry
from footfall.joins.classifier.entry_table import table_of
from footfall.joins.departure import Departure
from footfall.joins.placement import FloorState, between, floor_state
from footfall.kinematics.fk import world_positions
from footfall.motions.library import motion

POOL = ("walk", "run", "stand", "kick", "punch", "jump", "reach", "bow", "wave", "skip", "walk-back", "walk-side")
WIDER = 0.1  # of a range, by which it is widened on both sides: by eye
FASTEST_MPS = 1.5  # of a random state over the floor: by eye
WALKED_S = 2.0  # seconds in which the distance is measured, unless told
RATE_HZ = 30.0  # at which the pool is looked at
SHOWN_HZ = 60.0  # frames of a blend whose joints are watched


class JointRanges(NamedTuple):
    """What the pool's joints do."""

    names: tuple[str, ...]  # of the joints
    mean: np.ndarray  # (J, 4) the root's without its heading
    low: np.ndarray  # (J, 3) of rotation vectors about the mean
    high: np.ndarray  # (J, 3)
    spin: np.ndarray  # (J, 3) rad/s, standard deviation
    height: tuple[float, float]  # metres
    lift: float  # m/s, standard deviation of the root's vertical velocity


@cache
def pool_ranges() -> JointRanges:
    """JointRanges over the built-in motions of the pool."""
    rot, spin, height, lift = [], [], [], []
    for name in POOL:
        clip = motion(name)
        state = state_of(clip, np.arange(0.0, clip.duration, 1.0 / RATE_HZ))
        turned = np.array(state.pose.rot)
        heading = floor_state(clip.skeleton, state).heading
        turned[:, 0] = rotation.multiply(rotation.yaw(-heading), turned[:, 0])
        rot.append(turned)
        spin.append(state.spin)
        height.append(state.pose.root_pos[:, 1])
        lift.append(state.velocity[:, 1])
    every = np.concatenate(rot)
    mean = rotation.average(every, axis=0)
    vector = rotation.log(rotation.multiply(rotation.conjugate(mean), every))
    low, high = vector.min(axis=0), vector.max(axis=0)
    more = WIDER * (high - low)
    heights = np.concatenate(height)
    return JointRanges(
        motion(POOL[0]).skeleton.names,
        mean,
        low - more,
        high + more,
        np.sqrt((np.concatenate(spin) ** 2).mean(axis=0)),
        (float(heights.min()), float(heights.max())),
        float(np.sqrt((np.concatenate(lift) ** 2).mean())),
    )


def random_states(count: int, seed: int) -> State:
    """States (count,) of the built-in body, as the file's first lines say."""
    pool, rng = pool_ranges(), np.random.default_rng([1999, seed])
    joints = len(pool.mean)
    vector = rng.uniform(pool.low, pool.high, (count, joints, 3))
    rot = rotation.multiply(np.broadcast_to(pool.mean, (count, joints, 4)), rotation.exp(vector))
    rot[:, 0] = rotation.multiply(rotation.yaw(rng.uniform(-np.pi, np.pi, count)), rot[:, 0])
    spin = rng.normal(size=(count, joints, 3)) * pool.spin
    course, speed = rng.uniform(-np.pi, np.pi, count), rng.uniform(0.0, FASTEST_MPS, count)
    lift = pool.lift * rng.normal(size=count)
    velocity = np.stack([speed * np.sin(course), lift, speed * np.cos(course)], axis=-1)
    root_pos = np.stack([np.zeros(count), rng.uniform(*pool.height, count), np.zeros(count)], axis=-1)
    return State(Pose(root_pos, rot), velocity, spin)


class Walker:
    """How far states get once they have entered a motion; what does not depend on the entry is worked out once."""

    def __init__(self, clip: Clip, states: State, walked_s: float = WALKED_S) -> None:
        self.walked_s = walked_s
        self.here = floor_state(clip.skeleton, states)
        self.times = np.arange(0.0, clip.duration + walked_s + 1.0 / clip.fps, 1.0 / clip.fps)
        there = floor_state(clip.skeleton, state_of(clip, self.times))
        self.there = np.concatenate(
            [there.position, there.velocity, np.unwrap(there.heading)[:, None], there.turn_rate[:, None]], axis=-1
        )

    def distance(self, entry: ClassifiedEntry) -> np.ndarray:
        """(N,) metres."""
        arrival = self._root(entry.front_s)
        placement = between(self.here, arrival, entry.length_s)
        end = self._root(entry.front_s + self.walked_s - entry.length_s)
        apart = placement.points(end.position) - self.here.position
        return np.hypot(apart[:, 0], apart[:, 2])

    def _root(self, t_s: np.ndarray) -> FloorState:
        x = t_s / self.times[1]
        i = np.minimum(x.astype(int), len(self.times) - 2)
        found = self.there[i] + (x - i)[:, None] * (self.there[i + 1] - self.there[i])
        return FloorState(found[:, :3], found[:, 6], found[:, 3:6], found[:, 7])


def joint_speeds(clip: Clip, states: State, entry: ClassifiedEntry) -> np.ndarray:
    """(N,) m/s of the fastest joint of each state's blend into the clip."""
    table = table_of(clip)
    found = np.empty(len(entry.front_s))
    for n in range(len(found)):
        left = State(states.pose.at(n), states.velocity[n], states.spin[n])
        frames = max(round(float(entry.length_s[n]) * SHOWN_HZ), 1)
        way_s = entry.front_s[n] - entry.time_s[n]
        way_s = np.mod(way_s, table.duration_s) if table.loop else way_s
        made = blend(Departure(clip.skeleton, SHOWN_HZ, left), clip, table, way_s, float(entry.front_s[n]), frames).pose
        start = left.pose
        whole = Pose(np.vstack([start.root_pos[None], made.root_pos]), np.concatenate([start.rot[None], made.rot]))
        steps = np.diff(world_positions(clip.skeleton, whole), axis=0)
        found[n] = SHOWN_HZ * np.linalg.norm(steps, axis=-1).max()
    return found

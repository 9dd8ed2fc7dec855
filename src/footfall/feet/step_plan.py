"""Step plans: what each foot does from the motion that is left to the one that is entered, as plain data.

A foot that stands in both motions may be *held*: it stays where it is and lifts off when the target lifts it; its
offset from the target's own place is gone when the target sets it down again. Any other foot *steps*: it lifts off,
swings and lands where and when the target stands on it, never sooner than a human step takes.

`feet.step_search` finds the cheapest plan, `feet.step_following` turns a plan into poses. Frames are counted from the
departure (0); the target's frame at the departure is its entry less the length.
"""

from __future__ import annotations

from typing import NamedTuple

from footfall.feet.foot_paths import FootPaths
from footfall.feet.limits import STEP_AFTER_S
from footfall.kinematics.floor_align import FloorTransform

NEVER = 1 << 30  # frame of what does not happen


class PlannedFoot(NamedTuple):
    """What one foot does, in frames after the departure."""

    held: bool
    lift: int  # last frame of its old place
    land: int  # first frame that is the target's own; NEVER for a foot that stays where it is
    old_last: int  # the left motion is followed up to here, then it stays
    new_first: int  # the target is followed from here, before that it waits
    rest: tuple[int, int]  # from when on it stands quite still, and when it is let go
    turn: float  # radians by which it is held turned
    low_start: bool  # it leaves the floor at the lift
    low_end: bool  # it lands on a foot of the target that already stands
    place: tuple[float, float, float]  # where the placed target has the ball in the contact that is held
    offset: tuple[float, float, float]  # how far from there it is held
    cost: float
    far: float  # metres it is held off, or steps; -1 for a foot that joins the target's swing
    fps: float  # of the frames

    @property
    def note(self) -> str:
        """What the foot does, in words."""
        if self.held:
            end = "" if self.land < NEVER else ", to the end"
            return f"held {100.0 * self.far:.0f} cm from the target's place{end}"
        if self.far < 0.0:
            return "joins the target's swing"
        return f"steps {100.0 * self.far:.0f} cm in {(self.land - self.lift) / self.fps:.2f} s"


class StepPlan(NamedTuple):
    """Both feet and the place of the target."""

    feet: tuple[PlannedFoot, PlannedFoot]
    placement: FloorTransform
    length: int  # frames of the transition
    end: int  # frame from which on everything is the target's own
    cost: float


class JoinEnds(NamedTuple):
    """The two motions around a join: frames of both from the departure on."""

    old: FootPaths
    new: FootPaths
    leave: int  # frame of old at the departure
    enter: int  # frame of new at the end of the transition
    length: int
    late: tuple[float, float] = (0.0, 0.0)  # how far, in frames, the departure and the entry truly lie after those
    calm: float = 1.0  # how much slower than usual steps are: among people who stand, nobody hurries

    @property
    def start(self) -> int:
        """The new motion's frame at the departure."""
        return self.enter - self.length

    @property
    def horizon(self) -> int:
        """The last frame after the departure that both motions have and feet are planned for."""
        wanted = self.length + round(self.calm * STEP_AFTER_S * self.old.fps)
        return min(wanted, len(self.old.down) - 1 - self.leave, len(self.new.down) - 1 - self.start)


# Columns of a packed foot, as kernels have it; PLACE and OFFSET take three each, COST and FAR are the search's.
HELD, LIFT, LAND, OLD_LAST, NEW_FIRST, REST, LET_GO, TURN, LOW_START, LOW_END, PLACE, OFFSET = *range(10), 10, 13
COST, FAR = 16, 17
COLUMNS = 18


def packed(foot: PlannedFoot) -> list[float]:
    """A planned foot as one row of COLUMNS numbers."""
    ends = (foot.lift, foot.land, foot.old_last, foot.new_first, *foot.rest)
    flags = (foot.turn, foot.low_start, foot.low_end)
    return [float(x) for x in (foot.held, *ends, *flags, *foot.place, *foot.offset, foot.cost, foot.far)]


def unpacked(row: list[float], fps: float) -> PlannedFoot:
    """The planned foot of a row."""
    lift, land, old_last, new_first, rest, let_go = (int(x) for x in row[LIFT:TURN])
    place, offset = (row[10], row[11], row[12]), (row[13], row[14], row[15])
    flags = row[TURN], row[LOW_START] > 0.0, row[LOW_END] > 0.0
    ends = lift, land, old_last, new_first, (rest, let_go)
    return PlannedFoot(row[HELD] > 0.0, *ends, *flags, place, offset, row[COST], row[FAR], fps)

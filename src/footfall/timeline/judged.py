"""A track judged: what it shows of its clips, in the given order, and what a viewer would say about it.

What starts and cuts by hand take from an action is not held against the result, but it is told, by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from footfall.core.clip import Clip
from footfall.core.report import Report, Segment
from footfall.quality.content import SHOWN, ActionShown, actions_shown
from footfall.quality.judge import Judgement, SeamJudgement
from footfall.quality.judged_figures import LIMITS
from footfall.quality.shown import ShownClip
from footfall.quality.verdict import stepwise, told
from footfall.timeline.arranged_clip import ArrangedClip
from footfall.timeline.model import TimelineClip, TimelineTrack
from footfall.timeline.synthesis import SynthesizedTrack
from footfall.timeline.track_plan import TrackPlan

SAME_S = 1e-4  # starts that differ by less are one
NO_JOINS = ("clip", "composition", "wait")  # kinds of segments that are none


def judged_track(clip: Clip, made: SynthesizedTrack, track: TimelineTrack) -> Judgement | None:
    """What the judge says of a track's take; None where it has nothing to go by."""
    return next((found for found in judging_track(clip, made, track) if found is not None), None)


def judging_track(clip: Clip, made: SynthesizedTrack, track: TimelineTrack) -> Iterator[Judgement | None]:
    """The same in steps, of which the last tells.

    What is laid over the row of clips is no seam: the row is judged as it is without.
    """
    alone = clip.with_pose(made.pose) if made.plan.overlays or track.layers else clip
    yield from stepwise(alone, shown_pieces(made, track))


def with_judgement(report: Report, clip: Clip, made: SynthesizedTrack, track: TimelineTrack) -> Report:
    """The report of a take with the verdict, each join with its grade, and what starts by hand leave no time for."""
    found = judged_track(clip, made, track)
    seams = seams_of(found, made.plan, track)
    by_start = {row.first: seams.get(row.pieces[0]) for row in made.rows if len(row.pieces) == 2}

    def seam_of(segment: Segment) -> SeamJudgement | None:
        return None if segment.kind in NO_JOINS else by_start.get(round(segment.start_s * made.fps))

    full = told(report, found, seam_of)
    if found is None:
        return full
    return replace(full, judgement={**full.judgement, "by_hand": lost_by_hand(clip, made, track)})


def lost_by_hand(clip: Clip, made: SynthesizedTrack, track: TimelineTrack) -> list[str]:
    """What became of clips and actions for which starts by hand leave no time, in words: "kick loses its apex"."""
    found = []
    for one in shown_pieces(made, track):
        if one.asked and not one.leads.any():
            found.append(f"{one.clip.name} is not shown")
        elif one.asked:
            found += [words for action in actions_shown(clip, [one]) for words in _lost(action)]
    return found


def _lost(one: ActionShown) -> list[str]:
    """What an action loses of itself; nothing where it is whole."""
    which = one.clip if one.clip == one.action.name else f"the {one.action.name} of {one.clip}"
    if one.reach < LIMITS.apex_share:
        return [f"{which} loses its apex"]
    return [f"{which} loses its {'end' if one.at_end else 'beginning'}"] if one.shown < SHOWN else []


def seams_of(found: Judgement | None, plan: TrackPlan, track: TimelineTrack) -> dict[int, SeamJudgement]:
    """The seam of every join, by its place in the plan; two joins are one seam where the clip between never leads."""
    order = given_order(plan, track)
    seams: dict[int, SeamJudgement] = {}
    for one in found.seams if found else ():
        first, last = order[one.seam.before], order[one.seam.after]
        seams.update({i: one for i in range(first, max(last, first + 1))})
    return seams


def shown_pieces(made: SynthesizedTrack, track: TimelineTrack) -> list[ShownClip]:
    """Every piece of a track as the judge wants it, in the order they were given; then those that are left out."""
    frames, pieces = made.rows[-1].end, made.plan.pieces
    times = [np.full(frames, np.nan) for _ in pieces]
    weights = [np.zeros(frames) for _ in pieces]
    for row in made.rows:
        for column, i in enumerate(row.pieces):
            times[i][row.first : row.end] = row.times_s[column]
            weights[i][row.first : row.end] = row.weights[column]
    places = _places(made.plan, track)
    by_hand = [place is not None and track.clips[place].start_s != "asap" for place in places]
    shown = []
    for i in given_order(made.plan, track):
        place = places[i]
        moved = (i > 0 and by_hand[i]) or (i + 1 < len(pieces) and by_hand[i + 1])  # what a start by hand cuts
        asked = moved or (place is not None and track.clips[place].trim_s is not None)
        inside = (times[i] >= -SAME_S) & (times[i] <= pieces[i].clip.duration + SAME_S)  # beyond, it is led on
        times_s, weight = np.where(inside, times[i], np.nan), np.where(inside, weights[i], 0.0)
        shown.append(ShownClip(pieces[i].clip, times_s, weight, asked, filler=place is None))
    for left_out, place in zip(made.plan.unseen, places[len(pieces) :], strict=True):
        asked = place is not None and track.clips[place].start_s != "asap"
        shown.append(ShownClip(left_out.piece.clip, np.full(frames, np.nan), np.zeros(frames), asked))
    return shown


def given_order(plan: TrackPlan, track: TimelineTrack) -> list[int]:
    """Places of the pieces in the order their clips were given: starts by hand that go back in time change it."""
    asked = [float(entry.start_s) for entry in track.clips if entry.start_s != "asap"]
    places = _places(plan, track)[: len(plan.pieces)]
    if asked != sorted(asked):
        return list(range(len(places)))
    keys: list[tuple[int, int]] = []
    for i, place in enumerate(places):
        keys.append((place if place is not None else keys[-1][0] if keys else 0, i))
    return sorted(range(len(keys)), key=lambda i: keys[i])


def _places(plan: TrackPlan, track: TimelineTrack) -> list[int | None]:
    """Which clip of the track each piece is, and each that is left out; None: put in between, or the rest of one."""
    left = list(range(len(track.clips)))
    found: list[int | None] = []
    for piece in [*plan.pieces, *(unseen.piece for unseen in plan.unseen)]:
        here = () if piece.filler else left
        same = (n for n in here if abs(plan.starts_s[n] - piece.start_s) < SAME_S and _is_of(track.clips[n], piece))
        own = next(same, None)
        if own is not None:
            left.remove(own)
        found.append(own)
    return found


def _is_of(entry: TimelineClip, piece: ArrangedClip) -> bool:
    return entry.method == piece.method and abs(entry.speed - piece.source_rate) < 1e-9

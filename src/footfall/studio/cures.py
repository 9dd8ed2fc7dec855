"""Cures: what can be done about a join that is not believable, as changes the user can click and undo."""

from __future__ import annotations

from footfall.studio import messages as m
from footfall.timeline.standing import GAP_S

IDLE = "stand"  # the built-in motion a figure waits in
LEAST_GAP_S = 0.05  # seconds between two clips that are worth a word. By eye


def cures_of(join: m.JoinView, track: m.DocumentTrack, ends_s: dict[int, float]) -> tuple[m.Cure, ...]:
    """Cures of a join, the likeliest first; none where it is believed. ends_s: of clips by number, as placed."""
    if join.grade != "poor" or join.kind == "composition":
        return ()
    after = next((clip for clip in track.clips if clip.id == join.after), None)
    before = next((clip for clip in track.clips if clip.id == join.before), None)
    if after is None or before is None:
        return ()
    found = []
    gap_s = after.start_s - ends_s[before.id] if after.start_s is not None and before.id in ends_s else 0.0
    if after.start_s is not None:
        closes = gap_s > LEAST_GAP_S
        said = "Close the gap" if closes else "Let it follow by itself"
        found.append(m.Cure(said, "it starts as soon as it follows well", m.MoveClip(after.id, None)))
    if IDLE not in (before.clip, after.clip) and gap_s < GAP_S:  # a longer gap is filled already
        found.append(m.Cure("Fill with idle", "it comes to rest and stands in between", m.FillGap(after.id)))
    if after.method is not None:
        text = f"the planner may do better than {after.method}"
        found.append(m.Cure("Let the planner choose", text, m.ChangeClip(after.id, method="")))
    for clip, which in ((before, "the clip before"), (after, "the clip after")):
        if clip.trim_s is not None:
            said = "it may be left or entered at a better moment"
            found.append(m.Cure(f"Use all of {which}", said, m.TrimClip(clip.id, None)))
    return tuple(found)

"""The known truth of built-in clips: contacts and key times by construction, for tests and studies."""

from __future__ import annotations

import numpy as np

from footfall.analysis.key_times import FEET, KeyTime
from footfall.core.clip import Clip


def known_spans(clip: Clip, foot: str) -> list[tuple[float, float]]:
    """Times, in seconds, between which a foot ("left", "right") touches the floor, merged over heel and toe."""
    spans: list[tuple[float, float]] = []
    for start, end in sorted((e.start_s, e.end_s) for e in clip.events if e.name.startswith(f"{foot}_")):
        if spans and start <= spans[-1][1] + 1e-9:
            spans[-1] = (spans[-1][0], max(spans[-1][1], end))
        else:
            spans.append((start, end))
    return spans


def known_key_times(clip: Clip) -> list[KeyTime]:
    """Strikes and offs inside the clip, in order; contacts cut by the clip's ends have no event there."""
    found = []
    for foot in FEET:
        for start, end in known_spans(clip, foot):
            if start > 1e-9:
                found.append(KeyTime(start, foot, "strike"))
            if end < clip.duration - 1e-9:
                found.append(KeyTime(end, foot, "off"))
    return sorted(found)


def known_phases(clip: Clip) -> np.ndarray:
    """(T,) support phase of every frame: "DS", "RS", "LS" or "NS"."""
    down = {foot: np.zeros(clip.frames, bool) for foot in FEET}
    for foot in FEET:
        for start, end in known_spans(clip, foot):
            down[foot] |= (clip.times >= start - 1e-9) & (clip.times <= end + 1e-9)
    names = np.array([["NS", "RS"], ["LS", "DS"]])
    return names[down["left"].astype(int), down["right"].astype(int)]

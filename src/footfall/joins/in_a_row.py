"""Two joins in a row reported as one: the second starts from the result of the first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.core.report import Provenance, Report, Segment


def in_a_row(first: Report, second: Report, fps: float, shift_s: float, start_s: float) -> Report:
    """The report of a motion that was joined to a donor, and then to a target.

    shift_s: added to a time of the first join's result it gives that of the donor's recording. start_s: of the
    recording, when the donor that was joined begins in it. The two transitions do not meet.
    """
    left_s = next(s.start_s for s in second.segments if s.kind == "transition")
    assert first.provenance is not None
    assert second.provenance is not None
    donor = second.provenance.clips[0]
    before = [_until(_moved(s, donor, start_s), left_s) for s in first.segments if s.start_s < left_s - 1e-6]
    after = [_moved(s, donor, shift_s) for s in second.segments if s.end_s > left_s + 1e-6]
    quality = {k: max(first.quality.get(k, -np.inf), second.quality[k]) for k in second.quality}
    frames = round(left_s * fps) + 1
    provenance = _sources(first.provenance, second.provenance, frames, shift_s, start_s)
    return replace(second, segments=(*before, *after), quality=quality, provenance=provenance)


def _moved(segment: Segment, clip: str, by_s: float) -> Segment:
    """A segment with the times of one clip moved."""
    some = zip(segment.clips, segment.clip_times_s, strict=False)
    return replace(segment, clip_times_s=tuple((a + by_s, b + by_s) if c == clip else (a, b) for c, (a, b) in some))


def _until(segment: Segment, end_s: float) -> Segment:
    """A segment of a clip cut at a time."""
    late = segment.end_s - end_s
    if late <= 1e-6:
        return segment
    times = tuple((a, b - late) for a, b in segment.clip_times_s)
    return replace(segment, end_s=end_s, clip_times_s=times)


def _sources(first: Provenance, second: Provenance, frames: int, shift_s: float, start_s: float) -> Provenance:
    """So many frames as the first join has them, then the second's; the donor's times are those of its recording."""
    names = tuple(dict.fromkeys([*first.clips, *second.clips]))
    donor = second.clips[0]
    wide = max(first.clip.shape[1], second.clip.shape[1])
    parts = []
    for made, rows, moved_s in ((first, slice(0, frames), start_s), (second, slice(frames, None), shift_s)):
        number = np.array([*(names.index(name) for name in made.clips), -1])[made.clip[rows]]
        time_s = made.time_s[rows] + np.where(number == names.index(donor), moved_s, 0.0)
        parts.append([_widened(x, wide, empty) for x, empty in ((number, -1), (time_s, 0.0), (made.weight[rows], 0.0))])
    clip, time_s, weight = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    correction = np.concatenate([first.correction_m[:frames], second.correction_m[frames:]])
    return Provenance(names, clip, time_s, weight, correction)


def _widened(rows: np.ndarray, wide: int, empty: float) -> np.ndarray:
    return np.pad(rows, ((0, 0), (0, wide - rows.shape[1])), constant_values=empty)

"""Blend space: motion clips as one motion with parameters, such as a walk by speed and turn.

space = ff.blend_space("walk")                         # or a folder, files, clips
clip = space(speed=1.2, turn=10, seconds=5)             # clip.parameters: what it does, measured on it
stream = space.stream(); pose = stream.step(1 / 60, speed=1.4)
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from footfall.analysis.cycles import find_cycles
from footfall.analysis.gait import classify
from footfall.core.clip import Clip, Event, fix_signs
from footfall.core.errors import ParameterError, UnknownName
from footfall.core.report import Provenance, Report, Segment
from footfall.feet.foot_lock import foot_lock
from footfall.io.load import readable
from footfall.io.plain_file import is_folder
from footfall.motions.library import ClipLike, motion_names, open_each
from footfall.parametric import builtin_sets, canonical_time, play
from footfall.parametric.measure import measured, measured_on_clip, spot_told
from footfall.parametric.parametric_motion import ParametricMotion, build
from footfall.parametric.request import Answers, answers, nearest, worst
from footfall.parametric.space_weights import SMOOTH, Progress, chosen_weights, first_weights, solved
from footfall.parametric.stream import Stream
from footfall.parametric.structure import StructureError, loop_example
from footfall.retarget.character import Body
from footfall.retarget.one_body import same_body
from footfall.retarget.retarget import retarget

Clips = ClipLike | Iterable[ClipLike]
LONGEST_S = 3600.0  # of one clip: a longer one is refused as a mistake
FARTHEST = 2.0  # ranges of the examples beyond them: extrapolation ends somewhere; by eye
CLOSES_DEG = 25.0  # cycles whose ends differ by more in some joint are no examples of a steady gait; by eye
TOLD = 0.005  # weights below are not told in a report
# What examples must differ by for a parameter, in its unit. By eye.
LEAST_SPREAD = {"speed": 0.1, "turn": 10.0, "side": 0.15, "x": 0.05, "y": 0.05, "z": 0.05, "direction": 15.0}
OTHER_SPREAD = 0.05  # of other parameters
_DONE = {"extrapolate": "extrapolated", "clamp": "held to their edge"}
KIND_OF = {"walk": "locomotion", "run": "locomotion", "jump": "jump", "stand": "stand", "other": "target"}


class BlendWarning(UserWarning):
    """A blend does not do what was asked of it, by more than a person would overlook."""


@dataclass(frozen=True, eq=False)
class BlendSpace:
    """A parametric motion that can be asked for clips and streams; parameters are given by name."""

    motion: ParametricMotion
    left_out: tuple[str, ...] = ()  # cycles of recordings that have other steps than most
    note: str = ""  # what to know about its weights
    exact: bool = False  # weights are polished until the blend measures what was asked; else as their method gives them

    def __repr__(self) -> str:
        ranges = ", ".join(f"{n} {lo:.3g} … {hi:.3g}" for n, (lo, hi) in self.ranges.items())
        note = f"; {self.note}" if self.note else ""
        return f"BlendSpace({self.motion.name!r}, {len(self.motion)} examples; {ranges}{note})"

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """Least and largest value of every parameter among the examples; beyond them motion is extrapolated."""
        low, high = self.motion.parameters.min(axis=0), self.motion.parameters.max(axis=0)
        return {n: (float(a), float(b)) for n, a, b in zip(self.motion.parameter_names, low, high, strict=True)}

    def vector(self, parameters: Mapping[str, float]) -> np.ndarray:
        """(d,) parameters in order; those not named are in the middle of the examples."""
        stream = self.stream()
        stream.ask(**parameters)
        return np.array(list(stream.parameters.values()))

    def answers(self, points: np.ndarray, beyond: str = "extrapolate") -> Answers:
        """Weights of many requests (Q, d) at once, what their blends do, and which lie within the examples."""
        return answers(self.motion, points, beyond, self.exact)

    def weights(self, beyond: str = "extrapolate", **parameters: float) -> dict[str, float]:
        """How much of each example there is."""
        found = self.answers(self.vector(parameters), beyond).weights[0]
        return dict(zip(self.motion.examples, found.tolist(), strict=True))

    def achieved(self, beyond: str = "extrapolate", **parameters: float) -> dict[str, float]:
        """What a blend asked for these parameters does, measured on it; a finished clip tells its own."""
        return self._named(self.answers(self.vector(parameters), beyond).achieved[0])

    def nearest(self, beyond: str = "extrapolate", **parameters: float) -> dict[str, float]:
        """The nearest parameters that a blend does meet."""
        return self._named(nearest(self.motion, self.vector(parameters), beyond, self.exact))

    def prepare(self, progress: Progress | None = None) -> BlendSpace:
        """This space with the smooth inverse solved, where it has something for the time being; kept on disk.

        progress is told the share of the work that is done. Three parameters take up to a minute, once.
        """
        return replace(self, motion=solved(self.motion, {}, progress), note="") if self.note else self

    def stream(self, x: float = 0.0, z: float = 0.0, heading: float = 0.0, compiled: bool = False) -> Stream:
        """The motion live, from a place and heading (radians) on the floor; compiled: see `Stream`."""
        return Stream(self.motion, x, z, heading, compiled, lambda p: self.answers(p).weights[0])

    def __call__(
        self,
        seconds: float | None = None,
        fps: float | None = None,
        lock: bool = True,
        beyond: str = "extrapolate",
        **parameters: float,
    ) -> Clip:
        """A clip at constant parameters: one round of a loop, or so many seconds of it; else the whole action.

        lock: feet are held where they stand. One round is fitted to whole frames, so that it repeats.
        beyond: outside the examples motion is extrapolated, or "clamp" takes the nearest of what lies within.
        The clip's parameters are what it does; a BlendWarning and its own warnings say where that is not what was
        asked.
        """
        motion, p = self.motion, self.vector(parameters)
        self._check_reach(p)
        answer = self.answers(p, beyond)
        w = answer.weights[0]
        fps = _checked("fps", motion.fps if fps is None else fps, 1.0, 1000.0)
        times, scale = _frame_times(play.duration(motion, w, p), seconds, fps)
        played = play.play(motion, w, times, p)
        spans = play.contact_spans(motion, w, float(times[-1]), p)
        spans = {part: [(a * scale, b * scale) for a, b in found] for part, found in spans.items()}
        keys = scale * canonical_time.blended_key_times(motion.blended_rates(w, p))
        clip = Clip(
            motion.skeleton, fps, fix_signs(played.pose), name=motion.name, is_loop=motion.is_loop and seconds is None,
            events=_events(spans, motion, keys),
        )  # fmt: skip
        locked = foot_lock(clip, spans) if lock and any(spans.values()) else clip
        steady = motion.kind == "locomotion"
        blended = answer.achieved[0] / np.where([steady and n not in motion.given for n in self.ranges], scale, 1.0)
        got = measured_on_clip(motion, locked, keys, blended)
        return replace(
            locked, events=clip.events, parameters=self._named(got), warnings=self._told(answer, got, beyond),
            report=self._report(clip, locked, played, answer._replace(achieved=got[None])),
        )  # fmt: skip

    def _named(self, values: np.ndarray) -> dict[str, float]:
        told = spot_told(self.motion, values)
        return dict(zip(self.motion.parameter_names, told.tolist(), strict=True))

    def _told(self, answer: Answers, got: np.ndarray, beyond: str) -> tuple[str, ...]:
        """One line where the clip is not what was asked, or lies outside the examples."""
        asked = answer.asked[0]
        off = worst(self.motion, asked, got)
        if off.share <= 1.0:
            line = f"{_words(self._named(asked))}: outside the examples, {_DONE[beyond]}"
            return () if answer.inside[0] else (line,)
        near = nearest(self.motion, asked, beyond, self.exact)
        outside = "" if answer.inside[0] else f", outside the examples, {_DONE[beyond]}"
        line = (
            f"asked for {_words(self._named(asked))}{outside}; made {_words(self._named(got))}, {off.words}; the "
            f"nearest that can be met is {_words(self._named(near))}"
        )
        warnings.warn(line, BlendWarning, stacklevel=3)
        return (line,)

    def _check_reach(self, p: np.ndarray) -> None:
        """Refuse what is so far from the examples that nothing of them would be left."""
        for value, (name, (low, high)) in zip(p, self.ranges.items(), strict=True):
            slack = FARTHEST * max(high - low, 1e-6)
            if not low - slack <= value <= high + slack:
                raise ParameterError(
                    f"{name} {value:g} is too far from the examples of {self.motion.name}, which have {low:.3g} to "
                    f"{high:.3g}; add an example nearer to it"
                )

    def _report(self, clip: Clip, locked: Clip, played: play.Played, answer: Answers) -> Report:
        """Every frame is the same blend, at other times of the examples."""
        motion, count, weights = self.motion, clip.frames, answer.weights[0]
        moved = np.linalg.norm(locked.positions - clip.positions, axis=-1).max(axis=-1)
        times = canonical_time.to_actual(played.canonical, motion.key_times)
        told = ", ".join(f"{n} {v:.2f}" for n, v in zip(motion.examples, weights, strict=True) if abs(v) >= TOLD)
        segment = Segment(
            "blend", 0.0, clip.duration, motion.examples, "blend", reason=f"weights: {told}",
            asked=self._named(answer.asked[0]), achieved=self._named(answer.achieved[0]),
        )  # fmt: skip
        provenance = Provenance(
            motion.examples, np.tile(np.arange(len(motion)), (count, 1)), times, np.tile(weights, (count, 1)), moved
        )
        return Report((segment,), {"lock_moved_m": float(moved.max(initial=0.0))}, provenance)


@dataclass(frozen=True)
class BlendSpaceOptions:
    """How clips are made into one motion, as keywords of `blend_space`."""

    kind: str | None = None  # locomotion, target, jump, stand or take, where footfall finds it wrongly
    sync: str | None = None  # how examples are aligned (`structure.SYNCS`); usually by every strike and lift-off
    time: str = "log-rate"  # how fast blends go (`canonical_time.SCHEMES`)
    character: Body | None = None  # the body to put all clips on; default: the first clip's
    cycles: str = "best"  # of a recording of many steps: the cycle that repeats best, or "all" that repeat well
    name: str = ""


def blend_space(
    clips: Clips,
    by: Sequence[str] | None = None,
    method: str | None = None,
    values: Mapping[str, Sequence[float]] | None = None,
    **options: Any,
) -> BlendSpace:
    """Make one motion with parameters out of clips, files, a folder, or a built-in set by name ("walk").

    by: names of the parameters: speed (m/s), turn (°/s to the left) and side (m/s to the left) of gaits; x, y, z
    (metres) of reaches, punches and kicks; distance, direction (°) and height of jumps. They are measured on the clips.
    values: parameters of your own, one number a clip, as in values={"tired": [0, 0, 1]}.
    method: how parameters become weights (`footfall.weights`), with options of its own; by default the smooth inverse
    of what is measured, and where solving it takes longer than a second something nearly as good until `prepare()`.
    options: those of the method, and kind, sync, time, character, cycles and name, as in `BlendSpaceOptions`.
    cycles="all" makes every cycle that repeats well an example.
    """
    if "onto" in options:  # as version 0.1 called it
        options["character"] = options.pop("onto")
    own = {key: options.pop(key) for key in tuple(options) if key in BlendSpaceOptions.__dataclass_fields__}
    made, values = BlendSpaceOptions(**own), dict(values or {})
    left_out: tuple[str, ...] = ()
    builtin = clips if isinstance(clips, str) and clips in builtin_sets.SETS else ""
    if builtin:
        recipe = builtin_sets.SETS[builtin]
        by = (*recipe.by, *values) if by is None else by
        made = replace(made, kind=made.kind or recipe.kind, sync=made.sync or recipe.sync, name=made.name or builtin)
    if builtin and made == BlendSpaceOptions(recipe.kind, recipe.sync, name=made.name):
        motion = replace(builtin_sets.parametric_set(builtin), name=made.name)
    else:
        motion, left_out = _of_clips(list(builtin_sets.set_clips(builtin)) if builtin else read_clips(clips), made)
        builtin = ""
    if by is None:
        by = (*_differing(measured(motion)), *values)
    if not builtin or tuple(by) != recipe.by:
        motion, builtin = measured(motion, by, {n: values[n] for n in values if n in by}), ""
    if method is None:
        if options:
            raise UnknownName("option of a blend space", next(iter(options)), BlendSpaceOptions.__dataclass_fields__)
        motion, note = first_weights(motion, builtin)
        return BlendSpace(motion, left_out, note, exact=True)
    return BlendSpace(chosen_weights(motion, method, options, builtin), left_out, exact=method == SMOOTH)


def _of_clips(clips: Sequence[Clip], made: BlendSpaceOptions) -> tuple[ParametricMotion, tuple[str, ...]]:
    """Clips on one body as a motion without parameters, and the names of cycles that were left out."""
    kind = made.kind or kind_of(clips)
    left_out: tuple[str, ...] = ()
    found = one_body(clips, made.character)
    if kind == "locomotion":
        several = [cycle for clip in found for cycle in gait_cycles(clip, made.cycles)]
        if made.cycles == "all":
            several, left_out = _usual_steps(several, made.sync or "events")
        found = several
    try:
        return build(found, kind, made.name, made.sync or "events", time=made.time), left_out
    except StructureError as error:
        if kind != "locomotion" or made.cycles == "all" or not error.cure or all(clip.is_loop for clip in clips):
            raise
        every = "use all good cycles but those with other steps (--all-cycles; in Python cycles='all')"
        raise StructureError(error.why, f"{every}, or {error.cure}") from None


# --- reading and preparing clips -----------------------------------------------------------------------------------


def read_clips(clips: Clips) -> list[Clip]:
    """Clips of files, of all files of a folder, of built-in motions by name, or as given."""
    if isinstance(clips, str | Path) and is_folder(clips):
        folder = Path(clips)
        clips = sorted(p for p in folder.iterdir() if p.suffix.lower() in readable() and not p.name.startswith("."))
        if not clips:
            raise ParameterError(f"{folder}: no motion files in this folder to blend")
    try:
        found = open_each(clips)
    except UnknownName:
        if not isinstance(clips, str):
            raise
        known = {*builtin_sets.SETS, *motion_names()}
        raise UnknownName("file, folder, built-in set or motion", clips, known) from None
    empty = next((clip for clip in found if clip.frames < 2), None)
    if empty is not None or not found:
        raise ParameterError(f"{empty.name or 'a clip' if empty else 'nothing'} has no motion to blend")
    return [replace(clip, name=clip.name or Path(clip.source.path).stem) for clip in found]


def kind_of(clips: Sequence[Clip]) -> str:
    """What all the clips are, or a sentence naming the odd one out."""
    kinds = [KIND_OF[classify(clip).type] for clip in clips]
    usual = max(sorted(set(kinds)), key=kinds.count)
    odd = next((k for k, kind in enumerate(kinds) if kind != usual), None)
    if odd is not None:
        raise ParameterError(
            f"{clips[odd].name or f'clip {odd + 1}'} is found to be {kinds[odd]}, the others {usual}; leave it out, or "
            f"say what they are (kind={usual!r})"
        )
    return usual


def one_body(clips: Sequence[Clip], onto: Body | None = None) -> list[Clip]:
    """All clips on one body: the one given, else the first clip's."""
    if onto is not None:
        return [retarget(clip, onto) for clip in clips]
    first = clips[0].skeleton
    return [
        replace(clip, skeleton=first) if same_body(clip.skeleton, first) else retarget(clip, clips[0]) for clip in clips
    ]


def gait_cycles(clip: Clip, which: str = "best") -> list[Clip]:
    """The cycle of a recording that repeats best, or all that repeat well, as loops; a loop as it is."""
    if which not in ("best", "all"):
        raise UnknownName("choice of cycles", which, ("best", "all"))
    if clip.is_loop:
        return [clip]
    found = find_cycles(clip) or find_cycles(clip, steady=False)
    if not found:
        raise ParameterError(
            f"{clip.name or 'this clip'}: no whole gait cycle in it, from a strike of one foot to its next; give a "
            "longer clip"
        )
    best = min(found, key=lambda c: c.closing_error_deg)
    if which == "best":
        return [clip.trim(best.start_s, best.end_s).loop()]
    good = [c for c in found if c.start_foot == best.start_foot and c.closing_error_deg <= CLOSES_DEG] or [best]
    return [replace(clip.trim(c.start_s, c.end_s).loop(), name=f"{clip.name}@{c.start_s:.2f}s") for c in good]


def _usual_steps(clips: Sequence[Clip], sync: str) -> tuple[list[Clip], tuple[str, ...]]:
    """The loops whose events come in the order most have them in, and the names of the others."""
    marks = [loop_example(clip, sync).marks for clip in clips]
    usual = max(marks, key=marks.count)
    kept = [clip for clip, own in zip(clips, marks, strict=True) if own == usual]
    return kept, tuple(clip.name for clip, own in zip(clips, marks, strict=True) if own != usual)


def _differing(motion: ParametricMotion) -> tuple[str, ...]:
    """Measured parameters in which the examples really differ."""
    spread = np.ptp(motion.parameters, axis=0)
    return tuple(
        n for n, s in zip(motion.parameter_names, spread, strict=True) if s > LEAST_SPREAD.get(n, OTHER_SPREAD)
    )


def _frame_times(length_s: float, seconds: float | None, fps: float) -> tuple[np.ndarray, float]:
    """(T,) times of a blend that frames show, and the clip's time over the blend's.

    As many frames as asked for, or one round fitted to whole frames: it is at most half a frame off.
    """
    if seconds is not None:
        return np.arange(round(_checked("seconds", seconds, 0.0, LONGEST_S) * fps) + 1) / fps, 1.0
    frames = np.arange(max(round(length_s * fps), 1) + 1)
    return frames * (length_s / frames[-1]), frames[-1] / fps / length_s


def _events(spans: play.Spans, motion: ParametricMotion, keys_s: np.ndarray) -> tuple[Event, ...]:
    """When feet are down, and the apex of an action."""
    found = [Event(part, a, b) for part, times in spans.items() for a, b in times]
    found += [Event("apex", float(t), float(t)) for t, mark in zip(keys_s, motion.marks, strict=True) if mark == "apex"]
    return tuple(sorted(found, key=lambda e: (e.start_s, e.name)))


def _words(parameters: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {round(value, 3) + 0.0:.3g}" for name, value in parameters.items())


def _checked(what: str, value: float, low: float, high: float) -> float:
    if not low <= value <= high:
        raise ParameterError(f"{what} must be {low:g} to {high:g}, got {value}")
    return float(value)

"""The judge: what a viewer sees of a made motion, every figure beside its limit, and the first reason in words.

The figures and their limits are in `judged_figures`; docs/believable.md says where each comes from. All joins,
timelines, loops and live edges are graded by this file and no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from footfall.quality.body_signals import body_signals
from footfall.quality.content import SHOWN, ActionShown, Loss, actions_shown, in_order, kept
from footfall.quality.judged_figures import FIGURES, LIMITS, USUAL_SHARE, JudgedFigure, Limits, MeasuredSeam
from footfall.quality.shown import Seam, ShownClip, find_seams, part_of

if TYPE_CHECKING:
    from footfall.core.clip import Clip

GRADES = ("green", "amber", "red")  # best first


@dataclass(frozen=True)
class SeamJudgement:
    """All figures of one seam."""

    seam: Seam
    time_s: float
    figures: dict[str, JudgedFigure]
    clips: tuple[str, str] = ("", "")  # names of both
    lost: tuple[str, ...] = ()  # what a viewer would say is missing of either clip because of this seam

    @property
    def failed(self) -> dict[str, JudgedFigure]:
        return {name: figure for name, figure in self.figures.items() if not figure.ok}

    @property
    def reasons(self) -> tuple[str, ...]:
        """What a viewer would say of this seam, the gravest first."""
        return tuple(dict.fromkeys([*self.lost, *(figure.seen for figure in self.failed.values())]))

    @property
    def is_usual(self) -> bool:
        """Whether every figure is one that 95 % of untouched captures show, too."""
        return all(figure.is_usual(USUAL_SHARE[name]) for name, figure in self.figures.items())

    @property
    def grade(self) -> str:
        """Green, amber or red."""
        return "red" if self.reasons else "green" if self.is_usual else "amber"

    def to_json(self) -> dict[str, Any]:
        """Plain data for reports."""
        figures = {n: {**f._asdict(), "ok": f.ok} for n, f in self.figures.items()}
        return {
            "time_s": self.time_s,
            "clips": list(self.clips),
            "grade": self.grade,
            "reasons": list(self.reasons),
            "figures": figures,
        }


@dataclass(frozen=True)
class Judgement:
    """A whole result: its seams, and what became of its clips and their actions."""

    seams: tuple[SeamJudgement, ...]
    losses: tuple[Loss, ...]  # of clips that lost more than they may, and nobody asked for it
    actions: tuple[ActionShown, ...]  # those that are not whole
    ordered: bool
    limits: Limits = field(default=LIMITS, repr=False)

    @property
    def believable(self) -> bool:
        return not self.reasons

    @property
    def grade(self) -> str:
        """Green: believable, and all as in 95 % of untouched captures; amber: believable; red: not."""
        if not self.believable:
            return "red"
        return "green" if all(seam.is_usual for seam in self.seams) else "amber"

    @property
    def reasons(self) -> tuple[str, ...]:
        """What a viewer would say, the gravest first."""
        found = [] if self.ordered else ["the clips are not played in their order"]
        found += [_cut(action) for action in self.actions]
        found += [_left(loss) for loss in self.losses]
        for seam in self.seams:
            found += [f"{figure.seen} at {seam.time_s:.1f} s" for figure in seam.failed.values()]
        return tuple(dict.fromkeys(found))

    @property
    def failed(self) -> set[str]:
        """Names of all figures that miss their limits."""
        names = {name for seam in self.seams for name in seam.failed}
        return (
            names
            | ({"order"} if not self.ordered else set())
            | ({"actions"} if self.actions else set())
            | ({"kept"} if self.losses else set())
        )

    def to_json(self) -> dict[str, Any]:
        """Plain data for reports."""
        return {
            "believable": self.believable,
            "grade": self.grade,
            "reasons": list(self.reasons),
            "ordered": self.ordered,
            "lost": [{"clip": k.clip, "kept_s": k.kept_s, "least_s": k.least_s} for k in self.losses],
            "cut": [
                {"clip": a.clip, "action": a.action.name, "shown": a.shown, "reach": a.reach} for a in self.actions
            ],
            "seams": [seam.to_json() for seam in self.seams],
        }


def _cut(action: ActionShown) -> str:
    return f"the {action.action.name} of {f'clip {action.clip!r}' if action.clip else 'a clip'} is cut"


def _left(loss: Loss) -> str:
    name = loss.clip or "a clip"
    return f"only {loss.kept_s:.1f} s of {name} are left" if loss.kept_s >= 0.05 else f"{name} is not shown"


def judge(out: Clip, shown: Sequence[ShownClip], limits: Limits = LIMITS) -> Judgement:
    """Grade a made motion against the clips it shows, which are on its body."""
    (found,) = (step for step in judging(out, shown, limits) if step is not None)
    return found


def judging(out: Clip, shown: Sequence[ShownClip], limits: Limits = LIMITS) -> Iterator[Judgement | None]:
    """The same in steps of some hundredths of a second, for those who have other things to do; the last one tells."""
    seams = find_seams(out, shown)
    losses, actions = _content(out, shown, limits)
    yield None
    words = [(_cause(seams, of, a.at_end), _cut(a)) for of, a in actions]
    words += [(_cause(seams, of, k.at_end), _left(k)) for of, k in losses]
    found = []
    for n, seam in enumerate(seams):
        part = part_of(out, shown, seams, n)
        clips = part.clips
        theirs = body_signals(clips[0].clip), body_signals(clips[1].clip)
        j = MeasuredSeam(part.out, body_signals(part.out), clips, theirs, part.seam, part.own, limits)
        figures = {name: figure(j) for name, figure in FIGURES.items()}
        names = clips[0].clip.name, clips[1].clip.name
        lost = tuple(word for cause, word in words if cause == n)
        found.append(SeamJudgement(seam, seam.first / out.fps, figures, names, lost))
        yield None
    every = tuple(loss for _, loss in losses), tuple(action for _, action in actions)
    yield Judgement(tuple(found), *every, in_order(shown), limits)


def _cause(seams: Sequence[Seam], clip: int, at_end: bool) -> int | None:
    """Which seam takes something from the end, or the beginning, of a clip; the other one where there is none there."""
    out_of = next((n for n, seam in enumerate(seams) if seam.before == clip), None)
    into = next((n for n, seam in enumerate(seams) if seam.after == clip), None)
    first, second = (out_of, into) if at_end else (into, out_of)
    return second if first is None else first


def _content(
    out: Clip, shown: Sequence[ShownClip], limits: Limits
) -> tuple[list[tuple[int, Loss]], list[tuple[int, ActionShown]]]:
    """What is lost of clips that nobody asked to cut, and their actions that are not whole, each with its clip."""
    losses, actions = [], []
    for i, one in enumerate(shown):
        if one.asked or one.filler:
            continue
        loss = kept(one)
        if loss.kept_s < loss.least_s:
            losses.append((i, loss))
        for action in actions_shown(out, [one]):
            if action.shown < SHOWN or action.reach < limits.apex_share:
                actions.append((i, action))
    return losses, actions

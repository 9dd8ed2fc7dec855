"""Which clips of the library blend (docs/lint.md), and the cures that can be done by a click: a copy that is cured."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from footfall.analysis.compatibility import Finding
from footfall.analysis.summary import analyze
from footfall.analysis.traits import Traits
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.library.kept_traits import traits_of
from footfall.library.partners import compare
from footfall.retarget.retarget import retarget
from footfall.studio import join_messages as m
from footfall.studio.edits import sentence
from footfall.timeline.recent import Recent

MOST = 64  # clips of one map: of so few all pairs are compared
SPEEDS = (0.5, 2.0)  # a clip that would have to be played slower or faster is another motion. By eye

ClipOf = Callable[[str], Clip]  # by its key
NameOf = Callable[[str], str]  # as people see it
Fix = Callable[[Clip, Clip, Traits, Traits], Clip]


class TraitsKept:
    """Traits of clips that were analysed before, by key, for as long as the clip is the same."""

    def __init__(self) -> None:
        self._known: Recent[tuple[str, int], tuple[Clip, Traits]] = Recent(8 * MOST)

    def of(self, key: str, clip: Clip, name: str) -> Traits:
        """A clip's traits, under a name."""
        made = self._known.get((key, id(clip)), lambda: (clip, traits_of(clip, name, None)))[1]
        return replace(made, name=name)


def comparing(asked: m.MapLibrary, clip_of: ClipOf, name_of: NameOf, kept: TraitsKept) -> Iterator[tuple[m.LibraryMap]]:
    """How far it is after every clip, then all that was found."""
    keys = list(dict.fromkeys(asked.keys))[:MOST]
    by_name: dict[str, str] = {}
    found: list[Traits] = []
    left_out = []
    for n, key in enumerate(keys):
        try:
            clip = clip_of(key)
            name = _free(name_of(key), by_name)
            found.append(kept.of(key, clip, name))
            by_name[name] = key
        except FootfallError as error:
            left_out.append(sentence(error))
        yield (m.LibraryMap(asked.serial, min((n + 1) / len(keys), 0.99)),)
    compared = compare(found)
    traits = {one.name: one for one in found}
    faults = tuple(_fault(finding, by_name, traits) for finding in compared.findings)
    ordered = dict.fromkeys([*(name for group in compared.groups for name in group), *traits])
    yield (m.LibraryMap(asked.serial, 1.0, tuple(by_name[name] for name in ordered), faults, tuple(left_out)),)


def cured(asked: m.CureClip, clip_of: ClipOf, name_of: NameOf) -> Clip:
    """The copy, with a name that says what was done."""
    if asked.kind not in FIXES:
        raise ParameterError(
            f"nothing can be done about {asked.kind[:40]!r} by a click; the cure says what to do by hand"
        )
    clip, other = clip_of(asked.key), clip_of(asked.other)
    known = traits_of(clip, clip.name, None), traits_of(other, other.name, None)
    made = FIXES[asked.kind][1](clip, other, *known)
    return replace(made, name=f"{name_of(asked.key)} {FIXES[asked.kind][0]}")


def _fault(finding: Finding, by_name: dict[str, str], traits: dict[str, Traits]) -> m.ClipFault:
    a, b = by_name[finding.a], by_name[finding.b] if finding.b else None
    fixes = []
    if finding.kind in FIXES:
        one, other = traits[finding.a], traits[finding.b or finding.a]
        pairs = ((one, other), (other, one)) if b is not None else ((one, one),)
        for mine, theirs in pairs:
            if _helps(finding.kind, mine, theirs):
                label = f"{mine.name} {FIXES[finding.kind][0]}"
                fixes.append(m.ClipFix(label, by_name[mine.name], by_name[theirs.name]))
    return m.ClipFault(a, b, finding.kind, finding.why, finding.cure, tuple(fixes))


def _helps(kind: str, mine: Traits, theirs: Traits) -> bool:
    """Whether a cure can be done to the first of two."""
    if kind == "fps":
        return mine.fps < theirs.fps
    if kind == "steps":
        return mine.steps > theirs.steps > 0
    if kind == "length":
        return SPEEDS[0] <= _factor(mine, theirs) <= SPEEDS[1]
    return True


def _free(name: str, taken: dict[str, str]) -> str:
    count = 2
    free = name
    while free in taken:
        free, count = f"{name} ({count})", count + 1
    return free


# --- what can be done ---------------------------------------------------------------------------------------------


def _cut_to_steps(clip: Clip, other: Clip, mine: Traits, theirs: Traits) -> Clip:
    """Up to the middle between the last strike that is kept and the next one."""
    strikes = [key.t_s for key in analyze(clip).key_times if key.event == "strike"]
    count = theirs.steps
    if not 0 < count < len(strikes):
        raise ParameterError(f"{clip.name} cannot be cut to {count} steps; trim it by hand")
    return clip.trim(0.0, 0.5 * (strikes[count - 1] + strikes[count]))


def _sped(clip: Clip, other: Clip, mine: Traits, theirs: Traits) -> Clip:
    return clip.speed(_factor(mine, theirs))


def _factor(mine: Traits, theirs: Traits) -> float:
    """How much faster the first has to be played to last as long; strides are compared where there are any."""
    strides = mine.stride_s > 0.0 and theirs.stride_s > 0.0
    return mine.stride_s / theirs.stride_s if strides else mine.duration_s / max(theirs.duration_s, 1e-9)


# by kind of fault: what the copy is called, and how it is made
FIXES: dict[str, tuple[str, Fix]] = {
    "glitch": ("smoothed", lambda clip, other, mine, theirs: clip.smooth()),
    "skeleton": ("on the other's body", lambda clip, other, mine, theirs: retarget(clip, other)),
    "proportions": ("on the other's body", lambda clip, other, mine, theirs: retarget(clip, other)),
    "start-foot": ("mirrored", lambda clip, other, mine, theirs: clip.mirror()),
    "steps": ("cut", _cut_to_steps),
    "length": ("sped", _sped),
    "fps": ("resampled", lambda clip, other, mine, theirs: clip.resample(other.fps)),
}

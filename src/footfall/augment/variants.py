"""Variants of a clip: mirrored, retimed, retargeted, blended with a partner, or joined to a clip that continues it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from footfall.align.features import points_of
from footfall.analysis.summary import analyze
from footfall.augment.manifest import ManifestRow, stretches
from footfall.augment.recipe import AugmentRecipe
from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError
from footfall.core.report import Provenance
from footfall.io.load import load_all
from footfall.joins.join import join
from footfall.library.index_file import Index
from footfall.library.match import best_places
from footfall.library.moments import moments_facet, on_body, turned_rows
from footfall.parametric.blend_space import blend_space
from footfall.quality.alone import figures_alone
from footfall.retarget.character import character
from footfall.retarget.retarget import retarget

PLACES = 24  # the recordings of the best places to enter are those a clip is joined to
WORSE = 1.1  # a figure may be so much larger than its sources', beyond what is usual


class VariantSource(NamedTuple):
    """A clip to make variants of, and what its library knows."""

    folder: Path
    file: str
    number: int
    clip: Clip
    partners: tuple[tuple[str, int], ...]  # file and number of clips it blends with
    place: Path  # of the library's index


class MadeVariant(NamedTuple):
    """A made clip with where its frames come from, and what the judge says."""

    clip: Clip
    rows: list[ManifestRow]  # of no file yet
    grade: str
    why: str  # it is not believable; empty where it is


def make(kind: str, source: VariantSource, recipe: AugmentRecipe, number: int) -> MadeVariant:
    """One variant of a kind; a FootfallError where there is none."""
    return MAKERS[kind](source, recipe, recipe.chance(f"{source.file}#{source.number}", kind, number), number)


def _mirrored(source: VariantSource, recipe: AugmentRecipe, chance: np.random.Generator, number: int) -> MadeVariant:
    made = source.clip.mirror()
    return _alone(made, source, [_whole("mirror", made, source)._replace(mirrored=True)])


def _retimed(source: VariantSource, recipe: AugmentRecipe, chance: np.random.Generator, number: int) -> MadeVariant:
    factor = float(np.exp(chance.uniform(*np.log(recipe.retimed))))
    made = source.clip.speed(factor)
    return _alone(made, source, [_whole("retime", made, source)._replace(speed=factor)])


def _retargeted(source: VariantSource, recipe: AugmentRecipe, chance: np.random.Generator, number: int) -> MadeVariant:
    body = recipe.bodies[number % len(recipe.bodies)]
    made = retarget(source.clip, body)
    return _alone(made, source, [_whole("retarget", made, source)._replace(character=body)])


def _blended(source: VariantSource, recipe: AugmentRecipe, chance: np.random.Generator, number: int) -> MadeVariant:
    """A steady cycle of the clip and one of a partner, in any proportion."""
    if not source.partners:
        raise ParameterError("it has no partner to be blended with")
    file, which = source.partners[int(chance.integers(len(source.partners)))]
    other = load_all(source.folder / file)[which]
    (a, a_from), (b, b_from) = _cycle(source.clip), _cycle(other)
    mix = float(chance.uniform(0.2, 0.8))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what could not be reached: nothing was asked for but a proportion
        made = blend_space([a, b], values={"mix": [0.0, 1.0]}, by=("mix",), method="knn")(mix=mix)
    assert made.report is not None
    assert made.report.provenance is not None
    found = made.report.provenance
    time_s = np.column_stack([a_from + found.time_s[:, 0] % a.duration, b_from + found.time_s[:, 1] % b.duration])
    names = (source.file, file)
    return _alone(made, source, _rows("blend", names, replace(found, time_s=time_s)), other)


def _cycle(clip: Clip) -> tuple[Clip, float]:
    """The steadiest cycle of a clip as a loop, and when it begins."""
    if clip.is_loop:
        return clip, 0.0
    steady = [cycle for cycle in analyze(clip).cycles if cycle.is_steady]
    if not steady:
        raise ParameterError("it has no steady cycle to blend")
    best = min(steady, key=lambda c: (c.closing_error_deg, c.start_s))
    start = round(best.start_s * clip.fps) / clip.fps
    return clip.trim(start, best.end_s).loop(), start


def _joined(source: VariantSource, recipe: AugmentRecipe, chance: np.random.Generator, number: int) -> MadeVariant:
    """The clip, and one of the recordings of the library that it goes on in best, joined as `ff.join` does."""
    body = character("adult")
    facet, rows = moments_facet(body), turned_rows(on_body(source.clip, body), points_of(body.skeleton))
    index = Index(source.place)
    numbers = {(file, name): which for file, which, name in index.names(facet.key)}
    places = best_places(index, facet, rows, PLACES, (source.file, source.clip.name))
    found = list(dict.fromkeys((p.file, numbers[p.file, p.clip] if p.clip else 0) for p in places))
    if not found:
        raise ParameterError("nothing in the library can be entered")
    file, which = found[int(chance.integers(len(found)))]
    moving = [clip for clip in load_all(source.folder / file) if clip.frames]
    made = join(replace(source.clip, name="a"), replace(moving[min(which, len(moving) - 1)], name="b"))
    assert made.report is not None
    if made.report.provenance is None:
        raise ParameterError("where its frames come from is not known")
    judged, called = made.report.judgement, {"a": source.file, "b": file}
    names = [called.get(name, name) for name in made.report.provenance.clips]
    why = "; ".join(judged.get("reasons", ())[:2])
    return MadeVariant(made, _rows("join", names, made.report.provenance), judged.get("grade", ""), why)


MAKERS: dict[str, Callable[[VariantSource, AugmentRecipe, np.random.Generator, int], MadeVariant]] = {
    "mirror": _mirrored,
    "retime": _retimed,
    "retarget": _retargeted,
    "blend": _blended,
    "join": _joined,
}


def _whole(kind: str, made: Clip, source: VariantSource) -> ManifestRow:
    return ManifestRow("", kind, 0, made.frames - 1, source.file, 0.0, source.clip.duration, 1.0, 1.0)


def _rows(kind: str, files: Sequence[str], found: Provenance) -> list[ManifestRow]:
    """The rows of a motion made of several clips, by frame and source."""
    rows = []
    for k, file in enumerate(files):
        at = (found.clip == k).argmax(axis=1)
        is_there = (found.clip == k).any(axis=1)
        frames = np.arange(len(at))
        time_s = np.where(is_there, found.time_s[frames, at], np.nan)
        weight = np.where(is_there, found.weight[frames, at], 0.0)
        for first, last in stretches(time_s, weight):
            times, weights = [[float(x[k]) for k in (first, last)] for x in (time_s, weight)]
            rows.append(ManifestRow("", kind, first, last, file, times[0], times[1], weights[0], weights[1]))
    return sorted(rows, key=lambda row: (row.first_frame, row.source))


def _alone(made: Clip, source: VariantSource, rows: list[ManifestRow], *others: Clip) -> MadeVariant:
    """A variant without a seam: figures that the judge can tell of it alone, beside its sources'."""
    try:
        figures = figures_alone(made)
        theirs = [figures_alone(clip) for clip in (source.clip, *others)]
    except FootfallError:
        return MadeVariant(made, rows, "", "")
    worse = [
        name for name, figure in figures.items()
        if not figure.ok and figure.value > WORSE * max(some[name].value for some in theirs if name in some)
    ]  # fmt: skip
    usual = all(figure.ok for figure in figures.values())
    grade = "red" if worse else "green" if usual else "amber"
    told = "; ".join(f"{name} {figures[name].value:.3g}, usual {figures[name].limit:g}" for name in worse)
    return MadeVariant(made, rows, grade if figures else "", told)

"""Augment a library: every recipe's variants of every clip, in parallel, resumable, the same for the same seed.

What was made of a file is remembered beside the clips (`.made`), by the file's content, the recipe and the code: who is
interrupted goes on where it was, and a second run makes only what changed. The manifest is put together at the end.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from footfall.augment.manifest import ManifestRow, as_csv
from footfall.augment.recipe import AugmentRecipe
from footfall.augment.variants import MadeVariant, VariantSource, make
from footfall.core.errors import FootfallError, ReadError
from footfall.io.load import load_all
from footfall.io.save import atomic_write, save
from footfall.library.build import Settings, place_of, with_library
from footfall.library.facets import facet_code, in_a_line
from footfall.library.index_file import Index
from footfall.library.kept_traits import all_traits, traits_facet
from footfall.library.moments import moments_facet
from footfall.library.partners import compare
from footfall.retarget.character import character

MADE, MANIFEST = ".made", "manifest.csv"
MOST_NOTE = 100_000_000  # bytes of what is remembered of a file


class AugmentTask(NamedTuple):
    """All variants of one file."""

    folder: Path
    file: str
    mark: str  # of its content
    partners: tuple[tuple[tuple[str, int], ...], ...]  # of each of its clips
    place: Path
    out: Path
    ending: str
    recipe: AugmentRecipe


class Augmented(NamedTuple):
    """What became of one file."""

    file: str
    made: int  # clips written
    unbelievable: int  # clips left out, or marked
    refused: tuple[str, ...]  # variants there are none of, with the reason


def augment_tasks(
    folder: Path, out: Path, recipe: AugmentRecipe, ending: str, settings: Settings
) -> tuple[list[AugmentTask], list[tuple[str, str]]]:
    """A task for every file of a folder, its library brought up to date first; and the files that cannot be used."""
    traits, place = traits_facet(), settings.place or place_of(folder)

    def look(index: Index) -> tuple[list[AugmentTask], list[tuple[str, str]]]:
        known = all_traits(index, traits)
        names = {each.name: (clip.file, clip.number) for clip, each in known}
        partners: dict[str, list[tuple[tuple[str, int], ...]]] = {}
        for (clip, _), told in zip(known, compare([each for _, each in known]).clips, strict=True):
            partners.setdefault(clip.file, []).append(tuple(names[name] for name in told.partners))
        tasks = [
            AugmentTask(folder, file, index.files[file], tuple(some), place, out, ending, recipe)
            for file, some in partners.items()
        ]
        return tasks, index.problems(traits.key)

    facets = [traits, moments_facet(character("adult"))]
    (tasks, bad), report = with_library(folder, facets, look, settings._replace(place=place))
    if not tasks:
        raise ReadError(folder, "", "a motion that can be used", "none")
    return tasks, sorted([*bad, *report.lost])


def augment_file(task: AugmentTask) -> Augmented:
    """The variants of one file, written; what is there already is not made again."""
    note, key = _note(task), _key(task)
    known = _remembered(note, key)
    if known is not None and all((task.out / row.file).exists() for row in known[0] if row.kept):
        return known[1]
    rows: list[ManifestRow] = []
    refused: list[str] = []
    made = unbelievable = 0
    clips = [clip for clip in load_all(task.folder / task.file) if clip.frames]
    for which, clip in enumerate(clips):
        partners = task.partners[which] if which < len(task.partners) else ()
        source = VariantSource(task.folder, task.file, which, clip, partners, task.place)
        for kind, count in task.recipe.counts:
            for number in range(count):
                try:
                    variant = make(kind, source, task.recipe, number)
                except FootfallError as error:
                    refused.append(f"{kind}: {in_a_line(error, Path(task.file))}")
                    break
                kept = not variant.why or task.recipe.keep_all
                name = _name(task, which if len(clips) > 1 else None, kind, number if count > 1 else None)
                if kept:
                    save(variant.clip, task.out / name)
                rows += _named(variant, name, kept)
                made, unbelievable = made + kept, unbelievable + bool(variant.why)
    result = Augmented(task.file, made, unbelievable, tuple(refused))
    told = {"key": key, "rows": rows, "result": result}
    atomic_write(note, json.dumps(told, allow_nan=False).encode())
    return result


def write_manifest(tasks: Sequence[AugmentTask]) -> int:
    """The manifest of all tasks that are done, in the order of files; the number of its rows."""
    rows: list[ManifestRow] = []
    for task in tasks:
        known = _remembered(_note(task), _key(task))
        rows += known[0] if known else []
    atomic_write(tasks[0].out / MANIFEST, as_csv(rows))
    return len(rows)


def _named(variant: MadeVariant, name: str, kept: bool) -> list[ManifestRow]:
    return [row._replace(file=name, grade=variant.grade, kept=kept, why=variant.why) for row in variant.rows]


def _name(task: AugmentTask, which: int | None, kind: str, number: int | None) -> str:
    path = Path(task.file)
    parts = [path.stem, path.suffix.lstrip("."), *(str(n) for n in (which,) if n is not None), kind]
    parts += [str(number)] if number is not None else []
    return (path.parent / f"{'_'.join(parts)}{task.ending}").as_posix()


def _note(task: AugmentTask) -> Path:
    mark = hashlib.blake2b(task.file.encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return task.out / MADE / f"{mark}.json"


def _key(task: AugmentTask) -> str:
    told: list[Any] = [facet_code(), task.mark, task.partners, task.ending, task.recipe]
    return hashlib.blake2b(repr(told).encode(), digest_size=16).hexdigest()


def _remembered(note: Path, key: str) -> tuple[list[ManifestRow], Augmented] | None:
    from footfall.io.plain_file import read_json

    try:
        told = read_json(note, MOST_NOTE, "what was made of a file")
        if told["key"] != key:
            return None
        file, made, unbelievable, refused = told["result"]
        return [ManifestRow(*row) for row in told["rows"]], Augmented(file, made, unbelievable, tuple(refused))
    except (FootfallError, KeyError, TypeError, ValueError):
        return None

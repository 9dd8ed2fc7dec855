"""ff.lint: which clips of a folder blend badly with each other, why, and what cures it (analysis/compatibility.py)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from footfall.analysis.compatibility import Finding
from footfall.analysis.compatibility import lint as find_faults
from footfall.analysis.traits import Traits
from footfall.core.errors import WrongType
from footfall.library.build import Settings, with_library
from footfall.library.index_file import Index
from footfall.library.kept_traits import all_traits, traits_facet, traits_of
from footfall.library.partners import Compared, compare
from footfall.motions.library import ClipLike, open_clip
from footfall.retarget.character import Body
from footfall.retarget.character import character as character_of


class LintedFile(NamedTuple):
    """One clip of a folder with its traits, or a file that could not be used and the reason."""

    name: str
    traits: Traits | None = None
    repairs: int = 0  # glitches that were repaired as it was read
    problem: str = ""


class LintReport(NamedTuple):
    """What is known of a folder's clips."""

    files: list[LintedFile]
    compared: Compared

    @property
    def clips(self) -> list[Traits]:
        """The clips that could be used, in order."""
        return [file.traits for file in self.files if file.traits is not None]


def lint(clips: str | Path | Iterable[ClipLike], character: Body | None = None, **options: Any) -> list[Finding]:
    """Every reason why clips of a folder, or the clips given, blend badly with each other, and what cures it.

    >>> import footfall as ff
    >>> for finding in ff.lint(["walk", "walk-back", "kick"]):
    ...     print(f"{finding.a}, {finding.b}: {finding.kind}")
    walk, walk-back: direction
    walk, kick: type
    walk-back, kick: type

    clips: a folder, or clips, files and built-in motions. character: compare them as they are on this body.
    options: how the files of a folder are read, as for `load`. A file that cannot be used is left out with a warning.
    Of a folder of over 64 clips, each is compared with those most like it, not with all.
    """
    if isinstance(clips, str | Path):
        report = lint_folder(Path(clips), character, Settings(options))
        for file in report.files:
            if file.problem:
                warnings.warn(f"left out {file.name}: {file.problem}", stacklevel=2)
        return report.compared.findings
    if not isinstance(clips, Iterable):
        raise WrongType("a folder of motion files, or several clips", clips)
    body = None if character is None else character_of(character)
    found: list[Traits] = []
    for what in clips:
        clip = open_clip(what, **options)
        name = str(what) if isinstance(what, str | Path) else clip.name or f"clip {len(found) + 1}"
        taken = sum(known.name == name or known.name.startswith(f"{name} (") for known in found)
        found.append(traits_of(clip, f"{name} ({taken + 1})" if taken else name, body))
    return find_faults(found)


def lint_folder(folder: Path, character: Body | None = None, settings: Settings | None = None) -> LintReport:
    """The clips of a folder, every animation of a file one clip, with all that was found about them."""
    settings = settings or Settings()
    body = None if character is None else character_of(character)
    facet = traits_facet(body, settings.options)

    def read(index: Index) -> list[LintedFile]:
        files = [LintedFile(each.name, each, clip.told["repairs"]) for clip, each in all_traits(index, facet)]
        return files + [LintedFile(file, problem=why) for file, why in index.problems(facet.key)]

    files, report = with_library(folder, [facet], read, settings)
    files = sorted([*files, *(LintedFile(file, problem=why) for file, why in report.lost)], key=lambda f: f.name)
    return LintReport(files, compare([file.traits for file in files if file.traits is not None]))

"""What the library shows of a clip: facts, phases, a few poses to draw it with; worked out in a process of its own.

Reading and analysing a stranger's file takes long and may fail in any way, so it is done by a second Python that can be
killed (`python -m footfall.studio.describe`: a request a line on its input, an answer a block on its output).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import msgspec
import numpy as np

from footfall.core.clip import Clip
from footfall.core.errors import FootfallError, ParameterError, ReadError
from footfall.io.folder import SHARED
from footfall.studio.messages import LibraryItem, Phase, PhaseSpan, SkeletonView

THUMB_FPS, THUMB_S = 15.0, 20.0  # poses a second of a small picture, and of how much of the clip

MOST_WARNINGS = 5  # of a clip that are shown
REPEATED = ("walk", "run", "stand")  # gaits that are loops where they close like one


class DescribeRequest(msgspec.Struct, frozen=True):
    """A built-in motion by its text, or a file."""

    motion: str = ""
    file: str = ""
    body: bool = False  # of a file: the character in it, not its motions


class ClipFacts(msgspec.Struct, frozen=True):
    """What a library keeps of a clip as its facts (`library.facts`)."""

    name: str
    told: dict[str, Any]
    down: bytes  # contacts, four a frame


class Described(msgspec.Struct, frozen=True):
    """One clip; of its item the key, group and name are the library's to fill in."""

    item: LibraryItem
    poses: bytes  # a take frame
    skeleton: SkeletonView | None
    facts: ClipFacts | None = None


class Answer(msgspec.Struct, frozen=True):
    """All clips of a file; none and no problem where it is no motion at all."""

    clips: tuple[Described, ...] = ()
    problem: str | None = None


def describe(clip: Clip, kind: str = "") -> Described:
    """Facts of one clip; kind is what it is called where its gait has no name."""
    from footfall.library.facts import clip_facts
    from footfall.studio.figures import skeleton_view

    part = clip_facts(clip)
    facts, item = ClipFacts(clip.name, part.told, part.arrays["down"].tobytes()), item_of(clip.name, part.told, kind)
    if clip.frames < 1:
        return Described(item, b"", None, facts)
    return Described(item, take_poses(clip, THUMB_FPS, THUMB_S), skeleton_view(clip.skeleton), facts)


def item_of(name: str, told: Mapping[str, Any], kind: str = "") -> LibraryItem:
    """What is shown of a clip, by the facts that a library keeps of it; a ValueError where they are none."""
    facts = msgspec.convert(told, _Facts)
    read, found = facts.read, facts.analysis
    item = LibraryItem(
        "", name, "", kind or "motion", round(read.duration_s, 3), read.fps, 0.0, facts.marked_loop, (),
        problem=facts.problem, warnings=read.warnings[:MOST_WARNINGS],
    )  # fmt: skip
    if read.frames < 1:
        return msgspec.structs.replace(item, problem="It holds a skeleton, and no motion.")
    if found is None:
        return item
    gait = found.type if found.type != "other" else ""
    return msgspec.structs.replace(
        item,
        kind=gait or kind or found.type,
        speed_m_s=round(found.speed_mps, 3) + 0.0,
        is_loop=facts.marked_loop or (found.loop and gait in REPEATED),  # no kick that ends as it began
        phases=tuple(PhaseSpan(phase.start_s, phase.end_s, phase.label) for phase in found.phases),
        on_the_spot=found.on_the_spot is not None,
        tags=tuple(dict.fromkeys(tag for tag in (gait, *(action.name for action in found.actions), kind) if tag)),
    )


class _Read(msgspec.Struct, frozen=True):
    frames: int
    fps: float
    duration_s: float
    warnings: tuple[str, ...]


class _Phase(msgspec.Struct, frozen=True):
    label: Phase
    start_s: float
    end_s: float


class _Action(msgspec.Struct, frozen=True):
    name: str


class _Analysis(msgspec.Struct, frozen=True):
    type: str
    speed_mps: float
    loop: bool
    phases: tuple[_Phase, ...]
    actions: tuple[_Action, ...]
    on_the_spot: dict[str, float] | None


class _Facts(msgspec.Struct, frozen=True):
    """Of a clip's facts those that are shown."""

    read: _Read
    marked_loop: bool
    analysis: _Analysis | None = None
    problem: str | None = None


def describe_body(file: str) -> Described:
    """The character in a file, as it rests."""
    from footfall.core.pose import Pose
    from footfall.retarget.character import character
    from footfall.studio.figures import skeleton_view
    from footfall.studio.frames import TAKE, encode, world_rows

    body = character(file)
    if body.skin is None:
        raise ParameterError(f"{Path(file).name} has a skeleton and no mesh bound to it; export both as one GLB")
    rest = Pose(body.skeleton.offsets[None, 0], body.skeleton.rest[None])
    item = LibraryItem("", Path(file).stem, "", "character", 0.0, 1.0, 0.0, False, ())
    poses = encode(TAKE, 0, 0, world_rows(body.skeleton, rest), 1.0, 0.0)
    return Described(item, poses, skeleton_view(body.skeleton, with_rest=True))


def take_poses(clip: Clip, fps: float, most_s: float = float("inf")) -> bytes:
    """Poses of a clip, or of its beginning, as a take frame of track 0."""
    from footfall.studio.frames import TAKE, encode, world_rows

    count = int(np.floor(min(clip.duration, most_s) * fps + 1e-6)) + 1
    pose = clip.sample(np.minimum(np.arange(count) / fps, clip.duration))
    return encode(TAKE, 0, 0, world_rows(clip.skeleton, pose), fps, 0.0)


def answer(request: DescribeRequest) -> Answer:
    """Everything about a built-in motion or a file; a problem is a sentence, never an error."""
    from footfall.io.load import load_all
    from footfall.motions.library import named_motion

    try:
        if request.motion:
            clip = named_motion(request.motion)
            if clip is None:
                return Answer(problem=f"There is no built-in motion {request.motion!r}.")
            return Answer((describe(clip, request.motion.partition(":")[0]),))
        if request.body:
            return Answer((describe_body(request.file),))
        return Answer(tuple(describe(clip) for clip in load_all(request.file)))
    except ReadError as error:
        is_other = Path(request.file).suffix.lower() in SHARED  # a text or JSON file that holds something else
        return Answer() if is_other else Answer(problem=str(error))
    except FootfallError as error:
        return Answer(problem=str(error))
    except Exception as error:  # in a stranger's file everything is possible: it must not end the others' work
        return Answer(problem=f"It could not be read ({type(error).__name__}); please report it with the file.")


def answer_all(requests: IO[bytes], answers: IO[bytes]) -> None:
    """One answer after the other, each after its length, until there are no more requests."""
    decode = msgspec.json.Decoder(DescribeRequest).decode
    for line in requests:
        data = msgspec.msgpack.encode(answer(decode(line)))
        answers.write(len(data).to_bytes(8, "little") + data)
        answers.flush()


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(10)  # the character on the stage comes first
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not break an answer
    answer_all(sys.stdin.buffer, out)

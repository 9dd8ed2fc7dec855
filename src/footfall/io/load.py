"""ff.load: any readable file to a Clip in metres, Y up, clean — with a report of everything that was concluded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from unicodedata import category

import numpy as np

from footfall.core import registry, rotation
from footfall.core.clip import Clip, Inferred, Source, fix_signs, frame_rate
from footfall.core.errors import ParameterError, ReadError, UnknownName, WrongType, one_line
from footfall.core.pose import Pose
from footfall.io.loose_feet import with_feet_on_legs
from footfall.io.plain_file import is_file, is_there
from footfall.io.raw import RawMotion, Reading, ReadOptions
from footfall.io.text import unique_names

FORMATS = "footfall.io.formats"
MAX_FILE_BYTES = 2 << 30
PICKLES = (".pkl", ".pickle", ".pt", ".pth")
SAFE_WAY = (
    "a pickle can run any program when it is opened: open it yourself where you trust it, and save its arrays, as in "
    "numpy.savez('walk.npz', poses=poses, trans=trans, mocap_framerate=30)"
)
ADDED = "added"  # among what was concluded: the animation is one that footfall added to this file
UNSHOWN = ("Cc", "Cs")  # kinds of characters: controls, halves of characters
REORDERING = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"  # make a terminal show another text
MOST_NAME = 200  # letters of a name; by eye, five times the longest of any capture
MOST_NOTES = 10_000  # warnings and repairs that a file of our own may carry
LEAST_UNIT_M, MOST_UNIT_M = 1e-6, 1e4  # metres: a micrometre to ten kilometres, beyond every unit of length in use


def readable() -> dict[str, list[str]]:
    """Extension -> keys of the formats that read it."""
    return _extensions("READS")


def writable() -> dict[str, list[str]]:
    """Extension -> keys of the formats that write it."""
    return _extensions("WRITES")


def load(path: str | Path, animation: str | int | None = None, **options: object) -> Clip:
    """Read one clip. A file with several animations gives the one named or numbered, or else the first; where footfall
    added some to a character's file, the one added last.

    Options: strict, clean, fps, unit_m, up, skeleton, roles (see ReadOptions).
    """
    clips = load_all(path, **options)
    if animation is None:
        return next((clip for clip in reversed(clips) if ADDED in clip.source.inferred), clips[0])
    if isinstance(animation, int):
        if not -len(clips) <= animation < len(clips):
            raise ParameterError(f"{Path(path).name} has {len(clips)} animations; there is no number {animation}")
        return clips[animation]
    for clip in clips:
        if clip.name == animation:
            return clip
    raise UnknownName("animation", animation, [c.name for c in clips])


def load_all(path: str | Path, **options: object) -> list[Clip]:
    """Every animation of a file; a file that holds only a skeleton gives one clip of 0 frames."""
    if not isinstance(path, str | Path):
        raise WrongType("the path of a motion file", path)
    reading = Reading(Path(path), reading_options(options))
    raws = read_raw(reading)
    try:
        return [_settle(with_plain_names(raw, reading), reading) for raw in _on_legs(raws, reading)]
    except ParameterError as error:  # numbers that no clip can have
        raise ReadError(reading.path, "", "a motion that can be played", str(error)) from error


def _on_legs(raws: list[RawMotion], reading: Reading) -> list[RawMotion]:
    """Motions with loose feet hung from their legs, which is told once."""
    if reading.options.roles:
        raws = [replace(raw, skeleton=raw.skeleton.with_roles(**reading.options.roles)) for raw in raws]
    told, quiet = len(reading.warnings), []
    for raw in raws:
        quiet.append(with_feet_on_legs(raw, reading))
        del reading.warnings[told + 1 :]
    return quiet


def read_raw(reading: Reading) -> list[RawMotion]:
    """The file as it is, by the format its extension (and, where several share one, its content) names."""
    path = reading.path
    if not is_there(path):
        raise ReadError(path, "", "a file", "nothing at that path")
    if not is_file(path):
        raise ReadError(path, "", "a plain file", "a folder or device", "give the folder's files one by one")
    keys = readable().get(path.suffix.lower())
    if path.suffix.lower() in PICKLES:
        raise ReadError(path, "", "arrays, as in .npz or .npy", "a pickle, which is never opened", SAFE_WAY)
    if not keys:
        raise ReadError(path, "", f"one of {' '.join(sorted(readable()))}", f"the extension {path.suffix!r}")
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ReadError(path, "", f"at most {MAX_FILE_BYTES >> 30} GB", f"{path.stat().st_size >> 20} MB")
    try:
        for key in keys:
            module = registry.member(FORMATS, key, "format")
            if len(keys) == 1 or module.recognises(reading):
                return module.read(reading)
    except PermissionError:
        raise ReadError(path, "", "a file you may read", "no permission") from None
    except MemoryError:
        raise ReadError(path, "", "a file that fits in memory", "not enough memory") from None
    raise ReadError(path, "", f"one of the layouts {', '.join(keys)}", "none of them")


def _extensions(constant: str) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for key, member in registry.members(FORMATS).items():
        for extension in member.constants.get(constant, ()):
            table.setdefault(extension, []).append(key)
    return table


def reading_options(options: dict[str, object]) -> ReadOptions:
    """Options of `load` by name, checked."""
    known = ReadOptions.__dataclass_fields__
    for name in options:
        if name not in known:
            raise UnknownName("reading option", name, known)
    if options.get("fps") is not None:
        options = {**options, "fps": frame_rate(options["fps"])}  # type: ignore[arg-type]
    unit = options.get("unit_m")
    if unit is not None and not (isinstance(unit, int | float) and LEAST_UNIT_M <= unit <= MOST_UNIT_M):
        raise ParameterError(
            f"unit_m must be a number of metres from {LEAST_UNIT_M:g} to {MOST_UNIT_M:g}, got {unit!r}"
        )
    if options.get("skeleton") is not None:
        options = {**options, "skeleton": Path(str(options["skeleton"]))}
    return ReadOptions(**options)  # type: ignore[arg-type]


def _settle(raw: RawMotion, reading: Reading) -> Clip:
    """Metres, Y up, facing +Z at rest, clean: what every other layer relies on."""
    from footfall.io.conventions import find_conventions
    from footfall.kinematics.clean import clean

    options = reading.options
    skeleton, pose, repairs, skin = raw.skeleton, raw.pose, raw.repairs, raw.skin
    if options.roles:
        skeleton = skeleton.with_roles(**options.roles)
    inferred, unit_m, turn = dict(raw.inferred), 1.0, rotation.IDENTITY
    if not raw.settled:
        found = find_conventions(raw, skeleton, options)
        inferred.update(found.inferred)
        if found.doubt and found.doubt not in reading.warnings:
            reading.warn("", found.doubt)
        unit_m, turn = found.unit_m, found.world_from_file
        skeleton, pose = skeleton.transformed(turn, unit_m), _transform(pose, turn, unit_m)
        skin = None if skin is None else skin.transformed(turn, unit_m)
        pose = pose if raw.continuous else fix_signs(pose)
    if raw.added:
        inferred[ADDED] = Inferred(True, "footfall noted it in the animation's extras", 1.0)
    if options.clean and not (raw.settled or raw.added) and len(pose.root_pos) > 2:
        pose, repairs = clean(skeleton, raw.fps, pose, largest_step=raw.largest_step)
    source = raw.source or Source(
        path=str(reading.path),
        format=reading.path.suffix.lower().lstrip("."),
        animation=raw.name,
        unit_m=unit_m,
        world_from_file=(float(turn[0]), float(turn[1]), float(turn[2]), float(turn[3])),
        inferred=inferred,
    )
    return Clip(
        skeleton,
        raw.fps,
        pose,
        name=raw.name if raw.source else raw.name or _plain_name(reading.path.stem),
        is_loop=raw.is_loop,
        events=raw.events,
        parameters=raw.parameters,
        source=source,
        warnings=raw.warnings + tuple(reading.warnings),
        repairs=tuple(repairs),
        skin=skin,
    )


def with_plain_names(raw: RawMotion, reading: Reading) -> RawMotion:
    """The motion with names that can be shown: a terminal obeys control characters, and a list has no room for pages.

    Only what is changed is told, with a warning; strict reading refuses it.
    """
    names = [_plain_name(name) for name in raw.skeleton.names]
    events = tuple(event._replace(name=_plain_name(event.name)) for event in raw.events)
    changed = [old for old, new in zip(raw.skeleton.names, names, strict=True) if old != new]
    if changed:
        reading.warn(
            "", f"{len(changed)} joint name(s) with control characters or of over {MOST_NAME} letters; changed"
        )
        new = dict(zip(raw.skeleton.names, unique_names(names), strict=True))
        roles = {role: new.get(name, name) for role, name in raw.skeleton.role_overrides.items()}
        raw = replace(raw, skeleton=replace(raw.skeleton, names=tuple(new.values()), role_overrides=roles))
    told = tuple(one_line(text) for text in raw.warnings[:MOST_NOTES]), tuple(map(one_line, raw.repairs[:MOST_NOTES]))
    return replace(raw, name=_plain_name(raw.name), events=events, warnings=told[0], repairs=told[1])


def _plain_name(name: str) -> str:
    if name.isprintable() and len(name) <= MOST_NAME:
        return name
    return "".join("?" if category(c) in UNSHOWN or c in REORDERING else c for c in name[:MOST_NAME])


def _transform(pose: Pose, turn: np.ndarray, scale: float) -> Pose:
    """The whole world turned and scaled about the origin."""
    root_pos, rot = pose.root_pos, pose.rot
    if not np.array_equal(turn, rotation.IDENTITY):
        root_pos, rot = rotation.rotate(turn, root_pos), rot.copy()
        rot[:, 0] = rotation.multiply(turn, rot[:, 0])
    return Pose(root_pos * scale, rot, None if pose.pos is None else pose.pos * scale)

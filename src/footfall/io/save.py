"""ff.save: a Clip to any writable format, atomically: a failed write leaves what was there before."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from footfall.core import registry
from footfall.core.clip import Clip
from footfall.core.errors import FootfallWarning, ParameterError, UnknownName, WriteError, WrongType
from footfall.io.load import FORMATS, writable

TEMPORARY = ".*.????????.part"  # what atomic_write calls a file that is not whole yet


class SaveWarning(FootfallWarning):
    """A file was written, and something about it must be known; one sentence."""


def save(clip: Clip | Iterable[Clip], path: str | Path, format: str | None = None, **options: object) -> Path:
    """Write a clip in the format its file name asks for (.bvh, .glb, .npz, .npy, .usda, .fbx …); returns the path.

    Several clips of one body go into one .glb or .fbx, each under its name. Where the body came from a .glb or .gltf,
    that very file comes back with the motion added; bare=True writes a plain one, and replace=True puts a clip in the
    place of one of the same name. Where several formats share an ending, as .npz does, `format` names another than the
    usual: format="amass".
    """
    clips = [clip] if isinstance(clip, Clip) else list(clip) if isinstance(clip, Iterable) else [clip]
    if not clips or not all(isinstance(each, Clip) for each in clips):
        raise WrongType("a clip to save, or several, as ff.load or ff.motion gives", clip)
    if not isinstance(path, str | Path):
        raise WrongType("the path of the file to write", path)
    path = Path(path)
    keys = writable().get(path.suffix.lower())
    if not keys:
        raise ParameterError(f"{path.name}: cannot write {path.suffix!r}; use one of {' '.join(sorted(writable()))}")
    usual = path.suffix.lower().lstrip(".")
    key = format or (usual if usual in keys else keys[0])
    if key not in keys:
        raise UnknownName(f"format of {path.suffix.lower()} files", key, keys)
    about = registry.members(FORMATS)[key].constants
    known = about.get("WRITE_OPTIONS", ())
    for name in options:
        if name not in known:
            raise UnknownName(f"option of writing {path.suffix.lower()}", name, known)
    several = bool(about.get("SEVERAL"))
    if len(clips) > 1 and not several:
        raise ParameterError(f"{path.name}: a {path.suffix.lower()} holds one clip, not {len(clips)}; write a .glb")
    registry.member(FORMATS, key, "format").write(clips if several else clips[0], path, **options)
    return path


def atomic_write(path: Path, data: bytes | Callable[[Path], None]) -> None:
    """Bytes (or a function that writes a given temporary path) put at path in one step, or not at all."""
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
        temporary = Path(name)
        if callable(data):
            data(temporary)
        else:
            temporary.write_bytes(data)
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(path)
    except OSError as error:
        raise WriteError(f"{path}: could not be written: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):  # swept by the next studio; what was asked for is done, or told of
                temporary.unlink(missing_ok=True)


def write_pair(path: Path, data: bytes, beside: Path, beside_data: bytes) -> None:
    """A file and another that belongs to it, which it tells by its digest: at every moment both old, or both new.

    The other one is written under a second name first; the file itself is what makes the new pair the one that counts;
    then the other takes its own name. Who reads looks under both names (`beside_names`).
    """
    meanwhile = beside_names(beside)[1]
    atomic_write(meanwhile, beside_data)
    atomic_write(path, data)
    try:
        meanwhile.replace(beside)
    except OSError as error:
        raise WriteError(f"{beside}: could not be written: {error.strerror or error}") from error


def beside_names(beside: Path) -> tuple[Path, Path]:
    """Where the other file of a pair lies: under its own name, or under that of a save that was cut short."""
    return beside, beside.with_name(f"{beside.stem}.new{beside.suffix}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

"""What a format's reader hands over: motion exactly as the file has it, before units and axes are settled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from footfall.core.clip import Event, Inferred, Skin, Source
from footfall.core.errors import ReadError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton

# What broken data provokes in code that trusts it.
BROKEN_DATA = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, OSError, EOFError, RecursionError, MemoryError,
)  # fmt: skip


@dataclass(frozen=True)
class ReadOptions:
    """What the caller may say about a file; None means: find out, and report how."""

    strict: bool = False  # every warning becomes an error
    clean: bool = True  # repair glitches (each repair is reported)
    fps: float | None = None
    unit_m: float | None = None  # metres per unit
    up: str | None = None  # "x", "y" or "z", with "-" in front when it points down
    facing: str | None = None  # where the rest pose faces once up is up: "z" (leave as is), "-z", "x" or "-x"
    skeleton: Path | None = None  # the .asf of an .amc
    roles: dict[str, str] = field(default_factory=dict)  # role -> joint name


@dataclass
class RawMotion:
    """One animation as its file holds it: file units, file axes, quaternions already unit wxyz."""

    skeleton: Skeleton  # offsets in file units
    fps: float
    pose: Pose  # (T,) in file units; T = 0 for a file that holds only a skeleton
    name: str = ""
    unit_m: float | None = None  # metres per unit, when the format or file says so
    up: str | None = None  # up axis, when the format or file says so
    is_loop: bool = False
    events: tuple[Event, ...] = ()
    parameters: dict[str, float] = field(default_factory=dict)
    inferred: dict[str, Inferred] = field(default_factory=dict)
    skin: Skin | None = None
    # True: already metres, Y up, clean (our own files): do not infer or repair anything
    settled: bool = False
    added: bool = False  # True: footfall's own motion in someone's file: its units and axes, but nothing to repair
    continuous: bool = False  # True: quaternion signs never flip from frame to frame
    largest_step: float | None = None  # radians: no joint turns more from a frame to the next, if the reader knows
    source: Source | None = None  # our own files: where the clip first came from
    warnings: tuple[str, ...] = ()  # our own files: what was wrong in that first file
    repairs: tuple[str, ...] = ()  # our own files: what cleaning it changed


class Reading:
    """The state of reading one file: its path, the caller's options, and the warnings so far."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.options = path, options
        self.warnings: list[str] = []

    def fail(self, place: str | int, expected: str, found: str = "", cure: str = "") -> ReadError:
        """An error at a place (an int is a line number) — for `raise reading.fail(…)`."""
        return ReadError(self.path, _place(place), expected, found, cure)

    def warn(self, place: str | int, message: str) -> None:
        """Note a problem that reading survived; an error when the caller asked for strict reading."""
        if self.options.strict:
            raise ReadError(self.path, _place(place), "a file without faults (strict reading)", message)
        where = _place(place)
        self.warnings.append(f"{where}: {message}" if where else message)

    @contextmanager
    def guard(self, place: str, expected: str) -> Iterator[None]:
        """Turn the errors that broken data provokes in third-party code into a ReadError at this place."""
        try:
            yield
        except ReadError:
            raise
        except BROKEN_DATA as error:
            raise self.fail(place, expected, f"{type(error).__name__}: {error}") from error


def _place(place: str | int) -> str:
    return f"line {place}" if isinstance(place, int) else place

"""Kernels: functions written once, in the subset that Python and numba both run, and compiled when first called.

`@kernel` marks one, beside the rest of its algorithm; importing it costs nothing, since numba is imported at the first
call. One policy holds for the whole process: kernels are compiled, unless the environment says FOOTFALL_KERNELS=python,
which runs the same source without a compiler (slowly; for debugging, and for tests that compare both). What was
compiled is kept on disk where there is a place to write.
"""

from __future__ import annotations

import gc
import hashlib
import io
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property, partial, update_wrapper
from types import CodeType, FunctionType, ModuleType
from typing import IO, Any

import numpy as np

# A product and a sum may become one instruction, which rounds once instead of twice.
STRICT = {"contract"}
# For functions that meet no NaN and where the sign of zero does not matter: only then are minima vectorised.
LOOSE = {"contract", "nnan", "nsz"}
DIGEST = 32  # bytes of a SHA-256
POLICY = "FOOTFALL_KERNELS"  # the environment variable: "compiled", as is usual, or "python"


def is_compiled() -> bool:
    """Whether kernels of this process are compiled; decided by the environment alone."""
    return os.environ.get(POLICY, "compiled") != "python"


_KERNELS: list[Kernel] = []  # of this process, so far


def ready_count() -> int:
    """How many kernels have been compiled, or read from disk, so far: for a bar that says how far a first start is."""
    return sum(bool(getattr(made.__dict__.get("compiled"), "overloads", None)) for made in list(_KERNELS))


class Kernel:
    """A function that is compiled on its first call; kernels may call each other, whichever way they run."""

    def __init__(self, function: FunctionType, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self.py_func, self.targetoptions = function, options
        self._run: Callable[..., Any] = self._first_call
        _KERNELS.append(self)

    def __call__(self, *args: Any) -> Any:
        return self._run(*args)

    def _first_call(self, *args: Any) -> Any:
        if not is_compiled():
            self._run = self.py_func
            return self._run(*args)
        with _no_collection():
            self._run = self.compiled
            return self._run(*args)

    @cached_property
    def compiled(self) -> Any:
        """numba's own object for this function."""
        from numba import njit

        try:
            made = _without_literals(njit(cache=True, **self.targetoptions)(self.py_func))
        except RuntimeError:  # neither the package's folder nor the user's cache folder can be written
            return _without_literals(njit(**self.targetoptions)(self.py_func))
        file = getattr(getattr(made, "_cache", None), "_cache_file", None)
        if file is not None and hasattr(file, "_source_stamp"):
            file._source_stamp = content_stamp(self)
            file._load_index = partial(_index_or_none, file._load_index, file._index_path)
            file._load_data = partial(_whole_data, file._load_data, file._data_path)
            file._open_for_write = partial(_with_digest, file._open_for_write)
            made._cache.save_overload = partial(_save_if_possible, made._cache.save_overload)
        return made

    @property
    def _numba_type_(self) -> Any:
        """What numba asks of a global that a kernel calls."""
        return self.compiled._numba_type_


def _without_literals(made: Any) -> Any:
    """numba's object, for which a number written in a call is one like any other: it would be a type of its own, and
    all that is called with it compiled once more. The first steps of a character are compiled in a sixth less time."""
    from numba.core.types import unliteral

    template = made.get_call_template

    def plainly(args: Any, kws: Any) -> Any:
        return template(tuple(map(unliteral, args)), {name: unliteral(kind) for name, kind in kws.items()})

    made.get_call_template = plainly
    return made


@contextmanager
def _no_collection() -> Iterator[None]:
    """Python's search for garbage is put off: importing numba makes many objects and no garbage, and looking through
    them again and again takes 90 of the 340 ms until the first kernel is there."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Decorator, with or without numba's options."""
    if function is None:
        return lambda function: kernel(function, **options)
    return Kernel(function, {"nogil": True, "error_model": "numpy", "fastmath": STRICT, **options})  # type: ignore[arg-type]


def part(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A kernel that only kernels call: it can allocate no arrays, and is compiled in half the time."""
    return kernel(function, _nrt=False, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)


def inlined(function: Callable[..., Any]) -> Any:
    """A part that is copied into what calls it: for a hot one that is handed many arrays, whose call costs as much as
    its work. A live character's frame takes a third less time by seven of these."""
    return part(function, forceinline=True)


def read_only(x: np.ndarray) -> np.ndarray:
    """Floats as kernels read them, contiguous and not writeable: always of one kind, so that a kernel is compiled once
    for arrays that may be written and for those that may not."""
    flags = x.flags
    if flags.c_contiguous and not flags.writeable and x.dtype == float:
        return x
    x = np.ascontiguousarray(x, dtype=float).view()
    x.flags.writeable = False
    return x


# --- numba's files, each with a digest behind what numba wrote, which it does not read: a power cut leaves files that
# are empty, cut or full of zeros, and machine code out of those would end the process
def _index_or_none(load: Callable[[], dict[Any, Any]], path: str) -> dict[Any, Any]:
    """What is compiled already; nothing where the file is not whole, or of older code, for types that are no more."""
    try:
        return load() if _is_whole(path) else {}
    except (AttributeError, ImportError, OSError):
        return {}


def _whole_data(load: Callable[[str], Any], path_of: Callable[[str], str], name: str) -> Any:
    """A compiled kernel; numba compiles it again after an OSError."""
    if not _is_whole(path_of(name)):
        raise OSError(f"{name} is not whole")
    try:
        return load(name)
    except (AttributeError, ImportError) as error:
        raise OSError(f"{name} is of other code") from error


def _is_whole(path: str) -> bool:
    if not stat.S_ISREG(os.stat(path).st_mode):
        return False
    with open(path, "rb") as file:
        data = file.read()
    return hashlib.sha256(data[:-DIGEST]).digest() == data[-DIGEST:]


@contextmanager
def _with_digest(opened: Callable[[str], AbstractContextManager[IO[bytes]]], path: str) -> Iterator[IO[bytes]]:
    """A file to write, to which the digest of all that was written is added."""
    written = io.BytesIO()
    with opened(path) as file:
        yield written
        data = written.getvalue()
        file.write(data + hashlib.sha256(data).digest())


def _save_if_possible(save: Callable[[Any, Any], None], signature: Any, made: Any) -> None:
    """A disk that is full costs the time to compile again, not the result."""
    with suppress(OSError):
        save(signature, made)


def content_stamp(made: Kernel) -> str:
    """What a kernel is compiled from: its own code, that of every kernel it calls, and the constants they all use.

    numba looks at the age of the kernel's own file only, but what is called from other files is built in as well.
    """
    digest = hashlib.sha256()
    for text in sorted(_contents(made, set())):
        digest.update(text.encode())
    return digest.hexdigest()


def _contents(made: Kernel, seen: set[int]) -> Iterator[str]:
    if id(made) in seen:
        return
    seen.add(id(made))
    options = [(k, sorted(v) if isinstance(v, set) else v) for k, v in sorted(made.targetoptions.items())]
    yield f"{made.__module__}.{made.py_func.__name__} {options} {_code(made.py_func.__code__)}"
    names = sorted(_names(made.py_func.__code__))
    used = [(name, made.py_func.__globals__.get(name)) for name in names]
    modules = [value for _, value in used if isinstance(value, ModuleType) and value is not np]
    used += [(name, getattr(module, name, None)) for module in modules for name in names]
    for name, value in used:
        if isinstance(value, Kernel):
            yield from _contents(value, seen)
        elif value is not None and not callable(value) and not isinstance(value, ModuleType):
            yield f"{made.__module__}.{name} = {value!r}"


def _names(code: CodeType) -> set[str]:
    nested = [c for c in code.co_consts if isinstance(c, CodeType)]
    return set(code.co_names).union(*map(_names, nested))


def _code(code: CodeType) -> str:
    constants = [_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {constants}"

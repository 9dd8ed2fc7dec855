"""Kernels: one source, compiled or run as it is, kept on disk where it can be, and never out of date."""

from __future__ import annotations

import errno
import gc
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numba.core import caching

from footfall.core import kernels
from footfall.core.kernels import LOOSE, content_stamp, kernel, part
from footfall.parametric import sampling

STEP = 2.0


def _add(a, b):  # type: ignore[no-untyped-def]
    return a + b


@part
def _stepped(x):  # type: ignore[no-untyped-def]
    return x * STEP


@kernel
def _through_a_module(x):  # type: ignore[no-untyped-def]
    return min(sampling.cosine(x), sampling.FARTHEST)


@kernel
def _total(values):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(values)):
        total += _stepped(values[i])
    return total


def test_kernels_are_cached_where_there_is_a_place() -> None:
    assert isinstance(kernel(_add).compiled._cache, caching.FunctionCache)
    assert kernel(_add)(2, 3) == 5


def test_kernels_work_where_no_folder_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", refuse)
    for made in (kernel(_add), kernel(fastmath=LOOSE)(_add)):
        assert isinstance(made.compiled._cache, caching.NullCache)
        assert made(2, 3) == 5


def test_a_kernel_calls_kernels_compiled_and_not(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.array([1.0, 2.5])
    compiled = kernel(_total.py_func)
    assert compiled(values) == 7.0
    assert compiled.compiled.signatures
    monkeypatch.setenv(kernels.POLICY, "python")
    plain = kernel(_total.py_func)
    assert plain(values) == 7.0
    assert "compiled" not in vars(plain)


@pytest.mark.parametrize("was_on", [True, False])
def test_a_first_call_leaves_the_search_for_garbage_as_it_was(was_on: bool) -> None:
    seen = []

    class Watched(kernels.Kernel):
        @property
        def compiled(self) -> Callable[..., float]:  # type: ignore[override]
            return lambda *_: seen.append(gc.isenabled())

    gc.enable() if was_on else gc.disable()
    try:
        made = Watched(_add, {})  # type: ignore[arg-type]
        made(2, 3)
        made(2, 3)
        assert gc.isenabled() == was_on
        assert seen == [False, was_on]  # put off while it is compiled and called first, and not again
    finally:
        gc.enable()


def test_a_stamp_follows_called_kernels_and_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    before = content_stamp(_total)
    assert before == content_stamp(_total)
    monkeypatch.setitem(_total.py_func.__globals__, "STEP", 3.0)
    changed = content_stamp(_total)
    assert changed != before
    monkeypatch.setitem(_total.py_func.__globals__, "_stepped", part(_add))
    assert content_stamp(_total) not in (before, changed)


def test_a_stamp_follows_kernels_and_constants_of_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    before = content_stamp(_through_a_module)
    monkeypatch.setattr(sampling, "FARTHEST", 1.0)
    changed = content_stamp(_through_a_module)
    monkeypatch.setattr(sampling, "cosine", _stepped)
    assert len({before, changed, content_stamp(_through_a_module)}) == 3


def test_a_stamp_is_the_same_in_every_process() -> None:
    imports = "from footfall.feet.leg_kernels import solve_poses; from footfall.core import kernels"
    code = f"{imports}; print(kernels.content_stamp(solve_poses))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_importing_kernels_does_not_import_the_compiler() -> None:
    code = "import footfall.feet.leg_kernels, footfall.feet.step_following, sys; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "zeros": lambda path: path.write_bytes(bytes(len(path.read_bytes()))),
    "random": lambda path: path.write_bytes(np.random.default_rng(0).bytes(5000)),
    "a bit": lambda path: path.write_bytes(path.read_bytes()[:-50] + b"\x01" + path.read_bytes()[-49:]),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
}


def hits(made: kernels.Kernel) -> int:
    """A call, and whether it was compiled before."""
    assert made(21) == 42
    return len(made.compiled.stats.cache_hits)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
@pytest.mark.parametrize("which", ["nbi", "nbc"])
def test_what_a_power_cut_leaves_of_the_cache_is_compiled_again(tmp_path: Path, which: str) -> None:
    (tmp_path / "own_kernel.py").write_text("def twice(x):\n    return 2 * x\n")
    spec = importlib.util.spec_from_file_location("own_kernel", tmp_path / "own_kernel.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for kind, damage in DAMAGE.items():
        assert hits(kernel(module.twice)) in (0, 1)
        assert hits(kernel(module.twice)) == 1
        (path,) = tmp_path.rglob(f"*.{which}")
        damage(path)
        assert hits(kernel(module.twice)) == 0, kind
        if path.is_dir():
            path.rmdir()


def test_a_cache_that_cannot_be_written_costs_time_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, path: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "_open_for_write", full)
    assert kernel(_subtract)(5, 3) == 2


def _subtract(a, b):  # type: ignore[no-untyped-def]
    return a - b

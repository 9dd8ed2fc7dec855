"""Compiling kernels where nothing can be cached."""

from __future__ import annotations

import pytest
from numba.core import caching

from footfall.runtime.jit import LOOSE, kernel


def _add(a, b):  # type: ignore[no-untyped-def]
    return a + b


def test_kernels_are_cached_where_there_is_a_place() -> None:
    assert isinstance(kernel(_add)._cache, caching.FunctionCache)
    assert kernel(_add)(2, 3) == 5


def test_kernels_work_where_no_folder_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object) -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(caching._CacheLocator, "ensure_cache_path", refuse)
    for compiled in (kernel(_add), kernel(fastmath=LOOSE)(_add)):
        assert isinstance(compiled._cache, caching.NullCache)
        assert compiled(2, 3) == 5

"""Recent: a dictionary that drops its least recently used entries, so that dragging all day fills no memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """What was made for a key, made again only once it is forgotten.

    A key that names clips does so by weak references: a clip with all that is known of it is a thousand times as large
    as most of what is remembered about it, and of one that is gone no key is ever asked for again.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._kept: dict[Key, Value] = {}

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, now the most recent one."""
        value = self._kept.pop(key) if key in self._kept else make()
        self._kept[key] = value
        while len(self._kept) > self.most:
            del self._kept[next(iter(self._kept))]
        return value

    def __len__(self) -> int:
        return len(self._kept)

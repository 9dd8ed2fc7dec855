"""Once: what was computed from an object is cached for as long as the object lives."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

Result = TypeVar("Result")
Owner = Any  # a Clip, a Skeleton, …: told apart by identity, and weakly held


def once(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorator: remember the results of function(owner, *key) for every owner that is still alive.

    The key is all arguments but the first and is held strongly; for a second object of short life, see once_per_pair.
    """
    kept: WeakKeyDictionary[Owner, dict[tuple[Hashable, ...], Result]] = WeakKeyDictionary()

    @wraps(function)
    def remembered(owner: Owner, *key: Hashable) -> Result:
        known = kept.setdefault(owner, {})
        if key not in known:
            known[key] = function(owner, *key)
        return known[key]

    return remembered


def once_per_pair(function: Callable[[Owner, Owner], Result]) -> Callable[[Owner, Owner], Result]:
    """Decorator: remember the results of function(a, b) for as long as both are alive."""
    kept: WeakKeyDictionary[Owner, WeakKeyDictionary[Owner, Result]] = WeakKeyDictionary()

    @wraps(function)
    def remembered(a: Owner, b: Owner) -> Result:
        known = kept.setdefault(a, WeakKeyDictionary())
        if b not in known:
            known[b] = function(a, b)
        return known[b]

    return remembered

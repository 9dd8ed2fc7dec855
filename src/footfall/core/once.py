"""Once: what was computed from an object is kept in that object, and goes with it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, ref

Result = TypeVar("Result")
Owner = Any  # a Clip, a Skeleton, …: told apart by identity
_ATTRIBUTE = "_computed_once"
_ITSELF = object()  # kept in place of a result that is its own owner, which would hold itself
_MISSING = object()
MOST_BYTES = 6 << 20  # of all that once_for_some remembers, with what will be known of it
FEWEST = 12  # results that are kept whatever their size: a search asks for about so many again and again
KNOWN = 5  # a clip with all that is known of it is so many times its poses. Measured on 150 clips of a timeline


class _Computed(dict[Any, Any]):
    """What is known of an object, by function. A copy or a pickle of the object begins without."""

    def __reduce__(self) -> tuple[type[_Computed], tuple[()]]:
        return _Computed, ()


def _known(owner: Owner, function: Callable[..., Any], table: Callable[[], Any]) -> Any:
    """An owner's results of a function.

    They are kept in the owner itself: in a table of owners, however weakly it holds them, a result that knows its owner
    would keep both for ever.
    """
    attributes: dict[str, Any] = owner.__dict__
    computed = attributes.setdefault(_ATTRIBUTE, _Computed())
    return computed.setdefault(function, table())


def once(function: Callable[..., Result]) -> Callable[..., Result]:
    """Decorator: remember the results of function(owner, *key) for as long as the owner lives.

    The key is all arguments but the first and is held strongly; for a second object of short life, see once_per_pair,
    and for results as large as their owner, once_for_some.
    """

    @wraps(function)
    def remembered(owner: Owner, *key: Hashable) -> Result:
        known = _known(owner, function, dict)
        if key not in known:
            result = function(owner, *key)
            known[key] = _ITSELF if result is owner else result
        found = known[key]
        return owner if found is _ITSELF else found

    return remembered


class _Some(dict[Any, Any]):
    """An owner's results of one function, which may be forgotten."""

    __slots__ = ("__weakref__",)


class _LargeResults:
    """All that once_for_some remembers, by when it was asked for; owners may go at any time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._used: OrderedDict[tuple[int, Hashable], tuple[ref[_Some], int]] = OrderedDict()
        self._bytes = 0

    def used(self, known: _Some, key: Hashable, result: Any) -> None:
        """A result was asked for; where all are too much, those that were longest ago are forgotten."""
        with self._lock:
            before = self._used.pop((id(known), key), None)
            self._bytes -= before[1] if before else 0
            is_known = before is not None and before[0]() is known  # not one that is gone, whose id it has
            size = before[1] if before and is_known else KNOWN * _pose_bytes(result)
            self._used[id(known), key] = ref(known), size
            self._bytes += size
            while self._bytes > MOST_BYTES and len(self._used) > FEWEST:
                (_, oldest), (of, held) = self._used.popitem(last=False)
                self._bytes -= held
                results = of()
                if results is not None:
                    results.pop(oldest, None)


_LARGE = _LargeResults()


def _pose_bytes(result: Any) -> int:
    """Of the clip that a result is, or of those among its parts."""
    parts = result if isinstance(result, tuple) else [result, *getattr(result, "__dict__", {}).values()]
    poses = (getattr(part, "pose", None) for part in parts)
    return sum(array.nbytes for pose in poses if isinstance(pose, tuple) for array in pose if array is not None)


def once_for_some(most: int) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Decorator: as once, but of each owner only the results of the `most` keys that were asked for last.

    For what is made of a clip at some moment, speed or length: whole clips, of which a day of drags would make
    thousands. Of all owners together no more than MOST_BYTES are kept.
    """

    def decorated(function: Callable[..., Result]) -> Callable[..., Result]:
        @wraps(function)
        def remembered(owner: Owner, *key: Hashable) -> Result:
            known = _known(owner, function, _Some)
            found = known.pop(key, _MISSING)
            if found is _MISSING:
                result = function(owner, *key)
                found = _ITSELF if result is owner else result
            known[key] = found  # the last is the newest
            for older in list(known)[:-most]:  # a list at once: another thread may be adding to it
                known.pop(older, None)
            _LARGE.used(known, key, found)
            return owner if found is _ITSELF else found

        return remembered

    return decorated


def once_per_pair(function: Callable[[Owner, Owner], Result]) -> Callable[[Owner, Owner], Result]:
    """Decorator: remember the results of function(a, b) for as long as both are alive."""

    @wraps(function)
    def remembered(a: Owner, b: Owner) -> Result:
        known = _known(a, function, WeakKeyDictionary)
        if b not in known:
            known[b] = function(a, b)
        result: Result = known[b]
        return result

    return remembered

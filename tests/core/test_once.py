"""Results that are kept with the object they were worked out of."""

from __future__ import annotations

import gc
import pickle
from copy import deepcopy
from weakref import ref

import numpy as np

from footfall.core import once as once_module
from footfall.core.once import once, once_for_some, once_per_pair


class Thing:
    pass


def test_a_result_is_worked_out_once_for_each_owner_and_key():
    calls = []

    @once
    def found(owner, key=0):
        calls.append((owner, key))
        return object()

    a, b = Thing(), Thing()
    assert found(a) is found(a)
    assert found(a, 1) is found(a, 1)
    assert found(a) is not found(b)
    assert [key for _, key in calls] == [0, 1, 0]


def test_results_go_with_their_owners():
    alive = []

    class Result:
        def __init__(self):
            alive.append(self)

        def __del__(self):
            alive_count[0] -= 1

    alive_count = [0]

    @once
    def found(owner):
        alive_count[0] += 1
        result = Result()
        alive.clear()
        return result

    @once_per_pair
    def both(a, b):
        alive_count[0] += 1
        result = Result()
        alive.clear()
        return result

    a, b = Thing(), Thing()
    found(a)
    assert both(a, b) is both(a, b)
    assert alive_count == [2]
    del b
    gc.collect()
    assert alive_count == [1]
    del a
    gc.collect()
    assert alive_count == [0]


def test_a_result_that_knows_its_owner_goes_with_it():
    @once
    def itself(owner):
        return owner

    @once
    def around(owner):
        return [owner]

    a = Thing()
    assert itself(a) is itself(a) is a
    assert around(a)[0] is a
    gone = ref(a)
    del a
    gc.collect()
    assert gone() is None


def test_a_result_that_is_its_owner_makes_no_ring():
    """Rings are found late: clips of megabytes must go as soon as nobody has them."""

    @once
    def itself(owner):
        return owner

    a = Thing()
    itself(a)
    gone = ref(a)
    gc.disable()
    try:
        del a
        assert gone() is None
    finally:
        gc.enable()


def test_a_copy_or_pickle_of_an_owner_begins_anew():
    calls = []

    @once
    def found(owner):
        calls.append(owner)
        return lambda: owner  # which no pickle could hold

    a = Thing()
    found(a)
    for copied in (deepcopy(a), pickle.loads(pickle.dumps(a))):
        assert found(copied)() is copied
    assert len(calls) == 3


def test_of_large_results_those_asked_for_last_are_kept():
    calls = []

    @once_for_some(2)
    def found(owner, key):
        calls.append(key)
        return owner if key == 0 else object()

    a, b = Thing(), Thing()
    kept = found(a, 1)
    assert found(a, 0) is a
    assert found(a, 1) is kept  # the newest now
    found(a, 2)  # 0 is forgotten
    assert found(a, 1) is kept
    found(b, 2)  # another's
    assert calls == [1, 0, 2, 2]
    assert found(a, 0) is a
    assert calls == [1, 0, 2, 2, 0]


def test_large_results_of_all_owners_together_are_bounded_by_their_bytes(monkeypatch):
    monkeypatch.setattr(once_module, "_LARGE", once_module._LargeResults())
    monkeypatch.setattr(once_module, "MOST_BYTES", 10 * once_module.KNOWN * 8000)
    monkeypatch.setattr(once_module, "FEWEST", 2)
    calls = []

    @once_for_some(4)
    def found(owner, key):
        calls.append(owner)
        made = Thing()
        made.pose = (np.zeros(1000), None)  # 8000 bytes
        return (made, 0.5)

    owners = [Thing() for _ in range(30)]
    for owner in owners:
        found(owner, 0)
    for owner in owners[-10:]:
        found(owner, 0)
    assert len(calls) == 30  # the ten that fit are there
    first = ref(found(owners[0], 0)[0])
    assert len(calls) == 31
    del owner
    for owner in owners[1:20]:
        found(owner, 0)
    assert len(calls) == 50
    assert first() is None  # forgotten, while its owner is there
    calls.clear()
    del owners[5:], owner
    gc.collect()  # those that go take their results with them
    assert len(found(owners[4], 0)) == 2

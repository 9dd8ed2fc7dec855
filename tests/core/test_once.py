"""Results that are kept with the object they were worked out of."""

from __future__ import annotations

import gc

from footfall.core.once import once, once_per_pair


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

"""Which files of footfall a call passes through: python tools/count_flow.py [join|timeline|live|studio] …

Files count whose functions run during the call, in order of their first turn; what runs while modules are imported does
not. Compiled kernels are not seen by Python's profiler, so they are told apart by name: where one is called, its file
counts and those of the kernels that it calls. Every flow first runs once with other input, so that everything is
imported and compiled. `PYTHONPATH=…/src python tools/count_flow.py` counts another checkout.
"""

from __future__ import annotations

import argparse
import asyncio
import inspect
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import footfall as ff

PACKAGE = Path(ff.__file__).parent
WAIT_S = 300.0  # for an answer of the studio
CALM_S = 2.0  # without an edit, after which the studio has no work left


class Passed:
    """The files passed while `on`, in order of their first turn."""

    def __init__(self) -> None:
        self.on = False
        self.files: dict[str, None] = {}
        self._known: dict[Any, str] = {}

    def install(self) -> None:
        sys.setprofile(self._called)
        threading.setprofile(self._called)

    def _called(self, frame: FrameType, event: str, argument: object) -> None:
        if self.on and event == "call":
            self.add(frame.f_code)

    def add(self, code: Any) -> None:
        if code not in self._known:
            path = Path(code.co_filename)
            is_function = code.co_flags & inspect.CO_OPTIMIZED  # modules and bodies of classes are not
            inside = is_function and PACKAGE in path.parents
            self._known[code] = path.relative_to(PACKAGE).as_posix() if inside else ""
        if self._known[code]:
            self.files.setdefault(self._known[code])


class Watched:
    """A compiled function that tells when it is called."""

    def __init__(self, kernel: Any, passed: Passed) -> None:
        self._kernel, self._passed = kernel, passed
        self._codes = [found.py_func.__code__ for found in reached(kernel, set())]

    def __call__(self, *args: Any, **options: Any) -> Any:
        if self._passed.on:
            for code in self._codes:
                self._passed.add(code)
        return self._kernel(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kernel, name)


def is_kernel(value: object) -> bool:
    return hasattr(value, "py_func") and hasattr(value, "targetoptions") and not isinstance(value, Watched)


def reached(kernel: Any, seen: set[int]) -> Iterator[Any]:
    """A kernel and those that it calls, by the names in its code."""
    if id(kernel) in seen:
        return
    seen.add(id(kernel))
    yield kernel
    names, space = kernel.py_func.__code__.co_names, kernel.py_func.__globals__
    values = [space.get(name) for name in names]
    values += [getattr(v, name, None) for v in values if isinstance(v, ModuleType) for name in names]
    for value in values:
        plain = value._kernel if isinstance(value, Watched) else value
        if is_kernel(plain):
            yield from reached(plain, seen)


def watch_kernels(passed: Passed) -> None:
    """Put a watched one in the place of every kernel that a module knows."""
    made: dict[int, Watched] = {}
    for name, module in list(sys.modules.items()):
        if name.split(".")[0] == "footfall":
            for key, value in list(vars(module).items()):
                if is_kernel(value):
                    vars(module)[key] = made.setdefault(id(value), Watched(value, passed))


# --- the flows: a setting, and the call itself ------------------------------------------------------------------------


def join(turn: float) -> Callable[[], object]:
    """ff.join of a walk and a kick."""
    walk, kick = ff.motion("walk", cycles=2, turn=turn), ff.motion("kick", x=0.01 * turn)
    return lambda: ff.join(walk, kick)


def timeline(turn: float) -> Callable[[], object]:
    """ff.timeline of four clips, rendered and measured."""
    walk = ff.motion("walk", cycles=3, turn=turn)
    kick, wave, run = ff.motion("kick", x=0.01 * turn), ff.motion("wave", seed=int(turn)), ff.motion("run", turn=turn)
    return lambda: ff.timeline([walk, kick, wave, run]).render()


def live(turn: float) -> Callable[[], object]:
    """Two seconds of Controller.step: a walk whose speed changes with every frame, then a run."""
    hero = ff.Controller(ff.graph("builtin"))
    for _ in range(120):
        hero.step(1 / 60, type="walk", speed=1.2, turn=turn)

    def steps() -> None:
        for k in range(120):
            hero.step(1 / 60, type="walk" if k < 60 else "run", speed=(1.2 if k < 60 else 3.0) + 0.002 * k, turn=turn)

    return steps


def studio(turn: float) -> Callable[[], object]:
    """One message of a drag in the studio: a clip of three at another time, until its preview is sent."""
    from footfall.studio import messages as m
    from footfall.studio import studio as room

    room.PREPARE_S = 1e6  # type: ignore[attr-defined] # no graph is built meanwhile

    class Page:
        told: list[object]

        def __init__(self) -> None:
            self.told = []

        def send(self, message: object) -> None:
            self.told.append(message)

        def send_frame(self, kind: int, track: int, data: bytes) -> None:
            pass

        async def wait_for(self, kind: type) -> None:
            until = time.monotonic() + WAIT_S
            while not any(isinstance(message, kind) for message in self.told):
                if time.monotonic() > until:
                    raise TimeoutError(f"no {kind.__name__} in {WAIT_S:.0f} s")
                await asyncio.sleep(0.01)

    loop = asyncio.new_event_loop()
    session, page = room.Studio(Path(tempfile.mkdtemp()), ("walk", "kick", "stand")), Page()

    async def prepare() -> int:
        await session.start()
        await session.join(page)
        await session.handle(page, m.New())
        for name in ("walk", "kick", "stand"):
            await session.handle(page, m.Edit(m.AddClip(name, 1)))
        await page.wait_for(m.Take)
        await asyncio.sleep(CALM_S)
        return session.project.document.tracks[0].clips[1].id

    async def drag(clip: int) -> None:
        page.told.clear()
        await session.handle(page, m.Drag(m.MoveClip(clip, 1.5 + 0.01 * turn), 1, 1.0))
        await page.wait_for(m.Preview)

    clip = loop.run_until_complete(prepare())
    return lambda: loop.run_until_complete(drag(clip))


FLOWS = {"join": join, "timeline": timeline, "live": live, "studio": studio}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flows", nargs="*", choices=[*FLOWS, []], help="all of them by default")
    parser.add_argument("--files", action="store_true", help="print every file")
    options = parser.parse_args()
    passed = Passed()
    passed.install()
    names = options.flows or list(FLOWS)
    for name in names:
        FLOWS[name](5.0)()
    calls = {name: FLOWS[name](10.0) for name in names}
    watch_kernels(passed)  # now that all are compiled: a watched one must not be compiled into another
    for name, call in calls.items():
        passed.files.clear()
        passed.on = True
        call()
        passed.on = False
        print(f"{name:9} {len(passed.files):4} files   {(FLOWS[name].__doc__ or '').strip()}", flush=True)
        if options.files:
            print(*(f"    {file}" for file in passed.files), sep="\n")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # without waiting for the threads of the studio

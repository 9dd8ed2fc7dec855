"""The studio's first moments: its page is there before the studio is, what needs that waits, a failure ends it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest
from running_studio import TOKEN, Plain, Running, make_page, until
from starlette.applications import Starlette

from footfall.studio.early_app import EarlyApp
from footfall.studio.front_page import FrontPage
from footfall.studio.guarded import Guarded
from footfall.studio.security import Guard
from footfall.studio.server import unguarded


class Late:
    """A studio that is made only when it is let."""

    def __init__(self, problem: Exception | None = None) -> None:
        self.may_begin, self.problem = threading.Event(), problem
        self.failed: list[BaseException] = []

    def __call__(self, session: Plain, guard: Guard, dist: Path) -> Guarded:
        def make() -> Starlette:
            assert self.may_begin.wait(20.0)
            if self.problem is not None:
                raise self.problem
            return unguarded(session, guard, dist)  # type: ignore[arg-type]

        front = Starlette(routes=FrontPage(guard, dist).routes())
        return Guarded(EarlyApp(front, make, self.failed.append), guard)


@pytest.fixture
def plain(tmp_path: Path) -> Plain:
    (tmp_path / "motions").mkdir()
    return Plain(tmp_path / "motions")


def test_the_page_is_there_before_the_studio(plain: Plain, tmp_path: Path) -> None:
    late, found = Late(), []
    with Running(plain, make_page(tmp_path / "dist"), late) as running:
        assert TOKEN in running.ask("GET", "/", running.cookie).text
        assert running.ask("GET", "/assets/app.js", running.cookie).text == "console.log(1)"
        assert running.ask("GET", "/assets/..%2Fsecret.js", running.cookie).status == 400
        assert running.ask("GET", "/").status == 403  # the guard is there from the first moment
        asking = threading.Thread(target=lambda: found.append(running.ask("GET", "/downloads/1/x", running.cookie)))
        asking.start()
        asking.join(0.3)
        assert asking.is_alive()  # it waits for the studio
        late.may_begin.set()
        asking.join(20.0)
        assert found[0].status == 404  # and the studio has no such file
        with running.connect() as page:
            page.send(msgspec.json.encode({"type": "undo"}).decode())
            assert "nothing to undo" in str(page.recv(timeout=20.0))
    assert late.failed == []


def test_a_socket_that_comes_early_is_served_when_the_studio_is_there(plain: Plain, tmp_path: Path) -> None:
    late, heard = Late(), []

    def talk(running: Running) -> None:
        with running.connect() as page:
            page.send(msgspec.json.encode({"type": "undo"}).decode())
            heard.append(page.recv(timeout=20.0))

    with Running(plain, make_page(tmp_path / "dist"), late) as running:
        talking = threading.Thread(target=talk, args=(running,))
        talking.start()
        talking.join(0.3)
        assert not heard
        late.may_begin.set()
        talking.join(20.0)
        assert heard


def test_it_can_be_ended_before_it_has_begun(plain: Plain, tmp_path: Path) -> None:
    late = Late()
    with Running(plain, make_page(tmp_path / "dist"), late) as running:
        assert running.ask("GET", "/", running.cookie).status == 200
        running.server.should_exit = True
        late.may_begin.set()
    assert late.failed == []


def test_why_there_will_be_no_studio_is_told(plain: Plain, tmp_path: Path) -> None:
    late: Any = Late(OSError("the disk is gone"))
    with Running(plain, make_page(tmp_path / "dist"), late) as running:
        late.may_begin.set()
        until(lambda: late.failed)
        assert running.ask("GET", "/downloads/1/x", running.cookie).status == 500
    assert str(late.failed[0]) == "the disk is gone"

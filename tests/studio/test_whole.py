"""The whole studio behind its server: a page's day in short, and messages that are well formed and make no sense."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from read_frames import decode
from running_studio import Running, make_page

import footfall as ff
from footfall.studio import frames
from footfall.studio import messages as m
from footfall.studio.studio import Studio

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("project")
    ff.save(ff.motion("walk").resample(30.0), folder / "mine.bvh")
    with Running(Studio(folder), make_page(tmp_path_factory.mktemp("dist"))) as made:
        yield made


def wait_for(page: Any, kind: type, timeout_s: float = 120.0, **facts: Any) -> Any:
    """The next message of a kind whose fields are as given; frames and other messages on the way are passed over."""
    end = time.monotonic() + timeout_s
    while True:
        data = page.recv(timeout=max(end - time.monotonic(), 0.01))
        if isinstance(data, bytes):
            continue
        message = msgspec.json.decode(data, type=m.ToPage)
        if isinstance(message, kind) and all(getattr(message, k) == v for k, v in facts.items()):
            return message


def say(page: Any, message: m.ToServer) -> None:
    page.send(msgspec.json.encode(message).decode())


def test_from_hello_to_a_file(whole, tmp_path):
    with whole.connect() as page:
        welcome = wait_for(page, m.Welcome)
        assert welcome.folder == str(whole.session.folder)
        project = wait_for(page, m.Project)
        take = wait_for(page, m.Take, revision=project.revision)
        assert take.tracks[0].problem is None
        frame = decode(page.recv(timeout=20))
        assert (frame.kind, frame.track, frame.serial) == (frames.TAKE, take.tracks[0].id, take.revision)
        assert len(frame.poses) / frame.fps == pytest.approx(take.duration_s, abs=0.1)
        say(page, m.Edit(m.AddClip("kick", take.tracks[0].id)))
        project = wait_for(page, m.Project)
        assert project.document.tracks[0].clips[-1].clip == "kick"
        wait_for(page, m.Take, revision=project.revision)
        say(page, m.Export("glb"))
        job = wait_for(page, m.Job, state="done")
        answer = whole.ask("GET", job.url, whole.cookie)
        (tmp_path / "take.glb").write_bytes(answer.body)
        assert ff.load(tmp_path / "take.glb").duration == pytest.approx(take.duration_s, abs=5.0)
        say(page, m.Undo())
        wait_for(page, m.Project)


def made_up(kind: Any, chance: random.Random) -> Any:
    """A value of a type that is allowed on the wire, mostly absurd."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        hints = msgspec.inspect.type_info(kind)
        return kind(*(made_of(field.type, chance) for field in hints.fields))  # type: ignore[union-attr]
    raise TypeError(kind)


WORDS = [
    "",
    "walk",
    "kick",
    "mine",
    "no such",
    "../x",
    "C:",
    "x" * 2000,
    "\0",
    "hero",
    "transition",
    "a.json",
    "stairs:15x35",
    "x.obj",
]
NUMBERS = [0.0, 1.0, -1.0, 0.5, 3.0, 1e-9, 1e9, -1e300, 60.0]


def made_of(kind: Any, chance: random.Random) -> Any:
    match kind:
        case msgspec.inspect.StructType():
            return made_up(kind.cls, chance)
        case msgspec.inspect.UnionType():
            return made_of(chance.choice(kind.types), chance)
        case msgspec.inspect.NoneType():
            return None
        case msgspec.inspect.BoolType():
            return chance.random() < 0.5
        case msgspec.inspect.IntType():
            return chance.choice([0, 1, 2, 3, 5, -1, 2**31, 2**63 - 1, chance.randrange(20)])
        case msgspec.inspect.FloatType():
            return chance.choice(NUMBERS)
        case msgspec.inspect.StrType():
            return chance.choice(WORDS)
        case msgspec.inspect.LiteralType():
            return chance.choice(kind.values)
        case msgspec.inspect.TupleType():
            return tuple(made_of(part, chance) for part in kind.item_types)
        case msgspec.inspect.VarTupleType():
            return tuple(made_of(kind.item_type, chance) for _ in range(chance.randrange(3)))
    raise TypeError(kind)


KINDS = [k for k in get_args(m.ToServer) if k not in (m.Hello, m.Export)]


def test_messages_that_make_no_sense_break_nothing(whole, caplog):
    chance, before = random.Random(0), {p for p in whole.session.folder.parent.iterdir()}
    with caplog.at_level(logging.ERROR):
        with whole.connect() as page:
            for _ in range(400):
                say(page, made_up(chance.choice(KINDS), chance))
            say(page, m.New(demo=True))
            say(page, m.Cancel(10**6))
            while not wait_for(page, m.Problem).text.startswith("no job '1000000'"):
                pass
        with whole.connect() as page:
            project = wait_for(page, m.Project)
            assert wait_for(page, m.Take, revision=project.revision).tracks[0].problem is None
    failures = [r.getMessage() for r in caplog.records if r.exc_info or "failed" in r.getMessage()]
    assert not failures
    assert {p for p in whole.session.folder.parent.iterdir()} == before  # nothing was written beside the folder

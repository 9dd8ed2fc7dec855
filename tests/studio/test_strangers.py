"""What strangers can do before anybody knows them: hold connections, send heads slowly, follow links, read keys."""

from __future__ import annotations

import http.client
import logging
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running_session import Page, run, small
from running_studio import TOKEN, Plain, Running, make_page

from footfall.cli import studio as studio_command
from footfall.studio import messages as m
from footfall.studio import sockets
from footfall.studio import studio as studio_module
from footfall.studio.library import Library
from footfall.studio.secret import page_file, write_page
from footfall.studio.security import Guard, OneTimeKeys
from footfall.studio.studio import Studio
from footfall.timeline.model import Timeline, TimelineClip, TimelineTrack


@pytest.fixture
def server(tmp_path: Path):  # type: ignore[no-untyped-def]
    with Running(Plain(tmp_path / "motions"), make_page(tmp_path / "dist")) as made:
        yield made


@pytest.fixture(autouse=True)
def short_start(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = Timeline((TimelineTrack((TimelineClip("walk"),), name="Hero"),), fps=30.0)
    monkeypatch.setattr(studio_module, "demo", lambda: walk)


def ask(port: int, path: str, **headers: str) -> http.client.HTTPResponse:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    line.request("GET", path, headers=headers)
    answer = line.getresponse()
    answer.read()
    line.close()
    return answer


# --- connections ------------------------------------------------------------------------------------------------------


def test_of_too_many_silent_connections_the_oldest_go_and_the_page_answers(server) -> None:  # type: ignore[no-untyped-def]
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3 * sockets.MOST_SILENT)]
    assert ask(server.port, f"/?token={TOKEN}").status == 303
    assert is_ended(silent[0])
    for line in silent:
        line.close()


@pytest.mark.parametrize("count", [50, 100])
def test_as_many_pages_that_open_at_once_all_get_in(server, monkeypatch: pytest.MonkeyPatch, count: int) -> None:  # type: ignore[no-untyped-def]
    """Connected before any of them asks, as after a break: nobody is cut off for those that came behind."""
    monkeypatch.setattr(sockets, "GRACE_S", 60.0)  # connecting may take a while here
    lines = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(count)]
    for line in lines:
        line.sendall(f"GET /?token={TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    assert {line.recv(12) for line in lines} == {b"HTTP/1.1 303"}
    for line in lines:
        line.close()


def test_too_many_silent_connections_go_when_they_had_time_to_ask(server) -> None:  # type: ignore[no-untyped-def]
    most, count = sockets.MOST_SILENT, sockets.MOST_SILENT + 20
    silent = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(count)]
    assert all(is_ended(line) for line in silent[: count - most])
    silent[-1].sendall(f"GET /?token={TOKEN} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
    assert silent[-1].recv(12) == b"HTTP/1.1 303"
    for line in silent:
        line.close()


def is_ended(line: socket.socket) -> bool:
    """Whether the other side ends a connection, in whichever way."""
    line.settimeout(20.0)
    try:
        return line.recv(1) == b""
    except ConnectionError:
        return True


def test_a_head_that_never_ends_is_given_up(server, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """However steadily its bytes come."""
    monkeypatch.setattr(sockets, "HEADERS_S", 0.5)
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        for number in range(1000):
            try:
                line.sendall(b"X-%d: y\r\n" % number)
            except ConnectionError:
                break
            time.sleep(0.05)
        assert number < 900


def test_a_connection_that_was_answered_may_ask_again(server, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(sockets, "HEADERS_S", 0.5)
    line = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    for wait_s in (0.0, 0.8, 0.0):
        time.sleep(wait_s)  # longer than a head may take, but nothing has begun
        line.request("GET", "/", headers={"authorization": f"token {TOKEN}"})
        assert line.getresponse().read()
    line.close()


FEW_FILES = """
import resource, socket, sys, threading, time
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from running_studio import TOKEN, Plain, Running, make_page
from footfall.studio.store import Store
import http.client
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
folder = Path(sys.argv[1])
with Running(Plain(folder / "motions"), make_page(folder / "dist")) as made:
    print(made.port, flush=True)
    store, failed = Store(folder), []
    for line in sys.stdin:
        try:
            store.autosave(line.encode())
            print("kept", flush=True)
        except Exception as error:
            print(repr(error), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on open files")
def test_300_silent_connections_and_256_files_stop_neither_page_nor_autosave(tmp_path: Path) -> None:
    paths = [path for path in sys.path if path.endswith("tests")]
    command = [sys.executable, "-c", FEW_FILES, str(tmp_path), *paths]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        port = int(process.stdout.readline())
        silent = []
        for number in range(300):
            silent.append(socket.create_connection(("127.0.0.1", port), timeout=30))
            if number % 100 == 99:
                silent[-1].send(b"GET / HT")  # one that begins, and stops
                assert ask(port, f"/?token={TOKEN}").status == 303
                process.stdin.write("work\n")
                process.stdin.flush()
                assert process.stdout.readline() == "kept\n"
        for line in silent:
            line.close()
        process.stdin.close()
        process.wait(60)


# --- keys -------------------------------------------------------------------------------------------------------------


def test_a_one_time_key_lets_one_browser_in(server) -> None:  # type: ignore[no-untyped-def]
    key = server.guard.once.new()
    first = ask(server.port, f"/?once={key}")
    assert first.status == 200
    cookie = first.headers["set-cookie"].split(";")[0]
    assert "SameSite=Strict" in first.headers["set-cookie"]
    assert ask(server.port, "/", cookie=cookie).status == 200
    assert ask(server.port, f"/?once={key}").status == 403
    assert ask(server.port, f"/?once={key}", cookie=cookie).status == 403
    assert ask(server.port, "/?once=").status == 403
    assert ask(server.port, f"/?once={TOKEN}").status == 403
    assert ask(server.port, f"/upload?once={server.guard.once.new()}").status == 403


def test_a_foreign_host_cannot_use_a_key_nor_use_it_up(server) -> None:  # type: ignore[no-untyped-def]
    key = server.guard.once.new()
    assert ask(server.port, f"/?once={key}", host="evil.example").status == 403
    assert ask(server.port, f"/?once={key}", origin="http://evil.example").status == 403
    assert ask(server.port, f"/?once={key}").status == 200


def test_keys_end_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = OneTimeKeys()
    key = keys.new()
    assert keys.is_good(key)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 3600.0)
    assert not keys.is_good(key)
    assert not keys.take(key)


def test_the_browser_is_opened_without_a_key_in_its_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    opened: list[str] = []
    texts: list[str] = []
    guard = Guard("the-lasting-token-0123456789", 8765)

    def browser(address: str) -> None:
        opened.append(address)
        texts.append(page_file(8765).read_text())
        assert page_file(8765).stat().st_mode & 0o777 == 0o600
        guard.once.take(texts[0].split("once=")[1].split('"')[0])

    monkeypatch.setattr("webbrowser.open", browser)
    studio_command._open_browser(guard, "http://127.0.0.1:8765/")
    assert opened == [page_file(8765).as_uri()]
    assert guard.token not in opened[0] + texts[0]
    assert "http://127.0.0.1:8765/?once=" in texts[0]
    assert not page_file(8765).exists()  # once the key is used


def test_a_file_in_the_way_is_replaced_and_not_written_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path))
    victim = tmp_path / "victim"
    victim.write_text("mine")
    page_file(1).parent.mkdir(parents=True)
    page_file(1).symlink_to(victim)
    write_page(1, 'http://x/?once="><script>')
    assert victim.read_text() == "mine"
    assert "<script>" not in page_file(1).read_text()


# --- links and names --------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_the_library_follows_no_link_out_of_its_folder(tmp_path: Path) -> None:
    secret, folder = tmp_path / "secret.txt", tmp_path / "takes"
    secret.write_text("the first line of a foreign file")
    folder.mkdir()
    (folder / "out.bvh").symlink_to(secret)
    (folder / "round.bvh").symlink_to("round.bvh")
    (folder / "walk.amc").write_text(":FULLY-SPECIFIED\n1\n")
    (folder / "walk.asf").symlink_to(secret)
    (folder / "in.bvh").write_text("nothing")
    (folder / "also.bvh").symlink_to("in.bvh")
    library = Library(folder, motions=())
    assert sorted(entry.path.name for entry in library._files() if entry.path) == ["also.bvh", "in.bvh"]


def test_the_log_shows_no_control_characters(capfd: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("footfall.studio")
    before = list(log.handlers), log.level
    try:
        studio_command._log_to_terminal()
        log.warning("library: %s cannot be used", "a\x1b]0;owned\x07b\nfootfall studio 00:00:00 forged")
    finally:
        log.handlers[:], log.level = before[0], before[1]
    said = capfd.readouterr().err
    assert "\x1b" not in said
    assert said.count("\n") == 1


# --- work that was left -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leave", [m.New(), m.New(demo=True)])
def test_what_was_not_saved_comes_back_by_undoing(tmp_path: Path, leave: m.New) -> None:
    async def act(studio: Studio, page: Page) -> None:
        made = await small(studio, page)
        await studio.handle(page, leave)
        shown = page.of(m.Project)[-1]
        assert shown.document != made.document
        assert shown.undo is not None
        await studio.handle(page, m.Undo())
        back = page.of(m.Project)[-1]
        assert back.document == made.document
        assert back.undo == made.undo
        assert not back.saved
        assert back.revision > shown.revision
        await studio.handle(page, m.Undo())
        assert page.of(m.Project)[-1].document != made.document

    run(tmp_path, act)
    assert len(list((tmp_path / ".footfall").glob("autosave-*"))) == 1  # the work, once


def test_nothing_is_offered_where_everything_was_saved(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Save("a.json"))
        await studio.handle(page, m.New())
        assert page.of(m.Project)[-1].undo is None

    run(tmp_path, act)


def test_two_conflicts_keep_both_versions(tmp_path: Path) -> None:
    async def act(studio: Studio, page: Page) -> None:
        await small(studio, page)
        await studio.handle(page, m.Save("a.json"))
        for name in ("one", "two"):
            (tmp_path / "a.json").write_text('{"tracks": [{"clips": ["stand"]}]}')
            await studio.handle(page, m.Edit(m.AddTrack(name)))
            await studio.handle(page, m.Save())
        told = [problem.text for problem in page.of(m.Problem)]
        assert "a.conflict.json" in told[0]
        assert "a.conflict-2.json" in told[1]

    run(tmp_path, act)
    assert len(list(tmp_path.glob("a.conflict*.json"))) == 2

"""Sockets that misbehave: each is told, cut off or sent away, and no other notices."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
from contextlib import suppress

import msgspec
import pytest
from running_studio import TOKEN, until
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from footfall.studio import connection
from footfall.studio.messages import Problem, Undo

MALFORMED = [
    "", "{", "null", "[]", "0", '"hello"', "{}", '{"type": 1}', '{"type": "no such"}', '{"type": "undo", "type": 5}',
    '{"type": "edit"}', '{"type": "edit", "change": {"do": "fly"}}', '{"type": "drag", "change": {"do": "add_track"}}',
    '{"type": "live_steer", "speed": NaN}', '{"type": "live_steer", "target": [1]}', '{"type": "cancel", "job": 1e400}',
    '{"type": "cancel", "job": "1"}', '{"type": "export", "format": "exe"}', "[" * 100_000, '{"a":' * 50_000,
    '{"type": "open", "path": "\\ud800"}', '{"type": "cancel", "job": ' + "9" * 5000 + "}",
]  # fmt: skip


def ask(page, text: str) -> dict:
    page.send(text)
    return msgspec.json.decode(page.recv(timeout=10))


def closing_code(page) -> int:
    """With which code the server closes it, whatever it says before."""
    try:
        while True:
            page.recv(timeout=10)
    except ConnectionClosed as closed:
        return 0 if closed.rcvd is None else closed.rcvd.code


def read_all(line: socket.socket) -> int:
    """How many bytes still come until the end."""
    count = 0
    while data := line.recv(1 << 20):
        count += len(data)
    return count


def test_a_page_is_heard_and_answered(running):
    with running.connect() as page:
        assert ask(page, '{"type": "undo"}')["text"] == "There is nothing to undo."
        assert running.session.heard[-1][1] == Undo()
    until(lambda: not running.session.clients)


def test_the_first_message_must_hold_the_token(running):
    for first in ('{"type": "hello", "token": "wrong"}', '{"type": "hello"}', '{"type": "undo"}', "nonsense", b"\0"):
        heard = len(running.session.heard)
        with running.connect(hello=False) as page:
            page.send(first)
            assert closing_code(page) == 1008
        assert len(running.session.heard) == heard
    header = {"Authorization": f"token {TOKEN}"}
    with connect(f"ws://{running.host}/ws", additional_headers=header) as program:  # no page: no origin, but the header
        program.send('{"type": "hello"}')
        assert ask(program, '{"type": "undo"}')["type"] == "problem"


def test_a_socket_that_says_nothing_is_closed(running, monkeypatch):
    monkeypatch.setattr(connection, "HELLO_S", 0.2)
    with running.connect(hello=False) as page:
        assert closing_code(page) == 1008


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_messages_are_answered_and_change_nothing(running, text):
    heard = len(running.session.heard)
    with running.connect() as page:
        answer = ask(page, text)
        assert answer["type"] == "problem"
        assert "did not understand" in answer["text"]
        assert len(answer["text"]) < 500
        assert len(running.session.heard) == heard
        assert ask(page, '{"type": "undo"}')["text"] == "There is nothing to undo."


def test_binary_messages_are_malformed(running, caplog):
    with running.connect() as page, caplog.at_level(logging.WARNING):
        assert ask(page, b"\x00" * 1000)["type"] == "problem"
    assert any("binary" in r.getMessage() for r in caplog.records)


def test_too_many_malformed_messages_end_it(running):
    with running.connect() as page, running.connect() as other:
        for _ in range(connection.MOST_MALFORMED):
            page.send("x")
        assert closing_code(page) == 1007
        assert ask(other, '{"type": "undo"}')["type"] == "problem"


def test_a_message_over_a_megabyte_ends_it(running):
    with running.connect() as page, running.connect() as other:
        page.send('{"type": "open", "path": "' + "x" * (1 << 20) + '"}')
        assert closing_code(page) == 1009
        assert ask(other, '{"type": "undo"}')["type"] == "problem"


def test_a_message_in_a_million_pieces_is_still_too_large(running):
    def pieces():
        for _ in range(105):  # the last one goes over the megabyte
            yield "x" * 10_000
        time.sleep(0.5)  # nothing is being sent while the server's close arrives: the client loses it otherwise

    with running.connect() as page:
        with suppress(ConnectionClosed):
            page.send(pieces())
        assert closing_code(page) == 1009


def test_failures_are_told_in_a_sentence_and_stop_nothing(running, caplog):
    with running.connect() as page:
        assert ask(page, '{"type": "new"}')["text"] == "There is no demo here; choose another."
        with caplog.at_level(logging.ERROR):
            answer = ask(page, '{"type": "redo"}')
        assert "inside the studio" in answer["text"]
        assert "ZeroDivision" not in answer["text"]
        assert any(r.exc_info for r in caplog.records)
        assert ask(page, '{"type": "undo"}')["text"] == "There is nothing to undo."


def test_a_page_goes_on_while_something_long_is_made(running):
    with running.connect() as page:
        page.send('{"type": "live_start"}')
        assert ask(page, '{"type": "undo"}')["text"] == "There is nothing to undo."
        (client,) = running.session.clients
        client._loop.call_soon_threadsafe(running.session.made.set)
        assert msgspec.json.decode(page.recv(timeout=10))["text"] == "Made."


def test_long_things_do_not_pile_up(running, monkeypatch):
    monkeypatch.setattr(running.session, "made", asyncio.Event())
    with running.connect() as page:
        for _ in range(connection.MOST_ASIDE + 5):
            page.send('{"type": "live_start"}')
        said = [msgspec.json.decode(page.recv(timeout=10))["text"] for _ in range(5)]
        assert all("already" in text for text in said)
        (client,) = running.session.clients
        client._loop.call_soon_threadsafe(running.session.made.set)
        assert msgspec.json.decode(page.recv(timeout=10))["text"] == "Made."


def test_messages_are_done_in_order_and_pings_answered_meanwhile(running):
    with running.connect() as page:
        page.send('{"type": "recover", "keep": true}')
        page.send('{"type": "undo"}')
        page.send("x" * 10)
        assert page.ping().wait(10)
        first, second = (msgspec.json.decode(page.recv(timeout=10))["text"] for _ in range(2))
        assert "did not understand" in first  # the reader goes on
        assert second == "There is nothing to undo."
        assert [what for _, what in running.session.heard[-2:]] == ["recovered", Undo()]


def test_the_last_message_of_a_page_that_goes_is_done(running):
    heard = len(running.session.heard)
    with running.connect() as page:
        page.send('{"type": "recover", "keep": true}')
        until(lambda: len(running.session.heard) > heard)
    until(lambda: not running.session.clients)
    assert running.session.heard[-1][1] == "recovered"


def test_too_many_pages_are_refused(running, monkeypatch):
    monkeypatch.setattr(connection, "MOST_CLIENTS", 2)
    until(lambda: not running.session.clients)
    with running.connect() as one, running.connect() as two:
        until(lambda: len(running.session.clients) == 2)
        with running.connect(hello=False) as third:
            assert closing_code(third) == 1013
        for page in (one, two):
            assert ask(page, '{"type": "undo"}')["type"] == "problem"


def raw_page(running) -> socket.socket:
    """A page that says hello, and then never reads."""
    line = socket.socket()
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.connect(("127.0.0.1", running.port))
    cookie = "".join(f"{k}: {v}\r\n" for k, v in running.cookie.items())
    own = f"Host: {running.host}\r\nOrigin: http://{running.host}\r\n{cookie}"
    key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    line.sendall(f"GET /ws HTTP/1.1\r\n{own}Connection: Upgrade\r\nUpgrade: websocket\r\n{key}\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += line.recv(1)
    hello = msgspec.json.encode({"type": "hello", "token": TOKEN})
    line.sendall(bytes([0x81, 0x80 | len(hello)]) + b"\0\0\0\0" + hello)  # masked with nothing
    return line


def memory_mb() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def joined(running, count: int) -> list:
    until(lambda: len(running.session.clients) == count)
    return list(running.session.clients)


def test_a_page_that_never_reads_costs_the_others_nothing(running):
    """At 400 frames of 40 kB, 16 MB in all: a queue would hold nearly all of them, a slot holds one."""
    until(lambda: not running.session.clients)
    frame = os.urandom(40_000)
    with running.connect() as good:
        (fast,) = joined(running, 1)
        stalled = raw_page(running)
        try:
            slow = next(c for c in joined(running, 2) if c is not fast)
            got: list[int] = []

            def read() -> None:
                while len(got) < 400:
                    got.append(int.from_bytes(good.recv(timeout=20)[:4], "little"))

            reader = threading.Thread(target=read)
            reader.start()
            before = memory_mb()
            for number in range(400):
                data = number.to_bytes(4, "little") + frame
                for client in (fast, slow):
                    client.send_frame(3, 1, data)
                until(lambda: len(got) > number)  # noqa: B023 - the good page has every frame before the next
            reader.join(20)
            assert got == list(range(400))
            assert memory_mb() - before < 5.0
            assert slow.waiting_bytes == len(frame) + 4  # the newest alone
        finally:
            stalled.close()
    until(lambda: not running.session.clients)


def test_a_page_that_lets_messages_pile_up_is_cut_off(running, monkeypatch, caplog):
    monkeypatch.setattr(connection, "STALLED_S", 0.3)
    monkeypatch.setattr(connection, "CHECK_S", 0.05)
    until(lambda: not running.session.clients)
    with running.connect() as good, caplog.at_level(logging.WARNING):
        (fast,) = joined(running, 1)
        stalled = raw_page(running)
        slow = next(c for c in joined(running, 2) if c is not fast)
        for _ in range(600):  # what the system takes, and then more than a megabyte
            slow.send(Problem("stage", "x" * 10_000))
        until(lambda: slow.closed)
        assert slow.waiting_bytes == 0
        slow.send(Problem("stage", "x"))  # to nobody, and that is no error
        assert slow.waiting_bytes == 0
        assert joined(running, 1) == [fast]
        assert ask(good, '{"type": "undo"}')["type"] == "problem"
        with stalled:
            stalled.settimeout(10)
            assert read_all(stalled) < 3_000_000  # cut off, not closed politely behind all that waits
    assert any("cut off" in r.getMessage() for r in caplog.records)


def test_frames_come_after_the_message_they_belong_to_and_only_the_newest(running):
    until(lambda: not running.session.clients)
    with running.connect() as page:
        (client,) = joined(running, 1)
        for revision in range(50):
            client.send(Problem("stage", str(revision)))
            client.send_frame(1, 7, bytes([revision]))
            client.send_frame(1, 8, bytes([revision]))
        client.send(Problem("stage", "end"))
        said: list[int] = []
        frames: dict[int, list[int]] = {}
        while True:
            data = page.recv(timeout=10)
            if isinstance(data, bytes):
                assert data[0] <= said[-1]
                frames.setdefault(data[0], []).append(said[-1])
                continue
            text = msgspec.json.decode(data)["text"]
            if text == "end":
                break
            said.append(int(text))
        assert said == list(range(50))  # messages are never dropped
        assert len(frames[49]) == 2  # nor is the newest frame of either track


def on_loop(client, work) -> None:
    """Do something on the thread of the studio's loop, where characters tick; what it raises comes out here."""

    async def done() -> None:
        work()

    asyncio.run_coroutine_threadsafe(done(), client._loop).result(20)


def test_what_is_sent_from_the_loop_comes_whole_and_in_order_however_slowly_it_is_read(running):
    """Small messages are taken at once; behind a large one, of which a part is taken, all the others wait."""
    until(lambda: not running.session.clients)
    sizes = [10, 70_000, 100, 900_000, 126, 65_536, 1, 300_000, 125]
    with running.connect() as page:
        (client,) = joined(running, 1)
        for number, size in enumerate(sizes):
            on_loop(client, lambda n=number, size=size: client.send_frame(3, n, bytes([n]) * size))
        time.sleep(0.2)  # the page has not read yet
        on_loop(client, lambda: client.send(Problem("stage", "end")))
        for number, size in enumerate(sizes):
            assert page.recv(timeout=20) == bytes([number]) * size
        assert msgspec.json.decode(page.recv(timeout=20))["text"] == "end"


def test_a_pose_for_a_page_that_is_being_closed_is_no_failure(running):
    """As when the studio ends while characters tick."""
    until(lambda: not running.session.clients)
    with running.connect() as page:
        (client,) = joined(running, 1)

        def end() -> None:
            for line in list(running.server.server_state.connections):
                line.shutdown()
            client.send_frame(3, 0, b"pose")

        on_loop(client, end)
        assert closing_code(page) == 1012
    until(lambda: not running.session.clients)


def test_sending_is_safe_from_any_thread(running):
    until(lambda: not running.session.clients)
    with running.connect() as page:
        (client,) = joined(running, 1)
        threads = [
            threading.Thread(target=lambda n=n: [client.send(Problem("stage", f"{n} {i}")) for i in range(200)])
            for n in range(4)
        ]
        for thread in threads:
            thread.start()
        got = [msgspec.json.decode(page.recv(timeout=10))["text"].split() for _ in range(800)]
        for thread in threads:
            thread.join()
        for n in range(4):
            assert [int(i) for who, i in got if int(who) == n] == list(range(200))


def test_a_page_that_vanishes_is_forgotten(running):
    until(lambda: not running.session.clients)
    for _ in range(5):
        line = raw_page(running)
        joined(running, 1)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # reset instead of a goodbye
        line.close()
        until(lambda: not running.session.clients)
    time.sleep(0.05)
    assert not [t for t in threading.enumerate() if t.name.startswith("page")]

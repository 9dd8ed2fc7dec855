"""Uploads: good ones appear, all others leave nothing behind."""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import msgspec
import pytest
from running_studio import until, zip_bomb

import footfall as ff
from footfall.core.errors import ParameterError
from footfall.io.load import readable
from footfall.studio import uploads

LIMIT = 2_000_000  # of the server the tests share


@pytest.fixture(scope="module")
def walk_bvh(tmp_path_factory) -> bytes:
    return ff.save(ff.motion("walk").resample(30.0), tmp_path_factory.mktemp("made") / "walk.bvh").read_bytes()


def files(running) -> set[str]:
    folder = running.session.library.uploads
    return {p.name for p in folder.iterdir()} if folder.exists() else set()


def upload(running, name: str, data: bytes):
    return running.ask("POST", f"/upload?name={name}", running.header, data)


def test_a_good_file_becomes_an_item(running, walk_bvh):
    answer = upload(running, "my%20walk.bvh", walk_bvh)
    assert answer.status == 200, answer.text
    (item,) = msgspec.json.decode(answer.body)
    assert (item["name"], item["group"], item["kind"], item["problem"]) == ("my walk", "uploads", "walk", None)
    assert item["key"] in {i.key for i in running.session.library.items()}
    assert running.ask("GET", f"/clips/{item['key']}/poses", running.cookie).status == 200
    assert running.session.library.clip(item["key"]).frames == 33
    assert "my walk.bvh" in files(running)


def test_the_same_name_again_overwrites_nothing(running, walk_bvh):
    contents = (walk_bvh + b"\n", walk_bvh + b"\n\n")
    keys = {msgspec.json.decode(upload(running, "again.bvh", each).body)[0]["key"] for each in contents}
    assert len(keys) == 2
    assert {"again.bvh", "again-2.bvh"} <= files(running)


def test_the_same_content_again_is_the_same_clip(running, walk_bvh):
    before = msgspec.json.decode(upload(running, "once.bvh", walk_bvh + b"\n\n\n").body)
    there = files(running)
    assert msgspec.json.decode(upload(running, "twice.bvh", walk_bvh + b"\n\n\n").body) == before
    assert files(running) == there


def test_an_upload_can_be_removed_and_a_built_in_motion_cannot(running, walk_bvh):
    library = running.session.library
    (item,) = msgspec.json.decode(upload(running, "gone.bvh", walk_bvh + b"\n" * 4).body)
    assert item["removable"]
    library.remove(item["key"])
    assert "gone.bvh" not in files(running)
    assert item["key"] not in {one.key for one in library.items()}
    with pytest.raises(ParameterError, match="not uploaded here"):
        library.remove("walk")


@pytest.mark.skipif(".fbx" in readable(), reason="FBX is read here")
def test_a_format_that_is_not_read_names_its_cure(running):
    answer = upload(running, "hero.fbx", b"Kaydara FBX Binary")
    assert answer.status == 400
    assert "GLB" in answer.text


def test_a_file_over_the_limit_is_refused_with_the_limit_named(running):
    before = files(running)
    answer = upload(running, "big.bvh", b"x" * (LIMIT + 1))
    assert answer.status == 413
    assert "2 MB" in answer.text
    assert files(running) == before


def test_what_it_declares_is_not_believed(running):
    """Sent in chunks, without a length: counted as it comes, and stopped long before the end."""
    before = files(running)
    token = "".join(f"{k}: {v}\r\n" for k, v in running.header.items())
    head = f"POST /upload?name=a.bvh HTTP/1.1\r\nHost: {running.host}\r\n{token}Transfer-Encoding: chunked\r\n\r\n"
    sent = 0
    with socket.create_connection(("127.0.0.1", running.port), timeout=20) as line:
        line.sendall(head.encode())
        while not select.select([line], [], [], 0.0)[0] and sent < 100 * LIMIT:
            line.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")
            sent += 0x10000
        assert line.recv(1000).startswith(b"HTTP/1.1 413 ")
    assert LIMIT < sent < 20 * LIMIT  # the rest is what the system holds on the way
    until(lambda: files(running) == before)
    assert upload(running, "a.bvh", b"").status == 422  # it still works


@pytest.mark.parametrize("length", ["-1", "1e3", "99999999999999999999", "x"])
def test_a_length_that_is_none(running, length):
    given = {**running.header, "Content-Length": length}
    assert running.ask("POST", "/upload?name=a.bvh", given).status in (400, 413)


def test_a_client_killed_in_the_middle_leaves_nothing(running):
    before = files(running)
    token = "".join(f"{k}: {v}\r\n" for k, v in running.header.items())
    for gentle in (True, False):
        with socket.create_connection(("127.0.0.1", running.port), timeout=20) as line:
            head = f"POST /upload?name=a.bvh HTTP/1.1\r\nHost: {running.host}\r\n{token}Content-Length: 1000000\r\n\r\n"
            line.sendall(head.encode() + b"HIERARCHY" * 1000)
            until(lambda: files(running) != before)  # it has begun to write
            if not gentle:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        until(lambda: files(running) == before)


def test_a_client_that_stops_sending_is_not_waited_for(running, monkeypatch):
    monkeypatch.setattr(uploads, "CHUNK_S", 0.2)
    before = files(running)
    token = "".join(f"{k}: {v}\r\n" for k, v in running.header.items())
    head = f"POST /upload?name=a.bvh HTTP/1.1\r\nHost: {running.host}\r\n{token}Content-Length: 1000\r\n\r\n"
    assert running.exchange(head.encode() + b"x").status == 408
    assert files(running) == before


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.bvh", b""),
        ("a.bvh", b"\0" * 1000),
        ("a.bvh", b"HIERARCHY\nROOT a\n{\nOFFSET 1 2\n"),
        ("a.glb", b"glTF\2\0\0\0\xff\xff\xff\xff"),
        ("a.npz", b"PK\5\6" + b"\0" * 18),
        ("a.npz", b"PK\3\4" + b"x" * 100),
        ("a.gltf", b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "../../../etc/passwd", "byteLength": 9}]}'),
        ("a.json", b"{}"),
        ("a.txt", b"not a motion"),
        ("a.asf", b":version 1.10"),
    ],
)
def test_what_is_no_motion_is_refused_in_a_sentence(running, name, data):
    before = files(running)
    answer = upload(running, name, data)
    assert answer.status == 422
    assert "Traceback" not in answer.text
    assert 10 < len(answer.text) < 400
    assert files(running) == before


def test_a_zip_bomb_is_refused_before_it_is_inflated(running):
    """A thousand to one: a hundred megabytes in a hundred kilobytes."""
    bomb = zip_bomb(size=100 << 20)
    assert len(bomb) < 110_000
    before = files(running)
    start = time.process_time()
    answer = upload(running, "bomb.npz", bomb)
    assert answer.status == 422
    assert "200:1" in answer.text
    assert files(running) == before
    assert time.process_time() - start < 5.0  # nothing was inflated in this process
    assert upload(running, "bomb.npz", zip_bomb("../../evil.npy", 1 << 20)).status == 422
    assert files(running) == before


def test_many_at_once(running, walk_bvh):
    answers = []

    def many(n: int) -> int:
        return upload(running, f"many{n}.bvh", walk_bvh + b"\n" * (10 + n)).status

    threads = [threading.Thread(target=lambda n=n: answers.append(many(n))) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert answers == [200] * 8
    assert len({i.key for i in running.session.library.items() if i.name.startswith("many")}) == 8


def test_a_link_in_the_folder_is_not_written_through(running, walk_bvh, tmp_path):
    outside = tmp_path / "outside.bvh"
    outside.write_text("mine")
    running.session.library.uploads.mkdir(exist_ok=True)
    link = running.session.library.uploads / "link.bvh"
    link.symlink_to(outside)
    assert upload(running, "link.bvh", walk_bvh).status == 400
    assert outside.read_text() == "mine"
    link.unlink()


def test_a_folder_that_cannot_be_written_is_told(running, walk_bvh, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr(running.session.library, "uploads", tmp_path / "file" / "uploads")
    answer = upload(running, "a.bvh", walk_bvh)
    assert answer.status == 507
    assert "could not be written" in answer.text


def test_what_a_killed_studio_left_is_removed(running, walk_bvh):
    left = running.session.library.uploads / ".upload-x.part"
    left.write_text("half")
    fresh = running.session.library.uploads / ".upload-y.part"
    fresh.write_text("another is at it")
    os.utime(left, (0, 0))
    assert upload(running, "sweep.bvh", walk_bvh).status == 200
    assert not left.exists()
    assert fresh.exists()
    fresh.unlink()


def test_two_of_a_name_at_the_same_moment_are_both_kept(running, walk_bvh, monkeypatch):
    together, free_path = threading.Barrier(2), uploads.free_path

    def slow(*given):
        found = free_path(*given)
        with suppress(threading.BrokenBarrierError):
            together.wait(1.0)
        return found

    monkeypatch.setattr(uploads, "free_path", slow)
    other = walk_bvh.replace(b"Frames: 33", b"Frames: 32").rpartition(b"\n")[0].rpartition(b"\n")[0] + b"\n"
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda data: upload(running, "twin.bvh", data), (walk_bvh, other)))
    keys = [msgspec.json.decode(answer.body)[0]["key"] for answer in answers]
    assert [running.session.library.clip(key).frames for key in keys] == [33, 32]

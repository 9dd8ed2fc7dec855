"""Routes: what they give, and names that try to reach other files."""

from __future__ import annotations

import logging
from pathlib import Path
from urllib.parse import quote

import msgspec
import numpy as np
import pytest
from read_frames import decode
from running_studio import Plain, Running, until

import footfall as ff
from footfall.studio.messages import SkeletonView

EVIL = [
    "..", "../secret.js", "../../../../etc/passwd", "%2e%2e/secret.js", "%2e%2e%2fsecret.js", "..%5csecret.js",
    "%252e%252e%252fsecret.js", "..\\secret.js", "C:secret.js", "C:/secret.js", "%43%3a/secret.js", "//host/x.js",
    "%2f%2fhost/x.js", "/etc/passwd", "%2fetc%2fpasswd", "%00", "app.js%00", "link.js", "folder/secret.js", "CON",
    "con.js", "nul", ".hidden.js", "app.js/..", "app.js%2f..%2f..%2fsecret.js", "..;/secret.js", "....//secret.js",
    "%c0%ae%c0%ae/secret.js", "%ff", "%u002e%u002e/secret.js", "app.js::$DATA", "app.js.", "%0d%0aX: y",
]  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def secrets(running):
    """Things that must not be reached: beside the page, and by links inside it."""
    outside = running.dist.parent
    (outside / "secret.js").write_text("secret")
    (running.dist / "link.js").symlink_to(outside / "secret.js")
    (running.dist / "folder").symlink_to(outside)
    (running.dist / ".hidden.js").write_text("secret")


@pytest.mark.parametrize("name", EVIL)
def test_no_route_gives_a_file_it_should_not(running, name):
    for route in (f"/assets/{name}", f"/clips/{name}/poses", f"/clips/{name}/skeleton", f"/downloads/1/{name}",
                  f"/downloads/{name}/a.glb", f"/skins/{name}.glb", f"/skins/{name}", f"/{name}"):  # fmt: skip
        answer = running.ask("GET", route, running.cookie)
        assert answer.status in (400, 404), (route, answer.text)
        assert b"secret" not in answer.body.replace(b"secret.js", b"")
        assert b"root:" not in answer.body
        assert "x" not in answer.headers  # no header of the sender's making


@pytest.mark.parametrize("name", [*EVIL, "", quote("a/b.bvh"), "walk.exe", "walk", "x" * 300 + ".bvh"])
def test_no_upload_lands_where_it_should_not(running, name):
    def files() -> set[Path]:  # but for what the library remembers of its own clips, in the background
        return {p for p in running.session.library.folder.parent.rglob("*") if p.suffix != ".msgpack"}

    before = files()
    answer = running.ask("POST", f"/upload?name={name}", running.header, b"HIERARCHY")
    assert answer.status == 400, answer.text
    after = files()
    assert after - before <= {running.session.library.uploads}


@pytest.mark.parametrize("name", ["..", "../x.bvh", "/etc/passwd", "C:\\x.bvh", "//host/x.bvh", "a\\b.bvh", "CON.bvh"])
def test_messages_that_name_files_go_through_the_same_gate(running, name):
    with running.connect() as page:
        page.send(msgspec.json.encode({"type": "open", "path": name}).decode())
        answer = msgspec.json.decode(page.recv(timeout=10))
        assert answer["type"] == "problem"
        assert "name a file below" in answer["text"] or "alone" in answer["text"]


def test_assets(running):
    answer = running.ask("GET", "/assets/app.js", running.cookie)
    assert answer.text == "console.log(1)"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert running.ask("HEAD", "/assets/app.js", running.cookie).body == b""
    assert running.ask("GET", "/assets/notes.txt", running.cookie).status == 404  # only what a page is made of


def test_a_page_that_was_not_built_says_how(running, tmp_path):
    (tmp_path / "f").mkdir()
    with Running(Plain(tmp_path / "f"), tmp_path / "no dist") as other:
        answer = other.ask("GET", "/", other.cookie)
    assert answer.status == 503
    assert "npm run build" in answer.text


def test_poses_of_a_clip(running):
    until(lambda: running.session.library.items())
    walk = ff.motion("walk")
    small = decode(running.ask("GET", "/clips/walk/poses", running.cookie).body)
    assert small.fps == 15.0
    assert small.poses.shape == (int(walk.duration * 15) + 1, len(walk.skeleton), 7)
    many = decode(running.ask("GET", "/clips/walk/poses?fps=60", running.cookie).body)
    np.testing.assert_allclose(many.poses[:, :, :3], walk.positions[::2], atol=1e-5)
    for fps in ("0", "-1", "nan", "1e9", "x", ""):
        assert running.ask("GET", f"/clips/walk/poses?fps={fps}", running.cookie).status == 400
    answer = running.ask("GET", "/clips/walk/skeleton", running.cookie)
    view = msgspec.json.decode(answer.body, type=SkeletonView)
    assert view.names == walk.skeleton.names
    unknown = running.ask("GET", "/clips/wlak/poses", running.cookie)
    assert unknown.status == 404
    assert "walk" in unknown.text


def test_export_to_download(running):
    job = running.session.jobs.export([ff.motion("walk")], "bvh")
    until(lambda: running.session.told and running.session.told[-1].state == "done")
    told = running.session.told[-1]
    assert told.url == f"/downloads/{job}/walk.bvh"
    answer = running.ask("GET", told.url, running.cookie)
    assert answer.body.startswith(b"HIERARCHY")
    assert answer.headers["content-disposition"] == 'attachment; filename="walk.bvh"'
    assert running.ask("GET", f"/downloads/{job}/other.bvh", running.cookie).status == 404
    assert running.ask("GET", f"/downloads/{job + 1}/walk.bvh", running.cookie).status == 404


def test_the_skin_of_a_track(running, monkeypatch, tmp_path):
    assert running.ask("GET", "/skins/1.glb", running.cookie).status == 404
    skinned = ff.load(ff.save(ff.motion("walk"), tmp_path / "walk.glb"))
    monkeypatch.setattr(running.session, "skin_clip", {1: skinned}.get, raising=False)
    answer = running.ask("GET", "/skins/1.glb", running.cookie)
    assert answer.headers["content-type"] == "model/gltf-binary"
    (tmp_path / "skin.glb").write_bytes(answer.body)
    back = ff.load(tmp_path / "skin.glb")
    assert back.skin is not None
    assert back.frames == 1
    assert running.ask("GET", "/skins/2.glb", running.cookie).status == 404


def test_a_failure_inside_shows_no_trace(running, monkeypatch, caplog):
    def broken(*_: object) -> bytes:
        raise ZeroDivisionError("inside")

    monkeypatch.setattr(running.session.library, "poses", broken)
    with caplog.at_level(logging.ERROR):
        answer = running.ask("GET", "/clips/walk/poses", running.cookie)
    assert answer.status == 500
    assert b"ZeroDivision" not in answer.body
    assert b"Traceback" not in answer.body
    assert running.ask("GET", "/", running.cookie).status == 200

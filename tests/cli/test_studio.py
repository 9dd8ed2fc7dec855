"""footfall studio: the link, the port, the key, and what it refuses; in a process of its own."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from footfall.studio.front_page import DIST

PROGRAM = [sys.executable, "-m", "footfall", "studio", "--no-browser"]


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def built() -> None:
    if not (DIST / "index.html").is_file():
        pytest.skip("the studio's page has not been built")


def refused(*arguments: str) -> str:
    done = subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    return done.stderr


class Started:
    """A studio, with the link it printed."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
        )

    def __enter__(self) -> Started:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.fullmatch(r"footfall studio: http://127\.0\.0\.1:(\d+)/\?token=([\w-]+)\n", line)
        if found is None:
            raise AssertionError((line, self.process.communicate(timeout=20)))
        self.port, self.token = int(found[1]), found[2]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=20)

    def status(self, path: str) -> int:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        line.request("GET", path)
        status = line.getresponse().status
        line.close()
        return status

    def end(self, number: int) -> tuple[int, str]:
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=30)
        return self.process.returncode, said


def test_help_is_light():
    code = "from footfall.cli import main\ntry: main(['studio', '--help'])\nexcept SystemExit: pass\n"
    check = "import sys; assert not {'starlette', 'uvicorn', 'websockets', 'numba', 'numpy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code + check], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--allow-host" in done.stdout


def test_what_it_refuses(tmp_path, cache):
    assert "no such folder" in refused(str(tmp_path / "none"))
    assert "--token" in refused("--host", "0.0.0.0")
    assert "16" in refused("--host", "0.0.0.0", "--token", "short")
    assert "no command" not in refused("--port", "99999")


@pytest.mark.usefixtures("built")
def test_a_port_that_is_taken(cache):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = refused("--port", str(taken.getsockname()[1]))
    assert "cannot listen" in said
    assert "--port N" in said


@pytest.mark.slow
@pytest.mark.usefixtures("built")
def test_crash_and_clean_end(tmp_path, cache):
    """A page that was open comes back after a crash; after a clean end its key is worth nothing."""
    with Started(str(tmp_path), "--port", "0") as first:
        assert first.status("/") == 403
        assert first.status(f"/?token={first.token}") == 303
        first.process.send_signal(signal.SIGKILL)
        first.process.wait(20)
    secret = cache / "studio" / f"secret-{first.port}"
    assert secret.read_text() == first.token
    with Started(str(tmp_path), "--port", str(first.port)) as again:
        assert again.token == first.token
        code, said = again.end(signal.SIGINT)
    assert code == 0, said
    assert "Traceback" not in said
    assert first.token not in said
    assert not secret.exists()
    with Started(str(tmp_path), "--port", str(first.port)) as third:
        assert third.token != first.token
        assert third.status(f"/?token={first.token}") == 403
        time.sleep(0.2)
        code, said = third.end(signal.SIGTERM)
    assert "Traceback" not in said
    assert not secret.exists()

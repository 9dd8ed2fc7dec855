"""Every numeric option of every command, found in click's own lists, fed with numbers that break things."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from every_command import ALL, CLIPS, OTHERS
from helpers import run_cli as run
from helpers import walking_clip

from footfall.cli._options import Number
from footfall.io.save import save

NUMBERS = ("0", "-1", "nan", "inf", "-inf", "1e-320", "1e308", "1e9")
TEXTS = {  # options that are text to click and hold a number
    "--unit": "%s", "--set": "speed=%s", "--trim": "%s:", "--size": "%sx48", "--seeds": "%s",
    "--option": "halflife_s=%s",
}  # fmt: skip
GRAPH = Path(__file__).parents[1] / "graph" / "old" / "small.json"
ONE_WORD = {
    "--cutoff": ("--smooth",),
    "--option": ("--method", "inertialize", "--at", "0.5"),
}  # what an option goes with


def numeric(option: click.Parameter) -> str:
    """How a number is given to an option; empty where it takes none."""
    if not isinstance(option, click.Option) or option.is_flag:
        return ""
    if isinstance(option.type, click.types.FloatParamType | click.types.IntParamType):
        return "%s"
    return next((TEXTS[name] for name in option.opts if name in TEXTS), "")


OPTIONS = [
    (command, option.opts[0], form)
    for command in ALL
    for option in ALL[command].params
    if (form := numeric(option)) and (command == "info" or option.opts[0] not in ("--fps-in", "--unit"))
]


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one short take, and a script for a character."""
    folder = tmp_path_factory.mktemp("takes")
    save(walking_clip(cycles=1.0, fps=30.0), folder / "walk.bvh")
    (folder / "script.csv").write_text("t_s,type,speed,turn\n0,stand,0,0\n")
    return folder


def arguments(command: str, takes: Path, out: Path) -> list[str]:
    """A call that is cheap and right but for the number."""
    if command == "walk":
        return ["walk", str(GRAPH), str(takes / "script.csv"), "-o", f"{out}.npz", "--fps", "10"]
    given = {**CLIPS, **OTHERS}[command]
    filled = [str(arg).replace("OUT", str(out)).replace("FOLDER", str(takes)) for arg in given]
    one = str(takes / "walk.bvh")
    return [
        *command.split(),
        *(one if arg == "walk" and command in ("info", "edit", "convert") else arg for arg in filled),
    ]


@pytest.mark.parametrize(("command", "option", "form"), OPTIONS, ids=lambda value: str(value))
def test_a_number_that_breaks_things_is_one_sentence_or_a_result(
    command: str, option: str, form: str, takes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))
    for value in NUMBERS:
        args = [*arguments(command, takes, tmp_path / "out"), *ONE_WORD.get(option, ()), option, form % value]
        code = run(*args)
        said = capsys.readouterr()
        assert code in (0, 2), args
        if code:
            assert said.err.count("\n") == 1, (args, said.err)
            assert said.err.startswith("footfall: "), (args, said.err)
        assert "nan" not in said.out.lower().replace("nanosecond", ""), (args, said.out)


def test_the_options_are_found() -> None:
    names = {option for _, option, _ in OPTIONS}
    assert {"--fps", "--fps-in", "--length", "--at", "--seconds", "--azimuth", "--poses", "--count"} - names <= {
        "--count"
    }
    assert len(OPTIONS) > 25


@pytest.mark.parametrize("command", ALL)
def test_no_option_takes_a_number_without_limits(command: str) -> None:
    """click's plain float takes nan and infinity, its ranges take nan."""
    for option in ALL[command].params:
        if isinstance(option.type, click.types.FloatParamType):
            limits = (option.type.min, option.type.max) if isinstance(option.type, click.FloatRange) else (None, None)
            assert isinstance(option.type, Number) or None not in limits, option.opts


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("args", [("info", "walk"), ("info", "walk", "--json"), ("--help",)])
def test_a_full_disk_is_told_in_one_sentence(args: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "footfall", *args]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
    assert done.returncode == 2
    assert done.stderr.splitlines() == ["footfall: the output could not be written: No space left on device"]

"""What holds for every command: an example, -o, clips by name, a refusal before the work, errors of one sentence."""

from __future__ import annotations

import pytest
from every_command import ALL, CLIPS, OTHERS
from helpers import run_cli as run

from footfall.cli import LAB
from footfall.io.save import save
from footfall.motions.library import motion

PRINTS = {"bench", "check", "info", "library build", "lint", "match", "studio"}  # these write no file


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("takes")
    save(motion("walk", speed=1.2), folder / "walk.bvh")
    return folder


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE", str(tmp_path / "cache"))


def filled(args, out, folder="nowhere"):
    return [str(arg).replace("OUT", str(out)).replace("FOLDER", str(folder)) for arg in args]


def one_sentence(capsys) -> str:
    error = capsys.readouterr().err
    assert error.startswith("footfall: ")
    assert error.count("\n") == 1
    assert "Traceback" not in error
    return error


def test_every_command_is_in_one_of_the_tables():
    assert set(CLIPS) | set(OTHERS) == set(ALL)


@pytest.mark.parametrize("name", ALL)
def test_help_has_an_example(name, capsys):
    assert run(*name.split(), "--help") == 0
    text = capsys.readouterr().out
    assert "Example:" in text
    assert f"footfall {name}" in text


@pytest.mark.parametrize("name", sorted(set(ALL) - PRINTS))
def test_what_writes_takes_o(name):
    assert any("-o" in parameter.opts for parameter in ALL[name].params)


@pytest.mark.parametrize("name", ["join", "synth", "blend", "walk", "convert", "edit", "find", "graph build"])
def test_what_makes_motion_takes_a_character_and_a_picture(name):
    known = [option for parameter in ALL[name].params for option in parameter.opts]
    assert "--character" in known
    assert "--picture" in known


@pytest.mark.parametrize("name", CLIPS)
def test_clips_may_be_built_in_motions(name, folder, tmp_path):
    assert run(name, *filled(CLIPS[name], tmp_path / "out", folder)) == 0
    assert len(list(tmp_path.glob("out.*"))) == (
        0 if "-o" not in CLIPS[name] else 2 if name in ("convert", "pack") else 1
    )


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_that_is_not_there_is_one_sentence(name, folder, tmp_path, capsys):
    args = [arg.replace("walk", "nowhere", 1) for arg in CLIPS[name]]
    assert run(name, *filled(args, tmp_path / "out", folder)) == 2
    assert "nowhere" in one_sentence(capsys)
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("name", sorted(set(OTHERS) - {"demo"}))
def test_what_is_not_there_is_one_sentence(name, tmp_path, capsys):
    assert run(*name.split(), *filled(OTHERS[name], tmp_path / "out")) == 2
    assert "nowhere" in one_sentence(capsys)
    assert not list(tmp_path.glob("out*"))


@pytest.mark.parametrize("name", sorted(set(ALL) - PRINTS - {"augment", "demo", "study", "analyze"}))
@pytest.mark.parametrize("fault", ["its folder cannot be made", "it is a folder"])
def test_a_bad_out_is_refused_before_anything_is_read(name, fault, tmp_path, capsys):
    """The input is not there either: what is told first was looked at first."""
    (tmp_path / "file").write_text("in the way")
    out = tmp_path / ("out" if "it is" in fault else "file/out")
    args = [arg.replace("walk", "nowhere", 1) for arg in {**CLIPS, **OTHERS}[name]]
    args = filled(args, out)
    if "it is" in fault:
        (tmp_path / args[args.index("-o") + 1]).mkdir()
    assert run(*name.split(), *args) == 2
    said = one_sentence(capsys)
    assert "could not be written" in said
    assert "folder" in said


@pytest.mark.parametrize("args", [("demo",), ("study", "analysis"), ("analyze", "nowhere"), ("augment", "nowhere")])
def test_a_bad_folder_is_refused_at_once(args, tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert run(*args, "-o", tmp_path / "file" / "out.png") == 2
    assert "is no folder" in one_sentence(capsys)


@pytest.mark.parametrize("name", ["convert", "edit", "join", "synth", "blend", "walk", "find", "render", "graph build"])
def test_a_name_that_asks_for_no_format_is_refused_at_once(name, tmp_path, capsys):
    args = [arg.replace("walk", "nowhere", 1) for arg in {**CLIPS, **OTHERS}[name]]
    args[args.index("-o") + 1] = "OUT.npz" if name == "graph build" else "OUT.docx"
    assert run(*name.split(), *filled(args, tmp_path / "out")) == 2
    assert "out." in one_sentence(capsys)


@pytest.mark.parametrize(("command", "old"), [("convert", "OUT"), ("edit", "OUT"), ("render", "OUT")])
def test_out_as_the_last_argument_still_works(command, old, tmp_path, capsys):
    suffix = ".png" if command == "render" else ".bvh"
    out = tmp_path / f"out{suffix}"
    assert run(command, "walk", out) == 0
    assert out.is_file()
    capsys.readouterr()
    if command != "render":  # which takes several files
        assert run(command, "walk", out, "-o", tmp_path / "other.bvh") == 2
        assert "given twice" in one_sentence(capsys)
    assert run(command, "walk") == 2
    assert "-o OUT" in one_sentence(capsys)


def test_old_spellings_of_options_still_work(tmp_path):
    assert run("convert", "walk", tmp_path / "a.npz", "--onto", "adult:1.2") == 0
    assert run("convert", "walk", "-o", tmp_path / "b.npz", "--character", "adult:1.2") == 0
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_a_character_and_a_picture(tmp_path, capsys):
    out, picture = tmp_path / "small.bvh", tmp_path / "small.png"
    assert run("edit", "walk", "-o", out, "--character", "adult:1.2", "--picture", picture) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    capsys.readouterr()
    assert run("info", out) == 0
    assert "height 1.20 m" in capsys.readouterr().out


@pytest.mark.parametrize("name", LAB)
def test_without_the_lab_its_commands_say_how_to_get_it(name, monkeypatch, capsys):
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **wanted: ())
    for args in ((name,), (name, "--help"), (name, "park2004")):
        assert run(*args) == 2
        said = one_sentence(capsys)
        assert f"footfall {name}" in said
        assert "pip install ./lab" in said
    assert run("--help") == 0
    assert name in capsys.readouterr().out

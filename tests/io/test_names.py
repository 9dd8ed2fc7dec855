"""Names as files have them: what a terminal would obey, or a list has no room for, is changed and told of."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import run_cli, still_clip
from test_bvh import GOOD

import footfall as ff
from footfall.core.errors import MOST_TOLD, FootfallError, ReadError, UnknownName, one_line
from footfall.core.skeleton import Skeleton

BELL = "\x1b]0;owned\x07"


@pytest.mark.parametrize("name", ["Kn\x1b[2Jee", "Kn\x00ee", "Kn\x9bee", "Kn\u202eee", "K" * 5000])
def test_a_joint_name_that_cannot_be_shown_is_changed_with_a_warning(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(GOOD.replace("Knee", name), encoding="utf-8")
    clip = ff.load(path)
    assert any("joint name" in warning for warning in clip.warnings)
    assert all(joint.isprintable() and len(joint) <= 200 for joint in clip.skeleton.names)
    with pytest.raises(ReadError, match="joint name"):
        ff.load(path, strict=True)


@pytest.mark.parametrize("name", ["Knie\u00a0links", "膝", "genou é\u20281"])
def test_other_names_stay_as_they_are(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(GOOD.replace("Knee", name), encoding="utf-8")
    clip = ff.load(path)
    assert clip.skeleton.names[1] == name
    assert not clip.warnings


def test_errors_are_one_printable_line_of_bounded_length(tmp_path: Path) -> None:
    for error in (
        FootfallError(f"a{BELL}\nb" + "c" * 50_000),
        UnknownName("clip", BELL + "x" * 50_000, ["y" * 50_000]),
        ReadError(tmp_path / f"{BELL}.bvh", BELL, "x" * 50_000, BELL),
    ):
        assert str(error).isprintable()
        assert len(str(error)) <= MOST_TOLD
    assert one_line("as it is") == "as it is"


def test_the_terminal_is_shown_no_control_characters(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of a file's own name, of joints, and of what is typed."""
    folder = tmp_path / f"takes{BELL}"
    folder.mkdir()
    path = folder / f"walk{BELL}.bvh"
    path.write_text(GOOD.replace("Knee", f"Knee{BELL}"), encoding="utf-8")
    for args in (("info", path), ("check", path), ("analyze", path), ("info", f"no{BELL}where"), ("lint", folder)):
        run_cli(*args)
    said = "".join(capfd.readouterr())
    assert "walk" in said
    assert "\x1b" not in said
    assert "\x07" not in said


def test_names_that_changed_keep_their_roles(tmp_path: Path) -> None:
    clip = still_clip()
    names = tuple(f"{name}\x07" for name in clip.skeleton.names)
    roles = {role: f"{name}\x07" for role, name in clip.skeleton.role_overrides.items()}
    body = clip.skeleton
    skeleton = Skeleton(names, body.parents, body.offsets, body.rest, body.end_parents, body.end_offsets, roles)
    path = ff.save(type(clip)(skeleton, clip.fps, clip.pose), tmp_path / "a.npz")
    assert ff.load(path).skeleton.roles.left_knee == body.roles.left_knee

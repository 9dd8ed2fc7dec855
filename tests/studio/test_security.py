"""Names of files and the guard's rules, without a server."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footfall.core.errors import ParameterError
from footfall.studio.secret import give_up, secret_file, take_up
from footfall.studio.security import Guard, new_token, safe_join, safe_name

EVIL_PATHS = [
    "", ".", "..", "../x", "a/../../x", "a/..", "..\\x", "a\\b", "/etc/passwd", "//host/x", "\\\\host\\x", "C:", "C:x",
    "C:/x", "c:\\x", "x:stream", "a\0b", "\0", "a\nb", "%2e%2e/x", "%252e%252e/x", "a%2fb", "..%5cx", "~/x", "~root/x",
    "CON", "con.bvh", "a/NUL.txt", "LPT1", "com¹.bvh", "aux .bvh"[:3], "a.", "a ", " a", ".hidden", "a/.git/config",
    "a//b", "a/", "./a", "a/./b", "x" * 300, "a/" * 600 + "a", "\ud800", "\x7f", "CONIN$",
]  # fmt: skip
GOOD_PATHS = [
    "walk.bvh",
    "walks/slow.bvh",
    "a b.bvh",
    "läuft-schräg.bvh",
    "走.bvh",
    "console.bvh",
    "a..b",
    "100%.bvh",
    "x@y",
]


@pytest.mark.parametrize("path", EVIL_PATHS)
def test_what_could_leave_the_folder_is_refused(tmp_path, path):
    with pytest.raises(ParameterError) as refused:
        safe_join(tmp_path, path)
    assert str(refused.value).isprintable()
    with pytest.raises(ParameterError):
        safe_name(tmp_path, path)


@pytest.mark.parametrize("path", GOOD_PATHS)
def test_what_lies_below_is_found(tmp_path, path):
    assert safe_join(tmp_path, path) == tmp_path.resolve() / path


def test_refused_as_text_before_the_disk_is_touched(tmp_path):
    """A share's name alone, once looked up, makes some systems send the user's password to it."""
    for path in ("//host/x", "\\\\host\\share\\x", "C:/x"):
        with pytest.raises(ParameterError, match="drive or a share"):
            safe_join(tmp_path / "not there", path)


@given(
    st.text(max_size=40) | st.lists(st.sampled_from(["..", "a", "/", "\\", ".", "%2e", ":", "\0", " "])).map("".join)
)
@example("a/../b")
def test_any_text_is_refused_or_lies_below(path):
    root = Path("/tmp/some/where")
    try:
        found = safe_join(root, path)
    except ParameterError:
        return
    assert found.is_relative_to(root)
    assert found != root
    assert not {"..", "."} & set(path.split("/"))


def test_links_may_not_lead_out(tmp_path):
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.bvh").write_text("x")
    (inside / "file.bvh").symlink_to(outside / "secret.bvh")
    (inside / "folder").symlink_to(outside)
    (inside / "self").symlink_to(inside)
    (inside / "own.bvh").write_text("x")
    (inside / "near.bvh").symlink_to(inside / "own.bvh")
    for path in ("file.bvh", "folder/secret.bvh", "folder/new.bvh", "self"):
        with pytest.raises(ParameterError, match="leads out"):
            safe_join(inside, path)
    assert safe_join(inside, "near.bvh") == (inside / "own.bvh").resolve()


def test_a_name_alone_has_no_folders(tmp_path):
    with pytest.raises(ParameterError, match="alone"):
        safe_name(tmp_path, "a/b.bvh")


def test_other_names_are_let_in_only_when_given():
    guard = Guard("t" * 20, 8765, ("Studio.Example", "proxy.example:443", "fe80::1"))
    own = {"authorization": f"token {'t' * 20}"}
    for host, origin, is_own in [
        ("studio.example:8765", "http://studio.example:8765", True),
        ("studio.example", "https://studio.example", True),
        ("[fe80::1]:8765", "http://[fe80::1]:8765", True),
        ("fe80::1", "http://fe80::1", False),
        ("proxy.example:443", "https://proxy.example:443", True),
        ("proxy.example:8765", "http://proxy.example:8765", False),
        ("other.example", "http://other.example", False),
        ("localhost:8765", "https://localhost:8765", False),
    ]:
        assert (guard.refusal("http", "GET", {"host": host, "origin": origin, **own}) == "") is is_own, host


def test_port_80_is_not_written_by_browsers():
    assert "localhost" in Guard("t", 80).hosts
    assert "localhost" not in Guard("t", 81).hosts


def test_the_cookie_does_not_give_the_token_away():
    one, other = Guard("a" * 40, 1), Guard("b" * 40, 1)
    assert one.cookie_value != other.cookie_value
    assert one.token not in one.cookie_value
    assert not one.has_header({"authorization": f"token {one.cookie_value}"})
    assert other.has_cookie({"cookie": f"x=1; {other.cookie_name}={other.cookie_value}"})
    assert not other.has_cookie({"cookie": f"{other.cookie_name}={one.cookie_value}"})
    assert not other.has_cookie({"cookie": f"footfall-2={other.cookie_value}"})


def test_the_secret_outlives_a_crash_and_no_clean_end():
    first = take_up(4711)
    assert secret_file(4711).stat().st_mode & 0o777 == 0o600
    assert take_up(4711) == first  # as after a crash
    assert take_up(4712) != first
    give_up(4711)
    assert not secret_file(4711).exists()
    assert take_up(4711) != first
    give_up(4711)
    give_up(4712)


def test_a_secret_that_others_could_read_or_made_is_not_used(tmp_path):
    first = take_up(4713)
    os.chmod(secret_file(4713), 0o644)
    second = take_up(4713)
    assert second != first
    elsewhere = tmp_path / "planted"
    elsewhere.write_text(new_token())
    elsewhere.chmod(0o600)
    secret_file(4713).unlink()
    secret_file(4713).symlink_to(elsewhere)
    assert take_up(4713) not in (second, elsewhere.read_text())
    assert not secret_file(4713).is_symlink()
    secret_file(4713).write_text("short")
    assert len(take_up(4713)) == 43
    give_up(4713)

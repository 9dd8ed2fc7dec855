"""A reported join: what is written is read again and can be tried again; anything else is refused in one sentence."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import footfall as ff
from footfall.cli.join import command
from footfall.core.errors import FootfallError
from footfall.studio import join_report
from footfall.studio import messages as m


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report without its film, which takes long."""
    first, second = ff.motion("walk", cycles=2).resample(30.0), ff.motion("kick").resample(30.0)
    join = m.JoinView(2, 3, "bridge", 2.1, 2.6, "steps", None, (), 1.2, 30.0, "poor", "stops too hard")
    report = join_report.JoinReport(first, second, join_report.told_of(first, second, 2.2, join))
    path = tmp_path_factory.mktemp("report") / "walk to kick.join.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(join_report, "FILM_SIZE", (32, 18))
        patch.setattr(join_report, "AROUND_S", 0.0)
        join_report.write_report(path, report, first, 0.0, lambda share: None)
    return path


def test_what_is_written_is_read_again(file: Path) -> None:
    with zipfile.ZipFile(file) as packed:
        assert set(packed.namelist()) == {"join.json", "first.npz", "second.npz", "film.mp4"}
    found = join_report.read_report(file)
    first = ff.motion("walk", cycles=2).resample(30.0)
    assert np.abs(found.first.positions - first.positions).max() < 1e-6
    assert (found.told.join.seen, found.told.start_s) == ("stops too hard", 2.2)


def test_it_can_be_tried_again(file: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(
        command, ["--from", str(file), "--method", "crossfade", "-o", str(tmp_path / "again.bvh")]
    )
    assert done.exit_code == 0, done.output
    assert "a viewer would say: stops too hard" in done.output
    assert ff.load(tmp_path / "again.bvh").duration > 2.0
    both = CliRunner().invoke(command, ["walk", "kick", "--from", str(file), "-o", str(tmp_path / "x.bvh")])
    assert both.exit_code == 2
    none = CliRunner().invoke(command, ["-o", str(tmp_path / "x.bvh")])
    assert none.exit_code == 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data())
def test_damaged_reports_are_refused(file: Path, tmp_path: Path, data: st.DataObject) -> None:
    whole = bytearray(file.read_bytes())
    if data.draw(st.booleans()):
        whole = whole[: data.draw(st.integers(0, len(whole) - 1))]
    for _ in range(data.draw(st.integers(0, 4))):
        if whole:
            whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    broken = tmp_path / "broken.join.zip"
    broken.write_bytes(bytes(whole))
    with suppress(FootfallError):  # refused, or whole enough to be read; no other error
        join_report.read_report(broken)

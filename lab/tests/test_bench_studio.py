"""The studio's benchmark: lateness is judged by the clock of the frames' own numbers."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from footfall_lab.bench.studio import RATE, WARM_S, lateness_ms
from footfall_lab.commands.bench import command


def test_lateness_is_against_the_most_punctual_frame_and_skipped_ones_do_not_count_twice() -> None:
    rng = np.random.default_rng(0)
    number = np.delete(np.arange(1.0, 600.0), [300, 301, 302])
    late = rng.uniform(0.0, 0.02, len(number))
    late[400] = 0.0
    arrived = 1000.0 + number / RATE + late
    found = lateness_ms(np.column_stack([number, arrived]))
    counted = arrived > arrived[0] + WARM_S
    np.testing.assert_allclose(found, np.column_stack([arrived, 1e3 * late])[counted], atol=1e-6)


def test_late_first_frames_do_not_count() -> None:
    number = np.arange(1.0, 600.0)
    arrived = number / RATE
    arrived[:30] += 1.0
    assert lateness_ms(np.column_stack([number, arrived]))[:, 1].max() == pytest.approx(0.0, abs=1e-6)


def test_seconds_are_refused_where_they_are_of_no_use() -> None:
    done = CliRunner().invoke(command, ["io", "--seconds", "5"])
    assert done.exit_code == 2
    assert "--seconds" in done.output

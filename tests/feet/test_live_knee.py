"""Live knees: a knee turns no faster than it may, its foot stays on its line, and what is slow is left alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.core.kernels import kernel
from footfall.feet.leg_kernels import USUAL, LegPose, soft_reach
from footfall.feet.limits import LIVE_KNEE_ASIDE_FROM_M, LIVE_KNEE_BRAKE_RAD_S2, LIVE_KNEE_FASTER, LIVE_KNEE_RAD_S
from footfall.feet.live_knee import knee_in_time

DT = 1.0 / 60.0
ONE = (1.0, 0.0, 0.0, 0.0)
BENT = st.floats(0.05, 2.4)


@kernel
def in_time(leg, target, move, knees, may, dt):
    """Parts are called by kernels only."""
    return knee_in_time(leg, target, move, knees, may, dt)


@kernel
def soft_far(far, own, upper, lower):
    return soft_reach(far, own, upper, lower, USUAL)


def knees_of(last: float, was: float, turned: float = 0.0) -> np.ndarray:
    """What is kept of a knee bent so far, as made and as animated, that has turned by so much since."""
    return np.array([np.cos(last), np.cos(was), np.nan, np.nan, np.nan, turned])


def leg_of(bent: float, upper: float, lower: float) -> LegPose:
    """A leg that hangs from (0, 1, 0) with its knee bent so far."""
    knee = np.array([0.0, 1.0 - upper, 0.0])
    ankle = knee + lower * np.array([0.0, -np.cos(bent), -np.sin(bent)])
    places = (tuple(p.tolist()) for p in (np.array([0.0, 1.0, 0.0]), knee, ankle))
    return LegPose(*places, *[ONE] * 6)


def bend_of(far: float, upper: float, lower: float) -> float:
    """By the law of cosines."""
    return float(np.arccos(np.clip((far**2 - upper**2 - lower**2) / (2.0 * upper * lower), -1.0, 1.0)))


@given(st.tuples(BENT, BENT, BENT, BENT), st.floats(0.35, 0.5), st.floats(0.35, 0.5), st.floats(-1.0, 1.0),
       st.floats(-0.3, 0.3), st.sampled_from([np.inf, 300.0]))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_a_knee_turns_no_faster_than_it_may(bends, upper, lower, tilt, turned, most_rad_s2):
    last, was, animated, wanted = bends
    leg = leg_of(animated, upper, lower)
    hip = np.array([0.1, 1.02, 0.0])
    line = np.array([0.0, -np.cos(tilt), np.sin(tilt)])
    far = float(np.sqrt(upper**2 + lower**2 + 2.0 * upper * lower * np.cos(wanted)))
    target = hip + far * line
    knees = knees_of(last, was, turned)
    made = np.array(in_time(leg, tuple(target.tolist()), (0.1, 0.02, 0.0), knees, (np.inf, most_rad_s2, 0.0), DT))
    reach = float(np.linalg.norm(made - hip))
    own = float(np.linalg.norm(np.subtract(leg.ankle, leg.hip)))
    soft = soft_far(far, own, upper, lower)
    wanted = bend_of(soft, upper, lower)  # slowed towards full extension
    own_turn = LIVE_KNEE_FASTER * abs(animated - was)
    most = max(LIVE_KNEE_RAD_S * DT, own_turn)
    most = min(most, max(turned * np.sign(wanted - last), 0.0) + most_rad_s2 * DT * DT)
    bent = bend_of(reach, upper, lower)
    assert abs(bent - last) <= most + 1e-6
    assert np.allclose(made, hip + reach * line, atol=1e-9)  # along the leg
    allowed = np.sqrt(2.0 * LIVE_KNEE_BRAKE_RAD_S2 * bent) * DT  # from which it could be stopped
    assert last - bent <= max(allowed, own_turn) + 1e-6
    braked = last - wanted > max(np.sqrt(2.0 * LIVE_KNEE_BRAKE_RAD_S2 * wanted) * DT, own_turn) - 1e-6
    if not braked:
        assert abs(bent - np.clip(wanted, last - most, last + most)) < 1e-6  # and no farther off than it must be
    assert np.allclose(np.arccos(knees[:2]), [bent, animated], atol=1e-6)  # told to the next frame
    assert knees[5] * (bent - last) >= -1e-9
    if abs(wanted - last) < 0.9 * most and not braked and soft == far:
        assert np.allclose(made, target, rtol=0.0, atol=1e-12)  # but for the last bit of its length


def test_a_foot_is_no_lower_than_it_may_be_and_the_first_frame_is_free():
    leg, target = leg_of(0.2, 0.4, 0.4), (0.0, 0.5, 0.0)
    free = in_time(leg, target, (0.0, 0.0, 0.0), knees_of(0.2, 0.2), (np.inf, np.inf, 0.0), DT)
    held = in_time(leg, target, (0.0, 0.0, 0.0), knees_of(0.2, 0.2), (0.008, np.inf, 0.0), DT)
    assert free[1] < 0.4
    assert abs(held[1] - (0.5 - 0.008)) < 1e-9
    assert in_time(leg, target, (0.0, 0.0, 0.0), np.full(6, np.nan), (0.008, np.inf, 0.0), DT) == target


@given(st.floats(0.1, 0.6), st.floats(0.01, 0.3), st.floats(0.0, 0.5), st.floats(0.7, 1.2))
def test_a_foot_far_from_its_motion_gives_way_over_the_floor_and_no_lower_for_its_knee(tilt, drawn, share, wanted):
    """A knee that would bend by much at once bends less, as far as its foot may be farther out."""
    leg, hip = leg_of(0.2, 0.4, 0.4), np.array([0.0, 1.0, 0.0])
    far = np.sqrt(0.32 + 0.32 * np.cos(wanted))
    target = hip + far * np.array([0.0, -np.cos(tilt), np.sin(tilt)])
    leg = leg._replace(ankle=(0.0, leg.ankle[1], float(target[2]) + drawn))
    lower = np.linalg.norm(np.subtract(leg.ankle, leg.knee))
    made, plain = (
        np.array(in_time(leg, tuple(target.tolist()), (0.0, 0.0, 0.0), knees_of(0.2, 0.2), (0.002, 300.0, of), DT))
        for of in (share, 0.0)
    )
    assert made[1] == plain[1]
    assert -1e-9 <= made[2] - plain[2] <= share * max(drawn - LIVE_KNEE_ASIDE_FROM_M, 0.0) + 1e-9
    bends = [bend_of(float(np.linalg.norm(p - hip)), 0.4, lower) for p in (made, plain)]
    assert bends[0] <= bends[1] + 1e-9
    assert bends[0] >= min(bends[1], 0.2 + 300.0 * DT * DT) - 1e-6  # and no less than it may

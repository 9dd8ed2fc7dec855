"""E1 of Park et al. 2004: nine runs, asked for more speed than any of them has, under several schemes of time."""

from __future__ import annotations

from io import BytesIO

import numpy as np

from footfall.parametric import canonical_time
from footfall.parametric.builtin_sets import parametric_set
from footfall.parametric.measure import blended_parameters
from footfall.parametric.parametric_motion import ParametricMotion, with_weights
from footfall_lab.bench._measure import Row

FRAME_S = 1.0 / 30.0
ASKED = (7.4, 0.0)  # m/s, °/s: the paper's
FASTEST = 200.0  # m/s: no scheme is asked for more
PAPER = (-0.19, -0.18, -0.18, 0.11, 0.10, 0.09, 0.45, 0.40, 0.40)
OLDER = {"linear": "Σ w Γ", "slope": "1 / Σ (w / Γ)"}
OURS = {"gamma": "Σ γ Γ, eq. 10", "log-rate": "exp Σ w ln Γ, the default"}
STEPS, QUICK_STEPS = 1_000_000, 50_000


def run(quick: bool) -> tuple[list[Row], list[tuple[str, bytes]]]:
    """Rows and pictures of E1."""
    motion = parametric_set("park-run")
    motion = with_weights(motion, "rbf", blended_parameters(motion))
    weights = motion.weights(np.array(ASKED))[0]
    rows = [Row("E1 posture weights at 7.4 m/s straight", _numbers(weights), f"paper: {_numbers(np.array(PAPER))}")]
    for scheme, formula in (OLDER | OURS).items():
        dt = FRAME_S * rates_at(motion, ASKED, scheme)
        value = f"Δt {dt.min():.3f} … {dt.max():.3f} a frame of 1/30 s"
        limit, ok = ("> 0", bool(dt.min() > 0.0)) if scheme in OURS else ("paper: -0.01", None)
        rows.append(Row(f"E1 {scheme} ({formula}) at 7.4 m/s", value, limit, ok))
    backwards = {scheme: first_backwards(motion, scheme) for scheme in OLDER}
    for scheme, speed in backwards.items():
        text = "none up to 200 m/s" if speed is None else f"{speed:.1f} m/s"
        rows.append(Row(f"E1 {scheme}: speed from which time runs backwards", text, "older schemes do"))
    rows.append(random_steps(motion, QUICK_STEPS if quick else STEPS))
    found = [speed for speed in backwards.values() if speed is not None]
    beyond = 1.15 * min(found) if found else ASKED[0]
    return rows, [("E1 time warps", warps_picture(motion, [ASKED[0], beyond]))]


def rates_at(motion: ParametricMotion, p: tuple[float, float], scheme: str) -> np.ndarray:
    """(K - 1,) canonical time a second between key times."""
    if scheme == "gamma":
        return canonical_time.blended_rates(
            canonical_time.gamma_weights(np.array(p), motion.parameters), motion.rates, scheme
        )[0]
    return canonical_time.blended_rates(motion.weights(np.array(p))[0], motion.rates, scheme)


def first_backwards(motion: ParametricMotion, scheme: str) -> float | None:
    """The least speed, straight ahead, at which some stretch runs backwards."""
    for speed in np.arange(ASKED[0], FASTEST, 0.1):
        if rates_at(motion, (float(speed), 0.0), scheme).min() <= 0.0:
            return float(speed)
    return None


def random_steps(motion: ParametricMotion, count: int) -> Row:
    """Steps of time at parameters far beyond the examples, changed at every one."""
    rng = np.random.default_rng(0)
    p = motion.parameters.mean(axis=0) + rng.normal(size=(count, 2)) * 5.0 * np.ptp(motion.parameters, axis=0)
    gamma = canonical_time.blended_rates(canonical_time.gamma_weights(p, motion.parameters), motion.rates, "gamma")
    rates = motion.blended_rates(motion.weights(p))
    frames = rng.uniform(0.001, 0.1, count)
    t, least = 0.0, np.inf
    for dt, rate in zip(frames, rates, strict=True):
        steps = canonical_time.advance(t, dt, rate, True)
        least = min(least, sum(step.end - step.start for step in steps))
        t = steps[-1].end
    value = f"log-rate {least:.1e}, gamma {gamma.min() * frames.min():.1e}"
    what = f"E1 least Δt over {count:,} steps at random parameters"
    return Row(what, value, "> 0", bool(least > 0.0 and gamma.min() > 0.0))


def warps_picture(motion: ParametricMotion, speeds: list[float]) -> bytes:
    """Fig. 8c: canonical time against frames, one panel a speed."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(speeds), figsize=(5.2 * len(speeds), 4), layout="constrained")
    for panel, speed in zip(np.atleast_1d(panels), speeds, strict=True):
        for scheme, style in zip((*OLDER, *OURS), ("--", ":", "-.", "-"), strict=True):
            panel.plot(
                _warp(rates_at(motion, (speed, 0.0), scheme)), style, label=f"{scheme}: {(OLDER | OURS)[scheme]}", lw=2
            )
        panel.set_title(f"{speed:.1f} m/s, straight ahead")
        panel.set_xlabel("frame of 1/30 s")
        panel.set_ylabel("canonical time")
        panel.grid(alpha=0.3)
        panel.legend(fontsize=8)
    buffer = BytesIO()
    figure.savefig(buffer, dpi=110)
    plt.close(figure)
    return buffer.getvalue()


def _warp(rates: np.ndarray, frames: int = 40) -> np.ndarray:
    """Canonical time at each frame as the paper integrates it (eq. 7), at the rate where the frame begins."""
    t, pieces = [0.0], len(rates)
    for _ in range(frames):
        t.append(t[-1] + FRAME_S * float(rates[int(t[-1] % 1.0 * pieces) % pieces]))
    return np.array(t)


def _numbers(values: np.ndarray) -> str:
    return " ".join(f"{v:.2f}" for v in values)

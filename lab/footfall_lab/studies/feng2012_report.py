"""The report of the weights study: rows against limits, departures from the paper's order, tables and pictures."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall_lab.bench._measure import Row

if TYPE_CHECKING:
    from footfall_lab.studies.feng2012 import Measured

# Feng et al. 2012: reach, punch, kick, jump, locomotion; their data and units are not public
PAPER_ERROR = {
    "barycentric": (0.206, 0.235, 0.472, 0.350, 1.33), "KNN": (0.168, 0.178, 0.339, 0.163, 1.07),
    "inverse blending": (0.151, 0.172, 0.322, 0.0757, 1.26), "RBF (Rose)": (0.242, 0.325, 0.588, 0.382, 1.73),
}  # fmt: skip
PAPER_KAPPA = {
    "barycentric": (0.0377, 0.0248, 0.0225, 0.0157, 0.0212), "KNN": (0.0376, 0.0319, 0.0291, 0.0242, 0.0183),
    "inverse blending": (0.0699, 0.0786, 0.0802, 0.0610, 0.0603),
    "RBF (Rose)": (0.0036, 0.0024, 0.0022, 0.0020, 0.0013),
}  # fmt: skip
PAPER_MS = {"barycentric": 0.625, "KNN": 0.221, "inverse blending": 4.394, "RBF (Rose)": 0.228}
FOUR = tuple(PAPER_ERROR)
ROSE, LINEAR, SEARCH = "RBF (Rose)", "RBF (r)", "inverse blending"
PRESETS = {"smooth inverse, faithful": (1.0, 1.5), "smooth inverse, smooth": (0.7, 1.1)}  # κ over Rose's, over r's
OF_SEARCH, OF_CONVERGED, BUILD_S = 0.2, 0.3, 20.0
LIMITS_OF_OURS = (
    "Blend spaces correct what they look up by one or two steps of a search of their own, and so does the study; the "
    "column 'looked up' has the field alone, which live characters use. Where a long inverse-blending run converges, "
    "that is more exact than the field alone.",
    "It uses negative weights, down to about -1.3 where arms must bend that are straight in all examples (see the "
    "table); inverse blending keeps to 0 … 1. What a change of weights costs, and how much of that is the length of "
    "the change itself, was chosen with these five sets in view.",
    "A right parameter is not yet a natural pose: the table says how far joints leave the examples' range, how much "
    "weight is negative, and how far the weights at an example are from that example alone.",
    "It is valid for the blend, time warp and body it was measured on: any change there needs another build.",
)


def rows(found: Sequence[Measured], complete: bool) -> list[Row]:
    """Limits: the paper's pattern over all sets, then ours on every set. Without all sets nothing is judged."""
    made = pattern_rows(found, complete)
    for label in PRESETS:
        ours = float(np.mean([m.at_the_same[label] for m in found]))
        for long in found[0].converged:
            theirs = float(np.mean([m.converged[long] for m in found]))
            made.append(_ratio(f"mean over sets, {label}: error over {long}", ours, theirs, OF_CONVERGED, complete))
    for one in found:
        made += set_rows(one, limited=complete)
    return made


def pattern_rows(found: Sequence[Measured], judged: bool) -> list[Row]:
    """Inverse blending and KNN beat barycentric and RBF on error; RBF is smoothest."""
    made = []
    for where, inside in (("inside the hull", True), ("all samples", False)):
        error = {label: np.mean([_error(m, label, inside) for m in found]) for label in FOUR}
        kappa = {label: np.mean([_kappa(m, label, inside) for m in found]) for label in FOUR}
        wins = max(error["KNN"], error[SEARCH]) < min(error["barycentric"], error[ROSE])
        text = ", ".join(f"{label} {error[label]:.4f}" for label in sorted(error, key=lambda k: error[k]))
        made.append(Row(f"mean error over sets, {where}", text, "inverse blending and KNN below barycentric and RBF",
                        bool(wins) if judged else None))  # fmt: skip
        text = ", ".join(f"{label} {kappa[label]:.4f}" for label in sorted(kappa, key=lambda k: kappa[k]))
        smooth = min(kappa, key=lambda k: kappa[k]) == ROSE
        made.append(Row(f"mean κ over sets, {where}", text, "RBF smoothest of the four", smooth if judged else None))
    gone = departures(found)
    made.append(Row("departures from the paper's order, inside the hull", "; ".join(gone) or "none"))
    return made


def departures(found: Sequence[Measured]) -> list[str]:
    """Every pair of the four methods that ranks the other way round than in the paper, by set."""
    gone = []
    for m in found:
        column = ("reach", "punch", "kick", "jump", "locomotion").index(m.data.name)
        for what, paper, ours in (("error", PAPER_ERROR, _error), ("κ", PAPER_KAPPA, _kappa)):
            for i, a in enumerate(FOUR):
                for b in FOUR[i + 1 :]:
                    low, high = (a, b) if paper[a][column] < paper[b][column] else (b, a)
                    x, y = ours(m, low, True), ours(m, high, True)
                    if x > y:
                        gone.append(f"{m.data.name} {what}: {low} {x:.4f} above {high} {y:.4f}")
    return gone


def set_rows(m: Measured, limited: bool) -> list[Row]:
    """The smooth inverse against its limits on one set."""
    name, made = m.data.name, []
    search, rose, linear = (m.results[label] for label in (SEARCH, ROSE, LINEAR))
    for label, (of_rose, of_linear) in PRESETS.items():
        ours = m.results[label]
        made.append(_ratio(f"{name}, {label}: mean error over inverse blending's", ours.mean_error(),
                           search.mean_error(), OF_SEARCH, limited))  # fmt: skip
        for long, error in m.converged.items():
            made.append(_ratio(f"{name}, {label}: over {long}, same points", m.at_the_same[label], error, OF_CONVERGED,
                               limited))  # fmt: skip
        made.append(
            _ratio(f"{name}, {label}: κ over RBF-Rose's", ours.mean_kappa(), rose.mean_kappa(), of_rose, limited)
        )
        made.append(
            _ratio(f"{name}, {label}: κ over RBF-r's", ours.mean_kappa(), linear.mean_kappa(), of_linear, limited)
        )
        made.append(Row(f"{name}, {label}: build", f"{ours.prepare_cpu_s:.1f} s of processor, {ours.prepare_s:.1f} s "
                        "of the clock", f"at most {BUILD_S:g} s of processor",
                        ours.prepare_cpu_s <= BUILD_S if limited else None))  # fmt: skip
        made.append(Row(f"{name}, {label}: look-up alone", f"mean error {ours.looked_up[ours.inside].mean():.6f}, "
                        f"{1e6 * ours.query_s:.1f} µs a query; corrected {1e6 * ours.space_s:.0f} µs"))  # fmt: skip
        made.append(Row(f"{name}, {label}: honest limits", f"max error {ours.error[ours.inside].max():.4f}, least "
                        f"weight {ours.least:.2f}, negative mass {ours.negative:.2f}, joints {ours.stray_deg:.1f}° "
                        f"beyond the examples, {ours.at_examples:.2f} off at them; "
                        f"{ours.note or 'as asked'}"))  # fmt: skip
    return made


def captured_rows(name: str, m: Measured | None, quick: bool) -> list[Row]:
    """Captured locomotion, reported without limits: those were set for the built-in sets and their grid."""
    if m is None:
        return [Row(name, "captures: left out of a quick run" if quick else "captures: not found, left out")]
    p = m.data.parameters
    low, high = p.min(axis=0), p.max(axis=0)
    inside = next(iter(m.results.values())).inside
    text = (
        f"{len(p)} examples, speed {low[0]:.2f} to {high[0]:.2f} m/s, turn {low[1]:.0f} to "
        f"{high[1]:.0f} °/s, side {low[2]:.2f} to {high[2]:.2f} m/s; {inside.sum()} of {inside.size} "
        "samples inside the hull"
    )
    made = [Row(name, text)]
    for what, ours in (("error", _error), ("κ", _kappa)):
        mean = {label: ours(m, label, True) for label in m.results}
        order = sorted(mean, key=lambda k: mean[k])
        made.append(
            Row(f"{name}: mean {what}, inside the hull", ", ".join(f"{label} {mean[label]:.4f}" for label in order))
        )
    return made + set_rows(m, limited=False)


def _ratio(what: str, ours: float, theirs: float, most: float, limited: bool) -> Row:
    ratio = ours / theirs if theirs > 0 else np.inf
    return Row(
        what, f"{ours:.5f} / {theirs:.5f} = {ratio:.3f}", f"at most {most:g}", bool(ratio <= most) if limited else None
    )


def _error(m: Measured, label: str, inside: bool) -> float:
    r = m.results[label]
    return r.mean_error() if inside else float(r.error.mean())


def _kappa(m: Measured, label: str, inside: bool) -> float:
    r = m.results[label]
    return r.mean_kappa() if inside else float(r.kappa.mean())


# --- files ---------------------------------------------------------------------------------------------------------


def write(
    out: Path,
    title: str,
    made: list[Row],
    found: Sequence[Measured],
    flows: tuple | None,
    captured: Measured | None = None,
) -> None:
    """feng2012.html, feng2012.csv (one line a set and method) and feng2012-rows.csv."""
    from footfall.io.save import atomic_write
    from footfall_lab.studies._report import page

    every = [*found] if captured is None else [*found, captured]
    table = method_table(every)
    atomic_write(out / "feng2012.csv", _csv(table).encode())
    lines = [["what", "measured", "should be", "ok"]]
    lines += [[r.what, r.value, r.limit, "" if r.ok is None else str(int(r.ok))] for r in made]
    atomic_write(out / "feng2012-rows.csv", _csv(lines).encode())
    steps = "; ".join(
        f"{m.data.name} {m.grid.step[0]:.3g} x {m.grid.step[1]:.3g} ({', '.join(m.data.axes[:2])})" for m in every
    )
    about = (
        f"Feng, Huang, Kallmann & Shapiro 2012 on {_motions(captured)}: four classical ways from parameters to blend "
        "weights and the smooth inverse. Errors are measured on the blended motion, in m, rad and s. κ depends on the "
        f"spacing of the grid, here {steps}. Of the smooth inverse: {' '.join(LIMITS_OF_OURS)}"
    )
    shown = pictures(found, flows) + ([] if captured is None else _map_pictures([captured], f", {captured.data.name}"))
    text = page(title, about, made, shown)
    atomic_write(out / "feng2012.html", text.replace("</html>", _html_tables(table) + "</html>").encode())


def _motions(captured: Measured | None) -> str:
    return "the built-in motions" if captured is None else "the built-in motions and on captured locomotion"


def method_table(found: Sequence[Measured]) -> list[list[str]]:
    """A heading and a line for every set and method."""
    lines = [["set", "method", "error mean", "looked up", "error 95 %", "error max", "squared mean",
              "error, share of range", "error outside", "κ inside", "κ all", "prepare s", "query µs (batch)",
              "query µs (alone)", "query µs (space)", "least weight", "negative mass", "off at examples",
              "joints beyond °", "paper error", "paper κ", "paper ms", "note"]]  # fmt: skip
    order = ("reach", "punch", "kick", "jump", "locomotion")
    for m in found:
        column = order.index(m.data.name) if m.data.name in order else None
        for label, r in m.results.items():
            e, outside = r.error[r.inside], r.error[~r.inside]
            known = column is not None and label in FOUR
            numbers = [e.mean(), r.looked_up[r.inside].mean(), np.quantile(e, 0.95), e.max(), (e**2).mean(),
                       r.error_range[r.inside].mean(), outside.mean() if outside.size else np.nan, r.mean_kappa(),
                       r.kappa.mean(), r.prepare_s, 1e6 * r.query_s, 1e6 * r.single_s, 1e6 * r.space_s, r.least,
                       r.negative, r.at_examples, r.stray_deg]  # fmt: skip
            paper = (
                [f"{x:g}" for x in (PAPER_ERROR[label][column], PAPER_KAPPA[label][column], PAPER_MS[label])]
                if known and column is not None
                else ["", "", ""]
            )
            lines.append([m.data.name, label, *(f"{x:.4g}" for x in numbers), *paper, r.note])
        for label, mean in m.converged.items():
            lines.append([m.data.name, label, f"{mean:.4g}", *[""] * 19, "at some points inside the hull"])
    return lines


def _csv(lines: list[list[str]]) -> str:
    text = StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue()


def _html_tables(table: list[list[str]]) -> str:
    import html

    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table[0])
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>" for line in table[1:])
    return f'<div style="overflow-x:auto"><table><tr>{head}</tr>{body}</table></div>'


def pictures(found: Sequence[Measured], flows: tuple | None) -> list[tuple[str, bytes]]:
    """All pictures of the report."""
    from footfall_lab import plot_weights as plot

    sets, labels = [m.data.name for m in found], list(found[0].results)
    errors = {label: [_error(m, label, True) for m in found] for label in labels}
    kappas = {label: [_kappa(m, label, True) for m in found] for label in labels}
    known = [i for i, name in enumerate(("reach", "punch", "kick", "jump", "locomotion")) if name in sets]
    paper_e = {label: [PAPER_ERROR[label][i] for i in known] for label in FOUR}
    paper_k = {label: [PAPER_KAPPA[label][i] for i in known] for label in FOUR}
    criteria = ["mean error (m, rad, s)", "curvature κ", "preparation s", "one query in a batch, s",
                "adding one example, s (all but inverse blending prepare again)"]  # fmt: skip
    overview = {
        label: [float(np.mean(errors[label])), float(np.mean(kappas[label]))]
        + [
            max(float(np.mean([getattr(m.results[label], of) for m in found])), 1e-9)
            for of in ("prepare_s", "query_s", "prepare_s")
        ]
        for label in labels
    }
    made = [
        ("error against smoothness", plot.plot_trade(errors, kappas)),
        *_map_pictures(found),
        (
            "error bars",
            plot.plot_bars(
                [("ours, inside the hull", errors), ("the paper's, their data and units", paper_e)],
                sets,
                "Mean parametric error",
            ),
        ),
        (
            "smoothness bars",
            plot.plot_bars(
                [("ours, inside the hull", kappas), ("the paper's", paper_k)], sets, "Mean curvature κ of the weights"
            ),
        ),
        ("overview", plot.plot_overview(overview, criteria)),
    ]
    if flows is not None:
        made.append(("motion-vector flow of a slow walk that becomes a jog", plot.plot_flow(flows[0], flows[1], 10)))
    return made


def _map_pictures(found: Sequence[Measured], of_what: str = "") -> list[tuple[str, bytes]]:
    """Error and curvature of every method over the middle slice of each set."""
    from footfall_lab import plot_weights as plot

    names = {m.data.name: (m.data.axes[0], m.data.axes[1]) for m in found}
    middle = found[0].grid.points.shape[0] // 2

    def maps(of: str) -> dict[str, dict[str, plot.Map]]:
        cut = slice(None) if of == "error" else slice(1, -1)
        return {
            m.data.name: {
                label: plot.Map(getattr(r, of)[middle], m.grid.extent, r.inside[middle][cut, cut])
                for label, r in m.results.items()
            }
            for m in found
        }

    what = "Parametric error, middle slice; the hull of the examples outlined"
    return [
        (f"error maps{of_what}", plot.plot_maps(maps("error"), names, what, "m, rad, s")),
        (
            f"smoothness maps{of_what}",
            plot.plot_maps(maps("kappa"), names, "Curvature κ of the weights, middle slice", "κ"),
        ),
    ]

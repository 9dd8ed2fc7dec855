"""Find the entry classifier's parameters: those with which figures from random states walk farthest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from footfall.cli._busy import progress
from footfall.cli._options import SECONDS
from footfall.cli._out import check_file, out_option

if TYPE_CHECKING:
    from footfall.core.clip import Clip
    from footfall_lab.classifier_tuning import Tuned, Tuning


@click.command(name="tune")
@click.argument("motion", type=click.Path(path_type=Path), default=Path("walk"))
@out_option("The parameters, as JSON.", "JSON", default=Path("classifier.json"), show_default=True)
@click.option("--optimiser", type=click.Choice(["de", "paper"]), help="Differential evolution, or the paper's own.")
@click.option("--population", type=click.IntRange(0, 100_000), help="Individuals.")
@click.option("--generations", type=click.IntRange(0, 100_000), help="Generations.")
@click.option("--states", type=click.IntRange(0, 1_000_000), help="Random start states.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of states and search.")
@click.option("--walked", "walked_s", type=SECONDS, help="Seconds in which the distance is walked, blend included.")
@click.option("--astray", type=SECONDS, help="Metres off a second that known states go astray; 0: distance alone.")
@click.option(
    "--snap", type=click.FloatRange(0.0, 1e3), help="Metres off a rad/s of a blend's pace; 0: as fast as may be."
)
@click.option(
    "--divided", is_flag=True, default=None, help="Divide the scores of a limb by its weights, as `paper` does."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of words.")
def command(motion: Path, out: Path, divided: bool | None, as_json: bool, **given: Any) -> None:
    """Tune the entry classifier on a MOTION of the built-in body (default: walk) and write its parameters to a file.

    A run that was broken off goes on where it was: its state lies beside OUT, with .partial added, until it is done.
    The result is judged on 1 000 states it has not seen. Use the file as option `parameters` of the method classifier.

    \b
    Example:  footfall tune -o classifier.json
              footfall tune walk:speed=1.2 --generations 200 --seed 3 -o mine.json
              footfall tune --optimiser paper
    """
    from dataclasses import replace

    from footfall.motions.library import open_clip
    from footfall_lab.classifier_tuning import PAPER, Tuning, gain

    check_file(out)
    chosen = {name: value for name, value in given.items() if value is not None}
    start = PAPER if chosen.get("optimiser") == "paper" else Tuning()
    how = replace(start, **chosen, per_limb=start.per_limb or bool(divided))
    clip = open_clip(motion)
    kept = out.with_name(out.name + ".partial")
    found = _tune(clip, how, kept)
    judged = gain(clip, found.parameters, how.walked_s)
    _write(out, motion, how, found, judged._asdict())
    kept.unlink(missing_ok=True)
    if as_json:
        told = {"out": str(out), "fitness_m": found.fitness, "gain": judged._asdict()}
        click.echo(json.dumps({**told, "parameters": found.parameters.to_json()}))
        return
    click.echo(
        f"{out}: {judged.tuned_m:.3f} m walked in {how.walked_s:g} s, untuned {judged.untuned_m:.3f} m: "
        f"{judged.ratio:.3f} times as far (95 % interval {judged.low:.3f} to {judged.high:.3f}, 1 000 fresh states)"
    )


def _tune(clip: Clip, how: Tuning, kept: Path) -> Tuned:
    from footfall_lab.classifier_tuning import tune

    if kept.exists():
        click.echo(f"footfall: going on from {kept}", err=True)
    with progress() as bar:
        task = bar.add_task("tuning", total=how.generations)
        return tune(clip, how, lambda done: bar.update(task, completed=done), kept)


def _write(out: Path, motion: Path, how: Tuning, found: Tuned, judged: dict[str, float]) -> None:
    """Parameters, and how they came about."""
    from dataclasses import asdict

    from footfall.io.save import atomic_write

    told = {
        **found.parameters.to_json(),
        "tuned": {"motion": str(motion), **asdict(how), "fitness_m": round(found.fitness, 4)},
        "gain": {name: round(value, 4) for name, value in judged.items()},
    }
    atomic_write(out, (json.dumps(told, indent=2) + "\n").encode())

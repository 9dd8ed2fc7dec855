"""Parameters of the entry classifier: published ones, the untuned start, and those tuned for the whole body.

Polichroniadis & Dodgson 1999 tuned weights of hip, knee and ankle and two constants; here every part of the body has
weights, left and right alike. In the paper's words: `position` is weight_p, `velocity` weight_v, `accept_loss`
BribeFactor, `min_gap_s` SuggestFactor; `catch_up_s` is the time (tau) that the printed formula of the refinement lacks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from footfall.core.errors import ParameterError, ReadError, UnknownName
from footfall.io.plain_file import is_file
from footfall.joins.classifier.limbs import PARTS

TUNED_FILE = Path(__file__).parent / "data" / "classifier.json"
SCHEMA = 1
MOST_BYTES = 100_000  # of a file of parameters


class PackedParameters(NamedTuple):
    """ClassifierParameters for the DOFs of one body, as kernels take them."""

    position: np.ndarray  # (D,) weights of squared differences of angle
    velocity: np.ndarray  # (D,) weights of squared differences of rate
    accept_loss: float
    min_gap_s: float
    catch_up_s: float
    per_limb: bool


@dataclass(frozen=True)
class ClassifierParameters:
    """What the classifier goes by; a part without a weight has none (0)."""

    position: Mapping[str, float] = field(default_factory=dict)  # part -> weight of squared differences of angle
    velocity: Mapping[str, float] = field(default_factory=dict)  # part -> weight of squared differences of rate
    accept_loss: float = 1.0  # rad²: a limb takes another's key if it loses less confidence than this
    min_gap_s: float = 0.05  # and if its own lies farther than this from it
    catch_up_s: float = 0.04  # how much earlier a DOF starts whose velocity is wholly wrong
    per_limb: bool = True  # scores are divided by the limb's sum of weights

    def __post_init__(self) -> None:
        for name, weights in (("position", self.position), ("velocity", self.velocity)):
            for part, weight in weights.items():
                if part not in PARTS:
                    raise UnknownName("part of the body", part, PARTS)
                if not (np.isfinite(weight) and weight >= 0.0):
                    raise ParameterError(f"the {name} weight of {part} must be a number from 0 up, got {weight}")
        if not any(self.position.values()):
            raise ParameterError(f"no part has a position weight; give one of {', '.join(PARTS)} a weight above 0")
        for name in ("accept_loss", "min_gap_s", "catch_up_s"):
            if not (np.isfinite(value := getattr(self, name)) and value >= 0.0):
                raise ParameterError(f"{name} must be a number from 0 up, got {value}")

    @cached_property
    def _hash(self) -> int:
        weights = (frozenset(of.items()) for of in (self.position, self.velocity))
        return hash((*weights, self.accept_loss, self.min_gap_s, self.catch_up_s, self.per_limb))

    def __hash__(self) -> int:
        return self._hash

    def packed(self, parts: tuple[str, ...]) -> PackedParameters:
        """ClassifierParameters for DOFs that belong to parts (D,)."""
        position, velocity = (np.array([float(of.get(p, 0.0)) for p in parts]) for of in (self.position, self.velocity))
        limits = float(self.accept_loss), float(self.min_gap_s), float(self.catch_up_s)
        return PackedParameters(position, velocity, *limits, bool(self.per_limb))

    def to_json(self) -> dict[str, Any]:
        """Plain data, as `from_json` takes it."""
        return {"schema": SCHEMA, **asdict(self)}


# Published (Polichroniadis & Dodgson 1999): weights of hip, knee and ankle, and BribeFactor.
PUBLISHED = ClassifierParameters(
    position={"hip": 5.5, "knee": 0.2, "ankle": 0.05},
    velocity={"hip": 0.36, "knee": 0.12, "ankle": 0.01},
    accept_loss=1.1,
    per_limb=False,
)
UNTUNED = ClassifierParameters(position=dict.fromkeys(PARTS, 1.0), velocity=dict.fromkeys(PARTS, 1.0))


@cache
def tuned() -> ClassifierParameters:
    """The defaults that come with footfall, found by `footfall tune`."""
    return read(TUNED_FILE)


def choose(given: ClassifierParameters | str | Path | None) -> ClassifierParameters:
    """Parameters by name ("published", "untuned", "tuned"), from a JSON file, or as they are; tuned by default."""
    if isinstance(given, ClassifierParameters):
        return given
    if given is None or given == "tuned":
        return tuned()
    named = {"published": PUBLISHED, "untuned": UNTUNED}
    if isinstance(given, str) and given in named:
        return named[given]
    if not isinstance(given, (str, Path)):
        raise ParameterError(f"parameters are a name, a file or ClassifierParameters, got {type(given).__name__}")
    if not is_file(given):
        raise UnknownName("classifier parameters (or file of them)", str(given), [*named, "tuned"])
    return read(Path(given))


def read(path: Path) -> ClassifierParameters:
    """Parameters of a JSON file that `footfall tune` wrote."""
    with path.open("rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ReadError(path, "", "a file of classifier parameters", f"more than {MOST_BYTES} bytes")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ReadError(path, "", "JSON", str(error)) from None
    return from_json(told, path)


def from_json(told: Any, path: Path) -> ClassifierParameters:
    """Parameters of plain data; what else the data says (how it was tuned) is left alone."""
    if not isinstance(told, dict) or told.get("schema") != SCHEMA:
        raise ReadError(path, "schema", f"classifier parameters of schema {SCHEMA}", cure="written by footfall tune")
    values: dict[str, Any] = {}
    for name in ("position", "velocity"):
        weights = told.get(name)
        if not isinstance(weights, dict) or not all(_is_number(w) for w in weights.values()):
            raise ReadError(path, name, "numbers by part of the body")
        values[name] = {str(part): float(weight) for part, weight in weights.items()}
    for name in ("accept_loss", "min_gap_s", "catch_up_s"):
        if not _is_number(told.get(name)):
            raise ReadError(path, name, "a number")
        values[name] = float(told[name])
    return ClassifierParameters(**values, per_limb=bool(told.get("per_limb", True)))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e9

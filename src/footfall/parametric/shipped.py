"""Shipped sets: the built-in examples as packed motions, with their weight fields, as files of the package.

Making the examples of a set takes seconds and solving its field up to a minute; a file is read in milliseconds.
`python tools/bake_blend_spaces.py` makes the files; after any change of the built-in motions it must run again. Until
then a motion is made anew (its sources are marked), and a field is left aside where random blends of the motion do not
measure as they did when it was solved.

Numbers are whole multiples of a step, stored as their differences: smooth curves become small numbers.
"""

from __future__ import annotations

import ast
import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from footfall.core.skeleton import Skeleton
from footfall.io.cache_folder import CODE
from footfall.parametric.measure import blended_parameters, measured
from footfall.parametric.parametric_motion import ParametricMotion
from footfall.weights.lookup import padded
from footfall.weights.store import from_arrays, to_arrays
from footfall.weights.weights import FittedWeights

FOLDER = Path(__file__).parent / "shipped_sets"
MARKS = "sources.json"
SOURCES = "motions"  # the folder of footfall whose code makes the examples
# Steps in radians and metres, by eye. Travel goes at one rate from key time to key time: it must add up whichever way.
SMOOTH = {"mean": 1e-6, "vectors": 1e-6, "root": 1e-6, "travel": 1e-10}
SMOOTH_WEIGHTS = {"weights.field.coefficients": 1e-5, "weights.residual.coefficients": 1e-5}
ORDER = 3  # differences of differences: as far as they shrink on the built-in motions
EXACT = ("parameters", "key_times", "pelvis")
WORDS = ("name", "kind", "fps", "is_loop", "examples", "parameter_names", "marks", "effector", "given", "time")
SAME_PARAMETERS = 1e-4  # metres, degrees, seconds: what the steps of the motion may do to what is measured on it
PROBES = 24  # random blends by which a field knows its motion
SAME = 1e-4  # of the range: what they may measure differently; the field itself is not more exact


def shipped_motion(name: str, skeleton: Skeleton) -> ParametricMotion | None:
    """A built-in set as it was packed; None where there is none, or its examples are made by other code by now."""
    return stored_motion(name, skeleton) if sources_unchanged() else None


def stored_motion(name: str, skeleton: Skeleton) -> ParametricMotion | None:
    """What the file of a set holds, whichever code made it; None without a file, or of another body."""
    path = _path(name)
    if not path.is_file():
        return None
    stored = _read(path, field=False)
    words = json.loads(str(stored["words"]))
    if words.pop("joints") != list(skeleton.names) or not np.allclose(stored["offsets"], skeleton.offsets, atol=1e-9):
        return None
    arrays: dict[str, Any] = {key: stored[key] for key in (*SMOOTH, *EXACT)}
    arrays["mean"] /= np.linalg.norm(arrays["mean"], axis=-1, keepdims=True)
    contacts = {key.removeprefix("contacts."): stored[key] for key in stored if key.startswith("contacts.")}
    lists: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in words.items()}
    found = ParametricMotion(skeleton=skeleton, contacts=contacts, **lists, **arrays)
    given = {name: found.parameters[:, found.parameter_names.index(name)].tolist() for name in found.given}
    return measured(found, found.parameter_names, given)  # an example measures what it is said to be, to the last digit


def is_same(stored: ParametricMotion, made: ParametricMotion) -> bool:
    """Whether a stored motion is the one that is made now, to the steps its numbers are stored in."""
    if any(getattr(stored, word) != getattr(made, word) for word in WORDS):
        return False
    steps = {**dict.fromkeys(EXACT, 1e-9), **SMOOTH, "parameters": SAME_PARAMETERS}
    pairs = [(getattr(stored, key), getattr(made, key), step) for key, step in steps.items()]
    pairs += [(stored.contacts[part], spans, 1e-9) for part, spans in made.contacts.items() if part in stored.contacts]
    return stored.contacts.keys() == made.contacts.keys() and all(
        a.shape == b.shape and bool(np.allclose(a, b, rtol=0.0, atol=step)) for a, b, step in pairs
    )


def shipped_weights(name: str, motion: ParametricMotion) -> FittedWeights | None:
    """The field of a built-in set, if it was solved for what this motion does."""
    path = _path(name)
    if not path.is_file():
        return None
    stored = _read(path, field=True)
    if "probed" not in stored or not _same_blends(motion, stored["probed"]):
        return None
    found = {k.removeprefix("weights."): v for k, v in stored.items() if k.startswith("weights.")}
    field = found["field.coefficients"]
    field += (1.0 - field.sum(axis=-1, keepdims=True)) / field.shape[-1]  # what rounding took from the sum of 1
    return from_arrays({**found, **{f"{f}.table": padded(found[f"{f}.coefficients"]) for f in ("field", "residual")}})


def ship(motion: ParametricMotion, folder: Path = FOLDER) -> Path:
    """Write a motion, and the weights that were solved for it if any, into the folder; returns the file."""
    words: dict[str, Any] = {key: getattr(motion, key) for key in WORDS}
    words["joints"] = list(motion.skeleton.names)
    arrays = {key: np.asarray(getattr(motion, key)) for key in (*SMOOTH, *EXACT)}
    arrays |= {f"contacts.{part}": spans for part, spans in motion.contacts.items()}
    arrays |= {"words": np.array(json.dumps(words)), "offsets": motion.skeleton.offsets}
    if isinstance(motion.fitted, FittedWeights):
        stored = to_arrays(motion.fitted)
        arrays |= {f"weights.{k}": v for k, v in stored.items() if not k.endswith(".table")}
        arrays["probed"] = blended_parameters(motion)(probe_weights(len(motion)))
    folder.mkdir(exist_ok=True)
    path = folder / f"{motion.name}.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        for key, value in arrays.items():
            step = {**SMOOTH, **SMOOTH_WEIGHTS}.get(key)
            packed = BytesIO()
            np.save(packed, np.asarray(value) if step is None else _packed(value, step), allow_pickle=False)
            stamp = zipfile.ZipInfo(f"{key}.npy", (1980, 1, 1, 0, 0, 0))  # the same content gives the same file
            file.writestr(stamp, packed.getvalue(), zipfile.ZIP_LZMA)
    return path


def probe_weights(count: int) -> np.ndarray:
    """(PROBES, N) weights, some of them negative, that tell one motion from another."""
    rng = np.random.default_rng(count)
    share = rng.exponential(size=(PROBES, count)) ** 2
    share /= share.sum(axis=1, keepdims=True)
    aside = rng.normal(size=share.shape) * 0.05
    return share + aside - aside.mean(axis=1, keepdims=True)


def _same_blends(motion: ParametricMotion, probed: np.ndarray) -> bool:
    if probed.shape != (PROBES, len(motion.parameter_names)):
        return False
    off = np.abs(blended_parameters(motion)(probe_weights(len(motion))) - probed)
    return bool((off <= SAME * np.maximum(np.ptp(motion.parameters, axis=0), 1e-9)).all())


# --- the sources of the examples --------------------------------------------------------------------------------------


def sources_unchanged(folder: Path = FOLDER) -> bool:
    """Whether the code that makes the examples is what it was when the sets were packed; comments do not count."""
    try:
        told = json.loads((folder / MARKS).read_text("utf-8"))
    except (OSError, ValueError):
        return False
    files = _sources()
    return told.get("text") == text_mark(files) or told.get("code") == meaning_mark(files)


def mark_sources(folder: Path = FOLDER) -> None:
    """Write down which code the sets were packed by."""
    marks = {"text": text_mark(_sources()), "code": meaning_mark(_sources())}
    (folder / MARKS).write_text(json.dumps(marks, indent=1) + "\n", "utf-8")


def text_mark(files: Iterable[Path]) -> str:
    """Changes with every letter; fast."""
    return _digest(path.read_bytes() for path in files)


def meaning_mark(files: Iterable[Path]) -> str:
    """Changes with what the code does, not with comments and layout; takes a tenth of a second."""
    return _digest(_meaning(path) for path in files)


def _meaning(path: Path) -> bytes:
    if path.suffix != ".py":
        return path.read_bytes()
    return ast.dump(_without_words(ast.parse(path.read_bytes()))).encode()


def _sources() -> list[Path]:
    return sorted(p for p in (CODE / SOURCES).rglob("*") if p.suffix in (".py", ".json"))


def _without_words(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            node.body = node.body[1:]
    return tree


def _digest(parts: Iterable[bytes]) -> str:
    found = hashlib.blake2b(digest_size=8)
    for part in parts:
        found.update(part)
    return found.hexdigest()


# --- numbers in files -------------------------------------------------------------------------------------------------


def _path(name: str) -> Path:
    return FOLDER / f"{name}.npz"


def _read(path: Path, field: bool) -> Mapping[str, np.ndarray]:
    """What a file holds of the field or of the motion."""
    found = {}
    with np.load(path) as file:
        for key in file.files:
            if field == (key.startswith("weights.") or key == "probed"):
                step = {**SMOOTH, **SMOOTH_WEIGHTS}.get(key)
                found[key] = file[key] if step is None else _unpacked(file[key], step)
    return found


def _packed(values: np.ndarray, step: float) -> np.ndarray:
    """Bytes, the least of every number first, of differences along the first axis: (4, …) uint8."""
    whole = np.round(values / step).astype(np.int64)
    for _ in range(ORDER):
        whole = np.diff(whole, axis=0, prepend=0)
    assert np.abs(whole).max(initial=0) < 2**30, "too large for the step it is stored in"
    found = np.moveaxis(whole, 0, -1).astype(np.int32)
    found = ((found << 1) ^ (found >> 31)).view(np.uint32)  # small numbers of either sign have small codes
    return np.stack([(found >> (8 * k)).astype(np.uint8) for k in range(4)])


def _unpacked(stored: np.ndarray, step: float) -> np.ndarray:
    coded = np.zeros(stored.shape[1:], np.uint32)
    for k in range(4):
        coded |= stored[k].astype(np.uint32) << np.uint32(8 * k)
    whole: np.ndarray = (coded >> np.uint32(1)).astype(np.int64) ^ -(coded & np.uint32(1)).astype(np.int64)
    whole = np.moveaxis(whole, -1, 0)
    for _ in range(ORDER):
        whole = np.cumsum(whole, axis=0)
    return np.ascontiguousarray(whole * step)

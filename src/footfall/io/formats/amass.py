"""AMASS and other SMPL-family motion (.npz with poses, trans and a frame rate).

Rotations are exact. The body is a stand-in of average shape (`io/smpl_body.py`); betas and gender are kept on the clip
and written back. Metres, Z up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from footfall.core import rotation
from footfall.core.clip import Clip, Inferred
from footfall.core.errors import ParameterError
from footfall.core.pose import Pose
from footfall.core.skeleton import Skeleton
from footfall.io.npz_safe import Npz, keys_of
from footfall.io.npz_write import packed_npz
from footfall.io.raw import RawMotion, Reading
from footfall.io.save import atomic_write
from footfall.io.smpl_body import BODY_JOINTS, LAYOUT_OF_WIDTH, smpl_body

READS = (".npz",)
WRITES = (".npz",)
WRITE_OPTIONS = ("betas", "gender")
RATES = ("mocap_framerate", "mocap_frame_rate", "framerate", "frame_rate", "fps")
GENDERS = ("neutral", "female", "male")
MOST_BETAS = 400  # numbers of a shape; SMPL-X has up to 300, and 100 of a face
WRITTEN = 156  # SMPL+H, as AMASS is published
BETAS, DMPLS = 16, 8  # numbers of shape, and of soft tissue a frame, in AMASS' own files

Z_UP = rotation.axis_angle(rotation.AXES["X"], np.pi / 2)  # the model stands along Y, the files along Z


def recognises(reading: Reading) -> bool:
    return "poses" in keys_of(reading)


def read(reading: Reading) -> list[RawMotion]:
    with Npz(reading) as archive:
        archive.warn_of_pickles()
        shape = archive.header("poses").shape
        width = int(np.prod(shape[1:])) if len(shape) in (2, 3) else 0
        if width not in LAYOUT_OF_WIDTH or (len(shape) == 3 and shape[2] != 3):
            known = ", ".join(f"{w} ({name})" for w, name in LAYOUT_OF_WIDTH.items())
            raise reading.fail("poses", f"a table with a width of {known}", f"shape {shape}")
        vectors = archive.numbers("poses").reshape(shape[0], width // 3, 3)
        fps = archive.frame_rate(RATES)
        trans = _translation(archive, len(vectors))
        kept = _shape_of_subject(archive)
    if not len(vectors):
        raise reading.fail("poses", "at least one frame", "none")
    skeleton, origin = stand_in(width)
    # the model turns about its pelvis, whose place is added to trans without being turned
    pose = Pose(trans + origin, rotation.exp(vectors))
    layout = Inferred(LAYOUT_OF_WIDTH[width], f"poses is {width} wide", 1.0)
    return [RawMotion(skeleton, fps, pose, unit_m=1.0, up="z", inferred={"layout": layout, **kept})]


def write(clip: Clip, path: Path, betas: Sequence[float] | None = None, gender: str | None = None) -> None:
    """SMPL+H as AMASS has it: poses (T, 156), trans, betas, gender, dmpls, mocap_framerate; Z up.

    The clip must be on the SMPL body: one read from such a file, or retargeted onto "smplh". betas and gender are those
    of the file it came from unless given; without either, the average neutral body.
    """
    told = clip.source.inferred
    shape = np.asarray(told["betas"].value if betas is None and "betas" in told else (betas or ()), float).ravel()
    word = gender or (str(told["gender"].value) if "gender" in told else GENDERS[0])
    if word not in GENDERS:
        raise ParameterError(f"{path.name}: gender is one of {', '.join(GENDERS)}, not {word!r}")
    if len(shape) > MOST_BETAS or not np.isfinite(shape).all():
        raise ParameterError(f"{path.name}: betas are at most {MOST_BETAS} finite numbers")
    root, turns = smpl_rotations(clip, path.name)
    body, origin = smpl_body(WRITTEN)
    vectors = np.zeros((clip.frames, len(body), 3))
    for joint, turn in turns.items():
        vectors[:, body.index(joint)] = rotation.log(turn)
    arrays = {
        "trans": root - origin,
        "gender": np.array(word),
        "mocap_framerate": np.array(clip.fps),
        "betas": np.pad(shape, (0, max(0, BETAS - len(shape)))),
        "dmpls": np.zeros((clip.frames, DMPLS)),
        "poses": vectors.reshape(clip.frames, WRITTEN),
    }
    atomic_write(path, packed_npz(arrays))


def smpl_rotations(clip: Clip, file: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Where the pelvis is (T, 3), Z up, and the rotation (T, 4) of every joint that SMPL+H has, by name."""
    skeleton, known = clip.skeleton, smpl_body(WRITTEN)[0]
    need_smpl(skeleton, file, "smplh")
    own = "layout" in clip.source.inferred and clip.source.inferred["layout"].value in LAYOUT_OF_WIDTH.values()
    back = rotation.conjugate(np.array(clip.source.world_from_file) if own else rotation.conjugate(Z_UP))
    turns = {name: clip.pose.rot[:, j] for j, name in enumerate(skeleton.names) if name in known.names}
    turns[skeleton.names[0]] = rotation.multiply(back, clip.pose.rot[:, 0])
    return rotation.rotate(back, clip.pose.root_pos), turns


def need_smpl(skeleton: Skeleton, file: str, body: str) -> None:
    """A sentence that says how to get there, unless the body's joints are those of SMPL."""
    known = smpl_body(3 * BODY_JOINTS)[0]
    missing = [name for name in known.names if name not in skeleton.names]
    same = not missing and all(
        skeleton.names[skeleton.parents[skeleton.index(name)]] == known.names[parent]
        for name, parent in zip(known.names[1:], known.parents[1:], strict=True)
    )
    straight = (
        same and skeleton.names[0] == known.names[0] and np.allclose(np.abs(skeleton.rest[1:, 0]), 1.0, atol=1e-6)
    )
    if not straight:
        told = f"it lacks {', '.join(missing[:4])}{' …' if len(missing) > 4 else ''}" if missing else "its axes differ"
        cure = f'put it on one first: ff.retarget(clip, "{body}"), or footfall convert --onto {body}'
        raise ParameterError(f"{file}: needs a clip on the body of SMPL, and {told}; {cure}")


def stand_in(width: int) -> tuple[Skeleton, np.ndarray]:
    """Skeleton for a width of poses, standing along Z, and where the model has its pelvis (3,), metres."""
    body, origin = smpl_body(width)
    rest = body.rest.copy()
    rest[0] = Z_UP
    return replace(body, rest=rest), origin


def _shape_of_subject(archive: Npz) -> dict[str, Inferred]:
    """Betas and gender where the file has them, for writing it back; neither changes the body."""
    how = "a stand-in of average shape: betas (and dmpls) are not used, so lengths are not the subject's"
    kept = {"body": Inferred("average", how, 1.0)}
    if "betas" in archive and len(archive.header("betas").shape) == 1:
        betas = archive.numbers("betas")[:MOST_BETAS]
        kept["betas"] = Inferred(tuple(float(b) for b in betas), "the file's, kept for writing it back", 1.0)
    if "gender" in archive and archive.is_text("gender"):
        word = (archive.text("gender") or [""])[0].lower()
        if word in GENDERS:
            kept["gender"] = Inferred(word, "the file's, kept for writing it back", 1.0)
    return kept


def _translation(archive: Npz, frames: int) -> np.ndarray:
    if "trans" not in archive:
        archive.reading.warn("", "no trans: the body stays in place")
        return np.zeros((frames, 3))
    trans = archive.numbers("trans")
    if trans.shape != (frames, 3):
        raise archive.reading.fail("trans", f"shape ({frames}, 3), one row a frame of poses", f"{trans.shape}")
    return trans

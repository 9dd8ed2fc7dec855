"""C3D files made by the published layout, for tests: any machine's numbers, whole or floating, with analog samples."""

from __future__ import annotations

import numpy as np

MACHINES = {"intel": 84, "dec": 85, "mips": 86}
STANDING = {  # markers of a standing adult, metres: left, up, ahead. By eye
    "LFWT": (0.13, 1.0, 0.1), "LBWT": (0.06, 1.02, -0.1), "LKNE": (0.15, 0.5, 0.0), "LANK": (0.14, 0.08, -0.01),
    "LHEE": (0.09, 0.04, -0.08), "LTOE": (0.1, 0.04, 0.17), "LSHO": (0.19, 1.48, -0.01), "LELB": (0.27, 1.18, -0.03),
    "LWRA": (0.29, 0.96, 0.06), "LWRB": (0.33, 0.95, 0.0), "LFIN": (0.31, 0.86, 0.04), "LFHD": (0.07, 1.7, 0.1),
    "LBHD": (0.07, 1.7, -0.08), "C7": (0.0, 1.52, -0.08), "CLAV": (0.0, 1.45, 0.07), "STRN": (0.0, 1.27, 0.12),
    "T10": (0.0, 1.25, -0.11),
}  # fmt: skip


def standing_markers() -> dict[str, np.ndarray]:
    """Both sides of it, (3,) each."""
    made = {name: np.array(place) for name, place in STANDING.items()}
    made |= {f"R{name[1:]}": p * [-1.0, 1.0, 1.0] for name, p in made.items() if name[0] == "L"}
    return made


def make_c3d(
    names: list[str],
    positions: np.ndarray,
    machine: str = "intel",
    scale: float = -0.1,
    analog: int = 2,
    fps: float = 100.0,
) -> bytes:
    """positions (T, M, 3) in millimetres, Z up; nan is unseen. A scale above 0 asks for whole numbers of it."""
    order = ">" if machine == "mips" else "<"

    def floats(values: np.ndarray) -> bytes:
        values = np.asarray(values, np.float32)
        if machine != "dec":
            return values.astype(f"{order}f4").tobytes()
        return (values * np.float32(4.0)).astype("<f4").view("<u2").reshape(-1, 2)[:, ::-1].astype("<u2").tobytes()

    def words(*values: int) -> bytes:
        return np.array(values).astype(np.uint16).astype(f"{order}u2").tobytes()

    def entry(name: str, number: int, body: bytes) -> bytes:
        return bytes([len(name), number & 0xFF]) + name.encode() + words(2 + len(body)) + body

    def texts(values: list[str]) -> bytes:
        width = max(map(len, values))
        return bytes([255, 2, width, len(values)]) + "".join(v.ljust(width) for v in values).encode() + b"\0"

    frames, points = positions.shape[:2]
    parameters = bytes([1, 80, 2, MACHINES[machine]]) + entry("POINT", -1, b"\0")
    parameters += entry("RATE", 1, bytes([4, 0]) + floats(np.array([fps])) + b"\0")
    whole = {"USED": points, "FRAMES": frames, "DATA_START": 3 + (len(names) * max(map(len, names)) + 300) // 512}
    for name, value in whole.items():  # the header has them too, and ours are read from there
        parameters += entry(name, 1, bytes([2, 0]) + words(value) + b"\0")
    parameters += entry("SCALE", 1, bytes([4, 0]) + floats(np.array([scale])) + b"\0")
    parameters += entry("UNITS", 1, texts(["mm"])) + entry("Y_SCREEN", 1, texts(["+Z"]))
    parameters += entry("LABELS", 1, texts(names)) + b"\0\0"
    parameters += b"\0" * (-len(parameters) % 512)
    start = 2 + len(parameters) // 512
    head = bytes([2, 80]) + words(points, analog, 1, frames, 0) + floats(np.array([scale])) + words(start, 1)
    head += floats(np.array([fps]))
    unseen = np.isnan(positions[..., :1])
    places = np.where(unseen, 0.0, positions)
    rows = np.concatenate([places if scale < 0 else np.round(places / scale), np.where(unseen, -1.0, 0.0)], axis=-1)
    table = np.concatenate([rows.reshape(frames, -1), np.full((frames, analog), 7.0)], axis=1)
    body = floats(table) if scale < 0 else table.astype(np.int16).astype(f"{order}i2").tobytes()
    return head.ljust(512, b"\0") + parameters + body


def standing_c3d(frames: int = 6, **options: object) -> bytes:
    """A body that walks sideways while it stands, in CMU's names, behind a subject's."""
    markers = standing_markers()
    places = np.stack([*markers.values()])[None] * 1000.0 + np.arange(frames)[:, None, None] * [10.0, 0.0, 5.0]
    return make_c3d([f"Subject:{n}" for n in markers], places[..., [2, 0, 1]], **options)  # type: ignore[arg-type]

"""The format of a motion, recognised by its first bytes: for streams, which have no file name."""

from __future__ import annotations

HEAD = 4096  # bytes that are looked at
MAGIC = (
    (b"glTF", ".glb"),
    (b"\x93NUMPY", ".npy"),
    (b"#usda", ".usda"),
    (b"PXR-USDC", ".usdc"),
    (b"PK\x03\x04", ".npz"),
)


def ending_of(data: bytes) -> str | None:
    """The ending a file of these bytes would have; None where no reader's first bytes are there."""
    for magic, ending in MAGIC:
        if data.startswith(magic):
            return ".usdz" if ending == ".npz" and b".usd" in data[30:130] else ending
    if len(data) > 1 and data[1] == 0x50 and 0 < data[0] < 10:  # where the parameters of a C3D begin, and its key
        return ".c3d"
    text = data[:HEAD].decode("latin-1").removeprefix("\xef\xbb\xbf").lstrip()
    if text[:9].upper() == "HIERARCHY":
        return ".bvh"
    if text[:1] == "{":
        return ".gltf" if '"asset"' in text or '"accessors"' in text else ".json"
    if text[:1] in (":", "#"):
        return ".asf" if ":bonedata" in text or ":units" in text or ":version" in text else ".amc"
    return None

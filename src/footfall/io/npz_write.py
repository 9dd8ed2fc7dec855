"""npz archives and npy arrays as bytes: the same for the same arrays, without pickles."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import numpy as np


def packed_npz(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The archive's bytes: stored, not deflated, since mantissas hardly compress."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), packed_npy(array))
    return buffer.getvalue()


def packed_npy(array: np.ndarray) -> bytes:
    """One array as the bytes of an .npy file, its numbers in little-endian order."""
    member = io.BytesIO()
    little = array.astype(array.dtype.newbyteorder("<"), copy=False)
    np.lib.format.write_array(member, np.asarray(little, order="C"), allow_pickle=False)
    return member.getvalue()

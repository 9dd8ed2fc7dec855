"""Compiler: CUDA C++ to machine code by NVRTC, which comes with torch, and its kernels launched by the driver.

Both are called through ctypes, so nothing but torch is needed. What was compiled is kept in the user's cache folder.
"""

from __future__ import annotations

import ctypes
import glob
import hashlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from footfall.core.errors import FootfallError

NVRTC = ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "nvrtc64_130_0.dll", "nvrtc64_120_0.dll")
DRIVER = ("libcuda.so.1", "libcuda.so", "nvcuda.dll")
OPTIONS = ("--std=c++17", "--fmad=true", "--prec-div=false", "--prec-sqrt=false")


class NoGpu(FootfallError):
    """There is no GPU that can be used."""


class KernelError(FootfallError):
    """The device's compiler or driver refused."""


def _library(names: Sequence[str]) -> ctypes.CDLL:
    """The first of these that is there: where the system looks, or in a package beside torch."""
    for name in names:
        places = [name]
        for folder in sys.path:
            places += sorted(glob.glob(os.path.join(folder, "nvidia", "*", "lib", name)))
        for place in places:
            try:
                return ctypes.CDLL(place)
            except OSError:
                continue
    raise NoGpu(f"{names[0]} is not here: a GPU needs NVIDIA's driver, and torch built for CUDA")


def compile_source(text: str, architecture: str, folder: Path | None = None) -> bytes:
    """Machine code for an architecture ("sm_90"); folder: where what was compiled before is kept."""
    digest = hashlib.sha256("\n".join([text, architecture, *OPTIONS]).encode()).hexdigest()[:32]
    kept = None if folder is None else folder / f"gpu-{digest}.cubin"
    if kept is not None and kept.exists():
        return kept.read_bytes()
    code = _compile(text, architecture)
    if kept is not None:
        from footfall.io.save import atomic_write

        kept.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(kept, code)
    return code


def _compile(text: str, architecture: str) -> bytes:
    nvrtc = _library(NVRTC)
    program = ctypes.c_void_p()
    given = [option.encode() for option in (f"--gpu-architecture={architecture}", *OPTIONS)]
    options = (ctypes.c_char_p * len(given))(*given)
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"characters.cu", 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, len(given), options)
    if failed:
        raise KernelError(f"NVRTC could not compile the kernels: {_log(nvrtc, program)}")
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, code)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw


def _log(nvrtc: ctypes.CDLL, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.value.decode(errors="replace")


class Kernels:
    """Kernels of one module in the context that is current, by name."""

    def __init__(self, code: bytes, names: Sequence[str]) -> None:
        self._driver = _library(DRIVER)
        self._module, self._functions = ctypes.c_void_p(), {name: ctypes.c_void_p() for name in names}
        self._do("cuModuleLoadData", ctypes.byref(self._module), code)
        for name, function in self._functions.items():
            self._do("cuModuleGetFunction", ctypes.byref(function), self._module, name.encode())

    def _do(self, call: str, *given: Any) -> None:
        failed = getattr(self._driver, call)(*given)
        if failed:
            text = ctypes.c_char_p()
            self._driver.cuGetErrorString(failed, ctypes.byref(text))
            raise KernelError(f"{call} said: {(text.value or b'error').decode()} ({failed})")

    def launch(self, name: str, blocks: int, threads: int, stream: int, *arguments: Any) -> None:
        """One kernel; arguments: ctypes values, passed by value."""
        params = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(one) for one in arguments))
        self._do("cuLaunchKernel", self._functions[name], blocks, 1, 1, threads, 1, 1, 0, ctypes.c_void_p(stream),
                 params, None)  # fmt: skip

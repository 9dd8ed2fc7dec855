"""Callable packages: `footfall.timeline` is the package and also the function `ff.timeline(...)`, likewise `ff.graph`.

Importing anything inside a package puts the package itself where the function of the same name would be; so the package
is made callable, and calling it calls the function.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _CallablePackage(ModuleType):
    _function: tuple[str, str]

    def __call__(self, *args: Any, **options: Any) -> Any:
        module, name = self._function
        return getattr(import_module(module), name)(*args, **options)


def make_callable(package: str, module: str) -> None:
    """Let a call of the package be one of the function in `module` that has the package's name."""
    here = sys.modules[package]
    here.__class__ = _CallablePackage
    here.__dict__["_function"] = (module, package.rpartition(".")[2])

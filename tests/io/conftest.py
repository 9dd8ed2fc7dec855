"""Fixtures of this folder: other programs that read our files."""

from outside import blender, validator

__all__ = ["blender", "validator"]

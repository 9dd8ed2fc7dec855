"""Fixtures of this folder: a small graph."""

from small_graph import changes, small

__all__ = ["changes", "small"]

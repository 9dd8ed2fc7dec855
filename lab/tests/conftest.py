"""Fixtures of this folder: a saved graph."""

from graph_on_disk import graph_file

__all__ = ["graph_file"]

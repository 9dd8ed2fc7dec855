"""Fixtures of this folder: a saved graph, and joins that are made quickly."""

from few_ways import few_ways
from graph_on_disk import graph_file

__all__ = ["few_ways", "graph_file"]

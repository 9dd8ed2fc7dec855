"""Fixtures of this folder: joins that are made quickly."""

from few_ways import few_ways

__all__ = ["few_ways"]

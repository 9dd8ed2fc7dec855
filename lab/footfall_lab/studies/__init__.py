"""Experiments that measure footfall: one module each, run by `footfall study`."""

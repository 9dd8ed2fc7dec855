"""Parametric motions: examples of one kind of motion as a function of speed, turn, a target, a style."""

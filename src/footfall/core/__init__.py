"""Skeleton, Pose, Clip, rotation maths and errors: what every other layer builds on."""

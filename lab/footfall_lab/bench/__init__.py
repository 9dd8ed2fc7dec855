"""Benchmarks anyone can run: one file each, every figure a ratio within one run or beside a calibration time."""

"""One file per built-in motion: `make(**parameters)` returns the clip."""

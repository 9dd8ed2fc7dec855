"""The built-in motions: a procedural library of one adult, with exactly known contacts and parameters."""

"""Transitions by example (Egbert 2005)."""

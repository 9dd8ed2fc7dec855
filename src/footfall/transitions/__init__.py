"""How two motions join."""

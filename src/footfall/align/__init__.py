"""Which moments of two motions are alike, and how time in one runs against time in the other."""

"""Which moments of two motions are alike, and how time in one corresponds to time in the other."""

"""Timeline synthesis: clips in a row become one motion."""

"""Entry into a motion from any state (Polichroniadis and Dodgson 1999)."""

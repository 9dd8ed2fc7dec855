"""Live control: a graph of parametric motions and transitions, and characters that move through it on command."""

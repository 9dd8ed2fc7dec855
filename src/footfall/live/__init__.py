"""Live control: a graph of parametric motions and transitions, and characters that walk it as they are told."""

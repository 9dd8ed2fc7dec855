"""Motion graphs built from folders of recordings."""

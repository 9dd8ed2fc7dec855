"""Other bodies and other paths: retargeting, foot lock, uneven ground."""

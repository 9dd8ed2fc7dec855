"""Reading and writing motion files."""

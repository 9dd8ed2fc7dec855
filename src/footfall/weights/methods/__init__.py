"""The weight methods; a file is a method."""

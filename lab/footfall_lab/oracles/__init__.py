"""Readable twins of compiled or vectorised code, kept to find its mistakes."""

"""One file per motion format. A new format is one new file here: see docs/formats/index.md."""

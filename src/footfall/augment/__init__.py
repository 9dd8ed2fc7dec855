"""More clips from a library, for training models: variants, each judged, with the provenance of every frame."""

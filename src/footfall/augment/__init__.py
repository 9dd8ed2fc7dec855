"""More clips out of a library, for those who train models: variants, each judged, with every frame's provenance."""

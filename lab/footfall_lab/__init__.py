"""Studies, benchmarks and oracles that measure footfall; footfall itself imports nothing of it."""

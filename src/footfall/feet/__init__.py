"""Everything that keeps feet where they stand: step plans, foot lock for clips and live characters, legs, limits."""

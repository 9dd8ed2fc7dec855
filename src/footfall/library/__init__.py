"""A folder of clips and what it can answer: which clips blend well, which moments are alike, what each clip is."""

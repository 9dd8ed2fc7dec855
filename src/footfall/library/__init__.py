"""A folder of clips and what can be asked of it: which clips blend well, which moments are alike, what each clip is."""

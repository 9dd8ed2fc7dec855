"""The commands that footfall finds through entry points when the lab is installed."""

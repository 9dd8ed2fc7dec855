"""From wanted motion parameters to blend weights over example motions: one family of methods, one interface."""

"""Pictures and films of motion: a software ray caster, themes, cameras, strips and panels."""

"""Transition methods: each file is one, chosen by its name."""

"""Compares two states of the specs: the changes, and who is hit by each."""

"""Digests of everything that the program puts out, to hold a change of structure to the same behaviour."""

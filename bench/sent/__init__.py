"""Decoding in one pass, held to the general way; see `__main__`."""

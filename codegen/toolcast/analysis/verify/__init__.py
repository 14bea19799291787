"""Checks the laws of the compiler on any specs: instances are generated, and decoder and oracle must agree on
them."""

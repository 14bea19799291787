"""Declarations of real tools: their tokens, whether compilers accept them and agree with contracts."""

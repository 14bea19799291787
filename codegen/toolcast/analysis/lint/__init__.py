"""Checks a set of tools before a provider sees it: limits, names, wording, policy."""

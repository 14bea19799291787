"""Calls that were recorded: read from files, and decoded under a contract."""

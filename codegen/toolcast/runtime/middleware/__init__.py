"""Secrets, a policy, limits and hooks around each call; a registry without any imports nothing of it."""

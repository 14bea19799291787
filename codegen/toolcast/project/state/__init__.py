"""The memory of a run for the next one, all of it in `.toolcast/`, and how the next one trusts it."""

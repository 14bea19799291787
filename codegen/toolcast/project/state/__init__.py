"""What a run remembers for the next one, all of it in `.toolcast/`, and how the next one trusts it."""

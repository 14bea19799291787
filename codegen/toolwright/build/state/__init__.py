"""What a run remembers for the next one, all of it in `.toolwright/`, and how the next one trusts it."""

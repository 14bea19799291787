"""Random calls of the reference toolset while the system fails around it."""

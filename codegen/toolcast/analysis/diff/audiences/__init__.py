"""The changes for each audience, as pure functions of two states."""

"""Handlers of the reference toolset, for programs to use or to copy from (`toolcast[tools]`)."""

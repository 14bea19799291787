"""Handlers of the reference toolset, for programs that use its tools or copy from them (`toolcast[tools]`)."""

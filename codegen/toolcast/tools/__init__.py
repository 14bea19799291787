"""Handlers of the reference toolset (`toolcast[tools]`), for programs that use its tools or copy from them."""

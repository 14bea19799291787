"""toolcast: compile tool specs into typed bindings and provider JSON."""

__version__ = "0.1.0"

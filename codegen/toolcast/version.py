"""The version of toolcast."""

__version__ = "0.1.0"

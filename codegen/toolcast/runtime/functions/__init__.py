"""Existing functions as handlers: their signatures, their types as JSON Schema, their calls."""

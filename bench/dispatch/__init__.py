"""A call from JSON text to its result, and a thousand tools made ready, beside others."""

"""Readers of streamed answers, by format, which put their pieces together."""

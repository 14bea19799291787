"""Measures on real input: `python -m bench` (speed), `python -m bench.corpora` (real tool definitions)."""

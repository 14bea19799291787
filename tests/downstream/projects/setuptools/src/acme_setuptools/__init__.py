"""An agent's tools."""

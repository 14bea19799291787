"""A terminal agent with the reference toolset: `python -m examples.agent --help`."""

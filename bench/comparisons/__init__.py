"""Other ways from a JSON Schema to a tool beside ours, on real tools."""

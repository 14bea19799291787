"""Where toolcast is one step of something larger: build engines and packaging tools."""

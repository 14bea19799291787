"""A registry offered to MCP clients."""

"""A live server's tools in a registry."""

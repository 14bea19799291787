"""Source code of tools: Python, TypeScript, and the models of other libraries."""

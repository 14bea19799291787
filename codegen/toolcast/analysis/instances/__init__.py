"""Values of schemas and texts of grammars: made, edited, made smaller, and judged by jsonschema-rs."""

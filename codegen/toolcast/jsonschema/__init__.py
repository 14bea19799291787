"""JSON Schema itself: pointers, keywords, sub-schemas, equality. Needs the standard library only."""

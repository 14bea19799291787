"""The target "typescript": modules in JavaScript with types and exact validators."""

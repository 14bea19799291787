"""The exact JSON Schema 2020-12 validator that generated code falls back on. Depends on msgspec only."""

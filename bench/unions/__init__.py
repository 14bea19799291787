"""Unions that msgspec decodes, held to what a memory checker and jsonschema-rs say; see `__main__`."""

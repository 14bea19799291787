"""The typed tree as Python source: Structs, bindings, and the check of what was rendered."""

"""A fuzzer over composed schemas; see `__main__`."""

"""One spec in, its output files out: no state, no file system but what is declared."""

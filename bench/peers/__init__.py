"""Other Python transformers of tool schemas, beside ours: by meaning, and by the providers' own rules."""

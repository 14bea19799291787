"""Text formats: how the models of each family write calls, as data, and as grammars for engines."""

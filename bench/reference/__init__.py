"""The pages of docs/reference that are made from the source: names, commands, keys, rules, providers."""

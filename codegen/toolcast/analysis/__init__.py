"""Questions about a set of tools: diff, lint, verify and report, and the search for values they share."""

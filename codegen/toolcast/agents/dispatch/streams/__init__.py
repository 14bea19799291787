"""How each format streams an answer, and how its pieces are one again."""

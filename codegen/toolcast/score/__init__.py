"""How well a set of tools can be told apart, found and afforded, judged without a model."""

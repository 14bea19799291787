"""How well the score agrees with recorded calls and labelled texts, and what it costs."""

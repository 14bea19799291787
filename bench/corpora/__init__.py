"""Real tool definitions through the whole compiler, judged by libraries that know nothing of it."""

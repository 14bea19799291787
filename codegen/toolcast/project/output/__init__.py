"""The output folder: what it holds, what it should hold, and how the one becomes the other."""

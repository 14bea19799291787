"""The output folder: what stands there, what should, and how the one becomes the other."""

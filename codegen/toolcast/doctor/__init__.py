"""Examines an installation and a project, and reports what is wrong and how to correct it."""

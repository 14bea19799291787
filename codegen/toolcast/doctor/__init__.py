"""Looks at an installation and a project, and says what is wrong with them and what to do about it."""

"""Repairs of refused arguments, in their text and in their values, and their record."""

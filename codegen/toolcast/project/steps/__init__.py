"""The build in two steps that an engine can schedule: compile some specs, put all of them together.

No step keeps anything for the next: it reads what its arguments name, and writes to the folder they name.
"""

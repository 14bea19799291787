"""The build in two steps that an engine can schedule: compile some specs, put all of them together.

No step keeps anything for the next: what is read is named, what is written lies in the folder that was given.
"""

"""What a program puts around each call: secrets, a policy, limits, hooks.

A registry without any imports nothing of it.
"""

"""Registries as the tools of agent frameworks: one module for each framework, which it imports.

Definitions are those that were generated for the model's provider; calls are decoded, checked, approved and
carried out by the registry. A module of this package can be imported where its framework is installed.
"""

"""Secrets: references in arguments become values, values in results become marks."""

from .secrets import EnvironmentSecrets, Resolver, Secrets

__all__ = ["EnvironmentSecrets", "Resolver", "Secrets"]

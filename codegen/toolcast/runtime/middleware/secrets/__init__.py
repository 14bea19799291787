"""Secrets: references in arguments become values, values in results become marks."""

from .secrets import EnvironmentSecrets, FileSecrets, Resolver, Secrets

__all__ = ["EnvironmentSecrets", "FileSecrets", "Resolver", "Secrets"]

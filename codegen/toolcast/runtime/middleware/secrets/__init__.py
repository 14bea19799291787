"""Secrets: references in arguments become values on the way in, values become marks on the way out."""

from .secrets import EnvironmentSecrets, FileSecrets, Resolver, Secrets

__all__ = ["EnvironmentSecrets", "FileSecrets", "Resolver", "Secrets"]

"""Secrets: references in arguments become values on the way in, values become marks on the way out."""

from .resolvers import EnvironmentSecrets, FileSecrets
from .secrets import Resolver, Secrets

__all__ = ["EnvironmentSecrets", "FileSecrets", "Resolver", "Secrets"]

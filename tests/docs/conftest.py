"""The official clients that pages use."""

from tests.clients.conftest import client, collected

__all__ = ["client", "collected"]

"""Official clients, where they are installed."""

from tests.clients.conftest import client

__all__ = ["client"]

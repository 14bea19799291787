"""Documents in folders, searched: the handlers of `knowledge_search` and `get_document_info`."""

from .embedder import Embedder
from .knowledge import Knowledge

__all__ = ["Embedder", "Knowledge"]

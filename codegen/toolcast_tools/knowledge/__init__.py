"""Documents in folders, searched: the handlers of `knowledge_search` and `get_document_info`."""

from .knowledge import Knowledge
from .passage_search import Embedder

__all__ = ["Embedder", "Knowledge"]

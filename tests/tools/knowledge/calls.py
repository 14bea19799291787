"""Calls of the two tools, as tests write them."""

from collections.abc import Callable
from typing import Any

import msgspec
from toolcast.runtime import ToolContext
from toolcast_tools.generated._types.filter import Filter
from toolcast_tools.generated.knowledge.get_document_info import GetDocumentInfoParams, GetDocumentInfoResult
from toolcast_tools.generated.knowledge.knowledge_search import (
    KnowledgeSearchParams,
    KnowledgeSearchResult,
)
from toolcast_tools.knowledge import Knowledge

Open = Callable[..., Knowledge]


def search(knowledge: Knowledge, query: str, **arguments: Any) -> KnowledgeSearchResult:
    if isinstance(arguments.get("filter"), dict):
        arguments["filter"] = msgspec.convert(arguments["filter"], Filter)
    return knowledge.knowledge_search(KnowledgeSearchParams(query=query, **arguments), ToolContext())


def paths(knowledge: Knowledge, query: str, **arguments: Any) -> list[str]:
    """The documents of the passages found, each once."""
    found = [(each.metadata or {})["path"] for each in search(knowledge, query, **arguments).passages]
    return list(dict.fromkeys(found))


def identifier(knowledge: Knowledge, path: str, query: str) -> str:
    found = {(each.metadata or {})["path"]: each.document_id for each in search(knowledge, query).passages}
    return found[path]


def info(knowledge: Knowledge, document: str, **arguments: Any) -> GetDocumentInfoResult:
    return knowledge.get_document_info(
        GetDocumentInfoParams(document_id=document, **arguments), ToolContext()
    )

"""The peers' own functions, called as their packages call them."""

from __future__ import annotations

import os
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from msgspec import Struct

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # importing it asks the network otherwise

from agents.strict_schema import ensure_strict_json_schema
from anthropic import transform_schema
from google.genai import types as genai_types
from google.genai._transformers import process_schema
from instructor.v2.providers.gemini.utils import map_to_gemini_function_schema
from langchain_core.utils.function_calling import convert_to_openai_function
from litellm.llms.vertex_ai.common_utils import build_vertex_schema
from openai.lib._pydantic import _ensure_strict_json_schema
from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer, GoogleOpenAPISchemaTransformer
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from pydantic_ai.providers.anthropic import AnthropicJsonSchemaTransformer

Schema = dict[str, Any]


class Declined(Exception):  # noqa: N818 - no error: the transformer said that strict is not for this schema
    """The transformer keeps the schema, and says that strict mode is not possible."""


class Peer(Struct, frozen=True):
    """One output. `profile` names the rules that it must satisfy; `strict` is what its flag says."""

    name: str
    package: str
    profile: str
    strict: bool | None
    transform: Callable[[Schema], Schema]  # may change what it is given


def openai_strict(schema: Schema) -> Schema:
    return _ensure_strict_json_schema(schema, path=(), root=schema)


def pydantic_ai_strict(schema: Schema) -> Schema:
    return OpenAIJsonSchemaTransformer(schema, strict=True).walk()


def pydantic_ai_auto(schema: Schema) -> Schema:
    transformer = OpenAIJsonSchemaTransformer(schema, strict=None)
    out = transformer.walk()
    if not transformer.is_strict_compatible:
        raise Declined
    return out


def pydantic_ai_anthropic(schema: Schema) -> Schema:
    return AnthropicJsonSchemaTransformer(schema, strict=True).walk()


def pydantic_ai_google_json(schema: Schema) -> Schema:
    return GoogleJsonSchemaTransformer(schema).walk()


def pydantic_ai_openapi(schema: Schema) -> Schema:
    return GoogleOpenAPISchemaTransformer(schema).walk()


def langchain_strict(schema: Schema) -> Schema:
    function = convert_to_openai_function(
        {"name": "tool", "description": "A tool.", "parameters": schema}, strict=True
    )
    return function["parameters"]


def genai_process(schema: Schema) -> Schema:
    process_schema(schema, None)
    return schema


def genai_checked(schema: Schema) -> Schema:
    """As `t_schema` does: processed, then checked against the client's own types."""
    process_schema(schema, None)
    genai_types.Schema.model_validate(schema)
    return schema


PEERS: tuple[Peer, ...] = (
    Peer("openai strict", "openai", "openai", True, openai_strict),
    Peer("openai-agents", "openai-agents", "openai", True, ensure_strict_json_schema),
    Peer("pydantic-ai strict", "pydantic-ai-slim", "openai", True, pydantic_ai_strict),
    Peer("pydantic-ai auto", "pydantic-ai-slim", "openai", True, pydantic_ai_auto),
    Peer("langchain strict", "langchain-core", "openai", True, langchain_strict),
    Peer("anthropic transform_schema", "anthropic", "anthropic-strict", True, transform_schema),
    Peer("google-genai process_schema", "google-genai", "gemini", None, genai_process),
    Peer("pydantic-ai Google OpenAPI", "pydantic-ai-slim", "gemini", None, pydantic_ai_openapi),
    Peer("litellm Gemini", "litellm", "gemini", None, build_vertex_schema),
    Peer("instructor Gemini", "instructor", "gemini", None, map_to_gemini_function_schema),
)
"""All whose output is judged, in the order of the table."""


def apart(peer: Peer, schema: Schema) -> Schema:
    """What `peer` makes of a copy of `schema`. Raises what it raises, and `Declined`."""
    return peer.transform(deepcopy(schema))

"""The ids of the built-in provider profiles, which `toolcast.providers` reads from files."""

from typing import Final

BUILT_IN: Final = frozenset(
    (
        "anthropic",
        "anthropic-strict",
        "azure-openai",
        "bedrock",
        "bedrock-strict",
        "cloud-code-assist",
        "cohere",
        "conservative",
        "deepseek",
        "gemini",
        "gemini-json-schema",
        "groq",
        "llama-cpp",
        "mcp",
        "mcp-2025-06-18",
        "mcp-2025-11-25",
        "mistral",
        "moonshot",
        "ollama",
        "openai",
        "openai-nonstrict",
        "openai-responses",
        "vertex",
        "vllm-xgrammar",
        "xai",
    )
)

"""What the contestants of a call are called."""

RAW = "raw msgspec, await"
BARE = "toolcast, registry"
AROUND = "toolcast, policy and hooks"
OPENAI = f"{AROUND}, from openai"
GEMINI = f"{AROUND}, from gemini"
PYDANTIC = "pydantic model_validate_json, await"
AGENTS = "openai-agents invoke_function_tool"
FASTMCP = "FastMCP Tool.run"
LANGCHAIN = "LangChain StructuredTool.ainvoke"
PYDANTIC_AI = "pydantic-ai ToolManager.handle_call"

FULL = (AGENTS, FASTMCP, LANGCHAIN, PYDANTIC_AI)
"""The full dispatch paths of others."""
OURS = (AROUND, OPENAI, GEMINI)
"""Our own with everything in place."""

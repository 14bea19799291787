"""Rules about models: what they read of a tool, in words or in its schema, is not the same."""

from typing import Final

from ..rule import Rule

MODEL: Final[dict[str, Rule]] = {
    "name-read": Rule(
        "model",
        "warning",
        "The tool has another name",
        "Models call it by the new one; prompts and examples may still name the old one.",
    ),
    "description-read": Rule(
        "model",
        "warning",
        "The tool's description differs",
        "What models read of the tool before all else.",
    ),
    "summary-read": Rule(
        "model",
        "warning",
        "The tool's summary differs",
        "What models read in brief definitions.",
    ),
    "parameter-description-read": Rule(
        "model",
        "warning",
        "A description inside the schema differs",
        "That of a parameter, of a part of it, or of the result where models are shown it.",
    ),
    "names-read": Rule(
        "model",
        "warning",
        "Names inside the schema differ",
        "Properties or definitions were added, removed or renamed.",
    ),
    "constraint-read": Rule(
        "model",
        "note",
        "The schema reads differently",
        "Another value of a keyword that bounds values. Whether calls break is another audience's question.",
    ),
    "default-read": Rule(
        "model",
        "warning",
        "Another default is shown",
        "`default` of a place in the schema.",
    ),
    "examples-read": Rule(
        "model",
        "note",
        "Other examples are shown",
        "`examples` of a place in the schema, or those of the tool where the provider is sent them.",
    ),
    "title-read": Rule(
        "model",
        "note",
        "A title differs",
        "The tool's, which people are shown, or that of a place in the schema.",
    ),
    "order-read": Rule(
        "model",
        "note",
        "The order differs",
        "Parameters, enum values, required names, types or keywords stand in another order.",
    ),
    "note-read": Rule(
        "model",
        "note",
        "A remark in the schema differs",
        "`deprecated`, `readOnly` and the like, `$comment`, and keywords that no draft knows.",
    ),
    "loading-changed": Rule(
        "model",
        "note",
        "Models read a tool at another time",
        "By `defer`: only once they have searched for it, or from the beginning.",
    ),
    "client-data": Rule(
        "model",
        "note",
        "MCP clients are sent other icons or other `_meta`",
        "Models are not shown them.",
    ),
    "definition-read": Rule(
        "model",
        "note",
        "A definition differs",
        "For a reason that no other rule names.",
    ),
}

"""llguidance on schemas that a provider enforces while the model writes: a second opinion, from a grammar."""

from __future__ import annotations

import json
from typing import Any

from llguidance import LLMatcher, LLTokenizer
from toolcast.analysis.instances.oracle import Schema, SchemaTree

_BYTES = LLTokenizer("byte")


class Grammar:
    """What a grammar made from one schema takes. `problem` says why there is none, if so."""

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema = schema
        self.tree = SchemaTree(schema)
        grammar = LLMatcher.grammar_from_json_schema(schema)
        self.problem = str(LLMatcher.validate_grammar(grammar) or "")
        self._start = None if self.problem else LLMatcher(_BYTES, grammar)

    @property
    def unsatisfiable(self) -> bool:
        """Whether no text at all fits."""
        return "nsatisfiable" in self.problem

    def accepts(self, value: Any) -> bool | None:
        """Whether the model could write `value`, keys in the schema's order; None: no grammar can say."""
        if self._start is None:
            return None
        matcher = self._start.deep_copy()
        text = json.dumps(self.ordered(self.schema, value), ensure_ascii=False, separators=(",", ":"))
        tokens = _BYTES.tokenize_str(text)
        taken = matcher.try_consume_tokens(tokens)
        if matcher.is_error():
            return None
        return taken == len(tokens) and bool(matcher.is_accepting())

    def ordered(self, schema: Schema, value: Any) -> Any:
        """`value` with the keys of its objects in the order in which the schema declares them."""
        nodes = self.tree.same_value([(schema, 0)])
        if isinstance(value, list):
            return [self._below(self.tree.item(nodes, i), item) for i, item in enumerate(value)]
        if not isinstance(value, dict):
            return value
        names = [name for node, _ in nodes for name in node.get("properties", ()) if name in value]
        keys = dict.fromkeys([*names, *value])
        return {key: self._below(self.tree.member(nodes, key), value[key]) for key in keys}

    def _below(self, schemas: list[tuple[Schema, int]], value: Any) -> Any:
        for schema, _ in schemas:
            value = self.ordered(schema, value)
        return value

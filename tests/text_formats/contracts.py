"""Contracts of schemas, their grammars, and values in the order that grammars have."""

import itertools
import json
import random
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import llguidance
from toolcast.analysis.instances.oracle import Oracle, asserted_formats
from toolcast.contract.build import Built, build_tool
from toolcast.contract.tree import Array, Contract, Map, Node, Object, Reference, Tuple, Union
from toolcast.spec.read_file import SourceDocument, parse_document
from toolcast.spec.spec_reader import read_tool
from toolcast.text_formats.engines import TURNS, Engine, write
from toolcast.text_formats.expressions import Grammar, Rules
from toolcast.text_formats.values import GrammarLoss, Values

from tests.grammars.engine import Grammar as Texts
from tests.python.compiled import spec

TOKENIZER = llguidance.LLTokenizer("byte")
ORDERS = 256
FEW = 12


def built(schema: Any) -> Built | None:
    """The contract of the parameters; None where they do not compile."""
    document = parse_document(json.dumps(spec(schema)).encode(), "tool.json", "json")
    read = read_tool(document, "tool.json", frozenset())[0] if isinstance(document, SourceDocument) else None
    made = build_tool(read, {}) if read is not None else None
    return made if made is not None and made.contract is not None else None


class Written:
    """The grammar of a tool's arguments; raises UnwritableError."""

    def __init__(self, made: Built, engine: Engine = "llguidance") -> None:
        assert made.contract is not None
        self.contract: Contract = made.contract
        rules = Rules(TURNS[engine])
        values = Values(self.contract, rules, "tool")
        self.grammar: Grammar = rules.grammar(values.arguments())
        self.losses: tuple[GrammarLoss, ...] = values.losses
        self._document = made.document

    @classmethod
    def of(
        cls, *properties: Any, required: bool = True, engine: Engine = "llguidance", **more: Any
    ) -> "Written":
        """Of an object that has only these properties."""
        names = dict(zip("abcdefgh", properties, strict=False))
        known = {"additionalProperties": False, "required": [*names]} if required else {}
        made = built({"type": "object", "properties": names, **known, **more})
        assert made is not None
        return cls(made, engine)

    @cached_property
    def oracle(self) -> Oracle:
        """jsonschema-rs; raises OracleError."""
        return Oracle(self._document, "/parameters", asserted_formats())

    @cached_property
    def texts(self) -> Texts:
        """What llguidance lets pass."""
        return texts(write(self.grammar, "llguidance"))

    def accepts(self, value: Any) -> bool:
        """Whether a value is written as it is, or as a text."""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        return self.texts.refuses(text) is None

    def accepts_in_order(self, value: Any) -> bool:
        """Whether a value is written in one of the orders that the contract has for its properties."""
        root = self.contract.roots["parameters"]
        return any(map(self.accepts, itertools.islice(_orders(value, root, self.contract), ORDERS)))

    def walks(self, seed: int, count: int) -> Iterator[str]:
        """Texts by chance."""
        rng = random.Random(seed)
        made = (self.texts.walk(rng) for _ in range(count))
        return (text.decode() for text in made if text is not None)


def texts(grammar: str) -> Texts:
    """The texts of a grammar of llguidance."""
    matcher = llguidance.LLMatcher(TOKENIZER, llguidance.LLMatcher.grammar_from_lark(grammar), log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    return Texts(matcher, TOKENIZER)


def _orders(value: Any, node: Node | None, contract: Contract) -> Iterator[Any]:
    """The value with its properties in the order of the contract, of each branch of a union."""
    while isinstance(node, Reference):
        node = contract.definitions[node.name] if node.name else contract.roots[node.root]
    if isinstance(node, Union):
        for branch in node.branches:
            yield from _orders(value, branch, contract)
    elif isinstance(value, dict) and isinstance(node, Object | Map):
        declared = (
            {field.encode_name: field.node for field in node.fields} if isinstance(node, Object) else {}
        )
        rest = node.extra if isinstance(node, Object) else node.values
        names = [
            *(name for name in declared if name in value),
            *(name for name in value if name not in declared),
        ]
        below = [_few(value[name], declared.get(name, rest), contract) for name in names]
        yield from (dict(zip(names, each, strict=True)) for each in itertools.product(*below))
    elif isinstance(value, list) and isinstance(node, Array | Tuple):
        nodes = node.items if isinstance(node, Tuple) else [node.items] * len(value)
        below = [_few(item, each, contract) for item, each in zip(value, nodes, strict=False)]
        yield from ([*each, *value[len(below) :]] for each in itertools.product(*below))
    else:
        yield value


def _few(value: Any, node: Node | None, contract: Contract) -> list[Any]:
    return [*itertools.islice(_orders(value, node, contract), FEW)]

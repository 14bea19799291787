"""What a provider's rules are made of, and how they are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .nodes import Node, Path, walk

Tool = dict[str, Any]
Rule = Callable[[Node], Iterable[str]]
"""What is wrong with one node, in the provider's words."""
ToolRule = Callable[[Tool], Iterable[str]]
"""What is wrong with the envelope."""


def pointer(path: Path) -> str:
    """A path as most providers print none: `/properties/a: `."""
    return "".join(f"/{part}" for part in path) + ": "


@dataclass(frozen=True, kw_only=True)
class Checker:
    """The rules of one provider.

    `rules` hold always, `strict` beside them where the tool asks for it. `booleans` judges schemas that are
    `true` or `false`. `doubted` are rules on which the sources disagree or that one report alone tells of:
    nothing is refused for them here. `limits` are sizes that a single tool may not pass. `unenforced` names
    what the provider takes and then ignores.
    """

    schema: Callable[[Tool], Any]
    envelope: tuple[ToolRule, ...] = ()
    rules: tuple[Rule, ...] = ()
    strict: tuple[Rule, ...] = ()
    is_strict: Callable[[Tool], bool] = lambda _: False
    booleans: Rule = lambda _: ()
    strict_booleans: Rule = lambda _: ()
    limits: tuple[Rule, ...] = ()
    doubted: tuple[Rule, ...] = ()
    doubted_envelope: tuple[ToolRule, ...] = ()
    unenforced: tuple[Rule, ...] = ()
    place: Callable[[Path], str] = pointer

    def reject(self, tool: Tool) -> list[str]:
        """Every reason for which the provider would answer with an error: path and words."""
        found = [words for rule in self.envelope for words in rule(tool)]
        strict = self.is_strict(tool)
        rules = (*self.rules, *self.strict) if strict else self.rules
        booleans = (self.booleans, self.strict_booleans) if strict else (self.booleans,)
        return [*found, *self._asked(tool, rules, booleans)]

    def ignored(self, tool: Tool) -> list[str]:
        return self._asked(tool, self.unenforced)

    def doubts(self, tool: Tool) -> list[str]:
        """What some sources say is refused and others deny."""
        found = [words for rule in self.doubted_envelope for words in rule(tool)]
        return [*found, *self._asked(tool, self.doubted)]

    def over_limit(self, tool: Tool) -> list[str]:
        """Sizes of this one tool that the provider does not take; of its strict mode, if it has one."""
        if self.strict and not self.is_strict(tool):
            return []
        return self._asked(tool, self.limits)

    def _asked(self, tool: Tool, rules: tuple[Rule, ...], booleans: tuple[Rule, ...] = ()) -> list[str]:
        schema = self.schema(tool)
        if schema is None:
            return []
        found: list[str] = []
        for node in walk(schema):
            asked = rules if isinstance(node.schema, dict) else booleans
            found += [f"{self.place(node.path)}{words}" for rule in asked for words in rule(node)]
        return found

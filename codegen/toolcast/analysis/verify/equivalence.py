"""L1: the decoder accepts a value exactly when the contract does, and what it decodes encodes to the same
value.
"""

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

from msgspec import Struct

from ...jsonschema.json_values import JsonObject, equal
from ...languages.models import ModelError, generate_models
from ...languages.python.structs.python_names import class_name
from ...project.core.memory_package import attribute, imported
from ...runtime.errors import ArgumentError
from ..instances.oracle import CERTAIN, Oracle, Schema, SchemaTree, matches
from ..instances.shrink import Path, shrink, size
from .verified_tool import Decoder, Disagreement, DisagreementKind, Failure, VerifiedTool

ACCEPTED = "accepts it"


def as_text(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def decoded(binding: Decoder, arguments: object, provider: str | None = None) -> tuple[str, Any]:
    """Return the decoder's verdict in words, and the typed value where it accepts."""
    try:
        return ACCEPTED, binding.decode(arguments, provider)
    except ArgumentError as refusal:
        return f"refuses it: {str(refusal).partition(chr(10) + '- ')[2] or refusal.problem}", None
    except Exception as fault:  # nothing but ArgumentError may leave a decoder
        return f"fails with {type(fault).__name__}: {fault}", None


def equivalence(binding: Decoder, oracle: Oracle, value: object) -> Failure | None:
    """Return the disagreement of decoder and contract about `value`, if there is one."""
    if isinstance(value, str) or value is None:
        return None  # by design, text that holds the arguments as text is opened, and null means no arguments
    expected = oracle.verdict(value)
    verdict, params = decoded(binding, as_text(value))
    accepted = verdict == ACCEPTED
    if verdict.startswith("fails"):
        return Failure("crash", _words(expected), f"the decoder {verdict}", value)
    if expected is not None and accepted != expected:
        kind = "too wide" if accepted else "too narrow"
        return Failure(kind, _words(expected, oracle, value), f"the decoder {verdict}", value)
    if isinstance(value, dict):
        again, other = decoded(binding, value)
        if (again == ACCEPTED) != accepted:
            return Failure(
                "text and mapping",
                f"the decoder {verdict} as JSON text",
                f"the decoder {again} as a mapping",
                value,
            )
        if accepted and other != params:
            return Failure(
                "text and mapping",
                f"as JSON text it is {params!r:.300}",
                f"as a mapping {other!r:.300}",
                value,
            )
    return _round_trip(binding, oracle, value, params) if accepted else None


def _words(expected: bool | None, oracle: Oracle | None = None, value: object = None) -> str:
    if expected is None:
        return "the schema leaves it open"
    if expected:
        return "the schema accepts it"
    first = next(oracle.problems(value), None) if oracle is not None else None
    return "the schema refuses it" + (f": {first.message[:300]}" if first is not None else "")


def _round_trip(binding: Decoder, oracle: Oracle, value: object, params: object) -> Failure | None:
    expected = "it comes back as it was, up to defaults, order and the two allowances"
    try:
        again = json.loads(binding.encode(params))
    except Exception as fault:  # any failure to write what was read is a counterexample
        return Failure("round trip", expected, f"encoding fails with {type(fault).__name__}: {fault}", value)
    if oracle.refuses(again):
        return Failure(
            "round trip", expected, f"it comes back as {_short(again)}, which the schema refuses", value
        )
    lost = _difference(oracle, value, again)
    return (
        Failure("round trip", expected, f"it comes back as {_short(again)}: {lost}", value) if lost else None
    )


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + "…"


def _difference(oracle: Oracle, before: object, after: object) -> str | None:
    found = differing(oracle, before, after)
    return found and f"{_shown(found[0])} is {found[1]}"


def differing(
    oracle: Oracle, before: object, after: object, *, blurred: bool = False
) -> tuple[Path, str] | None:
    """Return the first difference that counts: its place, and words. `blurred`: absent and null are one for
    declared properties, since a dialect has only one of them.
    """
    return _Differing(oracle, blurred).first(before, after, [(oracle.tree.start, CERTAIN)], ())


class _Differing(Struct, frozen=True):
    oracle: Oracle
    blurred: bool

    def first(
        self, before: object, after: object, schemas: list[tuple[Schema, int]], path: Path
    ) -> tuple[Path, str] | None:
        if equal(before, after):
            return None
        tree = self.oracle.tree
        nodes = tree.same_value(schemas)
        if isinstance(before, dict) and isinstance(after, dict):
            named = {name for node, _ in nodes for name in _named(node)} if self.blurred else set()
            for name, child in before.items():
                below = tree.member(nodes, name)
                if name in after:
                    no_null = child is None and _refuses_null(self.oracle, below)
                    if no_null and _is_default(tree, below, after[name]):
                        continue  # null counted as absent, and absent means the default
                    found = self.first(child, after[name], below, (*path, name))
                    if found:
                        return found
                elif child is None and name in named:
                    continue
                elif not self._may_go(nodes, name, child, root=not path):
                    return (*path, name), "lost"
            for name, child in after.items():
                if child is None and name in named:
                    continue
                if name not in before and not _is_default(tree, tree.member(nodes, name), child):
                    return (*path, name), "new"
            return None
        if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            for index, (old, new) in enumerate(zip(before, after, strict=True)):
                found = self.first(old, new, tree.item(nodes, index), (*path, index))
                if found:
                    return found
            return None
        return path, "changed"

    def _may_go(self, nodes: list[tuple[JsonObject, int]], name: str, value: object, *, root: bool) -> bool:
        """Return whether a property may be left out: a default, a null that counts as absent, undeclared and
        open.
        """
        below = self.oracle.tree.member(nodes, name)
        if _is_default(self.oracle.tree, below, value):
            return True
        if value is None and _refuses_null(self.oracle, below):
            return True
        speaking = [
            (node, sure, _named(node)) for node, sure in nodes if "properties" in node or "required" in node
        ]
        if any(sure and name in named for _, sure, named in speaking):
            return False
        if not speaking:
            return root
        return any(name not in named and _open(node, name) for node, _, named in speaking)


def _shown(path: Path) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)


def _named(node: JsonObject) -> set[str]:
    return {*(node.get("properties") or ()), *(node.get("required") or ())}


def _refuses_null(oracle: Oracle, schemas: list[tuple[Schema, int]]) -> bool:
    return any(schema is False or not oracle.part(schema).is_valid(None) for schema, _ in schemas)


def _open(node: JsonObject, name: str) -> bool:
    if any(matches(pattern, name) for pattern in node.get("patternProperties") or ()):
        return False
    return all(node.get(key, True) in (True, {}) for key in ("additionalProperties", "unevaluatedProperties"))


def _is_default(tree: SchemaTree, schemas: list[tuple[Schema, int]], value: Any) -> bool:
    return any("default" in node and equal(node["default"], value) for node, _ in tree.same_value(schemas))


def second_opinion(found: VerifiedTool, contract: Oracle, made: list[object]) -> tuple[Disagreement, ...]:
    """Yield where pydantic models of the same contract accept invalid values or refuse valid ones."""
    name = class_name(found.tool.name, "Params")
    try:
        source = generate_models(
            found.built.normal.standalone("parameters"), "pydantic", class_name=name, source=found.tool.path
        )
    except ModelError as problem:
        return (Disagreement(kind="cannot be built", count=1, instance="", reason=str(problem)[:500]),)
    with imported({"models.py": source.encode()}) as package, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = attribute(package, "models", name)
            if hasattr(model, "model_rebuild"):
                model.model_rebuild(_types_namespace=vars(sys.modules[f"{package}.models"]))
        except Exception as problem:  # a module of another library's making may raise anything
            reason = f"{type(problem).__name__}: {problem}"
            return (Disagreement(kind="cannot be built", count=1, instance="", reason=reason[:500]),)
        return _compare(model, contract, made)


_Opinion = tuple[DisagreementKind, str]
"""The difference of a model, and its reason."""


def _compare(model: Any, contract: Oracle, made: list[object]) -> tuple[Disagreement, ...]:
    def opinion(value: object) -> _Opinion | None:
        expected = contract.accepts(value)  # the allowances are ours: no other family knows them
        try:
            model.model_validate_json(as_text(value))
        except ValueError as problem:
            return ("refuses what is valid", str(problem)) if expected else None
        except Exception as problem:  # models may fail in ways of their own
            return ("refuses what is valid", repr(problem)) if expected else None
        if not expected:
            return "accepts what is invalid", next(contract.problems(value)).message
        return None

    found: dict[DisagreementKind, list[object]] = {}
    for value in made:
        judged = opinion(value)
        if judged is not None:
            found.setdefault(judged[0], []).append(value)
    return tuple(_disagreement(kind, values, opinion) for kind, values in sorted(found.items()))


def _disagreement(
    kind: DisagreementKind, values: list[object], opinion: Callable[[object], _Opinion | None]
) -> Disagreement:
    def is_same(value: object) -> bool:
        found = opinion(value)
        return found is not None and found[0] == kind

    small = shrink(min(values, key=size), is_same, 300)
    found = opinion(small)
    assert found is not None
    reason = " ".join(found[1].split())
    return Disagreement(kind=kind, count=len(values), instance=as_text(small).decode(), reason=reason[:300])

"""Leaves out titles that say nothing, and moves the annotations beside an output's `anyOf` into its branches.

Axes: `keep`, of `title`; `any-of = "only"`.

    {"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "A key."}
    {"anyOf": [{"type": "string", "description": "A key."}, {"type": "integer", "description": "A key."}]}

A description goes into every branch if none has its own, else before that of the first one. `nullable` goes
into the first branch: a union takes what any branch takes. One with a branch that accepts any value is left
out.

A title is left out if it is the name of its property or its definition, in whatever case and with whatever
separators, also without the number of `Foo_2`, or if it is an identifier at the root, where generators write
the name of a class.

Ledger: `title` dropped, kept elsewhere; `anyOf` dropped where a branch accepts any value, kept elsewhere;
`description` and `title` rewritten, or dropped; other annotations described.
Sent and decoded: as the contract has it. Source: the notes on `anyOf` of each profile.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from ...jsonschema.json_values import JsonObject
from ...jsonschema.schema_node import Schema, SchemaNode
from ..constraint_texts import described, describes_default, phrase
from ..ledger import Ledger, checked
from ..node import Node, Pass
from ..profiles.dialect import Dialect
from .keywords import ABSENT, Result
from .unions import note_free_union

_BESIDE = "the provider allows nothing beside `anyOf`"
WORDS = ("default", "examples", "example", "deprecated")
_NAMING = ("properties", "$defs", "definitions")
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER = re.compile(r"_[0-9]+$")
"""The end of a name that would be another one's."""
_REPEATS = "is left out, because it repeats the name"
_CLASS = "is left out, because it is an identifier, as generators write for a class"


def title(node: Node, key: str, dialect: Dialect, ledger: Ledger) -> Result:
    """Leave out a title that says no more than the names of its schema."""
    path, value = node.path, node.keywords[key]
    names = [segments[-1] for segments in node.entered if segments]
    if path is not None and path[0] is not None and path[0][1] in _NAMING:
        names.append(node.place.walk.renames.get(path[1], path[1]))
    repeats = _repeats(value, names)
    if not repeats and (path is not None or not _IDENTIFIER.fullmatch(value)):
        return value, ()
    ledger.note(path, key, "dropped", "kept elsewhere", _REPEATS if repeats else _CLASS)
    return ABSENT, ()


def _repeats(value: str | None, names: Iterable[str]) -> bool:
    if value is None:
        return False
    letters = _letters(value)
    return any(letters in (_letters(name), _letters(_NUMBER.sub("", name))) for name in names)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def without_titles(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Leave out the titles of properties that got their names, or their schemas, in the walk."""
    before = node.keywords["properties"]
    after = {name: _without_title(name, schema, ledger) for name, schema in before.items()}
    if all(schema is before[name] for name, schema in after.items()):
        return node
    return node.having({**node.keywords, "properties": after})


def _without_title(name: str, schema: Schema, ledger: Ledger) -> Schema:
    if not isinstance(schema, SchemaNode) or not _repeats(schema.keywords.get("title"), (name,)):
        return schema
    ledger.note(schema.path, "title", "dropped", "kept elsewhere", _REPEATS)
    return replace(schema, keywords={key: value for key, value in schema.keywords.items() if key != "title"})


TITLES = Pass(
    name="titles",
    apply=without_titles,
    needed=lambda dialect: "title" in dialect.keep,
    keywords=frozenset(("properties",)),
)


def without_siblings(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Leave nothing beside `anyOf`."""
    out, path = node.keywords, node.path
    if "anyOf" not in out or out.keys() <= {"anyOf"}:
        return node
    if True in out["anyOf"]:
        note_free_union(path, ledger)
        return node.having({key: value for key, value in out.items() if key != "anyOf"})
    kept = [branch for branch in out["anyOf"] if branch is not False]  # which accepts nothing
    if not kept:
        return node
    branches: list[JsonObject] = [dict(branch.keywords) for branch in kept]
    already_described = "default" in out and describes_default(out.get("description"), out["default"])
    notes = [
        phrase(key, out[key]) for key in WORDS if key in out and not (key == "default" and already_described)
    ]
    description = described(out.get("description"), [note for note in notes if note])
    texts = {"description": description, "title": out.get("title", "")}
    for key, text in texts.items():
        if key not in out and not text:
            continue
        if not text:
            ledger.note(path, key, "dropped", "kept elsewhere", "is left out, because it is empty")
            continue
        in_no_branch = not any(key in branch for branch in branches)
        for branch in branches if in_no_branch else ():
            branch[key] = text
        if not in_no_branch and key == "description":
            first = branches[0]
            own = first.get("description")
            first[key] = described(text, [own]) if isinstance(own, str) else text
        if in_no_branch or key == "description":
            reason = f"is moved into the branches of `anyOf`, because {_BESIDE}"
            ledger.note(path, key, "rewritten", "kept elsewhere", reason)
        else:
            reason = f"is left out, because {_BESIDE}, and branches have their own"
            ledger.note(path, key, "dropped", "lost", reason)
    if out.get("nullable") is True:
        branches[0]["nullable"] = True
    for key in out:
        if key in WORDS and phrase(key, out[key]):
            reason = f"is stated in the descriptions of the branches, because {_BESIDE}"
            ledger.note(path, key, "described", "kept elsewhere", reason)
        elif key not in ("anyOf", "description", "title", "nullable"):
            reason = f"is left out, because {_BESIDE}{checked(key, out[key])}"
            ledger.note(path, key, "dropped", "lost", reason)
    made = [
        _inside(replace(old, keywords=keywords), node, dialect, ledger)
        for old, keywords in zip(kept, branches, strict=True)
    ]
    return node.having({"anyOf": made})


ALONE = Pass(
    name="union_alone",
    apply=without_siblings,
    needed=lambda dialect: dialect.any_of == "only",
    keywords=frozenset(("anyOf",)),
)


def _inside(branch: SchemaNode, node: Node, dialect: Dialect, ledger: Ledger) -> SchemaNode:
    """A branch that is a union itself, without siblings; entries are about the outer union."""
    if "anyOf" not in branch.keywords:
        return branch
    form = branch.form if isinstance(branch, Node) else node.form
    return without_siblings(Node(branch.keywords, node.path, node.place, form=form), dialect, ledger)


def describe(node: Node, dialect: Dialect, ledger: Ledger) -> Node:
    """Add a node's sentences to its description."""
    if not node.notes:
        return node
    words = described(node.keywords.get("description"), list(node.notes))
    return node.having({**node.keywords, "description": words}) if words else node


DESCRIPTION = Pass(name="description", apply=describe, noted=True)

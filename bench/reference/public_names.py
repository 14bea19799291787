"""The pages of public names, made from docstrings by griffe: one for each group of modules."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import griffe

from .markdown import codes, fenced

_SOURCE = Path(__file__).parents[2] / "codegen"
MODULES: dict[str, tuple[str, ...] | None] = {
    "toolcast": ("compile",),
    "toolcast.runtime": None,
    "toolcast.runtime.code": None,
    "toolcast.runtime.declarations": (
        *("HasTools", "Namespace", "declare", "describe", "function_names", "list_namespaces"),
    ),
    "toolcast.runtime.request_rules": ("RequestRules",),
    "toolcast.runtime.middleware.policy": None,
    "toolcast.runtime.middleware.secrets": None,
    "toolcast.runtime.middleware.events": (
        *(
            "Decoded",
            "Approved",
            "Started",
            "Refused",
            "Failed",
            "TimedOut",
            "Cancelled",
            "Deferred",
            "Finished",
        ),
        *("Hooks", "CallHooks", "Written"),
    ),
    "toolcast.runtime.middleware.logs": None,
    "toolcast.runtime.middleware.otel": ("instrument",),
    "toolcast.runtime.middleware.record": None,
    "toolcast.providers": (
        *("normalize", "Normalized", "LedgerEntry", "Normalizer", "decode", "Profile", "available"),
        *("load_profile", "load_profile_file", "steps", "Step", "SchemaError", "ProfileError"),
    ),
    "toolcast.agents": None,
    "toolcast.agents.dispatch": None,
    "toolcast.agents.otel": ("agent_spans",),
    "toolcast.agents.text_calls": None,
    "toolcast_tools": None,
    "toolcast_tools.workspace": None,
    "toolcast_tools.files": None,
    "toolcast_tools.shell": None,
    "toolcast_tools.web": None,
    "toolcast_tools.memory": None,
    "toolcast_tools.knowledge": None,
    "toolcast_tools.schedule": None,
    "toolcast_tools.data": None,
    "toolcast_tools.agents": None,
    "toolcast.http": None,
    "toolcast.mcp": None,
    "toolcast.analysis.diff.lock": ("ServerLock", "LockError"),
    "toolcast.bridges.pydantic_ai": ("RegistryToolset", "exact_schemas", "provider_of", "UnknownModelError"),
    "toolcast.bridges.openai_agents": ("function_tools",),
    "toolcast.bridges.langchain": ("tools",),
    "toolcast.bridges.fastmcp": ("RegistryProvider",),
    "toolcast.jsonschema.validator": ("Validator",),
    "toolcast.jsonschema.validator_errors": (
        *("Violation", "UnsupportedSchema", "UnsupportedPattern", "SearchTooLong", "TooManyBranches"),
    ),
    "toolcast.targets.model": ("ToolModel", "SetModel", "ObjectType", "Property", "Type", "Names"),
    "toolcast.languages.models": ("generate_models", "plain_schema", "ModelError"),
}
"""The public modules, each with its public names; None for its `__all__`."""
_METHODS = ("__init__", "__call__")
_GROUPS = {
    "toolcast": ("compiler", "The compiler, schemas and models"),
    "toolcast.agents": ("agents", "Agents"),
    "toolcast.agents.dispatch": ("dispatch", "Calls in providers' answers"),
    "toolcast.agents.text_calls": ("text-calls", "Calls in text"),
    "toolcast.bridges": ("bridges", "Bridges to frameworks"),
    "toolcast.http": ("http", "HTTP tools"),
    "toolcast.mcp": ("mcp", "MCP"),
    "toolcast.analysis.diff.lock": ("locks", "Locks"),
    "toolcast.providers": ("providers", "Providers"),
    "toolcast.runtime": ("runtime", "Running tools"),
    "toolcast.runtime.middleware": ("middleware", "Policy, secrets, hooks, traces"),
    "toolcast.targets": ("targets", "The model of a tool"),
    "toolcast_tools": ("tools", "The reference toolset"),
}
"""The page of a module is that of the longest prefix here: its file and its title."""
_HEAD = """\
# Public names

Every public name, from its docstring. What is not here may change without notice.
"""
_TITLES = {
    "parameters": ("Argument", "Arguments"),
    "raises": ("Raises", "Raises"),
    "attributes": ("Field", "Fields"),
}
_SAYS_NOTHING = re.compile(r"\w+ [\w ]+\.\n")
"""The sentence of an `__init__` that only says that an object is made."""


@cache
def _modules() -> griffe.ModulesCollection:
    packages = griffe.GriffeLoader(search_paths=[_SOURCE], docstring_parser="google")
    for name in dict.fromkeys(module.partition(".")[0] for module in MODULES):
        packages.load(name)
    return packages.modules_collection


@cache
def public() -> tuple[tuple[str, str, griffe.Object], ...]:
    """Every public object with its module and its name."""
    return tuple(_public())


def _public() -> Iterator[tuple[str, str, griffe.Object]]:
    for module, names in MODULES.items():
        home = _modules()[module]
        for name in names or sorted(str(each) for each in home.exports or ()):
            found = home[name]
            yield module, name, found.final_target if found.is_alias else found


def methods(cls: griffe.Object) -> list[griffe.Object]:
    """The public methods and properties of a class, those of its public base classes included."""
    members: dict[str, Any] = (
        {**cls.inherited_members, **cls.members} if isinstance(cls, griffe.Class) else {}
    )
    found: list[Any] = [
        member.final_target if isinstance(member, griffe.Alias) else member
        for name, member in members.items()
        if not name.startswith("_") or name in _METHODS
    ]
    kept: list[griffe.Object] = [each for each in found if each.is_function or "property" in each.labels]
    kept.sort(key=lambda each: (each.name != "__init__", each.name))
    return [_overridden(each, cls) if each.docstring is None else each for each in kept]


def _overridden(member: griffe.Object, cls: griffe.Object) -> griffe.Object:
    """The documented method of a base class that one without a docstring overrides; else itself."""
    bases = cls.mro() if isinstance(cls, griffe.Class) and member.name != "__init__" else []
    found = [base.members[member.name] for base in bases if member.name in base.members]
    return next((each for each in found if isinstance(each, griffe.Object) and each.docstring), member)


def problems() -> Iterator[str]:
    """Name what public docstrings lack.

    A docstring states each argument, error and returned value: in a section, or in its sentences.
    """
    for module, name, found in public():
        yield from _lacking(f"{module}.{name}", found)
        for member in methods(found):
            yield from _lacking(f"{module}.{name}.{member.name}", member)


def _lacking(name: str, found: griffe.Object) -> Iterator[str]:
    if found.docstring is None:
        if not _needs_none(found):
            yield f"{name}: no docstring"
        return
    kinds = _sections(found)
    words = found.docstring.value
    if isinstance(found, griffe.Function):
        listed = {item.name.lstrip("*") for item in kinds.get("parameters", ())}
        wanted = [each.name for each in found.parameters if each.name not in ("self", "cls")]
        unnamed = [each for each in wanted if each not in listed and not _names(words, each)]
        yield from (f"{name}: no argument {each}" for each in unnamed)
        returned = str(found.returns or "None")
        stated_in = {"returns", "yields"} & kinds.keys() or _RETURNS.match(words)
        if returned not in ("None", "Never") and not stated_in:
            yield f"{name}: no return value"
        stated = {str(item.annotation).rpartition(".")[2] for item in kinds.get("raises", ())}
        raised = sorted(_raised(found) - stated)
        yield from (f"{name}: no {each}" for each in raised if not _names(words, each))
    elif isinstance(found, griffe.Class) and (_is_struct(found) or _is_typed_dict(found)):
        stated = {item.name for item in kinds.get("attributes", ())}
        own = [
            member.name
            for member in found.members.values()
            if isinstance(member, griffe.Attribute)
            and not member.name.startswith("_")
            and member.annotation is not None
            and "property" not in member.labels
        ]
        yield from (f"{name}: no field {each}" for each in own if each not in stated)


def _names(words: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", words) is not None


_RETURNS = re.compile(r"(?:Return|Yield|Make|Tell) ")
"""First words of a sentence that states what a function returns."""


def _needs_none(found: griffe.Object) -> bool:
    """Whether no docstring is due: an `__init__` without arguments, or that of an exception."""
    if not isinstance(found, griffe.Function) or found.name != "__init__":
        return False
    parents = [str(base) for base in found.parent.bases] if isinstance(found.parent, griffe.Class) else []
    return len(found.parameters) < 2 or any(each.endswith(("Error", "Exception")) for each in parents)


def _is_struct(cls: griffe.Class) -> bool:
    return any(str(base).rpartition(".")[2] in ("Struct", "_Event", "Tool") for base in cls.bases)


def _is_typed_dict(cls: griffe.Class) -> bool:
    return "TypedDict" in {str(base) for base in cls.bases}


def _sections(found: griffe.Object) -> dict[str, list[Any]]:
    """The sections of a docstring by kind; text is left out."""
    parsed = found.docstring.parsed if found.docstring else []
    return {each.kind.value: each.value for each in parsed if each.kind.value != "text"}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def _raised(function: griffe.Function) -> set[str]:
    """The exceptions that a function raises itself, by name."""
    path = function.filepath
    assert isinstance(path, Path)
    node = next(
        each
        for each in ast.walk(_tree(path))
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef))
        and each.name == function.name
        and each.lineno in range(function.lineno or 0, (function.endlineno or 0) + 1)
    )
    raised = [each.exc for each in ast.walk(node) if isinstance(each, ast.Raise) and each.exc is not None]
    called = [each.func if isinstance(each, ast.Call) else each for each in raised]
    names = {each.id for each in called if isinstance(each, ast.Name)}
    return {each for each in names if each[:1].isupper()} - {"NotImplementedError", "AttributeError"}


def pages() -> dict[str, str]:
    """The pages by their paths below `names/`; `index.md` lists every name."""
    bodies = {prefix: [f"# {title}\n"] for prefix, (_, title) in _GROUPS.items()}
    listed = {prefix: [f"\n## [{title}]({file}.md)"] for prefix, (file, title) in _GROUPS.items()}
    places: dict[str, str] = {}
    for module, found in groupby(public(), key=lambda each: each[0]):
        group = _group(module)
        links = []
        bodies[group].append(f"## {module}\n")
        for _, name, each in found:
            target = f"{_GROUPS[group][0]}.md#{name.lower()}"
            links.append(f"[{name}]({target})")
            if (first := places.setdefault(each.path, target)) != target:
                bodies[group].append(f"### {name}\n\n[{name}]({first}) of another module.\n")
                continue
            bodies[group] += _entry(f"### {name}", each)
            for member in methods(each):
                if member.name != "__init__":
                    bodies[group] += _entry(f"#### {name}.{member.name}", member)
        listed[group].append(f"\n`{module}`: " + ",\n".join(links))
    index = _HEAD + "\n".join(line for lines in listed.values() for line in lines)
    return {"index.md": index, **{f"{_GROUPS[each][0]}.md": "\n".join(bodies[each]) for each in _GROUPS}}


def _group(module: str) -> str:
    return max((each for each in _GROUPS if f"{module}.".startswith(f"{each}.")), key=len)


def _entry(head: str, found: griffe.Object) -> list[str]:
    lines = [f"{head}\n"]
    start = found.members.get("__init__") if isinstance(found, griffe.Class) else found
    if isinstance(start, griffe.Function):
        signature = _signature(start, found.name)
        lines.append(fenced(signature, "python") if "\n" in signature else f"`{signature}`\n")
    if isinstance(found, griffe.Class) and _is_typed_dict(found):
        keys = [f"    {key}: {_plain(each.annotation)}" for key, each in found.attributes.items()]
        lines.append(fenced("\n".join([f"class {found.name}(TypedDict):", *keys]), "python"))
    lines += _body(found)
    for base in found.mro() if isinstance(found, griffe.Class) else ():
        lines += _part("attributes", _sections(base).get("attributes", []))
    if start is not found and isinstance(start, griffe.Function) and start.docstring:
        fields = {each.name: _flat(each.description) for each in _sections(found).get("attributes", [])}
        sections = _sections(start)
        arguments = {each.name: _flat(each.description) for each in sections.get("parameters", [])}
        if arguments != fields or sections.keys() != {"parameters"}:  # else all of it stands there already
            lines += [each for each in _body(start) if not _SAYS_NOTHING.fullmatch(each)]
    return lines


def _body(found: griffe.Object) -> list[str]:
    lines: list[str] = []
    for section in found.docstring.parsed if found.docstring else []:
        kind = section.kind.value
        if kind == "text":
            lines.append(f"{section.value}\n")
        elif kind in ("returns", "yields"):
            lines.append(
                f"{kind.capitalize()}: {' '.join(_flat(each.description) for each in section.value)}\n"
            )
        elif kind in _TITLES:
            lines += _part(kind, section.value)
    return lines


def _part(kind: str, items: list[Any]) -> list[str]:
    """A list of arguments, errors or fields; nothing without any."""
    if not items:
        return []
    named = [(each.annotation if kind == "raises" else each.name, _flat(each.description)) for each in items]
    alike = groupby(named, key=lambda each: each[1])
    listed = [f"{codes(str(name) for name, _ in group)}: {about}" for about, group in alike]
    singular, plural = _TITLES[kind]
    if len(named) == 1:
        return [f"{singular} {listed[0]}\n"]
    return [f"{plural}:\n", *(f"* {each}" for each in listed), ""]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _signature(function: griffe.Function, name: str) -> str:
    star = False
    parts = []
    for each in function.parameters:
        if each.name in ("self", "cls"):
            continue
        kind: Any = each.kind
        if kind is griffe.ParameterKind.keyword_only and not star:
            parts.append("*")
            star = True
        prefix = {griffe.ParameterKind.var_positional: "*", griffe.ParameterKind.var_keyword: "**"}.get(
            kind, ""
        )
        star = star or prefix == "*"
        typed = f": {_plain(each.annotation)}" if each.annotation is not None else ""
        default = (
            ""
            if prefix or each.default is None
            else f" = {_expanded(each.default)}"
            if typed
            else f"={each.default}"
        )
        parts.append(f"{prefix}{each.name}{typed}{default}")
    shown = "async " if "async" in function.labels else ""
    returns = "" if function.name == "__init__" else f" -> {_plain(function.returns)}"
    line = f"{shown}{name}({', '.join(parts)}){returns}"
    if len(line) <= 100:
        return line
    return f"{shown}{name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returns}"


_INTERNAL = ("JsonObject", "JsonMapping", "AnyBinding", "AnyTool")
"""Aliases that are not public, beside those with an underscore."""


def _plain(annotation: object) -> str:
    """Return an annotation without the quotes of one that names what is imported for type checkers only."""
    text = _expanded(annotation)
    return text[1:-1] if text[:1] in "\"'" and text[-1:] == text[:1] else text


def _expanded(expression: object) -> str:
    """Return an annotation or a default with what internal names stand for."""
    if not isinstance(expression, griffe.Expr):
        return str(expression)
    parts = [*expression.iterate(flat=True), ""]
    return "".join(_word(part, after) for part, after in pairwise(parts))


def _word(part: str | griffe.Expr, after: str | griffe.Expr) -> str:
    is_internal = isinstance(part, griffe.ExprName) and (part.name.startswith("_") or part.name in _INTERNAL)
    if is_internal and after != "[":  # a generic alias stays
        home, _, name = part.canonical_path.rpartition(".")
        found = _modules().get_member(home).get_member(name)
        target = found.final_target if found.is_alias else found
        if target.is_attribute:
            return _expanded(target.value)
    return str(part)

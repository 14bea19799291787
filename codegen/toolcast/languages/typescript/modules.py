"""The JavaScript modules of tools and shared types, each with its declaration (`edit.js`, `edit.d.ts`), and
the files about all tools: the index, and the validator that the modules import.
"""

import json
import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from ...contract.build import Built, build_type
from ...contract.normal_form import NormalForm, direct_references, without_keyword
from ...contract.tree import KEYWORD
from ...jsonschema.automaton import ANY_LENGTH, AT_END, NOTHING, STEPS, Automaton, Cost
from ...jsonschema.charset import Alphabet
from ...jsonschema.ecma import analyse
from ...jsonschema.json_values import JsonObject
from ...jsonschema.keywords import subschemas
from ...output_layout import (
    DECLARATION_INDEX,
    JAVASCRIPT_INDEX,
    JAVASCRIPT_SUPPORT,
    TYPESCRIPT,
    javascript_paths,
)
from ...package_files import PACKAGE
from ...runtime.declaration_text.names import FreeNames
from ...runtime.declaration_text.printer import TypeScript
from ...spec.deprecation import shown_description, shown_summary
from ...spec.parsed_document import Document
from ...spec.tool_spec import ToolSpec
from ..python.structs.module import module_path, tool_module, type_module
from ..python.structs.python_names import class_name, keyword_of
from .type_texts import (
    Filled,
    Located,
    Names,
    TypeName,
    declarations,
    default_plans,
    definition_names,
    definition_pointer,
    filled_in,
    local_name,
    root_name,
)

_WIDTH = 100
"""Characters of the longest object or array on one line."""
_SAFE = 2**53 - 1
_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_RESERVED = frozenset((
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
    "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function",
    "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package",
    "private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true",
    "try", "typeof", "undefined", "var", "void", "while", "with", "yield",
))  # fmt: skip
"""Words that no variable of a module can be named."""


def literal(value: Any, indent: str = "") -> str:
    """Write a JSON value as a JavaScript expression; an integer past 2**53 is a bigint. `indent` stands
    before the lines after the first.
    """
    flat = _flat(value)
    if len(flat) + len(indent) <= _WIDTH or not isinstance(value, (Mapping, list, tuple)) or not value:
        return flat
    inner = indent + "  "
    if isinstance(value, Mapping):
        rows = [f"{inner}{_property_name(name)}: {literal(item, inner)},\n" for name, item in value.items()]
        return "{\n" + "".join(rows) + indent + "}"
    return "[\n" + "".join(f"{inner}{literal(item, inner)},\n" for item in value) + indent + "]"


def _property_name(name: str) -> str:
    """A key in an object literal. `__proto__` is computed: plain, it sets the prototype."""
    if name == "__proto__":
        return '["__proto__"]'
    return name if _IDENTIFIER.fullmatch(name) else text(name)


def text(value: str) -> str:
    """Write a string literal; characters that a reader does not see are escaped, by UTF-16 code units."""
    return "".join(
        character if character.isprintable() else _escaped(character)
        for character in json.dumps(value, ensure_ascii=False)
    )


def variable_name(name: str) -> str:
    """Name the variable of a tool, unique where `name` is: a reserved word gets a `$`."""
    return f"{name}$" if name in _RESERVED else name


def _tool_variable(tool: ToolSpec) -> str:
    return variable_name(keyword_of(tool.name))


def _flat(value: object) -> str:
    if isinstance(value, str):
        return text(value)
    if isinstance(value, Mapping):
        members = ", ".join(f"{_property_name(name)}: {_flat(item)}" for name, item in value.items())
        return f"{{ {members} }}" if members else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_flat, value))}]"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > _SAFE:
        return f"{value}n"
    return json.dumps(value, allow_nan=False)


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


_LONGEST = 4 * 1024 * 1024  # characters of arguments at most


def slow_patterns(schema: object) -> dict[str, JsonObject]:
    """Find the patterns of a schema in normal form that take many steps in some text, each with the members
    of `SlowPattern` in `support/patterns.js`.
    """
    found: dict[str, JsonObject] = {}
    for pattern in sorted(_patterns(schema)):
        analysis = analyse(pattern)
        fast = analysis.cost.fast_length()
        if fast == ANY_LENGTH and not analysis.beyond:
            continue
        found[pattern] = {}
        if analysis.beyond:
            found[pattern] = {"beyond": analysis.beyond, "compared": analysis.cost.compared}
        if fast == ANY_LENGTH:
            continue
        found[pattern]["fast"] = int(fast)
        if analysis.automaton is not None:
            found[pattern]["automaton"] = _table(analysis.automaton)
        else:
            levels = (1 << level for level in range(STEPS.bit_length()))
            found[pattern]["levels"] = [_longest(analysis.cost, steps) for steps in levels]
    return found


def _patterns(schema: object) -> set[str]:
    found: set[str] = set()
    pending = [schema]
    while pending:
        node = pending.pop()
        if isinstance(node, Mapping):
            found |= {node["pattern"]} if "pattern" in node else set()
            found |= set(node.get("patternProperties", ()))
            pending += [below for _, below in subschemas(node)]
    return found


def _longest(cost: Cost, steps: int) -> int:
    """The longest text that is searched within some steps; -1 where none is."""
    low, high = -1, _LONGEST
    while low < high:
        middle = (low + high + 1) // 2
        if cost.steps(middle) <= steps:
            low = middle
        else:
            high = middle - 1
    return low


def _table(automaton: Automaton) -> JsonObject:
    """An automaton as `Automaton` in `support/patterns.js` describes it."""
    alphabet, whole = Alphabet(automaton.ranges), automaton.whole
    starts, kinds = alphabet.ranges()
    return {
        "starts": starts,
        "kinds": kinds,
        "accepted": alphabet.accepted,
        "follow": [list(row) for row in automaton.follow],
        "ends": [[state, needs] for state, (_, needs) in whole.last.items() if needs in (NOTHING, AT_END)],
        "initially": whole.initially_needs if whole.initially_empty else None,
        "later": whole.needs if whole.empty else None,
    }


def mark(source: str) -> str:
    """Return the first line of a generated file, by which our own are known."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in source)
    return f"// Generated by toolcast from {shown}; do not edit.\n"


class _Imported(Struct, frozen=True):
    module: tuple[str, ...]
    name: TypeName


def tool_modules(
    tool: ToolSpec, built: Built, module: tuple[str, ...], types: Mapping[str, Document]
) -> dict[str, bytes]:
    """Write the module of a tool and its declaration; return them by path below the output root. `types` are
    the shared type files, by path below the specs root. Raises SchemaError where a schema is nested too
    deeply for a type.
    """
    normal = built.normal
    assert built.contract is not None
    plain = tool_module(built, name=tool.name, module=module)[0].plain_unions
    contracts = {"parameters": offered_contract(tool, built, plain)}
    for key, schema in _schemas(tool, normal).items():
        if key != "parameters":
            plans = default_plans(built.contract, "result" if key == "result" else "parameters", plain)
            more = _empty_is_absent(tool) if key == "complete" else {}
            contracts[key] = (schema, _options(schema, plans, more))
    code, declaration = javascript_paths(module)
    return {
        code: _tool_code(tool, module, contracts).encode(),
        declaration: _tool_types(tool, module, built, types, plain).encode(),
    }


def offered_contract(tool: ToolSpec, built: Built, plain: Collection[str]) -> tuple[object, JsonObject]:
    """Return the arguments of `new Contract` that judges the arguments a model sends: the schema, and the
    options, without a grammar of its text. `plain` are the unions that decoding keeps as they are, by
    pointer.
    """
    assert built.contract is not None
    schema = built.normal.offered(tool.inject)
    more = _empty_is_absent(tool)
    if tool.inject:
        more["injected"] = list(tool.inject)
    return schema, _options(
        schema, default_plans(built.contract, "parameters", plain, tuple(tool.inject)), more
    )


def _empty_is_absent(tool: ToolSpec) -> JsonObject:
    return {"emptyIsAbsent": list(tool.empty_is_absent)} if tool.empty_is_absent else {}


def _options(schema: object, plans: Mapping[str, object], more: Mapping[str, object]) -> JsonObject:
    """The options of a contract; what is empty is left out."""
    slow = slow_patterns(schema)
    return {**more, **({"defaults": plans} if plans else {}), **({"slowPatterns": slow} if slow else {})}


def _schemas(tool: ToolSpec, normal: NormalForm) -> JsonObject:
    found: JsonObject = {"parameters": normal.offered(tool.inject)}
    if tool.inject:
        found["complete"] = normal.standalone("parameters")
    if "result" in normal.roots:
        found["result"] = normal.standalone("result")
    return found


def type_modules(path: str, built: Built, types: Mapping[str, Document]) -> dict[str, bytes]:
    """Write the module of a shared type file and its declaration, with a contract for each of its types; as
    `tool_modules`.
    """
    assert built.contract is not None
    normal, module = built.normal, module_path(path)
    plain = type_module(built, path).plain_unions
    filled = filled_in(built.contract, plain)
    own = _own_names(built, path)
    foreign = _foreign(normal, [key for key in normal.defs if key not in own], types)
    names = {**own, **_local_names(foreign, own)}
    support = _relative(module, (JAVASCRIPT_SUPPORT, "index"))
    rows = [mark(path), f'import {{ Contract }} from "{support}";\n']
    shown = [mark(path), f'import type {{ Contract }} from "{support}";\n']
    shown += _imports(module, foreign, names, [normal.defs[key] for key in own])
    for key, name in own.items():
        schema = normal.standalone_definition(key)
        variable = variable_name(name.filled[0].lower() + name.filled[1:])
        plans = default_plans(built.contract, f"$defs/{key}", plain)
        rows.append(f"\nexport const {variable} = {_contract(schema, _options(schema, plans, {}), '')};\n")
        shown += ["\n" + each for each in declarations(name, _definition(normal.defs, key), names, filled)]
        shown.append(f"\nexport declare const {variable}: Contract<{name.filled}>;\n")
    code, declaration = javascript_paths(module)
    return {code: "".join(rows).encode(), declaration: "".join(shown).encode()}


def _tool_code(
    tool: ToolSpec,
    module: tuple[str, ...],
    contracts: Mapping[str, tuple[object, Mapping[str, object]]],
) -> str:
    members = {
        "name": text(tool.name),
        "group": text(tool.group),
        "summary": text(shown_summary(tool)),
        "description": text(shown_description(tool)),
        "permission": text(tool.permission),
        "annotations": literal(tool.hints, "  "),
        "parameters": _contract(*contracts["parameters"], "  "),
        "result": _contract(*contracts["result"], "  ") if "result" in contracts else "null",
    }
    if tool.inject:
        members["inject"] = literal(tool.inject, "  ")
        members["complete"] = _contract(*contracts["complete"], "  ")
    body = "".join(f"  {name}: {source},\n" for name, source in members.items())
    return (
        mark(tool.path)
        + f'import {{ Contract }} from "{_relative(module, (JAVASCRIPT_SUPPORT, "index"))}";\n\n'
        + TypeScript().comment((shown_summary(tool),))
        + f"export const {_tool_variable(tool)} = Object.freeze({{\n{body}}});\n"
    )


def _tool_types(
    tool: ToolSpec,
    module: tuple[str, ...],
    built: Built,
    types: Mapping[str, Document],
    plain: Collection[str],
) -> str:
    assert built.contract is not None
    normal, filled = built.normal, filled_in(built.contract, plain)
    defs = {key: without_keyword(schema, KEYWORD) for key, schema in normal.defs.items()}
    parts = {"parameters": "Params", "result": "Result", "complete": "CompleteParams"}
    schemas = {
        key: Located(
            {word: value for word, value in schema.items() if word != "$defs"},
            "/result" if key == "result" else "/parameters",
        )
        for key, schema in _schemas(tool, normal).items()
    }
    roots = {
        key: root_name(class_name(tool.name, part), schemas[key], defs, filled)
        for key, part in parts.items()
        if key in schemas
    }
    taken = {name for each in roots.values() for name in (each.filled, f"{each.filled}Input")}
    foreign = _foreign(normal, [key for key in defs if normal.locations[key].file], types)
    own = definition_names([key for key in defs if key not in foreign], defs, filled, taken | _IMPORTED)
    names = {**own, **_local_names(foreign, {**own, **roots})}
    needed = "InjectedTool, Tool" if tool.inject else "Tool"
    rows = [
        mark(tool.path),
        f'import type {{ {needed} }} from "{_relative(module, (JAVASCRIPT_SUPPORT, "index"))}";\n',
    ]
    rows += _imports(
        module, foreign, names, [*(each.schema for each in schemas.values()), *(defs[key] for key in own)]
    )
    for key, name in roots.items():
        rows += ["\n" + each for each in declarations(name, schemas[key], {**names, "": name}, filled)]
    for key, name in own.items():
        root = roots[str(normal.locations[key].path[0])]  # what `#` means there
        rows += [
            "\n" + each for each in declarations(name, _definition(defs, key), {**names, "": root}, filled)
        ]
    stated = [roots[key].filled for key in ("parameters", "result") if key in roots]
    whole = f"Tool<{', '.join(stated)}>"
    if tool.inject:
        whole += f" & InjectedTool<{roots['complete'].filled}>"
    rows.append("\n" + TypeScript().comment((shown_summary(tool),)))
    rows.append(f"export declare const {_tool_variable(tool)}: {whole};\n")
    return "".join(rows)


_IMPORTED = frozenset(("Tool", "InjectedTool", "Contract"))
"""Types of the validator that a module imports."""


def _definition(definitions: Mapping[str, object], key: str) -> Located:
    return Located(definitions[key], definition_pointer(key))


def _own_names(built: Built, file: str) -> Names:
    normal, filled = built.normal, Filled()
    if built.contract is not None:
        filled = filled_in(built.contract, type_module(built, file).plain_unions)
    keys = [key for key in normal.defs if normal.locations[key].file == file]
    return definition_names(keys, normal.defs, filled, _IMPORTED)


def _foreign(normal: NormalForm, keys: Iterable[str], types: Mapping[str, Document]) -> dict[str, _Imported]:
    """The definitions of shared type files among `keys`, as their modules declare them."""
    found: dict[str, _Imported] = {}
    known: dict[str, dict[object, TypeName]] = {}
    for key in keys:
        location = normal.locations[key]
        if location.file not in known:
            home = build_type(location.file, types)
            own = _own_names(home, location.file)
            known[location.file] = {home.normal.locations[each].path: name for each, name in own.items()}
        found[key] = _Imported(module_path(location.file), known[location.file][location.path])
    return found


def _local_names(foreign: Mapping[str, _Imported], taken: Names) -> dict[str, TypeName]:
    free = FreeNames({name for each in taken.values() for name in each.all} | _IMPORTED)
    return {key: local_name(each.name, free) for key, each in foreign.items()}


def _imports(
    module: tuple[str, ...], foreign: Mapping[str, _Imported], names: Names, schemas: Sequence[object]
) -> list[str]:
    needed = {key for schema in schemas for key in direct_references(schema) if key in foreign}
    rows: dict[str, list[str]] = {}
    for key in foreign:
        if key in needed:
            pairs = zip(foreign[key].name.all, names[key].all, strict=True)
            shown = [there if there == here else f"{there} as {here}" for there, here in pairs]
            rows.setdefault(_relative(module, foreign[key].module), []).extend(shown)
    return [f'import type {{ {", ".join(words)} }} from "{home}";\n' for home, words in sorted(rows.items())]


def _contract(schema: object, options: Mapping[str, object], indent: str) -> str:
    words = [literal(schema, indent), *([literal(options, indent)] if options else [])]
    return f"new Contract({', '.join(words)})"


def _relative(module: tuple[str, ...], other: tuple[str, ...]) -> str:
    way = posixpath.relpath("/".join(other), "/".join(module[:-1]) or ".")
    return f"{way if way.startswith('.') else f'./{way}'}.js"


_WITHOUT = "another tool has a type of that name"


class IndexEntry(Protocol):
    """A tool in the index."""

    @property
    def name(self) -> str: ...
    @property
    def module(self) -> str: ...  # dotted, below the output root
    @property
    def keyword(self) -> str: ...  # the name as an identifier
    @property
    def result(self) -> str: ...  # empty where the spec has no typed result


def package_modules(entries: Sequence[IndexEntry]) -> dict[str, bytes]:
    """Write the index of some tools and the validator, by path below the output root."""
    head = mark("all specs")
    folder = PACKAGE / "languages" / "typescript" / "support"
    files = {
        f"{TYPESCRIPT}/{JAVASCRIPT_SUPPORT}/{path.name}": (head + path.read_text(encoding="utf-8")).encode()
        for path in sorted(folder.iterdir())
        if path.suffix in (".js", ".ts")
    }
    return {
        **files,
        f"{TYPESCRIPT}/{JAVASCRIPT_INDEX}": _index_file(JAVASCRIPT_INDEX, entries),
        f"{TYPESCRIPT}/{DECLARATION_INDEX}": _index_file(DECLARATION_INDEX, entries),
        f"{TYPESCRIPT}/package.json": b'{\n  "type": "module"\n}\n',
    }


def _index_file(name: str, entries: Sequence[IndexEntry]) -> bytes:
    tools = sorted(entries, key=lambda entry: entry.name)
    rows = [mark("all specs")]
    word = "import" if name == JAVASCRIPT_INDEX else "import type"
    rows += [f'{word} {{ {_variable(each)} }} from "{_address(each)}";\n' for each in tools]
    rows.append(f'\nexport * from "./{JAVASCRIPT_SUPPORT}/index.js";\n')
    if name == JAVASCRIPT_INDEX:
        rows += [f'export {{ {_variable(each)} }} from "{_address(each)}";\n' for each in tools]
        members = "".join(f"  [{text(each.name)}]: {_variable(each)},\n" for each in tools)
        bare = "  __proto__: null, // no name leads to what objects have by themselves\n"
        whole = f"Object.freeze({{\n{bare}{members}}})"
        rows.append(f"\n/** All tools, by name. */\nexport const tools = {whole};\n")
    else:
        rows += _exports(tools)
        typed = "".join(f"  readonly {text(each.name)}: typeof {_variable(each)};\n" for each in tools)
        rows.append(f"\n/** All tools, by name. */\nexport declare const tools: {{\n{typed}}};\n")
    return "".join(rows).encode()


def _exports(tools: Sequence[IndexEntry]) -> list[str]:
    """The exports of the declaration. A type that several tools have by one name stands in a comment."""
    types = {
        each.name: [class_name(each.name, part) for part in ("Params", *(("Result",) if each.result else ()))]
        for each in tools
    }
    counts = Counter(name for names in types.values() for name in names)
    rows = []
    for each in tools:
        shown = [f"type {name}" for name in types[each.name] if counts[name] == 1]
        hidden = [name for name in types[each.name] if counts[name] > 1]
        remark = f" // without {', '.join(hidden)}: {_WITHOUT}" if hidden else ""
        rows.append(f'export {{ {", ".join((_variable(each), *shown))} }} from "{_address(each)}";{remark}\n')
    return rows


def _variable(entry: IndexEntry) -> str:
    return variable_name(entry.keyword)


def _address(entry: IndexEntry) -> str:
    return f"./{entry.module.replace('.', '/')}.js"

"""The files about all tools: the index, and the validator that the modules import."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from ...output_layout import DECLARATION_INDEX, JAVASCRIPT_INDEX, JAVASCRIPT_SUPPORT, TYPESCRIPT
from ...package_files import PACKAGE
from ..python.structs.python_names import class_name
from .modules import mark, text, variable_name

_WITHOUT = "another tool has a type of that name"


class IndexEntry(Protocol):
    """A tool in the index."""

    @property
    def name(self) -> str: ...
    @property
    def module(self) -> str:
        """Dotted, below the output root."""
        ...

    @property
    def keyword(self) -> str:
        """The name as an identifier."""
        ...

    @property
    def result(self) -> str:
        """Empty where the spec has no typed result."""
        ...


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

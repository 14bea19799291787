"""The files about all tools: the index, and the validator that the modules import."""

from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from ..package_files import PACKAGE
from ..python.structs.python_names import class_name
from .javascript_text import text, variable_name
from .modules import FOLDER, SUPPORT, mark


class Entry(Protocol):
    """What the index needs to know of a tool."""

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


def package_modules(entries: Sequence[Entry]) -> dict[str, bytes]:
    """The index of some tools, and the validator.

    Args:
        entries: the tools.

    Returns:
        The files, by path below the output root.
    """
    head = mark("all specs")
    folder = PACKAGE / "typescript" / "support"
    files = {
        f"{FOLDER}/{SUPPORT}/{path.name}": (head + path.read_text(encoding="utf-8")).encode()
        for path in sorted(folder.iterdir())
        if path.suffix in (".js", ".ts")
    }
    tools = sorted(entries, key=lambda entry: entry.name)
    code, types = [head], [head]
    code += [f'import {{ {_variable(each)} }} from "{_address(each)}";\n' for each in tools]
    types += [f'import type {{ {_variable(each)} }} from "{_address(each)}";\n' for each in tools]
    code.append(f'\nexport * from "./{SUPPORT}/index.js";\n')
    types.append(f'\nexport * from "./{SUPPORT}/index.js";\n')
    code += [f'export {{ {_variable(each)} }} from "{_address(each)}";\n' for each in tools]
    types += [f'export {{ {names} }} from "{address}";\n' for names, address in _exports(tools)]
    members = "".join(f"  {text(each.name)}: {_variable(each)},\n" for each in tools)
    code.append(f"\n/** All tools, by name. */\nexport const tools = Object.freeze({{\n{members}}});\n")
    typed = "".join(f"  readonly {text(each.name)}: typeof {_variable(each)};\n" for each in tools)
    types.append(f"\n/** All tools, by name. */\nexport declare const tools: {{\n{typed}}};\n")
    return {
        **files,
        f"{FOLDER}/index.js": "".join(code).encode(),
        f"{FOLDER}/index.d.ts": "".join(types).encode(),
        f"{FOLDER}/package.json": b'{\n  "type": "module"\n}\n',
    }


def _exports(tools: Sequence[Entry]) -> list[tuple[str, str]]:
    """What the declaration exports of each tool: a type only where one tool has a type of that name."""
    types = {
        each.name: [class_name(each.name, part) for part in ("Params", *(("Result",) if each.result else ()))]
        for each in tools
    }
    counts = Counter(name for names in types.values() for name in names)
    return [
        (
            ", ".join((_variable(each), *(f"type {n}" for n in types[each.name] if counts[n] == 1))),
            _address(each),
        )
        for each in tools
    ]


def _variable(entry: Entry) -> str:
    return variable_name(entry.keyword)


def _address(entry: Entry) -> str:
    return f"./{entry.module.replace('.', '/')}.js"

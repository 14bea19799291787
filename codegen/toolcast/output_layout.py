"""The layout of the output folder (`generated/`): every path below it is made here.

It imports nothing of toolcast, because the runtime reads by these paths, too. Paths are posix, below the
output folder.
"""

from collections.abc import Sequence
from typing import Final

MANIFEST: Final = "manifest.txt"
REGISTRY: Final = "registry.py"
REQUESTS: Final = "requests.json"
CONTRACTS: Final = "contracts"
SCHEMAS: Final = "schemas"
WIRE_FORMS: Final = "wire_forms"
LEDGER: Final = "ledger"
GRAMMARS: Final = "grammars"
MODELS: Final = "models"
TYPESCRIPT: Final = "typescript"
"""The folder of the target of that name."""
TARGETS: Final = "targets"
"""The folder with one folder of each other target."""
JAVASCRIPT_INDEX: Final = "index.js"
DECLARATION_INDEX: Final = "index.d.ts"
JAVASCRIPT_SUPPORT: Final = "toolcast"
"""The folder of the validator, below that of the target."""

DATA: Final = (*(f"{folder}/**/*.json" for folder in (CONTRACTS, SCHEMAS, WIRE_FORMS)), REQUESTS)
"""The files that the runtime reads beside the modules, as patterns of package data."""


def marker_path(folder: str) -> str:
    """Return the path of the file that makes a folder a package; "" is the output folder itself."""
    return f"{folder}/__init__.py".lstrip("/")


def python_path(module: Sequence[str]) -> str:
    """The module of a tool or a shared type, by the parts of its dotted path."""
    return "/".join(module) + ".py"


def contract_path(name: str) -> str:
    """The contract of a tool by its name, or of a shared type by the path of its module."""
    return f"{CONTRACTS}/{name}.json"


def contract_name(path: str) -> str | None:
    """The name for which `contract_path` makes a path; None for another path."""
    folder, _, file = path.partition("/")
    return file.removesuffix(".json") if folder == CONTRACTS and file.endswith(".json") else None


def schemas_folder(provider: str) -> str:
    """The folder of a provider's tool objects, with a slash at its end."""
    return f"{SCHEMAS}/{provider}/"


def schema_path(provider: str, name: str) -> str:
    """A tool object, as a provider takes it."""
    return f"{schemas_folder(provider)}{name}.json"


def wire_form_path(provider: str, name: str) -> str:
    """Return the path of the file for a tool's wire form, which exists only if the provider has one."""
    return f"{WIRE_FORMS}/{provider}/{name}.json"


def ledger_path(name: str) -> str:
    """The ledger of a tool; no file where nothing is lost."""
    return f"{LEDGER}/{name}.json"


def grammar_paths(format: str, engine: str, ending: str) -> tuple[str, str]:
    """The grammar of all tools for a text format and an engine, and its ledger."""
    name = f"{GRAMMARS}/{format}.{engine}"
    return name if engine == ending else f"{name}.{ending}", f"{LEDGER}/{name}.json"


def model_path(family: str, module: Sequence[str]) -> str:
    """The models of a further family for a tool."""
    return f"{MODELS}/{family}/{python_path(module)}"


def javascript_paths(module: Sequence[str]) -> tuple[str, str]:
    """The module in JavaScript of a tool or a shared type, and its declaration."""
    place = "/".join((TYPESCRIPT, *module))
    return f"{place}.js", f"{place}.d.ts"


def target_path(target: str, path: str) -> str:
    """An output of a target, whose own path is below the folder of that target."""
    return f"{TARGETS}/{target}/{path}"


def seen_from(module: Sequence[str], path: str) -> str:
    """A path as a Python module names it, relative to its own folder."""
    return "../" * (len(module) - 1) + path


def beside_schemas(schemas: str, path: str) -> str:
    """A path as seen from where `schemas`, the path to `SCHEMAS`, is seen."""
    return f"{schemas}/../{path}"


def schema_below(schemas: str, provider: str, name: str) -> str:
    """A tool object as seen from where `schemas`, the path to `SCHEMAS`, is seen."""
    return schemas + schema_path(provider, name).removeprefix(SCHEMAS)

"""Reads one document to a `ToolSpec`, or to every reason why it is none."""

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, cast

from ..diagnostics import Diagnostic
from ..jsonschema.json_values import JsonMapping, JsonObject
from ..permissions import Permission
from . import fields
from .deprecation import deprecated
from .fields import check_parameter_name
from .http_key import check_http
from .keys import KEYS, SYNONYMS
from .parsed_document import Document
from .read_by_schema import read_by_schema, read_plain
from .spec_checker import Names, SpecChecker, is_todo, quoted
from .suppressions import CODES, suppressions
from .text_input import text_input, text_parameters
from .tool_names import NAME, group_of, group_problem, module_problem, name_hint
from .tool_spec import Annotations, Source, ToolSpec

_OF_SCHEMAS: Final = frozenset(
    (
        "type",
        "properties",
        "required",
        "additionalProperties",
        "$defs",
        "definitions",
        "anyOf",
        "oneOf",
        "allOf",
    )
)
"""Keywords that stand beside the keys of a spec where the lines below `parameters:` are not indented."""


def _foreign_format(data: object) -> tuple[str, str] | None:
    """Recognise data of a format that `toolcast import` reads; return its name as a sentence, and what to do
    with it.
    """
    if isinstance(data, list) and data and all(isinstance(each, dict) for each in data):
        return "a spec is one tool, and this is a list", "if it lists tools, run `toolcast import tools FILE`"
    if not isinstance(data, dict) or "permission" in data:
        return None
    if "openapi" in data or "swagger" in data:
        return (
            "this is an OpenAPI document, not a spec",
            "move it elsewhere and run `toolcast import openapi FILE`",
        )
    if isinstance(data.get("function"), dict) or isinstance(data.get("tools"), list):
        return (
            "this is what a provider's API is sent, not a spec",
            "move it elsewhere and run `toolcast import tools FILE`",
        )
    return None


def read_tool(
    document: Document, path: str, known_providers: frozenset[str]
) -> tuple[ToolSpec | None, tuple[Diagnostic, ...], str | None]:
    """Make a `ToolSpec` of a document; None with an error. Returns all diagnostics, too, and the tool's name,
    None where it has no valid one.
    """
    checker = SpecChecker(document)
    data = document.data
    other = _foreign_format(data)
    if other is not None:
        checker.report((), "no-spec", *other)
        return None, tuple(checker.found), None
    if not isinstance(data, dict):
        checker.wrong_type((), data, "a mapping", "write `name:`, `description:`, `permission:` and so on")
        return None, tuple(checker.found), None
    for word in data.keys() & _OF_SCHEMAS:
        hint = "indent it below `parameters:` (or `result:`)"
        checker.report(
            (word,), "unknown-key", f"`{word}` is a keyword of schemas, not a key of a spec", hint, key=True
        )
    own = {key: value for key, value in data.items() if key not in _OF_SCHEMAS}
    suggested = checker.known_keys((), own, KEYS, Names(synonyms=SYNONYMS))

    def stated(key: str, empty: Any) -> Any:
        """Return a key with None for parts that its schema refuses; `empty` where nothing is left."""
        value = read_by_schema(checker, key, data[key]) if key in data else None
        return empty if value is None else value

    stated("$schema", None)
    group = group_of(path)
    name = _name(checker, data, path, group)
    description, summary = _texts(checker, data, suggested)
    for key in KEYS.values():
        if key.required and key.name not in data and key.name not in suggested:
            message = f"`{key.name}` is missing; it has no default, on purpose"
            checker.report((), "missing-key", message, key.hint)
    has_parameters = "parameters" in data
    text = text_input(checker, data, stated("input", None)) if "input" in data else None
    if has_parameters:
        parameters = fields.parameters(checker, data["parameters"])
    else:
        parameters = fields.no_parameters() if text is None else text_parameters(text)
    known = fields.property_names(parameters)
    if "parameters" in suggested and not has_parameters:
        known = None  # they are under a mistyped key
    permission: Permission | None = None
    if is_todo(data.get("permission")):
        message = "a person must decide what this tool may do"
        checker.report(("permission",), "todo", message, fields.PERMISSION_HINT)
    else:
        permission = stated("permission", None)
    decided = not fields.undecided_secrets(checker, data.get("secrets"), known)
    secrets = fields.secrets(checker, stated("secrets", ()), known) if decided else ()
    result = fields.result(checker, data["result"]) if "result" in data else None
    plain = read_plain(checker, data)
    if plain.get("external") and "http" in data:
        message = "`external: true` says that no handler carries out the calls, and `http` states one"
        hint = "remove `external`, or `http` if the program that carries out the calls sends the request"
        checker.report(("external",), "external-http", message, hint)
    enums: dict[str, str] = stated("runtime_enums", {})
    for parameter in enums:
        check_parameter_name(checker, ("runtime_enums", parameter), parameter, known)
    empty = fields.empty_is_absent(checker, stated("empty_is_absent", ()), parameters, known)
    words = stated("described_by", None)
    if words is not None:
        words = fields.described_by(checker, words, parameters, known, secrets)
    filled: dict[str, str] = stated("inject", {})
    taken = {"secrets": secrets, "runtime_enums": enums, "empty_is_absent": empty, "described_by": (words,)}
    _check_injected(checker, filled, known, taken)
    readable = parameters is not None and ("parameters" not in suggested or has_parameters)
    if readable:
        check_http(checker, stated("http", None), parameters, known)
    overrides = stated("providers", {})
    fields.check_providers(checker, overrides, known_providers)
    ignored = {command: suppressions(checker, command, stated(command, {})) for command in CODES}
    ended = stated("deprecated", None)
    if ended is not None:
        ended = deprecated(checker, ended, name)
    if checker.found:
        return None, tuple(sorted(checker.found)), name
    spec = ToolSpec(
        path=path,
        group=group,
        name=cast(str, name),  # None only with a report, as is permission
        summary=summary,
        description=description,
        permission=cast(Permission, permission),
        secrets=secrets,
        parameters=parameters,
        input=text,
        result=result,
        runtime_enums=enums,
        empty_is_absent=empty,
        described_by=words,
        inject=filled,
        http=data.get("http"),
        providers=overrides,
        lint_ignore=ignored["lint"],
        verify_ignore=ignored["verify"],
        diff_ignore=ignored["diff"],
        deprecated=ended,
        document=document,
        **_values(plain),
    )
    return spec, (), name


def _values(plain: JsonMapping) -> JsonObject:
    """Return the values of plain keys by field of `ToolSpec`."""
    values = {KEYS[name].field or name: value for name, value in plain.items()}
    if "task_support" in values:
        values["task_support"] = values["task_support"].get("task_support")
    if "annotations" in values:
        values["annotations"] = Annotations(**values["annotations"])
    if "source" in values:
        kind, name, label = (values["source"][word] for word in ("kind", "name", "from"))
        values["source"] = Source(kind=kind, name=name, label=label)
    return values


def _name(checker: SpecChecker, data: JsonObject, path: str, group: str) -> str | None:
    problem = group_problem(group)
    if problem is not None:
        hint = "name the folder with letters, digits, `_` and `-`, with a letter first"
        checker.report((), "bad-group", problem, hint)
    stem = path.rpartition("/")[2].rpartition(".")[0]
    name = checker.text(("name",), data["name"]) if "name" in data else stem
    if name is None:
        return None
    if not NAME.fullmatch(name):
        source = "" if "name" in data else ", taken from the file's name,"
        message = f"the tool name {quoted(name)}{source} is not allowed"
        checker.report(("name",), "bad-name", message, name_hint(name))
        return None
    reserved = module_problem(name, group)
    if reserved is not None:
        checker.report(("name",), "bad-name", reserved, "rename the tool, or move its file into a folder")
    return name


def _texts(checker: SpecChecker, data: JsonObject, suggested: Mapping[str, str]) -> tuple[str, str]:
    """Read description and summary; each is the default of the other."""
    description = fields.prose(checker, "description", data["description"]) if "description" in data else None
    summary = fields.prose(checker, "summary", data["summary"]) if "summary" in data else None
    if not {"description", "summary"} & (data.keys() | suggested.keys()):
        hint = "write `description:` and say what the tool does; it is what the model reads"
        checker.report((), "missing-key", "`description` is missing", hint)
    return description or summary or "", summary or first_sentence(description or "")


_REASONS: Final = {
    "secrets": "the program fills it in, so it needs no reference to a secret",
    "runtime_enums": "models do not choose its value, so it needs no enum for them",
    "empty_is_absent": "models do not send it, and the program's value is taken as it is",
    "described_by": "models do not write it, so it has no words of theirs",
}


def _check_injected(
    checker: SpecChecker,
    filled: Mapping[str, object],
    known: frozenset[str] | None,
    taken: Mapping[str, Collection[str | None]],
) -> None:
    """Report names in `inject` that are no parameters, or that another key (in `taken`) names."""
    for name in filled:
        place = ("inject", name)
        check_parameter_name(checker, place, name, known)
        for key, reason in _REASONS.items():
            if name in taken[key]:
                message = f"{quoted(name)} is named by `{key}`, too: {reason}"
                hint = f"take it out of `{key}`, or of `inject`"
                checker.report(place, "injected-twice", message, hint, key=True)


# A sentence ends at . ! or ? before white space or the end, or at an ideographic full stop.
_END = re.compile(r"[.!?][)\"'”’\]]*(?=\s|\Z)|[。！？]")
_BREAK_LINE = re.compile(r"\s*(?:[-*+#>|<]|\d+[.)]\s|```|\w[\w ]{0,30}:\s*\Z)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.\s?g|i\.\s?e|etc|vs|cf|approx|incl|resp|no|nr|fig|al|Dr|Mr|Mrs|Ms|St|Inc|Ltd)|\b[A-Z]|\A\d+)\.\Z",
    re.IGNORECASE,
)


def first_sentence(description: str) -> str:
    """The first sentence, on one line; the first line where no sentence ends in the first paragraph.

    A paragraph ends at a blank line or where a list, heading, quote, table, tag or label (`Args:`) begins.
    `e.g.`, `i.e.` and the like end no sentence, unless a capital letter follows `etc.`.
    """
    lines = description.strip().splitlines()
    if not lines:
        return ""
    paragraph = [lines[0]]
    for line in lines[1:]:
        if not line.strip() or _BREAK_LINE.match(line):
            break
        paragraph.append(line)
    text = " ".join(" ".join(paragraph).split())
    for end in _END.finditer(text):
        if not _abbreviates(text, end.end()):
            return text[: end.end()]
    return " ".join(lines[0].split())


def _abbreviates(text: str, end: int) -> bool:
    """Return whether the full stop before `end` belongs to a short form within the sentence."""
    rest = text[end:].lstrip()
    if not rest or not _ABBREVIATION.search(text[max(0, end - 12) : end]):
        return False
    is_etc = text[:end].lower().endswith("etc.")
    return not (is_etc and rest[0].isupper())

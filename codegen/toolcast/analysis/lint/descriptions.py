"""The texts of a spec: descriptions without information for a model, texts that nobody sees, and texts that
order a model about.

A client that lists tools of several servers reads all of them into one prompt, so an order acts on calls of
other tools, too. Directories refuse it, and guards against prompt injection look for the same words. English
patterns find orders, a heuristic.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from ...contract.normal_form import definition_name, spoken
from ...hidden_characters import describe_character, escape_hidden, hidden_offsets, is_deceptive
from ...jsonschema.json_values import JsonMapping
from ...jsonschema.pointers import join
from ...jsonschema.regex_cache import cache_short_texts
from ...spec.deprecation import shown_description
from ...spec.parsed_document import Path
from .finding import Finding
from .linted_tool import LintedTool

_NAME: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+|[^\W\d_]+")
_TEXT: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_DENSE: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
)


def among(words: str) -> frozenset[str]:
    """Return the words of a list written as text."""
    return frozenset(words.split())


SMALL: Final = among(
    "a an the of for to in on at by from with into and or is are be was it its this that these those given "
    "specified provided as"
)
"""Words without meaning of their own. Negations and numbers are not among them."""

EMPTY: Final = among(
    "tool function method api call endpoint operation action thing stuff something various misc helper "
    "utility do perform handle use using used which will can"
)
"""Words that every description of a tool could hold."""

KINDS: Final = EMPTY | among(
    "parameter param argument arg value field input data string text number integer boolean object list "
    "array name"
)
"""Words that every description of a parameter could hold."""

PLACEHOLDERS: Final = re.compile(
    r"\W*(?:todo|tbd|fixme|xxx|n/?a|none|null|undefined|description|lorem ipsum\b.*|no description\b.*|"
    r"(?:add|write|insert) (?:a |your )?description.*|placeholder.*|none given)\W*",
    re.IGNORECASE | re.DOTALL,
)


@partial(cache_short_texts, size=4096)
def name_words(name: str) -> tuple[str, ...]:
    """Return the words of an identifier in lower case: `getAPIKey2` → get, api, key, 2."""
    return tuple(word.lower() for word in _NAME.findall(name))


def text_words(text: str) -> list[str]:
    """Return the words of a text in lower case, as they stand."""
    return [word.lower() for word in _TEXT.findall(text)]


_IRREGULAR: Final = {
    "calories": "calorie",
    "cookies": "cookie",
    "movies": "movie",
    "series": "series",
    "species": "species",
}
"""Words in "ies" whose singular does not end in "y"."""


@partial(cache_short_texts, size=4096)
def stem(word: str) -> str:
    """Return a word without the ending of a plural or a third person: lists → list, queries → query, fetches
    → fetch.
    """
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes", "zzes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def content(text: str) -> list[str]:
    """Return the stems that carry meaning, in order."""
    return [stem(word) for word in text_words(text) if word not in SMALL]


def is_dense(text: str) -> bool:
    """Return whether words are not separated by spaces, so that they cannot be counted."""
    return _DENSE.search(text) is not None


_FEW: Final = 3  # fewer words than this cannot describe a tool
_STATED: Final = 5  # parameters named one by one
_NAME_REPEATS: Final = 3  # a name of so many words may be a full description
# One of these describes a parameter as well as a description does.
_INFORMATIVE: Final = among("enum const format pattern examples default minimum maximum minLength")

Properties = list[tuple[Path, str, Mapping[str, object]]]


def descriptions(subject: LintedTool) -> Iterator[Finding]:
    """Yield findings about the tool's description and those of its parameters."""
    problem = vague(subject.tool.name, subject.tool.description)
    if problem:
        key = "description" if "description" in subject.tool.document.data else "summary"
        fix = "say what the tool does, when to use it, and what it gives back"
        yield subject.finding("vague-description", f"the description {problem}", fix, at=(key,))
    for id, text in subject.tool.overrides("description").items():
        if problem := vague(subject.tool.name, text):
            message, at = f"the description for {id} {problem}", ("providers", id, "description")
            yield subject.finding("vague-description", message, "say what the tool does", at=at)
    missing: list[Path] = []
    empty: list[Path] = []
    listed = properties(subject.parameters)
    for path, name, schema in listed:
        text = _description(schema, subject.parameters)
        if not text:
            if "const" not in schema:
                missing.append(path)
        elif not _INFORMATIVE & schema.keys() and _is_empty_of_content(name, text):
            empty.append(path)
    if missing:
        names, count = _names(missing), len(missing)
        message = (
            f"{count} of {len(listed)} parameters {'has' if count == 1 else 'have'} no description: {names}"
        )
        yield subject.finding("missing-description", message, "describe them", schema=missing[0])
    if empty:
        message = f"the description repeats only the parameter's name: {_names(empty)}"
        fix = "say what it means: its unit, form, source or effect"
        yield subject.finding("vague-parameter", message, fix, schema=empty[0])


def vague(name: str, description: str) -> str:
    """Return why a tool's description has no information: it is a placeholder, has fewer than three words, or
    has only words of the name, unless those are three of meaning. An empty text if it has some.
    """
    if PLACEHOLDERS.fullmatch(description):
        return "is a placeholder"
    if is_dense(description):
        return ""  # a script without spaces: neither counting nor comparing words means anything
    own = {stem(word) for word in name_words(name)}
    if len(own) < _NAME_REPEATS and not set(content(description)) - own - EMPTY:
        return "says no more than the name"
    words = len(text_words(description))
    return "" if words >= _FEW else f"has only {words} word{'s'[: words != 1]}"


def _is_empty_of_content(name: str, text: str) -> bool:
    if PLACEHOLDERS.fullmatch(text):
        return True
    if is_dense(text):
        return False
    own = {stem(word) for word in name_words(name)}
    return len(own) < _NAME_REPEATS and not set(content(text)) - own - KINDS


def properties(root: Mapping[str, object]) -> Properties:
    """Return declared properties at any depth, in order, through lists and branches; each definition once."""
    found: Properties = []
    queue: list[tuple[object, Path]] = [(root, ())]
    while queue:
        node, path = queue.pop()
        if not isinstance(node, Mapping):
            continue
        below: list[tuple[object, Path]] = []
        for name, each in node.get("properties", {}).items():
            inner = (*path, "properties", name)
            found.append((inner, name, each if isinstance(each, Mapping) else {}))
            below.append((each, inner))
        below.extend((node[key], (*path, key)) for key in ("items", "additionalProperties") if key in node)
        for key in ("anyOf", "oneOf", "allOf", "prefixItems"):
            below.extend((each, (*path, key, index)) for index, each in enumerate(node.get(key, ())))
        if not path:
            below.extend((each, ("$defs", name)) for name, each in node.get("$defs", {}).items())
        queue.extend(reversed(below))
    return found


def _description(schema: JsonMapping, root: JsonMapping) -> str:
    """Return its own description, or that of its reference's definition, or of its only branch with one."""
    text = schema.get("description")
    if isinstance(text, str) and text.strip():
        return text
    name = definition_name(schema["$ref"]) if "$ref" in schema else None
    if name is not None:
        target = root.get("$defs", {}).get(name)
        return str(target.get("description", "")) if isinstance(target, Mapping) else ""
    for key in ("anyOf", "oneOf", "allOf"):
        for each in schema.get(key, ()):
            if isinstance(each, Mapping) and (text := _description(each, root)):
                return text
    return ""


def _names(paths: list[Path]) -> str:
    names = [readable(path) for path in paths[:_STATED]]
    return ", ".join(names) + (f" and {len(paths) - _STATED} more" if len(paths) > _STATED else "")


def readable(path: Path) -> str:
    """Return a place as people write it: `filter.items[].name`."""
    return spoken(join(path if path[:1] == ("$defs",) else ("parameters", *path)))


_ENOUGH: Final = 3  # words of meaning that two descriptions must share before being equal means something


def collisions(subjects: Sequence[LintedTool]) -> Iterator[Finding]:
    """Yield names that are equal without case and separators, at all but the first."""
    first: dict[str, str] = {}
    for subject in subjects:
        name = subject.tool.name
        other = first.setdefault("_".join(name_words(name)).replace("_", ""), name)
        if other != name:
            message = f"the name {name!r} differs from {other!r} only by case or separators"
            yield subject.finding(
                "name-collision", message, "give one of them a name of its own", at=("name",)
            )


def duplicates(subjects: Sequence[LintedTool]) -> Iterator[Finding]:
    """Yield descriptions that are equal or nearly so, at all but the first."""
    first: dict[tuple[str, ...], LintedTool] = {}
    for subject in subjects:
        key = likeness(shown_description(subject.tool))
        if len(key) < _ENOUGH:
            continue
        other = first.setdefault(key, subject)
        if other is subject:
            continue
        same = shown_description(subject.tool).strip() == shown_description(other.tool).strip()
        how = "the same as" if same else "nearly the same as"
        message = f"the description is {how} that of {other.tool.name!r}"
        fix = f"say in both when to use {subject.tool.name!r} and when {other.tool.name!r}"
        yield subject.finding("duplicate-description", message, fix, at=("description",))


def likeness(description: str) -> tuple[str, ...]:
    """Return a key that ignores case, order, punctuation, endings and small words of a description."""
    if is_dense(description):
        return tuple(description.split()) * _ENOUGH  # words are not separated: only equal texts are alike
    return tuple(sorted(set(content(description))))


_BEFORE = 20
"""Characters of the text that lead to the place."""


def hidden_text(subject: LintedTool) -> Iterator[Finding]:
    """Yield a finding for each key and text with hidden characters, of the spec and of its shared types."""
    for path, text in _texts(subject.tool.document.data):
        for code, message in _problems(path, text):
            yield subject.finding(code, message, _FIX, at=path)
    for name, location in subject.normal.locations.items():
        for path, text in _texts(subject.normal.defs[name]) if location.file else ():
            for code, message in _problems(path, text):
                yield subject.finding(code, message, _FIX, schema=("$defs", name, *path))


_FIX = "take it out: who reads the spec does not see it, and a model reads it"


def _texts(data: object) -> Iterator[tuple[Path, str]]:
    """Yield every key and every text below `data`, in order; a key has the path of its value."""
    waiting: list[tuple[Path, object]] = [((), data)]
    while waiting:
        path, value = waiting.pop()
        below: list[tuple[Path, object]] = []
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            for key, item in value.items():
                yield (*path, key), key
                below.append(((*path, key), item))
        elif isinstance(value, list):
            below = [((*path, index), item) for index, item in enumerate(value)]
        waiting += reversed(below)


def _problems(path: Path, text: str) -> Iterator[tuple[str, str]]:
    indexes = [index for index in hidden_offsets(text) if text[index] != "\r"]
    for code, grave in (("hidden-text", True), ("hidden-character", False)):
        found = [index for index in indexes if is_deceptive(text[index]) == grave]
        if not found:
            continue
        first = found[0]
        lead = "".join(char for char in text[max(0, first - _BEFORE) : first] if char.isprintable())
        where = f"behind {lead!r}" if lead else "at the beginning"
        more = f", and {len(found) - 1} more" if len(found) > 1 else ""
        name = ".".join(_visible(str(step)) for step in path)
        yield code, f"`{name}` holds {describe_character(text[first])}, character {first + 1}, {where}{more}"


def _visible(step: str) -> str:
    """Return a step of a path on one line, with invisible characters escaped as in JSON."""
    return escape_hidden(json.dumps(step, ensure_ascii=False)[1:-1])


_AFTER: Final = 30
"""Characters behind an order that are shown with it."""
_MAX_SEARCHED: Final = 100_000
"""Characters of one text that are read."""


class _OrderKind(Struct, frozen=True):
    """A kind of order, and the patterns that find it."""

    name: str
    message: str
    pattern: re.Pattern[str]


def _pattern(*branches: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{each})" for each in branches), flags)


_EARLIER: Final = r"(?:all |any |the |your |my |of )*(?:previous|prior|earlier|above|preceding|other|system)"
_ORDERS: Final = r"(?:instructions?|prompts?|rules|messages?|guidelines|directives)"
_CONCEAL: Final = r"(?:tell|inform|mention|reveal|disclose|show|notify|alert|let)(?:ing)?"
_PEOPLE: Final = r"(?:users?|anyone|humans?|people|person)"
_CALL: Final = r"(?:call|use|invoke|run|execute|consult)"
_CALLING: Final = r"(?:calling|using|invoking|running|executing)"
_RUNNABLE: Final = r"(?:commands?|code|programs?|quer(?:y|ies)|scripts?|statements?|tests?)"
_MODEL: Final = (
    r"(?:assistant|agent|llm|ai|ai model|ai agent|language model|claude|chatgpt|gpt-?\d*|gemini|copilot)"
)
_SPEAK: Final = (
    r"(?:ask|tell|inform|respond|reply|answer|explain|say|think|confirm|present|display|show|output|wait|stop|"
    r"continue|remember)"
)
_SHOUTED: Final = r"(?:VERY |EXTREMELY )?(?:IMPORTANT|CRITICAL|MANDATORY|ATTENTION|URGENT)"
_NOTE: Final = r"(?: (?:NOTE|RULES?|INSTRUCTIONS?|REQUIREMENTS?|WARNING))?"

_ORDER_KINDS: Final = (
    _OrderKind(
        "override",
        "sets other instructions aside",
        _pattern(
            rf"\b(?:ignore|disregard|forget|override|bypass)\s+{_EARLIER}\s+{_ORDERS}",
            r"\b(?:new|real|actual|updated) instructions\s*:",
            r"\byour (?:system prompt|instructions|guidelines) (?:is|are|no longer|do not)",
        ),
    ),
    _OrderKind(
        "concealment",
        "hides something from the user",
        _pattern(
            r"\b(?:do not|don['’]t|never|must not|should not|without) (?:ever )?"
            rf"{_CONCEAL}\b[^.\n]{{0,40}}\b{_PEOPLE}\b",
            rf"\bwithout (?:asking|the knowledge of) (?:the )?{_PEOPLE}\b",
            r"\b(?:secretly|silently|covertly) (?:send|read|call|use|include|pass|forward|copy)",
            rf"\b(?:hide|conceal|keep) (?:this|it)\b[^.\n]{{0,20}}\bfrom (?:the )?{_PEOPLE}\b",
        ),
    ),
    _OrderKind(
        "call order",
        "orders when a tool is called",
        _pattern(
            rf"\b(?:must|should|have to|need to|shall) (?:always |first |only |never )*{_CALL} "
            r"(?:this|these|it|the [`'\"]?\w+[`'\"]? tool)\b",
            r"\b(?:should|must|shall) (?:always|never)\b(?! be\b)",
            rf"\b(?:always|never|only) {_CALL} (?:this|these|the)\b",
            rf"(?:\A|[.!:;\n]\s*)(?:always|never) {_CALL} (?!{_RUNNABLE}\b)",
            rf"\b(?:do not|don['’]t) {_CALL} (?:this tool (?:more|again|twice)|any other|other)\b",
            rf"\b{_CALL} this (?:tool )?(?:first|immediately|before (?:any|all|every|using|calling))\b",
            r"\bmust be (?:called|used|run|invoked) (?:first|before|prior|after|once|whenever)\b",
            rf"\b(?:before|after) {_CALLING} (?:any|all|every|this|the) (?:other )?"
            r"(?:tools?|functions?)\b",
            r"\b(?:prefer|favou?r|prioriti[sz]e) (?:using )?this (?:tool|function)? ?"
            r"(?:over|to|instead|above)\b",
            r"\b(?:instead of|rather than) (?:any )?other tools?\b",
            r"\bproactively\b",
        ),
    ),
    _OrderKind(
        "address",
        "addresses the model",
        _pattern(
            r"\byou are (?:an?|the) (?:ai|assistant|agent|expert|helpful|model|llm)\b",
            r"\bas an (?:ai|llm|assistant|agent)\b",
            rf"\b(?:the |an? |any ){_MODEL} (?:must|should|shall|needs? to|has to|is required to)\b",
            r"\byour (?:response|answer|reply|output|next message|final answer) "
            r"(?:must|should|shall|has to)\b",
            rf"\b(?:tell|ask|inform|remind|instruct|warn|prompt) the {_PEOPLE}\b",
            rf"\byou (?:must|should) (?:always |never |first |also )*{_SPEAK}\b",
        ),
    ),
    _OrderKind(
        "emphasis",
        "shouts",
        _pattern(
            r"<\s*/?\s*(?:important|IMPORTANT|system|SYSTEM|critical|CRITICAL|instructions?|INSTRUCTIONS?)\s*>",
            rf"(?<!\w)\**{_SHOUTED}{_NOTE}\**(?:\s*[:!]| - )",
            r"\b(?:YOU MUST|MUST ALWAYS|MUST NEVER|ALWAYS|NEVER|DO NOT|DON'T|UNDER NO CIRCUMSTANCES) \w",
            flags=0,
        ),
    ),
)
"""The patterns that are searched, the gravest first."""


class _Imperative(Struct, frozen=True):
    kind: _OrderKind
    excerpt: str


def imperatives(text: str) -> tuple[_Imperative, ...]:
    """Return the kinds of orders in the first 100,000 characters of a text, each once, the gravest first.
    Words of a graver order count for that alone.
    """
    found: list[_Imperative] = []
    taken: list[range] = []
    for kind in _ORDER_KINDS:
        matches = (
            each for each in kind.pattern.finditer(text[:_MAX_SEARCHED])
            if not any(each.start() in span for span in taken)
        )  # fmt: skip
        match = next(matches, None)
        if match is not None:
            taken.append(range(*match.span()))
            found.append(_Imperative(kind, _excerpt(text, match.start(), match.end())))
    return tuple(found)


def _excerpt(text: str, start: int, end: int) -> str:
    """Return a match with the words after it, none of them cut; with a mark where the text goes on."""
    after, rest = text[end : end + _AFTER], text[end + _AFTER :]
    if rest and not rest[0].isspace():
        after = after[: after.rfind(" ") + 1]
    words = " ".join(f"{text[start:end]}{after}".split()).lstrip(".!:; ")
    return f"{words} …" if rest.strip() else words


def imperative_texts(subject: LintedTool) -> Iterator[Finding]:
    """Return one finding for each kind of order in each description."""
    tool = subject.tool
    for key, text in (("summary", tool.summary), ("description", tool.description)):
        if key in tool.document.data:
            for found in imperatives(text):
                yield _finding(subject, f"the {key}", found, at=(key,))
    for id, own in tool.providers.items():
        texts: list[tuple[Path, str]] = [(("description",), own.get("description", ""))]
        texts += [(("parameters", name), text) for name, text in own.get("parameters", {}).items()]
        for below, text in texts:
            for found in imperatives(text):
                where = f"the description of `{below[-1]}`" if below[1:] else "the description"
                yield _finding(subject, f"{where} for {id}", found, at=("providers", id, *below))
    for path, _, schema in properties(subject.parameters):
        described = schema.get("description")
        if isinstance(described, str):
            for found in imperatives(described):
                where = f"the description of `{readable(path)}`"
                yield _finding(subject, where, found, schema=path)


def _finding(
    subject: LintedTool, where: str, found: _Imperative, *, at: Path | None = None, schema: Path | None = None
) -> Finding:
    message = f"{where} {found.kind.message}: {found.excerpt!r}"
    fix = (
        "describe what the tool does and when it applies; orders belong into the system prompt of the program"
    )
    return subject.finding("imperative-text", message, fix, at=at, schema=schema)

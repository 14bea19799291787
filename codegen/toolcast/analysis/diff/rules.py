"""Changes, and the rules of `toolcast diff` by id: audience, default level, and what they mean."""

from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from msgspec import Struct

from ...command_settings import Level
from ...config import Config

Audience = Literal["calls", "results", "code", "model", "provider", "trust", "cache"]
"""Who is hit: those who call, who read results, who wrote Python against generated code, the model that
reads the definition, a provider's request, those who grant permissions, and prompt caches."""

AUDIENCES: Final[tuple[Audience, ...]] = get_args(Audience)


class Witness(Struct, frozen=True, kw_only=True):
    """A value that one state accepts and the other refuses, as both decoders and jsonschema-rs judge it."""

    value: Any
    refusal: str  # the refusing decoder's message


class Recorded(Struct, frozen=True, kw_only=True):
    """Counts the recorded calls of a tool, and those of them that a change breaks."""

    calls: int
    broken: int


class Change(Struct, frozen=True, kw_only=True):
    """One difference, of one rule. A change that hits two audiences is two of these."""

    rule: str  # id, a key of `RULES`
    tool: str  # name in the new state; in the old one where the tool is removed; "" for the whole set
    pointer: str = ""  # in the contract document of the new state; of the old one where it lacks the place
    file: str  # of the new state's spec, or the old one's
    line: int = 0
    column: int = 0
    old: bool = False  # file, line, column and pointer are those of the old state
    message: str  # one sentence
    hint: str = ""  # a way out, where there is one
    providers: tuple[str, ...] = ()  # those concerned; none: all
    witness: Witness | None = None
    undecided: bool = False  # may break or not: neither a witness nor a proof was found
    recorded: Recorded | None = None  # where recorded calls were read, of a change that breaks calls

    @property
    def audience(self) -> Audience:
        """Return who is hit."""
        return RULES[self.rule].audience

    @property
    def fingerprint(self) -> str:
        """Return what names this change in later comparisons, whatever else changed: twelve hex digits over
        its rule, tool, place and sentence.
        """
        said = (self.rule, self.tool, self.pointer, self.message)
        return sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest()[:12]


class _Rule(Struct, frozen=True):
    """One kind of difference. `level` is the default, which a project may change."""

    audience: Audience
    level: Level
    title: str
    about: str


_Row = tuple[Level, str, str]
"""Level, title and explanation of a rule."""
_Rules = Mapping[str, _Row]
"""Rules for one audience, by id."""


def _error(title: str, about: str) -> _Row:
    return "error", title, about


def _warning(title: str, about: str) -> _Row:
    return "warning", title, about


def _note(title: str, about: str) -> _Row:
    return "note", title, about


NOT_COMPARED: Final = "not-compared"
BREAKS_RECORDED: Final = "breaks-recorded"
_CALLS: Final[_Rules] = {
    NOT_COMPARED: _error(
        "A spec does not compile in one of the states, so its tool is not compared",
        "What changed is not known, for any audience. A newer toolcast may refuse what an older one "
        "compiled. Correct the spec; where it is the old one, compare with a later commit, or set the level "
        "of this rule.",
    ),
    "tool-renamed": _error(
        "A tool has another name",
        "Calls by the old name fail. Its file or source, the words of its name or its description are the "
        "same.",
    ),
    BREAKS_RECORDED: _error(
        "A recorded call is refused that was accepted",
        "With `--calls`: calls of a file are decoded under both contracts. Beside it the changes that break "
        "them keep their own levels, with the number of calls.",
    ),
    "tool-added": _note("A tool is new", "Nothing breaks."),
    "parameter-removed": _error(
        "A parameter is gone, and calls that have it are refused",
        "The object is closed (`additionalProperties: false`), or says what other properties must be.",
    ),
    "parameter-renamed": _error(
        "A parameter has another name, and calls with the old one are refused",
        "Its schema is the same, and so are its description or the words of its name.",
    ),
    "parameter-ignored": _warning(
        "A parameter is no longer declared, and calls that have it are accepted",
        "The object is open: the value has no effect, or is kept as a property that nobody checks.",
    ),
    "parameter-added": _note("A parameter is new, and optional", "Calls without it mean what they meant."),
    "parameter-declared": _note(
        "A parameter is new, and had any value before",
        "The object was open: a call could have a property of that name with any value, though no model was "
        "told of it. The witness is such a call.",
    ),
    "parameter-required": _error(
        "A parameter is required that was not",
        "It is new, was optional, or another parameter asks for it now.",
    ),
    "object-closed": _error(
        "Properties that are not declared are refused", "The object was open, or open for other names."
    ),
    "type-narrowed": _error("Values of a type are refused", "A type was removed or replaced."),
    "values-narrowed": _error("A listed value is refused", "`enum` or `const` has fewer values, or is new."),
    "bound-narrowed": _error("A bound is tighter", "Of a number, a length or a count, or of `multipleOf`."),
    "text-narrowed": _error("A text must have another form", "`pattern` or `format` is new or another one."),
    "call-refused": _error(
        "A call is refused that was valid", "For another reason, such as a combination of parameters."
    ),
    "call-undecided": _warning(
        "Whether calls are refused is not known", "Neither a proof that none is nor such a call was found."
    ),
    "null-dropped": _warning(
        "Null is no value of its own any more",
        "Calls with null are accepted, and null means that the parameter is absent.",
    ),
    "default-changed": _warning(
        "Calls without a parameter mean something else",
        "Its `default` is another one, new or gone. No call is refused.",
    ),
    "calls-widened": _note("More calls are valid", "Nothing breaks."),
    "empty-is-value": _warning(
        "An empty text no longer means that a parameter was left out",
        '`empty_is_absent` named the parameter. A call with "" is refused, or means the empty text.',
    ),
    "empty-is-absent": _warning(
        "An empty text means that a parameter was left out",
        "`empty_is_absent` names the parameter. A call can no longer pass the empty text.",
    ),
    "grammar-narrowed": _error(
        "A text is refused that was valid",
        "The grammar of `input` is new or another one. The witness is a text that the old grammar derives, "
        "or an example.",
    ),
    "grammar-undecided": _warning(
        "Whether texts are refused that were valid is not known",
        "The grammar of `input` is another one, and has every text of the old one that was tried: derived "
        "ones and the examples. The question cannot be decided in general.",
    ),
    "values-bounded": _warning(
        "The running program bounds a parameter's values",
        "`runtime_enums` names the parameter: a call with any other value is refused.",
    ),
    "scopes-added": _error(
        "Callers need a further scope", "By `scopes`: a call is refused whose token lacks it."
    ),
    "callers-narrowed": _warning(
        "Fewer may call a tool",
        "By `callers`: calls from code that models write, or calls of models themselves, are refused.",
    ),
    "tool-removed": _error("A tool was removed without notice", "It was not deprecated."),
    "tool-removed-early": _error(
        "A deprecated tool was removed before its time",
        "The day of `deprecated.remove_after` has not passed, or the project's version is not beyond it.",
    ),
    "tool-removed-unchecked": _warning(
        "A deprecated tool was removed, perhaps before its time",
        "`deprecated.remove_after` is a version, and the project states none; or there is no `remove_after`.",
    ),
    "tool-removed-in-time": _note(
        "A deprecated tool was removed", "Its `deprecated.remove_after` has passed."
    ),
    "removal-sooner": _warning(
        "A deprecated tool is to be removed sooner",
        "`deprecated.remove_after` is earlier than announced. A day and a version, which cannot be "
        "compared, count as earlier.",
    ),
}
"""Rules about calls: what was a valid call, and is none now."""

_RESULTS: Final[_Rules] = {
    "result-untyped": _error(
        "The result has no contract any more",
        "Readers of its schema, such as MCP clients, are promised nothing.",
    ),
    "result-typed": _note("The result has a contract now", "Nothing breaks."),
    "result-property-removed": _error(
        "A property of the result is no longer declared", "Readers do not find it, or find something else."
    ),
    "result-property-optional": _error(
        "A property of the result may be absent", "It was required, always or under conditions."
    ),
    "result-property-added": _note(
        "A property of the result is new", "Only a reader that refuses unknown properties breaks."
    ),
    "result-opened": _warning(
        "A result may have properties that it could not have",
        "The object was closed. Readers that refuse unknown properties fail.",
    ),
    "result-type-widened": _error("A result may have values of another type", "Readers do not expect them."),
    "result-values-widened": _warning(
        "A result may have a value that was not listed",
        "Readers that handle each value of an `enum` meet an unknown one.",
    ),
    "result-bound-widened": _warning(
        "A bound of the result is wider", "Of a number, a length or a count, or of `multipleOf`."
    ),
    "result-text-widened": _warning(
        "A text of the result may have another form", "By `pattern` or `format`."
    ),
    "result-widened": _error(
        "A result is possible that was not",
        "For another reason, such as properties of an object that was closed.",
    ),
    "result-undecided": _warning(
        "Whether results are possible that were not is not known",
        "Neither a proof that none is nor such a result was found.",
    ),
    "results-timing": _warning(
        "Results arrive at another time",
        "By `blocking` or `execution`: a model goes on before it has the result, or waits for it; an MCP "
        "client may, must or cannot run a call as a task.",
    ),
    "defaults-omitted": _warning(
        "Results lack members that equal their default",
        "By `defaults` of the spec or of the project. Readers that do not know the defaults miss them.",
    ),
    "defaults-included": _note(
        "Results hold members that equal their default", "By `defaults` of the spec. Nothing breaks."
    ),
    "result-text-changed": _note(
        "Models read another text of the same results",
        "By `text` of the spec. Typed results and MCP's structured content are the same.",
    ),
}
"""Rules about results: what readers were promised, and are promised no longer."""

_CODE: Final[_Rules] = {
    "arguments-streamed": _warning(
        "Arguments arrive in another way in streams",
        "By `stream_arguments`: programs that read a provider's stream get arguments as they are written, "
        "before they are checked JSON; or no longer do.",
    ),
    "module-moved": _error(
        "A tool's module is elsewhere",
        "The tool was renamed or moved into another group: imports of its module, its binding and its "
        "handler type fail, and so does its argument of `register_all`.",
    ),
    "module-removed": _error(
        "A tool's module is gone", "Imports fail, and so does its argument of `register_all`."
    ),
    "module-removed-in-time": _note(
        "A deprecated tool's module is gone", "The removal was announced and is not too early."
    ),
    "handler-needed": _note("`register_all` wants a further handler", "The tool is new. None leaves it out."),
    "handler-required": _error(
        "A tool wants a handler again",
        "`external: true` is gone: `register_all` has a parameter for the tool.",
    ),
    "handler-refused": _error(
        "A tool takes no handler any more",
        "The spec says `external: true`: `register_all` has no parameter for the tool.",
    ),
    "calls-overlap": _warning(
        "A handler may run beside others",
        "`parallel: false` is gone: calls of one answer run at the same time. Handlers with shared state "
        "need a lock.",
    ),
    "calls-alone": _note(
        "A handler runs alone",
        "The spec says `parallel: false`: no other call of the same answer runs at the same time.",
    ),
    "class-removed": _error(
        "A generated class is gone", "It has another name or module, or is no class any more."
    ),
    "field-removed": _error(
        "A field of a generated class is gone", "Code that reads it or passes it no longer type-checks."
    ),
    "field-required": _error(
        "A field of a generated class has to be passed",
        "It is new or was optional. Code that makes a value without it no longer type-checks.",
    ),
    "field-read-type": _warning(
        "A field may hold values of a further type",
        "Code that reads it does not expect them: a member of a Literal, None, another type.",
    ),
    "field-written-type": _warning(
        "A field takes values of fewer types", "Code that passes one of the others no longer type-checks."
    ),
    "result-type": _error(
        "A handler has to return another type",
        "What it returned is none of the types that it may return now.",
    ),
}
"""Rules about code: what was written against the generated Python, and no longer type-checks or holds."""

_MODEL: Final[_Rules] = {
    "deprecated": _note("A tool was deprecated", "Models are told before its description."),
    "deprecation-changed": _note(
        "A notice of deprecation reads differently",
        "`since` or `use` differs, `remove_after` is later, or the tool is no longer deprecated.",
    ),
    "name-read": _warning("The tool has another name", "Prompts and examples may still name the old one."),
    "description-read": _warning("The tool's description differs", "Models read it before all else."),
    "summary-read": _warning("The tool's summary differs", "Models read it in brief definitions."),
    "parameter-description-read": _warning(
        "A description inside the schema differs",
        "That of a parameter, of a part of it, or of a result that models are shown.",
    ),
    "names-read": _warning(
        "Names inside the schema differ", "Properties or definitions were added, removed or renamed."
    ),
    "constraint-read": _note(
        "The schema reads differently",
        "A keyword that bounds values has another value. Whether calls break is another audience's question.",
    ),
    "default-read": _warning("Another default is shown", "`default` of a place in the schema."),
    "examples-read": _note(
        "Other examples are shown",
        "`examples` of a place in the schema, or of the tool where the provider is sent them.",
    ),
    "title-read": _note(
        "A title differs", "That of the tool, which people are shown, or of a place in the schema."
    ),
    "order-read": _note(
        "The order differs", "That of parameters, enum values, required names, types or keywords."
    ),
    "note-read": _note(
        "A remark in the schema differs",
        "`deprecated`, `readOnly` and the like, `$comment`, or a keyword that no draft knows.",
    ),
    "loading-changed": _note(
        "Models read a tool at another time", "By `defer`: after a search, or from the beginning."
    ),
    "client-data": _note("MCP clients are sent other icons or other `_meta`", "Models are not shown them."),
    "definition-read": _note("A definition differs", "For another reason."),
}
"""Rules about models: what they read of a tool, in words or in its schema, is not the same."""

_PROVIDER: Final[_Rules] = {
    "strict-lost": _error(
        "A tool falls out of a provider's strict mode", "The provider no longer enforces the schema."
    ),
    "strict-given-up": _note(
        "A spec gives up a provider's strict mode", "`providers` of the spec says `strict: false`."
    ),
    "strict-gained": _note("A tool comes into a provider's strict mode", "The provider enforces the schema."),
    "definition-lost": _error(
        "A provider can no longer be told of the tool", "Its dialect cannot say these parameters."
    ),
    "ledger-grown": _warning(
        "A provider's schema says less than before",
        "The ledger has new entries of something lost or changed.",
    ),
    "ledger-moved": _note(
        "A provider is told something in another way",
        "The ledger has new entries without a loss: a description says it, or decoding restores it.",
    ),
    "limit-passed": _error(
        "A provider's limit is passed",
        "`toolcast lint` finds a new error, in one tool or in a request of all.",
    ),
    "advice-passed": _warning(
        "A provider advises against it", "`toolcast lint` finds a new warning or note about a limit."
    ),
    "limit-unchecked": _note(
        "A provider's limit on a request may be passed",
        "A limit on a sum over all tools: those that differ have grown, and the others were not read. "
        "`toolcast lint` counts all.",
    ),
    "tokens-grown": _note("A tool costs more tokens", "By at least 20 tokens and a quarter."),
}
"""Rules about providers: what one of them is sent can no longer be enforced, is refused, or says less."""

_TRUST: Final[_Rules] = {
    "permission-widened": _error(
        "A tool may do more",
        "`read` is less than `write` and `network`, each of them less than `execute`; from `write` to "
        "`network`, and back, something new is allowed, too.",
    ),
    "permission-narrowed": _note("A tool may do less", "`permission` allows less, and nothing new."),
    "callers-widened": _warning(
        "More may call a tool",
        "By `callers`: code that models write calls it without a model's word for each call, in loops; or "
        "the model calls what was for code alone.",
    ),
    "scopes-removed": _warning(
        "Callers need one scope less", "By `scopes`: tokens that were refused may call the tool."
    ),
    "secrets-added": _error(
        "A further parameter may carry secrets", "The secret replaces a `<secret_ref:NAME>` in it."
    ),
    "secrets-removed": _warning(
        "A parameter may no longer carry secrets",
        "The secret no longer replaces a `<secret_ref:NAME>` in it.",
    ),
    "approval-widened": _warning(
        "An approval covers more calls",
        "`described_by` names a parameter: an *always* covers calls with other words in it.",
    ),
    "approval-narrowed": _note("An approval covers fewer calls", "The opposite of `approval-widened`."),
    "hint-less-careful": _warning(
        "An annotation is less careful",
        "Programs may ask a person less often: `destructive` or `open_world` is no longer true, "
        "`idempotent` is true or no longer false, or the tool is announced as read-only.",
    ),
    "hint-more-careful": _note("An annotation is more careful", "The opposite of `hint-less-careful`."),
    "server-changed": _error(
        "HTTP requests go to another server",
        "`http.server` or a default of `http.server_variables` differs: arguments and credentials are sent "
        "there.",
    ),
    "request-changed": _warning(
        "Another HTTP request is sent",
        "The method, the path, the body or the place of an argument differs; or the tool began or ceased to "
        "stand for a request.",
    ),
    "credentials-changed": _error(
        "Other credentials go into HTTP requests", "`http.security` or `http.schemes` differs."
    ),
    "carried-out-elsewhere": _warning(
        "Somebody else carries out the calls",
        "`external` differs: calls, with their arguments, leave the program, or it carries them out itself.",
    ),
    "values-unbounded": _error(
        "The program no longer bounds a parameter's values",
        "`runtime_enums` named the parameter: only values that the running program knew were accepted.",
    ),
    "values-from-elsewhere": _warning(
        "The program bounds a parameter's values by another source", "`runtime_enums` names another source."
    ),
    "model-sets-parameter": _error(
        "The program no longer fills in a parameter",
        "`inject` named the parameter: models neither saw nor set it. A model may choose its value now.",
    ),
    "program-sets-parameter": _note(
        "The program fills in a parameter", "`inject` names the parameter: models neither see nor set it."
    ),
    "injected-from-elsewhere": _warning(
        "The program fills in a parameter from another place", "`inject` names another path."
    ),
    "source-changed": _warning(
        "The tool comes from another source",
        "`source` names another server, document or module, or another tool of it.",
    ),
}
"""Rules about trust: what a tool may do, which secrets it may see, and what it claims about itself."""

_CACHE: Final[_Rules] = {
    "prefix-ends": _note(
        "A cached prefix ends earlier",
        "Definitions are sent in order of name. A provider that caches prefixes of prompts reads all anew "
        "from the first one that differs, once. Compared on request: `--audience cache`, or a level for it.",
    ),
}
"""Rules about caches of prompts."""

RULES: Final[Mapping[str, _Rule]] = MappingProxyType(
    {
        id: _Rule(audience, *row)
        for audience, rules in zip(
            AUDIENCES, (_CALLS, _RESULTS, _CODE, _MODEL, _PROVIDER, _TRUST, _CACHE), strict=True
        )
        for id, row in rules.items()
    }
)


def level_of(rule: str, config: Config) -> Level:
    """Return the level of a rule in a project: its own, else that of its audience, else the default. Where
    nothing was compared, all audiences are concerned, and no level of one counts.
    """
    levels = config.diff.levels
    known = RULES[rule]
    of_audience = None if rule == NOT_COMPARED else levels.get(known.audience)
    return levels.get(rule) or of_audience or known.level

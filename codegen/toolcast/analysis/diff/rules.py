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
    audience: Audience
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


_Rules = Mapping[str, tuple[Level, str, str]]
"""Level, title and explanation of rules for one audience, by id."""

NOT_COMPARED: Final = "not-compared"
BREAKS_RECORDED: Final = "breaks-recorded"
_CALLS: Final[_Rules] = {
    NOT_COMPARED: (
        "error",
        "A spec does not compile in one of the states, so its tool is not compared",
        "What changed is not known, for any audience. A newer toolcast may refuse what an older one "
        "compiled. Correct the spec; where it is the old one, compare with a later commit, or set the level"
        " of this rule.",
    ),
    "tool-renamed": (
        "error",
        "A tool has another name",
        "Calls by the old name fail. Its file or source, the words of its name or its description are the "
        "same.",
    ),
    BREAKS_RECORDED: (
        "error",
        "A recorded call is refused that was accepted",
        "With `--calls`: calls of a file are decoded under both contracts. Beside it the changes that break "
        "them keep their own levels, with the number of calls.",
    ),
    "tool-added": ("note", "A tool is new", "Nothing breaks."),
    "parameter-removed": (
        "error",
        "A parameter is gone, and calls that have it are refused",
        "The object is closed (`additionalProperties: false`), or says what other properties must be.",
    ),
    "parameter-renamed": (
        "error",
        "A parameter has another name, and calls with the old one are refused",
        "Its schema is the same, and so are its description or the words of its name.",
    ),
    "parameter-ignored": (
        "warning",
        "A parameter is no longer declared, and calls that have it are accepted",
        "The object is open: the value has no effect, or is kept as a property that nobody checks.",
    ),
    "parameter-added": ("note", "A parameter is new, and optional", "Calls without it mean what they meant."),
    "parameter-declared": (
        "note",
        "A parameter is new, and had any value before",
        "The object was open: a call could have a property of that name with any value, though no model was"
        " told of it. The witness is such a call.",
    ),
    "parameter-required": (
        "error",
        "A parameter is required that was not",
        "It is new, was optional, or another parameter asks for it now.",
    ),
    "object-closed": (
        "error",
        "Properties that are not declared are refused",
        "The object was open, or open for other names.",
    ),
    "type-narrowed": ("error", "Values of a type are refused", "A type was removed or replaced."),
    "values-narrowed": (
        "error",
        "A listed value is refused",
        "`enum` or `const` has fewer values, or is new.",
    ),
    "bound-narrowed": (
        "error",
        "A bound is tighter",
        "Of a number, a length or a count, or of `multipleOf`.",
    ),
    "text-narrowed": (
        "error",
        "A text must have another form",
        "`pattern` or `format` is new or another one.",
    ),
    "call-refused": (
        "error",
        "A call is refused that was valid",
        "For another reason, such as a combination of parameters.",
    ),
    "call-undecided": (
        "warning",
        "Whether calls are refused is not known",
        "Neither a proof that none is nor such a call was found.",
    ),
    "null-dropped": (
        "warning",
        "Null is no value of its own any more",
        "Calls with null are accepted, and null means that the parameter is absent.",
    ),
    "default-changed": (
        "warning",
        "Calls without a parameter mean something else",
        "Its `default` is another one, new or gone. No call is refused.",
    ),
    "calls-widened": ("note", "More calls are valid", "Nothing breaks."),
}
"""Rules about calls: what was a valid call, and is none now."""

_RESULTS: Final[_Rules] = {
    "result-untyped": (
        "error",
        "The result has no contract any more",
        "Readers of its schema, such as MCP clients, are promised nothing.",
    ),
    "result-typed": ("note", "The result has a contract now", "Nothing breaks."),
    "result-property-removed": (
        "error",
        "A property of the result is no longer declared",
        "Readers do not find it, or find something else.",
    ),
    "result-property-optional": (
        "error",
        "A property of the result may be absent",
        "It was required, always or under conditions.",
    ),
    "result-property-added": (
        "note",
        "A property of the result is new",
        "Only a reader that refuses unknown properties breaks.",
    ),
    "result-opened": (
        "warning",
        "A result may have properties that it could not have",
        "The object was closed. Readers that refuse unknown properties fail.",
    ),
    "result-type-widened": (
        "error",
        "A result may have values of another type",
        "Readers do not expect them.",
    ),
    "result-values-widened": (
        "warning",
        "A result may have a value that was not listed",
        "Readers that handle each value of an `enum` meet an unknown one.",
    ),
    "result-bound-widened": (
        "warning",
        "A bound of the result is wider",
        "Of a number, a length or a count, or of `multipleOf`.",
    ),
    "result-text-widened": (
        "warning",
        "A text of the result may have another form",
        "By `pattern` or `format`.",
    ),
    "result-widened": (
        "error",
        "A result is possible that was not",
        "For another reason, such as properties of an object that was closed.",
    ),
    "result-undecided": (
        "warning",
        "Whether results are possible that were not is not known",
        "Neither a proof that none is nor such a result was found.",
    ),
}
"""Rules about results: what readers were promised, and are promised no longer."""

_SPEC_KEYS: Final[dict[str, _Rule]] = {
    "empty-is-value": _Rule(
        "calls",
        "warning",
        "An empty text no longer means that a parameter was left out",
        '`empty_is_absent` named the parameter. A call with "" is refused, or means the empty text.',
    ),
    "empty-is-absent": _Rule(
        "calls",
        "warning",
        "An empty text means that a parameter was left out",
        "`empty_is_absent` names the parameter. A call can no longer pass the empty text.",
    ),
    "grammar-narrowed": _Rule(
        "calls",
        "error",
        "A text is refused that was valid",
        "The grammar of `input` is new or another one. The witness is a text that the old grammar derives, "
        "or an example.",
    ),
    "grammar-undecided": _Rule(
        "calls",
        "warning",
        "Whether texts are refused that were valid is not known",
        "The grammar of `input` is another one, and has every text of the old one that was tried: derived "
        "ones and the examples. The question cannot be decided in general.",
    ),
    "values-bounded": _Rule(
        "calls",
        "warning",
        "The running program bounds a parameter's values",
        "`runtime_enums` names the parameter: a call with any other value is refused.",
    ),
    "scopes-added": _Rule(
        "calls",
        "error",
        "Callers need a further scope",
        "By `scopes`: a call is refused whose token lacks it.",
    ),
    "callers-narrowed": _Rule(
        "calls",
        "warning",
        "Fewer may call a tool",
        "By `callers`: calls from code that models write, or calls of models themselves, are refused.",
    ),
    "arguments-streamed": _Rule(
        "code",
        "warning",
        "Arguments arrive in another way in streams",
        "By `stream_arguments`: programs that read a provider's stream get arguments as they are written, "
        "before they are checked JSON; or no longer do.",
    ),
    "results-timing": _Rule(
        "results",
        "warning",
        "Results arrive at another time",
        "By `blocking` or `execution`: a model goes on before it has the result, or waits for it; an MCP "
        "client may, must or cannot run a call as a task.",
    ),
    "defaults-omitted": _Rule(
        "results",
        "warning",
        "Results lack members that equal their default",
        "By `defaults` of the spec or of the project. Readers that do not know the defaults miss them.",
    ),
    "defaults-included": _Rule(
        "results",
        "note",
        "Results hold members that equal their default",
        "By `defaults` of the spec. Nothing breaks.",
    ),
    "result-text-changed": _Rule(
        "results",
        "note",
        "Models read another text of the same results",
        "By `text` of the spec. Typed results and MCP's structured content are the same.",
    ),
}
"""Rules about keys of a spec that change what calls and results mean, beside its schemas."""

_CODE: Final[_Rules] = {
    "module-moved": (
        "error",
        "A tool's module is elsewhere",
        "The tool was renamed or moved into another group: imports of its module, its binding and its handler"
        " type fail, and so does its argument of `register_all`.",
    ),
    "module-removed": (
        "error",
        "A tool's module is gone",
        "Imports fail, and so does its argument of `register_all`.",
    ),
    "module-removed-in-time": (
        "note",
        "A deprecated tool's module is gone",
        "The removal was announced and is not too early.",
    ),
    "handler-needed": (
        "note",
        "`register_all` wants a further handler",
        "The tool is new. None leaves it out.",
    ),
    "handler-required": (
        "error",
        "A tool wants a handler again",
        "`external: true` is gone: `register_all` has a parameter for the tool.",
    ),
    "handler-refused": (
        "error",
        "A tool takes no handler any more",
        "The spec says `external: true`: `register_all` has no parameter for the tool.",
    ),
    "calls-overlap": (
        "warning",
        "A handler may run beside others",
        "`parallel: false` is gone: calls of one answer run at the same time. Handlers with shared state "
        "need a lock.",
    ),
    "calls-alone": (
        "note",
        "A handler runs alone",
        "The spec says `parallel: false`: no other call of the same answer runs at the same time.",
    ),
    "class-removed": (
        "error",
        "A generated class is gone",
        "It has another name or module, or is no class any more.",
    ),
    "field-removed": (
        "error",
        "A field of a generated class is gone",
        "Code that reads it or passes it no longer type-checks.",
    ),
    "field-required": (
        "error",
        "A field of a generated class has to be passed",
        "It is new or was optional. Code that makes a value without it no longer type-checks.",
    ),
    "field-read-type": (
        "warning",
        "A field may hold values of a further type",
        "Code that reads it does not expect them: a member of a Literal, None, another type.",
    ),
    "field-written-type": (
        "warning",
        "A field takes values of fewer types",
        "Code that passes one of the others no longer type-checks.",
    ),
    "result-type": (
        "error",
        "A handler has to return another type",
        "What it returned is none of the types that it may return now.",
    ),
}
"""Rules about code: what was written against the generated Python, and no longer type-checks or holds."""

_DEPRECATION: Final[dict[str, _Rule]] = {
    "tool-removed": _Rule(
        "calls",
        "error",
        "A tool was removed without notice",
        "It was not deprecated.",
    ),
    "tool-removed-early": _Rule(
        "calls",
        "error",
        "A deprecated tool was removed before its time",
        "The day of `deprecated.remove_after` has not passed, or the project's version is not beyond it.",
    ),
    "tool-removed-unchecked": _Rule(
        "calls",
        "warning",
        "A deprecated tool was removed, perhaps before its time",
        "`deprecated.remove_after` is a version, and the project states none; or there is no `remove_after`.",
    ),
    "tool-removed-in-time": _Rule(
        "calls",
        "note",
        "A deprecated tool was removed",
        "Its `deprecated.remove_after` has passed.",
    ),
    "deprecated": _Rule(
        "model",
        "note",
        "A tool was deprecated",
        "Models are told before its description.",
    ),
    "deprecation-changed": _Rule(
        "model",
        "note",
        "A notice of deprecation reads differently",
        "`since` or `use` differs, `remove_after` is later, or the tool is no longer deprecated.",
    ),
    "removal-sooner": _Rule(
        "calls",
        "warning",
        "A deprecated tool is to be removed sooner",
        "`deprecated.remove_after` is earlier than announced. A day and a version, which cannot be "
        "compared, count as earlier.",
    ),
}
"""Rules about the end of tools: `deprecated`, and what was removed."""

_MODEL: Final[_Rules] = {
    "name-read": (
        "warning",
        "The tool has another name",
        "Prompts and examples may still name the old one.",
    ),
    "description-read": (
        "warning",
        "The tool's description differs",
        "Models read it before all else.",
    ),
    "summary-read": (
        "warning",
        "The tool's summary differs",
        "Models read it in brief definitions.",
    ),
    "parameter-description-read": (
        "warning",
        "A description inside the schema differs",
        "That of a parameter, of a part of it, or of a result that models are shown.",
    ),
    "names-read": (
        "warning",
        "Names inside the schema differ",
        "Properties or definitions were added, removed or renamed.",
    ),
    "constraint-read": (
        "note",
        "The schema reads differently",
        "A keyword that bounds values has another value. Whether calls break is another audience's question.",
    ),
    "default-read": (
        "warning",
        "Another default is shown",
        "`default` of a place in the schema.",
    ),
    "examples-read": (
        "note",
        "Other examples are shown",
        "`examples` of a place in the schema, or of the tool where the provider is sent them.",
    ),
    "title-read": (
        "note",
        "A title differs",
        "That of the tool, which people are shown, or of a place in the schema.",
    ),
    "order-read": (
        "note",
        "The order differs",
        "That of parameters, enum values, required names, types or keywords.",
    ),
    "note-read": (
        "note",
        "A remark in the schema differs",
        "`deprecated`, `readOnly` and the like, `$comment`, or a keyword that no draft knows.",
    ),
    "loading-changed": (
        "note",
        "Models read a tool at another time",
        "By `defer`: after a search, or from the beginning.",
    ),
    "client-data": (
        "note",
        "MCP clients are sent other icons or other `_meta`",
        "Models are not shown them.",
    ),
    "definition-read": (
        "note",
        "A definition differs",
        "For another reason.",
    ),
}
"""Rules about models: what they read of a tool, in words or in its schema, is not the same."""

_PROVIDER: Final[_Rules] = {
    "strict-lost": (
        "error",
        "A tool falls out of a provider's strict mode",
        "The provider no longer enforces the schema.",
    ),
    "strict-given-up": (
        "note",
        "A spec gives up a provider's strict mode",
        "`providers` of the spec says `strict: false`.",
    ),
    "strict-gained": (
        "note",
        "A tool comes into a provider's strict mode",
        "The provider enforces the schema.",
    ),
    "definition-lost": (
        "error",
        "A provider can no longer be told of the tool",
        "Its dialect cannot say these parameters.",
    ),
    "ledger-grown": (
        "warning",
        "A provider's schema says less than before",
        "The ledger has new entries of something lost or changed.",
    ),
    "ledger-moved": (
        "note",
        "A provider is told something in another way",
        "The ledger has new entries without a loss: a description says it, or decoding restores it.",
    ),
    "limit-passed": (
        "error",
        "A provider's limit is passed",
        "`toolcast lint` finds a new error, in one tool or in a request of all.",
    ),
    "advice-passed": (
        "warning",
        "A provider advises against it",
        "`toolcast lint` finds a new warning or note about a limit.",
    ),
    "limit-unchecked": (
        "note",
        "A provider's limit on a request may be passed",
        "A limit on a sum over all tools: those that differ have grown, and the others were not read. "
        "`toolcast lint` counts all.",
    ),
    "tokens-grown": (
        "note",
        "A tool costs more tokens",
        "By at least 20 tokens and a quarter.",
    ),
}
"""Rules about providers: what one of them is sent can no longer be enforced, is refused, or says less."""

_TRUST: Final[_Rules] = {
    "permission-widened": (
        "error",
        "A tool may do more",
        "`read` is less than `write` and `network`, each of them less than `execute`; from `write` to "
        "`network`, and back, something new is allowed, too.",
    ),
    "permission-narrowed": (
        "note",
        "A tool may do less",
        "`permission` allows less, and nothing new.",
    ),
    "callers-widened": (
        "warning",
        "More may call a tool",
        "By `callers`: code that models write calls it without a model's word for each call, in loops; or "
        "the model calls what was for code alone.",
    ),
    "scopes-removed": (
        "warning",
        "Callers need one scope less",
        "By `scopes`: tokens that were refused may call the tool.",
    ),
    "secrets-added": (
        "error",
        "A further parameter may carry secrets",
        "The secret replaces a `<secret_ref:NAME>` in it.",
    ),
    "secrets-removed": (
        "warning",
        "A parameter may no longer carry secrets",
        "The secret no longer replaces a `<secret_ref:NAME>` in it.",
    ),
    "approval-widened": (
        "warning",
        "An approval covers more calls",
        "`described_by` names a parameter: an *always* covers calls with other words in it.",
    ),
    "approval-narrowed": (
        "note",
        "An approval covers fewer calls",
        "The opposite of `approval-widened`.",
    ),
    "hint-less-careful": (
        "warning",
        "An annotation is less careful",
        "Programs may ask a person less often: `destructive` or `open_world` is no longer true, "
        "`idempotent` is true or no longer false, or the tool is announced as read-only.",
    ),
    "hint-more-careful": (
        "note",
        "An annotation is more careful",
        "The opposite of `hint-less-careful`.",
    ),
    "server-changed": (
        "error",
        "HTTP requests go to another server",
        "`http.server` or a default of `http.server_variables` differs: arguments and credentials are sent "
        "there.",
    ),
    "request-changed": (
        "warning",
        "Another HTTP request is sent",
        "The method, the path, the body or the place of an argument differs; or the tool began or ceased to"
        " stand for a request.",
    ),
    "credentials-changed": (
        "error",
        "Other credentials go into HTTP requests",
        "`http.security` or `http.schemes` differs.",
    ),
    "carried-out-elsewhere": (
        "warning",
        "Somebody else carries out the calls",
        "`external` differs: calls, with their arguments, leave the program, or it carries them out itself.",
    ),
    "values-unbounded": (
        "error",
        "The program no longer bounds a parameter's values",
        "`runtime_enums` named the parameter: only values that the running program knew were accepted.",
    ),
    "values-from-elsewhere": (
        "warning",
        "The program bounds a parameter's values by another source",
        "`runtime_enums` names another source.",
    ),
    "model-sets-parameter": (
        "error",
        "The program no longer fills in a parameter",
        "`inject` named the parameter: models neither saw nor set it. A model may choose its value now.",
    ),
    "program-sets-parameter": (
        "note",
        "The program fills in a parameter",
        "`inject` names the parameter: models neither see nor set it.",
    ),
    "injected-from-elsewhere": (
        "warning",
        "The program fills in a parameter from another place",
        "`inject` names another path.",
    ),
    "source-changed": (
        "warning",
        "The tool comes from another source",
        "`source` names another server, document or module, or another tool of it.",
    ),
}
"""Rules about trust: what a tool may do, which secrets it may see, and what it claims about itself."""

_CACHE: Final[_Rules] = {
    "prefix-ends": (
        "note",
        "A cached prefix ends earlier",
        "Definitions are sent in order of name. A provider that caches prefixes of prompts reads all anew "
        "from the first one that differs, once. Compared on request: `--audience cache`, or a level for it.",
    ),
}
"""Rules about caches of prompts."""


def _of(audience: Audience, rules: _Rules) -> dict[str, _Rule]:
    return {id: _Rule(audience, *rule) for id, rule in rules.items()}


RULES: Final[Mapping[str, _Rule]] = MappingProxyType(
    {
        **_of("calls", _CALLS),
        **_of("results", _RESULTS),
        **_SPEC_KEYS,
        **_of("code", _CODE),
        **_DEPRECATION,
        **_of("model", _MODEL),
        **_of("provider", _PROVIDER),
        **_of("trust", _TRUST),
        **_of("cache", _CACHE),
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

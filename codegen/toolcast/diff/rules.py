"""The rules of `toolcast diff` by id: audience, default level, and what they mean."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from .change import Audience, Level


class _Rule(Struct, frozen=True):
    """One kind of difference. `level` is the default, which a project may change."""

    audience: Audience
    level: Level
    title: str
    about: str


_Rules = Mapping[str, tuple[Level, str, str]]
"""Level, title and explanation of rules for one audience, by id."""

_CALLS: Final[_Rules] = {
    "not-compared": (
        "error",
        "A spec does not compile in one of the states, so its tool is not compared",
        "What changed is not known, for any audience: it is reported whichever one is chosen. A newer "
        "toolcast may refuse what an older one compiled, too. Correct the spec; where it is the old one, "
        "compare with a later commit, or set the level of this rule.",
    ),
    "tool-renamed": (
        "error",
        "A tool has another name",
        "Calls by the old name fail. A tool counts as renamed where its file or source, the words of its "
        "name or its description say that it is the same one.",
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
        "A parameter counts as renamed where its schema is the same, and its description or the words of its "
        "name are.",
    ),
    "parameter-ignored": (
        "warning",
        "A parameter is no longer declared, and calls that have it are accepted",
        "The object is open, so the value is accepted and has no effect, or is kept as a property that "
        "nobody checks.",
    ),
    "parameter-added": ("note", "A parameter is new, and optional", "Calls without it mean what they meant."),
    "parameter-declared": (
        "note",
        "A parameter is new, and had any value before",
        "The object was open: a call could have a property of that name, whatever its value, though no model "
        "was told of it. The witness is such a call.",
    ),
    "parameter-required": (
        "error",
        "A parameter is required that was not",
        "It is new, or was optional, or another parameter asks for it now.",
    ),
    "object-closed": (
        "error",
        "Properties that are not declared are refused",
        "The object was open, or open for other names.",
    ),
    "type-narrowed": ("error", "Values of a type are refused", "A type was removed or replaced by another."),
    "values-narrowed": (
        "error",
        "A listed value is refused",
        "`enum` or `const` has fewer values, or is new.",
    ),
    "bound-narrowed": (
        "error",
        "A bound is tighter",
        "Of a number, a length or a count, or of what a number is a multiple of.",
    ),
    "text-narrowed": (
        "error",
        "A text must have another form",
        "`pattern` or `format` is new, or is another one.",
    ),
    "call-refused": (
        "error",
        "A call is refused that was valid",
        "For a reason that is none of the others, such as a combination of parameters.",
    ),
    "call-undecided": (
        "warning",
        "Whether calls are refused is not known",
        "Neither a proof that none is nor a call that is was found.",
    ),
    "null-dropped": (
        "warning",
        "Null is no value of its own any more",
        "Calls with null are accepted as before, and null now means that the parameter is absent.",
    ),
    "calls-widened": ("note", "More calls are valid", "Nothing breaks."),
}
"""Rules about calls: what was a valid call, and is none now."""

_RESULTS: Final[_Rules] = {
    "result-untyped": (
        "error",
        "The result has no contract any more",
        "Readers that rely on its schema, such as MCP clients, are promised nothing.",
    ),
    "result-typed": ("note", "The result has a contract now", "It had none. Nothing breaks."),
    "result-property-removed": (
        "error",
        "A property of the result is no longer declared",
        "Readers that rely on it do not find it, or find something else.",
    ),
    "result-property-optional": (
        "error",
        "A property of the result may be absent",
        "It was required, or there were conditions under which it was.",
    ),
    "result-property-added": (
        "note",
        "A property of the result is new",
        "Nothing breaks but a reader that refuses what it does not know.",
    ),
    "result-opened": (
        "warning",
        "A result may have properties that it could not have",
        "The object was closed. Readers that refuse what they do not know fail.",
    ),
    "result-type-widened": (
        "error",
        "A result may have values of another type",
        "Readers do not expect them.",
    ),
    "result-values-widened": (
        "warning",
        "A result may have a value that was not listed",
        "Readers that handle each value of an `enum` meet one that they do not know.",
    ),
    "result-bound-widened": (
        "warning",
        "A bound of the result is wider",
        "Of a number, a length or a count, or of what a number is a multiple of.",
    ),
    "result-text-widened": (
        "warning",
        "A text of the result may have another form",
        "By `pattern` or `format`.",
    ),
    "result-widened": (
        "error",
        "A result is possible that was not",
        "For a reason that is none of the others, such as properties of an object that was closed.",
    ),
    "result-undecided": (
        "warning",
        "Whether results are possible that were not is not known",
        "Neither a proof that none is nor a result that is was found.",
    ),
}
"""Rules about results: what readers were promised, and are promised no longer."""

_SPEC_KEYS: Final[dict[str, _Rule]] = {
    "empty-is-value": _Rule(
        "calls",
        "warning",
        "An empty text no longer means that a parameter was left out",
        '`empty_is_absent` named the parameter. A call with "" is refused now, or means the empty text.',
    ),
    "empty-is-absent": _Rule(
        "calls",
        "warning",
        "An empty text means that a parameter was left out",
        "`empty_is_absent` names the parameter now. A call can no longer pass the empty text.",
    ),
    "grammar-narrowed": _Rule(
        "calls",
        "error",
        "A text is refused that was valid",
        "The grammar of `input` is new, or another one. The witness is such a text: one that the old grammar "
        "derives, or an example.",
    ),
    "grammar-undecided": _Rule(
        "calls",
        "warning",
        "Whether texts are refused that were valid is not known",
        "The grammar of `input` is another one, and has every text of the old one that was tried: some that "
        "it derives, and the examples. Whether one has all texts of another cannot be decided in general.",
    ),
    "values-bounded": _Rule(
        "calls",
        "warning",
        "The running program bounds a parameter's values",
        "`runtime_enums` names the parameter now: a call with any other value is refused.",
    ),
    "callers-narrowed": _Rule(
        "calls",
        "warning",
        "Fewer may call a tool",
        "By `callers`: calls from code that models write, or calls of models themselves, are refused now.",
    ),
    "arguments-streamed": _Rule(
        "code",
        "warning",
        "Arguments arrive in another way in streams",
        "By `stream_arguments`: programs that read a provider's stream get arguments as they are written, "
        "before they are JSON that was checked; or no longer do.",
    ),
    "results-timing": _Rule(
        "results",
        "warning",
        "Results arrive at another time",
        "By `blocking` or `execution`: a model goes on before it has the result, or waits for it; a client "
        "of MCP may, must or cannot run a call as a task.",
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
        "The tool was removed: imports fail, and so does its argument of `register_all`.",
    ),
    "module-removed-in-time": (
        "note",
        "A deprecated tool's module is gone",
        "The same, where the removal was announced and is not too early.",
    ),
    "handler-needed": (
        "note",
        "`register_all` wants a further handler",
        "The tool is new. `register_some` takes any number of handlers.",
    ),
    "handler-required": (
        "error",
        "A tool wants a handler again",
        "`external: true` is gone from the spec: `register_all` has a parameter for the tool.",
    ),
    "handler-refused": (
        "error",
        "A tool takes no handler any more",
        "The spec says `external: true` now: `register_all` has no parameter for the tool.",
    ),
    "calls-overlap": (
        "warning",
        "A handler may run beside others",
        "`parallel: false` is gone from the spec: calls of one answer run at the same time. Handlers that"
        " share a state with others need a lock.",
    ),
    "calls-alone": (
        "note",
        "A handler runs alone",
        "The spec says `parallel: false` now: no other call of the same answer runs at the same time.",
    ),
    "class-removed": (
        "error",
        "A generated class is gone",
        "It has another name, is in another module, or is no class any more.",
    ),
    "field-removed": (
        "error",
        "A field of a generated class is gone",
        "Code that reads it or passes it no longer type-checks.",
    ),
    "field-required": (
        "error",
        "A field of a generated class has to be passed",
        "It is new or was optional. Code that makes such a value without it no longer type-checks.",
    ),
    "field-read-type": (
        "warning",
        "A field may hold values of a further type",
        "Code that reads it does not expect them: a further member of a Literal, None, another type.",
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
        "The tool was not deprecated before.",
    ),
    "tool-removed-early": _Rule(
        "calls",
        "error",
        "A deprecated tool was removed before its time",
        "The day of `deprecated.remove_after` has not passed, or the project's version is not beyond the one"
        " stated there.",
    ),
    "tool-removed-unchecked": _Rule(
        "calls",
        "warning",
        "A deprecated tool was removed, perhaps before its time",
        "`deprecated.remove_after` is a version, and the project states none to compare it with; or there is"
        " no `remove_after`.",
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
        "Models are told, before its description.",
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
        "`deprecated.remove_after` is earlier than announced. What cannot be compared, a day and a version,"
        " counts as earlier.",
    ),
}
"""Rules about the end of tools: `deprecated`, and what was removed."""

_MODEL: Final[_Rules] = {
    "name-read": (
        "warning",
        "The tool has another name",
        "Models call it by the new one; prompts and examples may still name the old one.",
    ),
    "description-read": (
        "warning",
        "The tool's description differs",
        "What models read of the tool before all else.",
    ),
    "summary-read": (
        "warning",
        "The tool's summary differs",
        "What models read in brief definitions.",
    ),
    "parameter-description-read": (
        "warning",
        "A description inside the schema differs",
        "That of a parameter, of a part of it, or of the result where models are shown it.",
    ),
    "names-read": (
        "warning",
        "Names inside the schema differ",
        "Properties or definitions were added, removed or renamed.",
    ),
    "constraint-read": (
        "note",
        "The schema reads differently",
        "Another value of a keyword that bounds values. Whether calls break is another audience's question.",
    ),
    "default-read": (
        "warning",
        "Another default is shown",
        "`default` of a place in the schema.",
    ),
    "examples-read": (
        "note",
        "Other examples are shown",
        "`examples` of a place in the schema, or those of the tool where the provider is sent them.",
    ),
    "title-read": (
        "note",
        "A title differs",
        "The tool's, which people are shown, or that of a place in the schema.",
    ),
    "order-read": (
        "note",
        "The order differs",
        "Parameters, enum values, required names, types or keywords stand in another order.",
    ),
    "note-read": (
        "note",
        "A remark in the schema differs",
        "`deprecated`, `readOnly` and the like, `$comment`, and keywords that no draft knows.",
    ),
    "loading-changed": (
        "note",
        "Models read a tool at another time",
        "By `defer`: only once they have searched for it, or from the beginning.",
    ),
    "client-data": (
        "note",
        "MCP clients are sent other icons or other `_meta`",
        "Models are not shown them.",
    ),
    "definition-read": (
        "note",
        "A definition differs",
        "For a reason that no other rule names.",
    ),
}
"""Rules about models: what they read of a tool, in words or in its schema, is not the same."""

_PROVIDER: Final[_Rules] = {
    "strict-lost": (
        "error",
        "A tool falls out of a provider's strict mode",
        "The provider no longer makes sure that calls fit the schema.",
    ),
    "strict-given-up": (
        "note",
        "A spec gives up a provider's strict mode",
        "`providers` of the spec says `strict: false`, and did not.",
    ),
    "strict-gained": (
        "note",
        "A tool comes into a provider's strict mode",
        "The provider makes sure that calls fit the schema.",
    ),
    "definition-lost": (
        "error",
        "A provider can no longer be told of the tool",
        "Its dialect cannot say these parameters.",
    ),
    "ledger-grown": (
        "warning",
        "A provider's schema says less than before",
        "The ledger has entries of something lost or changed that it did not have.",
    ),
    "ledger-moved": (
        "note",
        "A provider is told something in another way",
        "The ledger has new entries, and nothing is lost by them: a description says it, or decoding restores"
        " it.",
    ),
    "limit-passed": (
        "error",
        "A provider's limit is passed",
        "`toolcast lint` finds an error that it did not find before: in one tool, or in a request of all.",
    ),
    "advice-passed": (
        "warning",
        "A provider advises against it",
        "`toolcast lint` finds a warning or a note about a limit that it did not find before.",
    ),
    "limit-unchecked": (
        "note",
        "A provider's limit on a request may be passed",
        "The limit is one on a sum over all tools; those that differ hold more than before, and the others"
        " were not read. `toolcast lint` counts all.",
    ),
    "tokens-grown": (
        "note",
        "A tool costs more tokens",
        "Its definition has at least 20 more tokens than before, and a quarter more.",
    ),
}
"""Rules about providers: what one of them is sent can no longer be enforced, is refused, or says less."""

_TRUST: Final[_Rules] = {
    "permission-widened": (
        "error",
        "A tool may do more",
        "`permission` allows what it did not allow before. `read` is less than `write` and `network`, each of"
        " them less than `execute`; from `write` to `network`, and back, something new is allowed, too.",
    ),
    "permission-narrowed": (
        "note",
        "A tool may do less",
        "`permission` allows nothing new, and something less.",
    ),
    "callers-widened": (
        "warning",
        "More may call a tool",
        "By `callers`: code that models write calls without a model's word for each call, in loops; or the "
        "model calls what was for code alone.",
    ),
    "secrets-added": (
        "error",
        "A further parameter may carry secrets",
        "A `<secret_ref:NAME>` in it is replaced by the secret from now on.",
    ),
    "secrets-removed": (
        "warning",
        "A parameter may no longer carry secrets",
        "A `<secret_ref:NAME>` in it is no longer replaced by the secret.",
    ),
    "approval-widened": (
        "warning",
        "An approval covers more calls",
        "`described_by` names a parameter now: an *always* covers calls with other words in it.",
    ),
    "approval-narrowed": (
        "note",
        "An approval covers fewer calls",
        "The opposite of `approval-widened`.",
    ),
    "hint-less-careful": (
        "warning",
        "An annotation is less careful",
        "Programs that ask a person before a call may ask less often: `destructive` or `open_world` is no"
        " longer true, `idempotent` is true or no longer false, or the tool is announced as read-only.",
    ),
    "hint-more-careful": (
        "note",
        "An annotation is more careful",
        "The opposite of `hint-less-careful`.",
    ),
    "server-changed": (
        "error",
        "HTTP requests go to another server",
        "`http.server` or a default of `http.server_variables` is another one: arguments and credentials are"
        " sent there.",
    ),
    "request-changed": (
        "warning",
        "Another HTTP request is sent",
        "The method, the path, the body or the place of an argument is another one; or the tool began or"
        " ceased to stand for a request.",
    ),
    "credentials-changed": (
        "error",
        "Other credentials go into HTTP requests",
        "`http.security` or `http.schemes` differs.",
    ),
    "carried-out-elsewhere": (
        "warning",
        "Somebody else carries out the calls",
        "`external` differs: calls, with their arguments, leave the program, or the program carries them out"
        " itself.",
    ),
    "values-unbounded": (
        "error",
        "The program no longer bounds a parameter's values",
        "`runtime_enums` named the parameter: only values that the running program knew were accepted.",
    ),
    "values-from-elsewhere": (
        "warning",
        "The program bounds a parameter's values by another source",
        "`runtime_enums` names another source for the parameter.",
    ),
    "model-sets-parameter": (
        "error",
        "The program no longer fills in a parameter",
        "`inject` named the parameter: models neither saw nor set it. A model may choose its value now.",
    ),
    "program-sets-parameter": (
        "note",
        "The program fills in a parameter",
        "`inject` names the parameter now: models neither see nor set it.",
    ),
    "injected-from-elsewhere": (
        "warning",
        "The program fills in a parameter from another place",
        "`inject` names another path for the parameter.",
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
        "Definitions are sent in order of name. From the first one that differs on, a provider that caches"
        " prefixes of prompts reads all anew, once.",
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

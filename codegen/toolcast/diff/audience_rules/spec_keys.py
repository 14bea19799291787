"""Rules about keys of a spec that change what calls and results mean, beside its schemas."""

from typing import Final

from ..rule import Rule

SPEC_KEYS: Final[dict[str, Rule]] = {
    "empty-is-value": Rule(
        "calls",
        "warning",
        "An empty text no longer means that a parameter was left out",
        '`empty_is_absent` named the parameter. A call with "" is refused now, or means the empty text.',
    ),
    "empty-is-absent": Rule(
        "calls",
        "warning",
        "An empty text means that a parameter was left out",
        "`empty_is_absent` names the parameter now. A call can no longer pass the empty text.",
    ),
    "grammar-narrowed": Rule(
        "calls",
        "error",
        "A text is refused that was valid",
        "The grammar of `input` is new, or another one. The witness is such a text: one that the old grammar "
        "derives, or an example.",
    ),
    "grammar-undecided": Rule(
        "calls",
        "warning",
        "Whether texts are refused that were valid is not known",
        "The grammar of `input` is another one, and has every text of the old one that was tried: some that "
        "it derives, and the examples. Whether one has all texts of another cannot be decided in general.",
    ),
    "values-bounded": Rule(
        "calls",
        "warning",
        "The running program bounds a parameter's values",
        "`runtime_enums` names the parameter now: a call with any other value is refused.",
    ),
    "callers-narrowed": Rule(
        "calls",
        "warning",
        "Fewer may call a tool",
        "By `callers`: calls from code that models write, or calls of models themselves, are refused now.",
    ),
    "arguments-streamed": Rule(
        "code",
        "warning",
        "Arguments arrive in another way in streams",
        "By `stream_arguments`: programs that read a provider's stream get arguments as they are written, "
        "before they are JSON that was checked; or no longer do.",
    ),
    "results-timing": Rule(
        "results",
        "warning",
        "Results arrive at another time",
        "By `blocking` or `execution`: a model goes on before it has the result, or waits for it; a client "
        "of MCP may, must or cannot run a call as a task.",
    ),
    "defaults-omitted": Rule(
        "results",
        "warning",
        "Results lack members that equal their default",
        "By `defaults` of the spec or of the project. Readers that do not know the defaults miss them.",
    ),
    "defaults-included": Rule(
        "results",
        "note",
        "Results hold members that equal their default",
        "By `defaults` of the spec. Nothing breaks.",
    ),
}

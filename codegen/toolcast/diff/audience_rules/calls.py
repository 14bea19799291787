"""Rules about calls: what was a valid call, and is none now."""

from typing import Final

from ..rule import Rule

CALLS: Final[dict[str, Rule]] = {
    "not-compared": Rule(
        "calls",
        "error",
        "A spec does not compile in one of the states, so its tool is not compared",
        "What changed is not known, for any audience: it is reported whichever one is chosen. A newer "
        "toolcast may refuse what an older one compiled, too. Correct the spec; where it is the old one, "
        "compare with a later commit, or set the level of this rule.",
    ),
    "tool-renamed": Rule(
        "calls",
        "error",
        "A tool has another name",
        "Calls by the old name fail. A tool counts as renamed where its file or source, the words of its "
        "name or its description say that it is the same one.",
    ),
    "tool-added": Rule("calls", "note", "A tool is new", "Nothing breaks."),
    "parameter-removed": Rule(
        "calls",
        "error",
        "A parameter is gone, and calls that have it are refused",
        "The object is closed (`additionalProperties: false`), or says what other properties must be.",
    ),
    "parameter-renamed": Rule(
        "calls",
        "error",
        "A parameter has another name, and calls with the old one are refused",
        "A parameter counts as renamed where its schema is the same, and its description or the words of its "
        "name are.",
    ),
    "parameter-ignored": Rule(
        "calls",
        "warning",
        "A parameter is no longer declared, and calls that have it are accepted",
        "The object is open, so the value is accepted and has no effect, or is kept as a property that "
        "nobody checks.",
    ),
    "parameter-added": Rule(
        "calls", "note", "A parameter is new, and optional", "Calls without it mean what they meant."
    ),
    "parameter-declared": Rule(
        "calls",
        "note",
        "A parameter is new, and had any value before",
        "The object was open: a call could have a property of that name, whatever its value, though no model "
        "was told of it. The witness is such a call.",
    ),
    "parameter-required": Rule(
        "calls",
        "error",
        "A parameter is required that was not",
        "It is new, or was optional, or another parameter asks for it now.",
    ),
    "object-closed": Rule(
        "calls",
        "error",
        "Properties that are not declared are refused",
        "The object was open, or open for other names.",
    ),
    "type-narrowed": Rule(
        "calls", "error", "Values of a type are refused", "A type was removed or replaced by another."
    ),
    "values-narrowed": Rule(
        "calls", "error", "A listed value is refused", "`enum` or `const` has fewer values, or is new."
    ),
    "bound-narrowed": Rule(
        "calls",
        "error",
        "A bound is tighter",
        "Of a number, a length or a count, or of what a number is a multiple of.",
    ),
    "text-narrowed": Rule(
        "calls", "error", "A text must have another form", "`pattern` or `format` is new, or is another one."
    ),
    "call-refused": Rule(
        "calls",
        "error",
        "A call is refused that was valid",
        "For a reason that is none of the others, such as a combination of parameters.",
    ),
    "call-undecided": Rule(
        "calls",
        "warning",
        "Whether calls are refused is not known",
        "Neither a proof that none is nor a call that is was found.",
    ),
    "null-dropped": Rule(
        "calls",
        "warning",
        "Null is no value of its own any more",
        "Calls with null are accepted as before, and null now means that the parameter is absent.",
    ),
    "calls-widened": Rule("calls", "note", "More calls are valid", "Nothing breaks."),
}

"""Rules about code: what was written against the generated Python, and no longer type-checks or holds."""

from typing import Final

from ..rule import Rule

CODE: Final[dict[str, Rule]] = {
    "module-moved": Rule(
        "code",
        "error",
        "A tool's module is elsewhere",
        "The tool was renamed or moved into another group: imports of its module, its binding and its handler"
        " type fail, and so does its argument of `register_all`.",
    ),
    "module-removed": Rule(
        "code",
        "error",
        "A tool's module is gone",
        "The tool was removed: imports fail, and so does its argument of `register_all`.",
    ),
    "module-removed-in-time": Rule(
        "code",
        "note",
        "A deprecated tool's module is gone",
        "The same, where the removal was announced and is not too early.",
    ),
    "handler-needed": Rule(
        "code",
        "note",
        "`register_all` wants a further handler",
        "The tool is new. `register_some` takes any number of handlers.",
    ),
    "handler-required": Rule(
        "code",
        "error",
        "A tool wants a handler again",
        "`external: true` is gone from the spec: `register_all` has a parameter for the tool.",
    ),
    "handler-refused": Rule(
        "code",
        "error",
        "A tool takes no handler any more",
        "The spec says `external: true` now: `register_all` has no parameter for the tool.",
    ),
    "calls-overlap": Rule(
        "code",
        "warning",
        "A handler may run beside others",
        "`parallel: false` is gone from the spec: calls of one answer run at the same time. Handlers that"
        " share a state with others need a lock.",
    ),
    "calls-alone": Rule(
        "code",
        "note",
        "A handler runs alone",
        "The spec says `parallel: false` now: no other call of the same answer runs at the same time.",
    ),
    "class-removed": Rule(
        "code",
        "error",
        "A generated class is gone",
        "It has another name, is in another module, or is no class any more.",
    ),
    "field-removed": Rule(
        "code",
        "error",
        "A field of a generated class is gone",
        "Code that reads it or passes it no longer type-checks.",
    ),
    "field-required": Rule(
        "code",
        "error",
        "A field of a generated class has to be passed",
        "It is new or was optional. Code that makes such a value without it no longer type-checks.",
    ),
    "field-read-type": Rule(
        "code",
        "warning",
        "A field may hold values of a further type",
        "Code that reads it does not expect them: a further member of a Literal, None, another type.",
    ),
    "field-written-type": Rule(
        "code",
        "warning",
        "A field takes values of fewer types",
        "Code that passes one of the others no longer type-checks.",
    ),
    "result-type": Rule(
        "code",
        "error",
        "A handler has to return another type",
        "What it returned is none of the types that it may return now.",
    ),
}

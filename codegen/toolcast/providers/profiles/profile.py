"""A provider as data: its dialect of JSON Schema, and the envelope around it.

Every axis is an option of the one walk; no provider is named anywhere in code. Built-in profiles are
the TOML files beside this module, each rule with its source; a user's own profile is a file of the same
form, which may start from another one with `base = "openai"`."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ...jsonschema.json_values import JsonObject
from ...runtime.request_rules import RequestRules
from .dialect import Dialect

Count = Annotated[int, Meta(ge=0)]


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Limits of one request; `None` where none is known. Counted over all its tools, unless stated
    otherwise."""

    tools: Count | None = None
    advised_tools: Count | None = None  # more still work, worse
    deferred_tools: Count | None = None  # that are loaded on demand; the others count as `tools`
    strict_tools: Count | None = None
    strict_together: bool = False  # all tools of one request are strict, or none
    name_pattern: str = ""  # for the whole name
    name_length: Count | None = None
    advised_name_length: Count | None = None
    property_pattern: str = ""
    description_length: Count | None = None  # of a tool, in characters
    depth: Count | None = None  # levels of nesting in one tool; the root is 0; deeper values are sent as text
    properties: Count | None = None  # in one tool
    all_properties: Count | None = None  # in all tools together
    enum_values: Count | None = None  # in one tool
    advised_enum_values: Count | None = None  # in one enum
    long_enum: Count | None = None  # an enum of more string values than this …
    long_enum_chars: Count | None = None  # … may have this many characters
    string_chars: Count | None = None  # names of properties and definitions, enum and const values, one tool
    optional: Count | None = None  # optional parameters of strict tools
    advised_optional: Count | None = None  # the same, in one tool
    unions: Count | None = None  # parameters of strict tools that are unions
    advised_unions: Count | None = None  # the same, in one tool
    required_at_least: Count | None = None  # parameters of each tool that are required


class ProfileProblem(Struct, frozen=True, kw_only=True):
    """A problem of a profile. `line` is 0 where it is not known."""

    file: str
    message: str
    hint: str = ""
    line: int = 0


class ProfileError(ValueError):
    """A profile that does not exist, cannot be read, or has values that do not exist.

    Attributes:
        problems: everything that is wrong.
    """

    def __init__(self, message: str, problems: tuple[ProfileProblem, ...] = ()) -> None:
        self.problems = problems
        super().__init__(message)

    @classmethod
    def of(cls, problems: list[ProfileProblem]) -> ProfileError:
        """Make one error, whose text has all problems."""
        lines = (
            f"{problem.file}{f':{problem.line}' if problem.line else ''}: {problem.message}"
            + (f" ({problem.hint})" if problem.hint else "")
            for problem in problems
        )
        return cls("\n".join(lines), tuple(problems))

    def __reduce__(self) -> tuple[type[ProfileError], tuple[str, tuple[ProfileProblem, ...]]]:
        return type(self), (str(self), self.problems)


class ExampleRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Rules for the examples of a tool, for `$examples` of the envelope.

    `shown` holds where neither the project nor a spec says so; `without` is what a tool with examples cannot
    be: one that is found by a search.
    """

    shown: bool = False
    without: tuple[Literal["defer"], ...] = ()


class ProbeRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Rules for `toolcast probe`, which asks the provider's API whether it takes a tool.

    Attributes:
        server: https, or this machine; "$NAME" is the value of an environment variable.
        path: path of the request; "$model" is filled in.
        key: the environment variable with the key; empty where none is needed.
        key_is: what kind of key that is, where providers have several.
        headers: headers of the request; "$key" is filled in.
        body: template of the request; "$model" and "$tool" are filled in.
        model: the model that is asked, unless another one is named; empty for none.
        price: dollars for a million tokens of that model, read and written; empty where it is not known.
        taken: JSON pointer of what each answer to a tool that was taken has.
        statuses: statuses of errors that may be about a schema.
        errors: JSON pointers of the texts of such an error.
        about: pattern of these texts where the error is about the tool.
        passed: pattern of these texts where the tool was taken, and the error came after it.
    """

    server: str
    path: Annotated[str, Meta(pattern="^/")]
    key: str = ""
    key_is: str = ""
    headers: dict[str, str] = {}
    body: JsonObject
    model: str = ""
    price: tuple[float, ...] = ()
    taken: str
    statuses: tuple[int, ...] = (400, 422)
    errors: tuple[str, ...]
    about: str
    passed: str = ""


class CallerNames(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """A provider's names of those who may call a tool, for `$callers` of the envelope.

    Attributes:
        model: the model itself.
        code: programs that the model writes.
        without: what a tool that code may call cannot have: strict mode, parameters that contain themselves,
            `blocking: false`. Of strict mode and `blocking: false` the tool has none then; one whose
            parameters contain themselves, or for which a spec demands strict mode, code cannot call.
    """

    model: str
    code: str
    without: tuple[Literal["strict", "recursion", "blocking"], ...] = ()


class ResultRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Limits of a schema of results.

    Attributes:
        keep: the keywords that it may have; empty for all. Without `const`, one is sent as `enum`. With a
            list, nothing stands beside `$ref`, nothing contains itself, and enums are of strings and numbers.
        without: the keywords that it may not have, where nothing else is changed.
    """

    keep: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


Status = Literal["accepted", "ignored", "refused", "rewritten", "unknown"]
"""The treatment of a keyword or a construct by a provider. `rewritten`: it gives it another meaning."""
Confidence = Literal["documented", "client-code", "probed"]
"""The evidence of a rule: the provider's text, the code of a client or of the provider, or answers."""


class Evidence(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Source of rules, for `rules` of a profile. Of several for one rule, the last to state a value holds;
    those of a base come first, and one without names makes all before it void.

    Attributes:
        names: the rules, by table and name: "strict.pattern", "limits.tools"; what is said of one in
            `dialect` holds in `strict`, too. Empty for all rules.
        status: what the provider does with what toolcast does not send, or with what a rule is named for.
        source: the text that states them; empty for the profile's sources.
        dated: ISO date on which they were last checked; empty for that of the profile.
        confidence: how they are known; None for documented.
    """

    names: tuple[str, ...] = ()
    status: Status | None = None
    source: str = ""
    dated: str = ""
    confidence: Confidence | None = None


class Profile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """One provider as data.

    Attributes:
        id: id of the provider.
        dated: ISO date on which the rules were last checked.
        title: name for people.
        sources: pages from which the rules come.
        declaration: the language in which code calls the tools; None where a model does.
        envelope: template of the tool object: "$name" and the like are filled in; absent values leave no key.
        text_envelope: template of the tool object of a tool whose argument is one text; None where the
            provider has no such tools: it gets the text as a parameter.
        omit_empty_parameters: whether a tool without parameters has no schema.
        states_draft: whether the schemas of a tool object name their draft, 2020-12, where the spec names
            one.
        dialect: the accepted part of JSON Schema.
        strict: the dialect of strict mode; None where there is no such flag.
        always_strict: whether what is sent is always enforced, without a flag.
        examples: how examples are taken; None where tool objects have no place for them.
        callers: what the provider calls those who may call a tool; None where a tool does not state it.
        result: what a schema of results may hold.
        probe: how the provider's API is asked; None where it has none.
        lost: for keys of specs that tool objects have no place for, the reason, as the end of a sentence
            that begins "is not sent, because".
        limits: what one request may hold.
        request: what a request needs beside its tool objects.
        rules: where its rules come from, and what it does with what breaks them (`provider_rules`).
        answers: the provider's answer to a breach, by rule (`load_profiles.RULES`).
        models: globs of the models that the profile applies to; for people, not for code.
    """

    id: str
    dated: str
    title: str = ""
    sources: tuple[str, ...] = ()
    declaration: Literal["typescript", "python"] | None = None
    envelope: JsonObject
    text_envelope: JsonObject | None = None
    omit_empty_parameters: bool = False
    states_draft: bool = False
    dialect: Dialect = Dialect()
    strict: Dialect | None = None
    always_strict: bool = False
    examples: ExampleRules | None = None
    callers: CallerNames | None = None
    result: ResultRules = ResultRules()
    probe: ProbeRules | None = None
    lost: dict[str, str] = {}
    limits: Limits = Limits()
    request: RequestRules = RequestRules()
    rules: tuple[Evidence, ...] = ()
    answers: dict[str, str] = {}
    models: tuple[str, ...] = ()

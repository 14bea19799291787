"""References are found where a walk of the decoded JSON finds them; calls without one are not walked."""

# ruff: noqa: ARG005 - a handler's signature is fixed, whatever it uses

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolcast.runtime import ToolBinding, ToolRegistry
from toolcast.runtime.codec import with_defaults
from toolcast.runtime.middleware.secrets import Secrets

from tests.counting import lines_executed
from tests.python.compiled import package, spec

Binding = ToolBinding[Any, Any]
VAULT = {"A": "value-of-A-is-long", "KEY": "value-of-KEY, too"}

TEXT = {"type": "string"}
ANY: dict[str, Any] = {}


def parameters(key: str, note: str) -> dict[str, Any]:
    """Parameters whose types hold defaults at the top, in objects and below a union of schemas."""
    auth = {"type": "object", "properties": {"key": {**TEXT, "default": key}, "user": TEXT}}
    told = {"type": "object", "properties": {"text": {**TEXT, "default": note}}}
    either = {"oneOf": [{**auth, "required": ["user"]}, {"type": "string", "pattern": "<"}]}
    return {
        "type": "object",
        "properties": {
            "token": {**TEXT, "default": key},
            "body": {"type": "object", "properties": {"auth": auth, "all": {"type": "array", "items": auth}}},
            "either": either,
            "headers": {"type": "object", "additionalProperties": TEXT},
            "value": ANY,
            "note": told,
            "plain": ANY,
        },
        "additionalProperties": True,
    }


LISTED = ["token", "body", "either", "headers", "value"]
DEFAULTS = {
    "none": ("k", "n"),
    "reference": ("<secret_ref:KEY>", "n"),
    "malformed": ("< SECRET-REF", "n"),
    "elsewhere": ("k", "a <Secret_Ref:KEY"),
}
SCHEMAS = {name: parameters(*texts) for name, texts in DEFAULTS.items()}
TOOLS = {
    f"{name}_{'listed' if listed else 'bare'}": (schema, listed)
    for name, schema in SCHEMAS.items()
    for listed in ([], LISTED)
}


@pytest.fixture(scope="module")
def tools() -> Iterator[dict[str, Binding]]:
    specs = {f"{name}.json": spec(schema, secrets=listed) for name, (schema, listed) in TOOLS.items()}
    with package(specs) as found:
        yield found


# The oracle: the standard library's JSON, the defaults written out, and every string looked at.

REFERENCE = re.compile("<secret_ref:([A-Za-z_][A-Za-z0-9_]{0,63})>")
BEGUN = re.compile("<secret_ref:", re.IGNORECASE)
NEARLY = re.compile(r"<\s*/?\s*secret[\s_-]*ref(?![a-z0-9])", re.IGNORECASE)


def complete(schema: dict[str, Any], value: Any) -> Any:
    """The value with the schema's defaults."""
    if isinstance(value, list):
        return [complete(schema.get("items", {}), item) for item in value]
    if not isinstance(value, dict):
        return value
    known = schema.get("oneOf", [schema])[0].get("properties", {})
    missing = {name: each["default"] for name, each in known.items() if "default" in each}
    return {**missing, **{name: complete(known.get(name, {}), item) for name, item in value.items()}}


def strings(value: Any) -> Iterator[tuple[str, bool]]:
    """Every string at any depth, and whether it is a property's name."""
    if isinstance(value, str):
        yield value, False
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield name, True
            yield from strings(item)


def replaced(value: Any) -> Any:
    if isinstance(value, str):
        return REFERENCE.sub(lambda found: VAULT[found[1]], value)
    if isinstance(value, list):
        return [replaced(item) for item in value]
    return {name: replaced(item) for name, item in value.items()} if isinstance(value, dict) else value


def expected(tool: str, arguments: dict[str, Any]) -> tuple[Any, set[str]] | None:
    """What the handler gets, and the names that are resolved; None where the call is refused."""
    schema, listed = TOOLS[tool]
    value = complete(schema, arguments)
    names: set[str] = set()
    for parameter, item in value.items():
        if parameter not in listed:
            if any(BEGUN.search(text) for text, _ in strings({parameter: item})):
                return None
            continue
        for text, is_name in strings(item):
            if NEARLY.search(text if is_name else REFERENCE.sub("", text)):
                return None
            names |= set() if is_name else set(REFERENCE.findall(text))
    if not names <= set(VAULT):
        return None
    return {name: replaced(item) if name in listed else item for name, item in value.items()}, names


PIECES = st.sampled_from(
    [
        *("<secret_ref:A>", "<secret_ref:KEY>", "<secret_ref:GONE>", "<secret_ref:", "<SECRET_REF:A>"),
        *(
            "<\u017fecret_ref:A>",
            "< secret-ref",
            "</secret ref",
            "<secret_refs>",
            "<secret\u2028ref",
            "<\nsecret",
        ),
        *("<", ">", "secret", "_ref:A>", "\\", '"', "\\u003c", "\0", "é", "😀", "<b>bold</b>", ""),
    ]
)
STRINGS = st.lists(PIECES, max_size=3).map("".join) | st.text(max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | STRINGS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(STRINGS, inner, max_size=2),
    max_leaves=4,
)
AUTH = st.fixed_dictionaries({}, optional={"key": STRINGS, "user": STRINGS})
ARGUMENTS = st.fixed_dictionaries(
    {},
    optional={
        "token": STRINGS,
        "body": st.fixed_dictionaries({}, optional={"auth": AUTH, "all": st.lists(AUTH, max_size=2)}),
        "either": st.fixed_dictionaries({"user": STRINGS}, optional={"key": STRINGS}),
        "headers": st.dictionaries(STRINGS, STRINGS, max_size=2),
        "value": VALUES,
        "note": st.fixed_dictionaries({}, optional={"text": STRINGS}),
        "plain": VALUES,
        "further": VALUES,
    },
)


FORMS = ("text", "ascii", "escaped", "bytes", "mapping")
"""How arguments are sent."""


def escaped(text: str, how: Any) -> str:
    """JSON text with some of its characters written as escapes; none within others' escapes."""
    parts: list[str] = []
    for part in re.findall(r"\\u[0-9a-f]{4}|\\.|[^\\]", text, re.DOTALL):
        hides = len(part) == 1 and part in "<secrtf_:A" and parts and how.random() < 0.2
        parts.append(f"\\u{ord(part):04x}" if hides else part)
    return "".join(parts)


def call(binding: Binding, arguments: Any) -> tuple[Any, set[str]] | None:
    """What the handler got, and the names that were resolved; None where the call was refused."""
    asked: set[str] = set()
    seen: list[Any] = []

    def resolve(name: str) -> str | None:
        asked.add(name)
        return VAULT.get(name)

    registry = ToolRegistry(secrets=resolve)
    registry.register(binding, lambda params, context: seen.append(with_defaults(params)))
    result = asyncio.run(registry.execute(binding.name, arguments))
    assert result.success == bool(seen), result.error
    assert result.success or "ecret" in result.error
    return (seen[0], asked) if seen else None


@given(tool=st.sampled_from([*TOOLS]), arguments=ARGUMENTS, form=st.sampled_from(FORMS), how=st.data())
@example(tool="none_listed", arguments={"value": ["<\u017fecret_ref:A>"]}, form="text", how=None)
@example(tool="none_bare", arguments={"plain": {"<\u017fecret_ref:": 1}}, form="text", how=None)
@example(tool="none_listed", arguments={"headers": {"a": "<secret_ref:A>"}}, form="ascii", how=None)
def test_the_same_as_a_walk_of_the_decoded_json(
    tools: dict[str, Binding], tool: str, arguments: dict[str, Any], form: str, how: Any
) -> None:
    text = json.dumps(arguments, ensure_ascii=form == "ascii")
    if form == "escaped":
        # Within strings only: their text is what is between quotes that no backslash stands before.
        random = how.draw(st.randoms(use_true_random=False))
        text = re.sub(
            r'"((?:[^"\\]|\\.)*)"', lambda found: f'"{escaped(found[1], random)}"', text, flags=re.DOTALL
        )
        assert json.loads(text) == arguments
    sent: Any = {"bytes": text.encode(), "mapping": arguments}.get(form, text)
    wanted = expected(tool, json.loads(text))
    assert call(tools[tool], sent) == wanted


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    "arguments", [{}, {"body": {"auth": {}}}, {"either": {"user": "u"}}, {"note": {}}], ids=repr
)
def test_defaults_are_searched_as_arguments_are(
    tools: dict[str, Binding], tool: str, arguments: dict[str, Any]
) -> None:
    assert call(tools[tool], arguments) == expected(tool, arguments)


def test_a_call_without_a_reference_is_not_walked(tools: dict[str, Binding]) -> None:
    """As many lines for a thousand objects as for none; nor does any markup make it walk."""
    binding, secrets = tools["none_listed"], Secrets(VAULT.get)

    def lines(count: int, text: str) -> int:
        params = binding.decode({"body": {"all": [{"key": text}] * count}})
        assert not secrets.concerns(binding, params)
        return lines_executed(lambda: secrets.concerns(binding, params))

    assert lines(1000, "<b>") == lines(1, "a") < 20


def test_what_has_no_json_form_is_walked(tools: dict[str, Binding]) -> None:
    binding, secrets = tools["none_listed"], Secrets(VAULT.get)
    params = msgspec.structs.replace(binding.decode({}), value=[object(), "<secret_ref:A>"])
    filled = asyncio.run(secrets.fill(binding, params)) if secrets.concerns(binding, params) else params
    assert filled.value[1] == VAULT["A"]

"""For those who grant permissions: every rule in both directions."""

from itertools import product
from typing import Any, get_args

import pytest
from toolcast.analysis.diff.audiences.trust import trust, widens
from toolcast.analysis.diff.pairs import Pair
from toolcast.analysis.diff.rules import RULES
from toolcast.permissions import Permission

from tests.diff.audience_pairs import context, pair, properties, spec

PERMISSIONS = get_args(Permission)
REQUEST = {"method": "get", "path": "/things", "server": "https://a.example", "in": {"text": "query"}}
KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}
BEARER = {"type": "http", "scheme": "bearer"}


def rules(old: dict[str, Any], new: dict[str, Any], **changes: Any) -> list[str]:
    compared = pair(old, new, **changes)
    return [each.rule for each in trust(compared, context([compared]))]


def both(**keys: tuple[Any, Any]) -> tuple[list[str], list[str]]:
    before = spec(**{key: values[0] for key, values in keys.items()})
    after = spec(**{key: values[1] for key, values in keys.items()})
    return rules(before, after), rules(after, before)


@pytest.mark.parametrize(("old", "new"), list(product(PERMISSIONS, PERMISSIONS)))
def test_permissions_are_widened_or_narrowed(old: Permission, new: Permission) -> None:
    found = rules(spec(permission=old), spec(permission=new))
    if old == new:
        assert found == []
    elif widens(old, new):
        assert found == ["permission-widened"]
    else:
        assert found[0] == "permission-narrowed"
        assert found[1:] == (["hint-less-careful"] if new == "read" else [])


def test_fewer_scopes_let_more_callers_in() -> None:
    assert both(scopes=(None, ["a", "b"])) == ([], ["scopes-removed"] * 2)
    assert both(scopes=(["a", "b"], ["b", "a"])) == ([], [])


def test_calls_that_leave_the_program() -> None:
    assert both(external=(None, True)) == (["carried-out-elsewhere"], ["carried-out-elsewhere"])
    assert both(external=(None, False)) == ([], [])
    assert both(external=(False, True))[0] == ["carried-out-elsewhere"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (["model"], None, "code that the model writes may call the tool now"),
        (["model"], ["model", "code"], "code that the model writes may call the tool now"),
        (["code"], None, "the model itself may call the tool now"),
        (None, ["model", "code"], ""),
        (["model", "code"], ["code"], ""),
    ],
)
def test_more_callers(old: list[str] | None, new: list[str] | None, message: str) -> None:
    states = [spec(**({} if each is None else {"callers": each})) for each in (old, new)]
    compared = pair(*states)
    found = trust(compared, context([compared]))
    assert [each.message for each in found] == ([message] if message else [])
    assert all(each.rule == "callers-widened" for each in found)


def test_words_for_the_approver() -> None:
    wide, narrow = ["approval-widened"], ["approval-narrowed"]
    assert both(described_by=(None, "text")) == (wide, narrow)
    assert both(described_by=("text", "text")) == ([], [])


def test_the_order_of_permissions() -> None:
    allowed = {(old, new) for old, new in product(PERMISSIONS, PERMISSIONS) if not widens(old, new)}
    smaller = {("write", "read"), ("network", "read"), ("execute", "read"), ("execute", "write")}
    assert allowed == {(each, each) for each in PERMISSIONS} | smaller | {("execute", "network")}


@pytest.mark.parametrize(
    ("name", "less", "more"),
    [
        ("destructive", False, True),
        ("destructive", False, None),
        ("destructive", None, True),
        ("idempotent", True, False),
        ("idempotent", True, None),
        ("idempotent", None, False),
        ("open_world", False, True),
        ("open_world", False, None),
        ("open_world", None, True),
    ],
)
def test_annotations(name: str, less: bool | None, more: bool | None) -> None:
    hints = [{} if value is None else {name: value} for value in (more, less)]
    assert both(annotations=(hints[0], hints[1])) == (["hint-less-careful"], ["hint-more-careful"])


def test_a_title_is_no_matter_of_trust() -> None:
    assert both(annotations=({"title": "a"}, {"title": "b"})) == ([], [])


def test_secrets() -> None:
    assert both(secrets=([], ["text"])) == (["secrets-added"], ["secrets-removed"])
    old, new = (
        spec(secrets=["text"]),
        spec(parameters=properties(words={"type": "string"}), secrets=["words"]),
    )
    assert rules(old, new, renamed_parameters={"words": "text"}) == []
    assert rules(old, new) == ["secrets-added", "secrets-removed"]


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"server": "https://b.example"}, "server-changed"),
        ({"server": "http://a.example"}, "server-changed"),
        ({"server": None}, "server-changed"),
        ({"server": "https://{x}.example", "server_variables": {"x": "a"}}, "server-changed"),
        ({"method": "post"}, "request-changed"),
        ({"path": "/other"}, "request-changed"),
        ({"in": {"text": {"in": "query", "name": "q"}}}, "request-changed"),
        ({"in": {"text": "header"}}, "request-changed"),
    ],
)
def test_requests(change: dict[str, Any], rule: str) -> None:
    changed = {key: value for key, value in {**REQUEST, **change}.items() if value is not None}
    assert both(http=(REQUEST, changed)) == ([rule], [rule])


def test_a_default_of_a_server_variable_is_a_server() -> None:
    one, other = (
        {**REQUEST, "server": "https://{x}.example", "server_variables": {"x": name}} for name in "ab"
    )
    assert both(http=(one, other)) == (["server-changed"], ["server-changed"])


def test_beginning_to_be_a_request() -> None:
    assert both(http=(None, REQUEST)) == (["request-changed"], ["request-changed"])


def test_credentials() -> None:
    one = {**REQUEST, "security": [{"key": []}], "schemes": {"key": KEY}}
    other = {**REQUEST, "security": [{"key": []}], "schemes": {"key": BEARER}}
    none = {**one, "security": [{"key": []}, {}]}
    changed = ["credentials-changed"]
    assert both(http=(one, other)) == (changed, changed)
    assert both(http=(one, none)) == (changed, changed)
    assert both(http=(one, REQUEST)) == (changed * 2, changed * 2)


def test_values_that_the_program_bounds() -> None:
    assert rules(spec(runtime_enums={"text": "a"}), spec()) == ["values-unbounded"]
    assert rules(spec(), spec(runtime_enums={"text": "a"})) == []
    one, other = spec(runtime_enums={"text": "a"}), spec(runtime_enums={"text": "b"})
    assert rules(one, other) == ["values-from-elsewhere"]


@pytest.mark.parametrize("key", ["kind", "name", "from"])
def test_sources(key: str) -> None:
    source = {"kind": "mcp", "name": "find", "from": "things"}
    other = {**source, key: "tools"}
    assert both(source=(source, other)) == (["source-changed"], ["source-changed"])
    assert both(source=(source, None)) == ([], [])


def test_of_a_list_only_claims_are_compared() -> None:
    """A list states neither secrets nor what a tool may do; its hints claim to be read-only or do not."""

    def listed(old: dict[str, Any], new: dict[str, Any], state: str) -> list[str]:
        compared = pair(old, new)
        whole = context([compared])
        former = getattr(whole, state)
        made = context([compared], **{state: type(former)(label="l", tools={}, types={}, listed=True)})
        return [each.rule for each in trust(compared, made)]

    own = spec(permission="execute", secrets=["text"], source={"kind": "mcp", "name": "a", "from": "b"})
    assert listed(spec(permission="write"), own, "old") == []
    assert listed(spec(permission="read"), own, "old") == ["permission-widened"]
    assert listed(own, spec(permission="read"), "new") == ["hint-less-careful"]
    assert listed(own, spec(permission="network"), "new") == ["hint-less-careful"]
    assert listed(own, spec(permission="write"), "new") == []
    unstated = spec(annotations={})
    assert listed(spec(annotations={"destructive": True}), unstated, "new") == ["hint-less-careful"]


def test_positions_are_those_of_the_key() -> None:
    compared = pair(spec(), spec(permission="write", secrets=["text"]))
    found = trust(compared, context([compared]))
    assert [(each.rule, each.audience, each.tool) for each in found] == [
        ("permission-widened", "trust", "find"),
        ("secrets-added", "trust", "find"),
    ]
    assert all(each.file == "specs/find.json" and each.line and each.column for each in found)
    assert {RULES[each.rule].level for each in found} == {"error"}


def test_tools_of_one_state_have_no_changes() -> None:
    compared: list[Pair] = [pair(None, spec(permission="execute")), pair(spec(permission="execute"), None)]
    assert [trust(each, context([each])) for each in compared] == [(), ()]


def test_who_sets_a_parameter() -> None:
    one, other = {"text": "context.text"}, {"text": "context.other"}
    assert both(inject=(None, one)) == (["program-sets-parameter"], ["model-sets-parameter"])
    assert both(inject=(one, other)) == (["injected-from-elsewhere"], ["injected-from-elsewhere"])
    assert both(inject=(one, one)) == ([], [])


def test_a_parameter_that_is_gone_is_set_by_nobody() -> None:
    old = spec(inject={"text": "context.text"})
    assert rules(old, spec(parameters=properties(limit={"type": "integer"}))) == []

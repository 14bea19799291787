"""Whatever a server lists: it is refused with a reason, or any provider has a form for it."""

from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st
from toolcast.jsonschema.keywords import ANY_SCHEMA_MAP, SCHEMA, SCHEMA_LIST
from toolcast.mcp import Limits, LiveTool
from toolcast.mcp.live.live_calls import to_result
from toolcast.mcp.live.offered_tools import bind
from toolcast.mcp.live.server_tool import UnfitError, usable
from toolcast.providers import Normalizer, available
from toolcast.runtime import ArgumentError, ToolResult

from tests.providers.strategies import contracts

KEYWORDS = [
    *sorted(SCHEMA),
    *sorted(SCHEMA_LIST),
    *sorted(ANY_SCHEMA_MAP),
    *("type", "required", "enum", "const", "$ref", "pattern"),
    *("format", "minimum", "maxLength", "description", "default", "nullable", "$id", "$anchor", "$schema"),
]
WORDS = st.sampled_from(
    [
        *("object", "string", "integer", "array", "null"),
        *("a", "#", "#/$defs/a", "#a", "(a+)+$", "[a-", "date", "\x1b[2J"),
    ]
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | WORDS
NODES: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*KEYWORDS, "a"]), inner, max_size=4)
    ),
    max_leaves=20,
)
SCHEMAS = st.dictionaries(st.sampled_from(KEYWORDS), NODES, max_size=5).map(
    lambda made: {"type": "object"} | made
)
PROVIDERS = available()


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A schema that is sound but for one member, or altogether."""
    schema = draw(contracts())
    if draw(st.booleans()):
        keyword = draw(st.sampled_from(KEYWORDS))
        part = draw(st.sampled_from([schema, *schema["properties"].values()]))
        part[keyword] = draw(NODES)
    return schema


SOME = st.lists(st.sampled_from(PROVIDERS), min_size=4, max_size=4, unique=True)


@given(spoilt() | SCHEMAS, st.none() | spoilt() | SCHEMAS, NODES, NODES, SOME)
def test_any_schema_is_refused_or_serves(
    schema: Any, output: Any, arguments: Any, data: Any, providers: list[str]
) -> None:
    tool = LiveTool(server="s", name="t", input_schema=schema, output_schema=output)
    normalizer, limits = Normalizer(), Limits()
    try:
        found = usable(tool, normalizer, limits)
    except UnfitError:
        event("refused")
        return
    event("taken")
    judge = found.output
    binding = bind(found.tool, "s__t", "mcp/s", "execute", (), normalizer)
    for provider in providers:
        assert binding.definition(provider)
        assert binding.definition(provider, "brief")
        try:
            params = binding.decode({"a": arguments}, provider)
        except ArgumentError:
            continue
        assert isinstance(params, dict)
        assert binding.decode(params) == params  # what was taken is taken again, as it is
    result = to_result("s", Answer(data), judge, limits)
    assert isinstance(result, ToolResult)
    assert result.success == (judge is None or judge.accepts(judge.settle(data)))


class Answer:
    """As much of the SDK's result as is read."""

    is_error = False
    model_fields_set = frozenset({"structured_content"})

    def __init__(self, data: Any) -> None:
        self.content: list[Any] = []
        self.structured_content = data

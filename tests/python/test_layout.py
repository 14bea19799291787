"""Long statements are broken as black breaks them, or left to black."""

from hypothesis import assume, given
from hypothesis import strategies as st
from toolcast.python.bindings.format import blacken
from toolcast.python.bindings.layout import LINE_LENGTH, break_row, lay_out
from toolcast.python.bindings.render_module import registry_text
from toolcast.python.bindings.templates import Templates

NAMES = st.from_regex(r"\A[a-zA-Z_][a-z_]{0,35}\Z").filter(
    lambda name: name not in {"as", "if", "in", "is", "or", "and", "def", "del", "for", "not", "try"}
)
STRINGS = st.text("ab []()|,='\\/-", max_size=70).map(lambda text: '"' + text.replace("\\", "\\\\") + '"')
LITERALS = st.one_of(STRINGS, st.integers().map(str), st.sampled_from(["True", "1.5", "None"]))


def _joined(
    parts: st.SearchStrategy[str], separator: str, most: int, least: int = 1
) -> st.SearchStrategy[str]:
    return st.lists(parts, min_size=least, max_size=most).map(separator.join)


def _annotations(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    bounds = st.one_of(st.sampled_from(["ge=1", "le=1.0", "max_length=3"]), STRINGS.map("pattern={}".format))
    return st.one_of(
        inner.map("list[{}]".format),
        inner.map("dict[str, {}]".format),
        st.tuples(inner, _joined(bounds, ", ", 4)).map(lambda pair: f"Annotated[{pair[0]}, Meta({pair[1]})]"),
        _joined(inner, ", ", 4).map("tuple[{}]".format),
        _joined(inner, " | ", 4, 2),
    )


LEAVES = st.one_of(st.sampled_from(["int", "str", "dict[str, Any]"]), NAMES)
LEAVES |= _joined(LITERALS, ", ", 9).map("Literal[{}]".format)
ANNOTATIONS = st.recursive(LEAVES, _annotations, max_leaves=6)
ARGUMENTS = st.one_of(
    STRINGS,
    st.just("__name__"),
    NAMES.map("lambda: {}".format),
    st.tuples(STRINGS, ANNOTATIONS).map(lambda pair: f"({pair[0]}, lambda: {pair[1]})"),
    st.tuples(NAMES, LITERALS).map("=".join),
)
CALLS = st.tuples(st.sampled_from(["one_of", "checked"]), _joined(ARGUMENTS, ", ", 5)).map(
    "{0[0]}({0[1]})".format
)
STATEMENTS = st.one_of(
    st.tuples(NAMES, ANNOTATIONS).map(": ".join),
    st.tuples(NAMES, ANNOTATIONS, st.sampled_from(["None", "UNSET", "5"])).map(
        "{0[0]}: {0[1]} = {0[2]}".format
    ),
    st.tuples(NAMES, ANNOTATIONS).map(": TypeAlias = ".join),
    st.tuples(NAMES, CALLS).map(" = ".join),
    st.tuples(NAMES, NAMES, NAMES | STRINGS).map("{0[0]}: {0[1]} = {0[2]}".format),
    st.tuples(NAMES, ANNOTATIONS, LITERALS).map(
        "{0[0]}: {0[1]} = msgspec.field(default_factory=lambda: [{0[2]}])".format
    ),
    st.tuples(NAMES, ANNOTATIONS, LITERALS, STRINGS).map(
        "{0[0]}: {0[1]} = msgspec.field(default={0[2]}, name={0[3]})".format
    ),
    st.tuples(STRINGS, NAMES, STRINGS).map("check_pattern({0[0]}, self.{0[1]}, {0[2]})".format),
)


@given(statement=STATEMENTS, depth=st.integers(0, 1))
def test_rows_are_broken_as_black_breaks_them(statement: str, depth: int) -> None:
    row = "    " * depth + statement
    assume(len(row) > LINE_LENGTH)
    lines = break_row(row)
    if lines is not None:
        head = "class _:\n" * depth
        assert blacken(f"{head}{row}\n") == head + "".join(f"{line}\n" for line in lines)


def test_common_statements_need_no_black() -> None:
    """One of each kind that real tools have: falling back for these would cost most of a compile."""
    names = ", ".join(f'"option_{number}"' for number in range(12))
    bounded = "Annotated[int, Meta(ge=1, le=100)] | Annotated[float, Meta(ge=1.0, le=100.0)]"
    for row in (
        f"    method: Literal[{names}]",
        f"    fields: list[Literal[{names}]] | None = None",
        f"    per_page: {bounded} | None = None",
        f"Pet: TypeAlias = {' | '.join(f'VeryLongOptionName{number}' for number in range(6))}",
        f'    data: str = "{"https://example.org/" * 4}readme"',
        f"    VeryLongName: TypeAlias = {'AnotherVeryLongName' * 4}",
        f'    kinds: list[Literal[{names[:40]}"]] = msgspec.field(default_factory=lambda: [{names[:40]}"])',
        f'        check_pattern("name", self.name, "{"[a-z]" * 20}")',
        f'    "{"tool_name" * 6}": (".{"tool_name" * 6}", "TOOL"),',
        f'    _register(registry, "{"tool_name" * 6}", {"tool_name" * 6})',
        f'    Pet = one_of(__name__, "../contracts/adopt.json#/$defs/Pet", ("/0", lambda: {"Cat" * 20}))',
    ):
        assert len(row) > LINE_LENGTH
        assert break_row(row) is not None


def test_a_registry_of_long_names_needs_no_black() -> None:
    """Black would put its long annotations in parentheses."""
    name = "a_tool_with_a_very_long_name_that_fills_more_than_half_of_a_line"
    tool: dict[str, object] = {"name": name, "module": name, "constant": name.upper(), "keyword": name}
    tool |= {"handler": "Handler", "external": False}
    source = registry_text([tool], Templates())
    laid_out = lay_out(source)
    assert laid_out is not None
    assert laid_out != source
    rows = [row for row in laid_out.split("\n") if len(row) > LINE_LENGTH]
    assert all(row.strip().strip(",").endswith('"') or " as " in row for row in rows), rows

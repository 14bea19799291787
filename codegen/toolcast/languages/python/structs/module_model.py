"""A generated module as data for its template: every string is source text."""

from msgspec import Struct

from .source_literals import LINE_LENGTH


class Expression(Struct, frozen=True, kw_only=True):
    """A Python type for one contract node.

    `text` is the annotation. `kinds` are what msgspec distinguishes in a union (`str`, `int`, `float`,
    `bool`, `none`, `list`, `dict`, `struct:Name`, `any`, `custom`). With `exact`, decoding to `text` accepts
    what the schema accepts, provided that `checks` (calls with `{value}` and `{label}`) pass. `marker` is the
    source of a checked type that is always exact. `bare` is `text` without constraints, where it may have
    some. `details` are what msgspec keeps in addition to the kinds of `text` itself, not of types inside
    brackets: `pattern`, `limits` (any other constraint of a Meta), `positions` (the items of a tuple of fixed
    length).
    """

    text: str
    kinds: frozenset[str]
    exact: bool = True
    checks: tuple[str, ...] = ()
    marker: str = ""
    uses: frozenset[str] = frozenset()  # generated names in `text`
    bare: str = ""
    details: frozenset[str] = frozenset()

    @property
    def native(self) -> bool:
        """Tell whether it may be used anywhere in an annotation."""
        return self.exact and not self.checks


class FieldLine(Struct, frozen=True, kw_only=True):
    """One field: `name: annotation = value`, then its description as a string."""

    name: str
    annotation: str
    value: str  # "" for none
    doc: str  # a literal of the description, or "" for none
    uses: frozenset[str]  # generated names in `annotation`
    pointer: str = ""  # of the contract schema that it is


class ClassDefinition(Struct, frozen=True, kw_only=True):
    """One Struct."""

    name: str
    options: tuple[str, ...]
    doc: str
    constants: tuple[str, ...]  # whole lines: ClassVars
    fields: tuple[FieldLine, ...]
    checks: tuple[str, ...]  # lines of `__post_init__`
    uses: frozenset[str]
    pointer: str  # of the contract node that it is
    is_class: bool = True

    @property
    def header(self) -> str:
        """The source in the brackets after its name, laid out as black has it."""
        line = ", ".join(("Struct", *self.options))
        return line if len(f"class {self.name}({line}):") <= LINE_LENGTH else f"\n    {line}\n"


class AliasDefinition(Struct, frozen=True, kw_only=True):
    """A name for a type. With `marker`, type checkers see `text` and msgspec sees the marker."""

    name: str
    text: str
    marker: str  # "" for a plain alias
    doc: str
    uses: frozenset[str]
    pointer: str  # of the contract node that it is
    is_class: bool = False


Definition = ClassDefinition | AliasDefinition


class Module(Struct, frozen=True, kw_only=True):
    """Definitions in order of need, and what must be imported from other generated modules."""

    definitions: tuple[Definition, ...]
    imports: tuple[tuple[str, tuple[str, ...]], ...]  # (relative module, names), sorted
    late_imports: tuple[tuple[str, tuple[str, ...]], ...]  # at the bottom: modules that need each other
    late_definitions: tuple[Definition, ...] = ()  # after those: aliases of imported types
    plain_unions: frozenset[str] = frozenset()  # pointers of unions whose type is Any: values stay plain

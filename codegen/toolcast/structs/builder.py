"""What expressing a contract gathers: names, definitions, and how each definition is written.

One `Builder` serves one generated module. It also walks the shared types that the module uses, because
how a shared type is called and what it is natively decides how it may be used here.
"""

from collections.abc import Callable, Iterable, Mapping

from msgspec import structs

from ..contract.tree import Contract, Node, Object, Reference
from ..contract.walk import nodes
from .literals import text
from .model import AliasDefinition, Definition, Expression
from .names import class_name, unique
from .tags import Tag

Hint = tuple[str, ...]
ANY = Expression(text="Any", kinds=frozenset({"any"}))
MAX_OPEN = 40
"""Definitions that may be under way at once, each inside the one before: Python's own stack is finite."""
MAX_INLINE = 200
"""Characters of a type that may stand in the place of its name: longer ones would add up."""
_PLAIN = ("str", "int", "bool", "None", "Any", "int | float")


Rule = Callable[["Builder", Node, str, Hint], Expression]
"""(builder, node, file of the module, name parts) → the type of the node."""
DefineObject = Callable[["Builder", Object, str, str, str], Expression]
"""(builder, node, file of the module, name, name of the marker or "") → how to write the definition."""


class Builder:
    """Expresses a contract's nodes, and gathers the definitions that doing so needs."""

    def __init__(
        self,
        contract: Contract,
        *,
        public: Mapping[str, str],
        documents: Mapping[str, str],
        tags: Mapping[str, Tag],
        tagged: frozenset[str],
        rule: Rule,
        define_object: DefineObject,
    ) -> None:
        """`public` maps definitions that live in shared type files to their names there; `documents` each
        file ("" is the tool itself) to its contract file as seen from its module; `tags` the Structs'
        pointers to their tags, `tagged` the unions those serve. `rule` expresses any node, `define_object`
        a definition that is an object: they call back, so they are handed in.
        """
        self.contract = contract
        self.public = public
        self.documents = documents
        self.tags = tags
        self.tagged = tagged
        self._rule = rule
        self._define_object = define_object
        self.definitions: dict[str, dict[str, Definition]] = {}  # by file, then name, in order of need
        self.owners: dict[str, str] = {}  # generated name → file
        self._used: dict[str, set[str]] = {}
        for name, public_name in public.items():
            self._used.setdefault(contract.files[name], set()).add(public_name)
        self.checked = self._checked_names()
        self.pending: list[Callable[[], object]] = []  # Structs that are named but not written yet
        self._memo: dict[str, Expression] = {}
        self._open: dict[str, str] = {}  # definitions being expressed → their names
        self._recursive: set[str] = set()

    def _checked_names(self) -> dict[str, str]:
        """Names beside shared Structs that need a marker, fixed first: every tool must know them alike."""
        found: dict[str, str] = {}
        for name, public_name in self.public.items():
            node = self.contract.definitions[name]
            if isinstance(node, Object) and (node.residue or node.extra is not None):
                found[name] = self.new_name(self.contract.files[name], "Checked", public_name)
        return found

    # -- names and definitions ----------------------------------------------------------------

    def file_of(self, definition: str) -> str:
        """The file whose module holds a definition; "" is the tool's own module."""
        return self.contract.files[definition] if definition in self.public else ""

    def new_name(self, file: str, *parts: str) -> str:
        """A free class or alias name in the module of `file`."""
        return unique(class_name(*parts), self._used.setdefault(file, set()))

    def taken(self, file: str) -> frozenset[str]:
        """Names that stand for types in the module of `file`."""
        return frozenset(self._used.get(file, ())) | frozenset(self.public.values())

    def define(self, file: str, definition: Definition) -> None:
        """Add a definition to the module of `file`."""
        self.definitions.setdefault(file, {})[definition.name] = definition
        self.owners[definition.name] = file

    def place(self, file: str, pointer: str) -> str:
        """Source of the arguments that lead from the module of `file` to a contract node."""
        return f"__name__, {text(self.documents[file] + '#' + pointer)}"

    # -- nodes --------------------------------------------------------------------------------

    def express(self, node: Node, file: str, *hint: str) -> Expression:
        """The type of `node` in the module of `file`; `hint` are the name parts for what must be named."""
        expression = self._rule(self, node, file, hint)
        if expression.native or expression.marker:
            return expression
        marker = f"checked({self.place(file, node.pointer)}, lambda: {expression.text})"
        return structs.replace(expression, marker=marker)

    def settled(self, node: Node, file: str, *hint: str) -> Expression:
        """Like `express`, made fit to stand anywhere: what is not native gets a marker with a name."""
        return self.settle(self.express(node, file, *hint), node, file, *hint)

    def settle(self, expression: Expression, node: Node, file: str, *hint: str) -> Expression:
        """What `settled` makes of a node that is expressed already."""
        if expression.native:
            return expression
        parts = ("Checked", expression.text) if isinstance(node, Object) else hint
        return self.alias(self.new_name(file, *parts), expression, node, file)

    def alias(self, name: str, expression: Expression, node: Node, file: str) -> Expression:
        """Define `name` for `expression`, with its marker unless it is native."""
        marker = "" if expression.native else expression.marker
        self.define(
            file,
            AliasDefinition(
                name=name,
                text=expression.text,
                marker=marker,
                doc=node.description,
                uses=expression.uses,
                pointer=node.pointer,
            ),
        )
        kinds = frozenset({"custom"}) if marker else expression.kinds
        details = frozenset[str]() if marker else expression.details
        return Expression(text=name, kinds=kinds, uses=frozenset({name}), details=details)

    # -- definitions --------------------------------------------------------------------------

    def referred(self, node: Reference) -> Expression:
        """What a reference stands for, without the keywords beside it."""
        expression = self.definition(node.name) if node.name else self.root(node.root)
        return structs.replace(expression, exact=expression.exact and not node.residue, marker="")

    def root(self, name: str) -> Expression:
        """The Struct of a root that refers to itself."""
        return self._memo["/" + name]

    def open_root(self, name: str, expression: Expression) -> None:
        """Say how the root called `name` is written, before its fields are read."""
        self._memo["/" + name] = expression

    def define_all(self, names: Iterable[str]) -> None:
        """Define `names` and what they refer to, what is referred to first: so nothing recurses deeply."""
        seen: set[str] = set()
        for start in names:
            stack = [(start, False)]
            while stack:
                name, ready = stack.pop()
                if ready:
                    self.definition(name)
                    self.write_pending()
                elif name not in seen:
                    seen.add(name)
                    stack.append((name, True))
                    inner = nodes(self.contract.definitions[name])
                    below = [n.name for n in inner if isinstance(n, Reference) and n.name]
                    stack += [(n, False) for n in reversed(below) if n not in seen]

    def write_pending(self) -> None:
        """Write the Structs that were named on the way."""
        while self.pending:
            self.pending.pop()()

    def definition(self, name: str) -> Expression:
        """How to write the definition called `name`, wherever it stands."""
        if name in self._memo:
            return self._memo[name]
        if name in self._open:
            self._recursive.add(name)
            return Expression(
                text=self._open[name], kinds=frozenset({"custom"}), uses=frozenset({self._open[name]})
            )
        node, file = self.contract.definitions[name], self.file_of(name)
        own = self.public.get(name) or self.new_name(file, name)
        if isinstance(node, Object):
            self._memo[name] = self._define_object(self, node, file, own, self.checked.get(name, ""))
            return self._memo[name]
        if len(self._open) >= MAX_OPEN:
            self.pending.append(lambda: self._write_alias(name, own, node, file, named=True))
            self._memo[name] = Expression(text=own, kinds=frozenset({"custom"}), uses=frozenset({own}))
        else:
            self._open[name] = own
            self._memo[name] = self._write_alias(name, own, node, file)
            del self._open[name]
        return self._memo[name]

    def _write_alias(self, name: str, own: str, node: Node, file: str, *, named: bool = False) -> Expression:
        """A definition that is no object: by its name `own`, or as it is where that is short or must be.

        A type that contains itself needs a marker under that name, and so does what others call by it
        already (`named`).
        """
        expression = self.express(node, file, own)
        # An alias cannot name a class that is still being written: its text stands in its place.
        late = expression.native and not expression.uses <= self.owners.keys()
        if named or name in self._recursive or (late and len(expression.text) > MAX_INLINE):
            marker = f"checked({self.place(file, node.pointer)}, lambda: {expression.text})"
            expression = structs.replace(expression, exact=False, marker=expression.marker or marker)
        elif late or (expression.native and expression.text in _PLAIN):
            return expression
        return self.alias(own, expression, node, file)

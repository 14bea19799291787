"""The types of a contract: names, definitions, and the expression of each definition.

One `Builder` makes one generated module. It also reads the shared types that the module uses: their names and
native types decide how the module may use them.

The unions that msgspec distinguishes by a tag are found before any type is made. A tagged Struct used outside
its union does not insist on its tag; so every other use of it is checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct, structs

from ....contract.tree import Contract, Enum, Node, Null, Object, Reference, Union, nodes
from ....jsonschema.pointers import split
from .module_model import AliasDefinition, Definition, Expression
from .python_names import class_name, unique
from .source_literals import deferred, text

NameParts = tuple[str, ...]
ANY = Expression(text="Any", kinds=frozenset({"any"}))
_MAX_NESTED = 40
"""Definitions in progress at once, each inside the one before: Python's own stack is finite."""
_MAX_INLINE = 200
"""Characters of a type that is inlined instead of its name: longer ones would add up."""
_PREFERRED_TAGS = ("type", "kind")
"""Property names that are preferred when several distinguish the branches."""
_PLAIN = ("str", "int", "bool", "None", "Any", "int | float")


_Rule = Callable[["Builder", Node, str, NameParts], Expression]
"""(builder, node, file of the module, name parts) → the type of the node."""
_DefineObject = Callable[["Builder", Object, str, str, str], Expression]
"""(builder, node, file of the module, name, name of the marker or "") → the type of the definition."""


class Tag(Struct, frozen=True):
    """A Struct's tag: the property, and this branch's value."""

    field: str
    value: str | int


class Builder:
    """The types of a contract's nodes, and the definitions that they need."""

    def __init__(
        self,
        contract: Contract,
        *,
        public: Mapping[str, str],
        documents: Mapping[str, str],
        leads: Mapping[str, set[str]],
        tags: Mapping[str, Tag],
        tagged: frozenset[str],
        rule: _Rule,
        define_object: _DefineObject,
    ) -> None:
        """`public` maps definitions that live in shared type files to their names there; `documents` each
        file ("" is the tool itself) to its contract file as seen from its module; `leads` each shared file to
        itself and those that it leads to; `tags` the Structs'
        pointers to their tags, `tagged` the unions those serve. `rule` makes the type of any node,
        `define_object` that of a definition that is an object: both call the builder back.
        """
        self.contract = contract
        self.public = {**public}
        self.documents = documents
        self.leads = leads
        self.tags = {**tags}
        self.tagged = tagged
        self._rule = rule
        self._define_object = define_object
        self.definitions: dict[str, dict[str, Definition]] = {}  # by file, then name, in order of need
        self.owners: dict[str, str] = {}  # generated name → file
        self.plain_unions: set[str] = set()  # pointers of unions whose type is Any
        self._used: dict[str, set[str]] = {}
        self._foreign: dict[str, frozenset[str]] = {}
        for name, public_name in public.items():
            self._used.setdefault(contract.files[name], set()).add(public_name)
        self.checked = self._checked_names()
        self._exported = {file: frozenset(names) for file, names in self._used.items()}
        self.pending: list[Callable[[], object]] = []  # Structs that have a name and no definition yet
        self._types: dict[str, Expression] = {}
        self._taken = frozenset[str]()
        self._in_progress: dict[str, str] = {}  # definition → its name
        self._recursive: set[str] = set()

    def take(self, other: "Builder", names: frozenset[str]) -> None:
        """Take the types of the shared definitions `names` from another builder, which has defined them."""
        self._taken = names
        self.public.update({name: other.public[name] for name in sorted(names)})
        self._types.update({name: other._types[name] for name in names})
        for file in sorted({self.file_of(name) for name in names}):
            self.definitions[file] = other.definitions.get(file, {})
            self._exported[file] = other._exported[file]
            for name in self.definitions[file]:
                self._claim(name, file)
        self.tags.update({at: tag for at, tag in other.tags.items() if split(at)[1] in names})
        self.tagged |= {at for at in other.tagged if split(at)[1] in names}
        self.plain_unions |= {at for at in other.plain_unions if split(at)[1] in names}

    def _checked_names(self) -> dict[str, str]:
        """Names of the checked types of shared Structs, chosen first: they must be equal for every tool."""
        found: dict[str, str] = {}
        for name, public_name in self.public.items():
            node = self.contract.definitions[name]
            if isinstance(node, Object) and (node.residue or node.extra is not None):
                found[name] = self.new_name(self.contract.files[name], "Checked", public_name)
        return found

    # -- names and definitions ----------------------------------------------------------------

    def file_of(self, definition: str) -> str:
        """Return the file whose module holds a definition; "" is the tool's own module."""
        return self.contract.files[definition] if definition in self.public else ""

    def new_name(self, file: str, *parts: str) -> str:
        """Take a class or alias name that is free in the module of `file`, and for what it may import."""
        name = unique(class_name(*parts), {*self.type_names(file)})
        self._used.setdefault(file, set()).add(name)
        return name

    def type_names(self, file: str) -> frozenset[str]:
        """Return the names of types in the module of `file`: its own, and those that it may import."""
        if file not in self._foreign:
            led = self.leads.get(file)
            names = [name for name in self.public if led is None or self.file_of(name) in led]
            self._foreign[file] = frozenset(self.public[name] for name in names)
        return self._foreign[file].union(self._used.get(file, ()))

    def define(self, file: str, definition: Definition) -> None:
        """Add a definition to the module of `file`."""
        self.definitions.setdefault(file, {})[definition.name] = definition
        self._claim(definition.name, file)

    def _claim(self, name: str, file: str) -> None:
        """Let other modules find `name` in that of `file`: of equal names they mean the public one."""
        if name not in self.owners or name in self._exported.get(file, ()):
            self.owners[name] = file

    def owner(self, name: str, file: str) -> str:
        """Return the file that defines what `name` means in the module of `file`."""
        return file if name in self.definitions.get(file, ()) else self.owners[name]

    def node_arguments(self, file: str, pointer: str) -> str:
        """Return the source of the arguments that name a contract node in the module of `file`."""
        return f"__name__, {text(self.documents[file] + '#' + pointer)}"

    # -- nodes --------------------------------------------------------------------------------

    def type_of(self, node: Node, file: str, *name_parts: str) -> Expression:
        """Return the type of a node in the module of `file`; `name_parts` name definitions that it needs."""
        expression = self._rule(self, node, file, name_parts)
        if expression.native or expression.marker:
            return expression
        marker = f"checked({self.node_arguments(file, node.pointer)}, {deferred(expression.text)})"
        return structs.replace(expression, marker=marker)

    def checked_type_of(self, node: Node, file: str, *name_parts: str) -> Expression:
        """Return a type for any position: as `type_of`, or a named checked type where it is not native."""
        return self.checked_type(self.type_of(node, file, *name_parts), node, file, *name_parts)

    def checked_type(self, expression: Expression, node: Node, file: str, *name_parts: str) -> Expression:
        """Return the checked type of a node, as `checked_type_of`, from its `expression`."""
        if expression.native:
            return expression
        parts = ("Checked", expression.text) if isinstance(node, Object) else name_parts
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

    def reference_type(self, node: Reference) -> Expression:
        """Return the type of a reference's target, without the sibling keywords of the reference."""
        expression = self.definition_type(node.name) if node.name else self.root_type(node.root)
        return structs.replace(expression, exact=expression.exact and not node.residue, marker="")

    def root_type(self, name: str) -> Expression:
        """Return the Struct of a root that refers to itself."""
        return self._types["/" + name]

    def declare_root(self, name: str, expression: Expression) -> None:
        """Set the type of the root called `name`, before its fields are read."""
        self._types["/" + name] = expression

    def define_all(self, names: Iterable[str]) -> None:
        """Define `names` and their targets, targets first, so that nothing recurses deeply."""
        visited = {*self._taken}
        for start in names:
            if start in self._taken:
                continue
            stack = [(start, False)]
            while stack:
                name, ready = stack.pop()
                if ready:
                    self.definition_type(name)
                    self.write_pending()
                elif name not in visited:
                    visited.add(name)
                    stack.append((name, True))
                    inner = nodes(self.contract.definitions[name])
                    below = [n.name for n in inner if isinstance(n, Reference) and n.name]
                    stack += [(n, False) for n in reversed(below) if n not in visited]

    def write_pending(self) -> None:
        """Write the Structs that have a name and no definition yet."""
        while self.pending:
            self.pending.pop()()

    def definition_type(self, name: str) -> Expression:
        """Return the type of a definition."""
        if name in self._types:
            return self._types[name]
        if name in self._in_progress:
            self._recursive.add(name)
            return Expression(
                text=self._in_progress[name],
                kinds=frozenset({"custom"}),
                uses=frozenset({self._in_progress[name]}),
            )
        node, file = self.contract.definitions[name], self.file_of(name)
        own = self.public.get(name) or self.new_name(file, name)
        if isinstance(node, Object):
            self._types[name] = self._define_object(self, node, file, own, self.checked.get(name, ""))
            return self._types[name]
        if len(self._in_progress) >= _MAX_NESTED:
            self.pending.append(lambda: self._write_alias(name, own, node, file, named=True))
            self._types[name] = Expression(text=own, kinds=frozenset({"custom"}), uses=frozenset({own}))
        else:
            self._in_progress[name] = own
            self._types[name] = self._write_alias(name, own, node, file)
            del self._in_progress[name]
        return self._types[name]

    def _write_alias(self, name: str, own: str, node: Node, file: str, *, named: bool = False) -> Expression:
        """Define an alias for a definition that is no object, unless its type is short or must be inlined. A
        type that contains itself needs a marker under that name, and so does one that others refer to by
        it already (`named`).
        """
        expression = self.type_of(node, file, own)
        # An alias cannot name a class that is not defined yet: its text is inlined.
        late = expression.native and not expression.uses <= self.owners.keys()
        if named or name in self._recursive or (late and len(expression.text) > _MAX_INLINE):
            marker = f"checked({self.node_arguments(file, node.pointer)}, {deferred(expression.text)})"
            expression = structs.replace(expression, exact=False, marker=expression.marker or marker)
        elif late or (expression.native and expression.text in _PLAIN):
            return expression
        return self.alias(own, expression, node, file)


def find_tags(
    contract: Contract, file_of: Mapping[str, str], taken: frozenset[str]
) -> tuple[dict[str, Tag], frozenset[str]]:
    """Find the tags by the Struct's pointer, and the pointers of the unions they serve, but for those in the
    definitions `taken`. `file_of` names the shared file of each public definition. A union tags only Structs
    of its own module: those of another module must not depend on their use.
    """
    tags: dict[str, Tag] = {}
    unions: set[str] = set()
    for file, node in _unions(contract, file_of, taken):
        branches = [
            _object(contract, file_of, branch, file) for branch in node.branches if not _is_null(branch)
        ]
        objects = [branch for branch in branches if branch is not None]
        if len(objects) != len(branches) or len(objects) < 2:
            continue
        found = _tags(objects, node.discriminator)
        if found and all(tags.get(o.pointer, t) == t for o, t in zip(objects, found, strict=True)):
            tags.update({o.pointer: t for o, t in zip(objects, found, strict=True)})
            unions.add(node.pointer)
    return tags, frozenset(unions)


def _is_null(node: Node) -> bool:
    return isinstance(node, Null) and not node.residue


def _object(contract: Contract, file_of: Mapping[str, str], node: Node, file: str) -> Object | None:
    module_file = file
    while isinstance(node, Reference) and node.name and not node.residue:
        module_file = file_of.get(node.name, "")
        target = contract.definitions[node.name]
        if isinstance(target, Reference) and target.pointer == node.pointer:
            return None
        node = target
    if not isinstance(node, Object) or node.residue or node.extra is not None or module_file != file:
        return None
    # The tag is no field of a Struct, so a Struct that counts its properties cannot have one.
    return node if not node.min_size and node.max_size is None else None


def _tags(objects: list[Object], discriminator: str | None) -> list[Tag] | None:
    constants = [
        {
            field.encode_name: field.node.values[0]
            for field in node.fields
            if field.required and isinstance(field.node, Enum) and len(field.node.values) == 1
        }
        for node in objects
    ]
    shared = [encode_name for encode_name in constants[0] if all(encode_name in other for other in constants)]
    first = [discriminator] if discriminator in shared else []
    for encode_name in [*first, *(w for w in _PREFERRED_TAGS if w in shared), *shared]:
        values = [constant[encode_name] for constant in constants]
        texts = all(isinstance(v, str) for v in values)
        whole = all(isinstance(v, int) and not isinstance(v, bool) and -(2**63) <= v < 2**63 for v in values)
        if (texts or whole) and len(set(values)) == len(values):
            return [Tag(encode_name, value) for value in values]
    return None


def _unions(
    contract: Contract, file_of: Mapping[str, str], taken: frozenset[str]
) -> Iterator[tuple[str, Union]]:
    """Every union that is not in a definition `taken`, with the file whose module holds it."""
    own = [(name, node) for name, node in contract.definitions.items() if name not in taken]
    tops = [(file_of.get(name, ""), node) for name, node in own]
    for file, top in (*tops, *(("", node) for node in contract.roots.values())):
        for node in nodes(top):
            if isinstance(node, Union):
                yield file, node

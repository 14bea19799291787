"""A contract as a generated module: definitions in dependency order, with their imports."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from msgspec import UNSET, Struct, structs

from ....contract.build import Built, reachable
from ....contract.tree import Anything, Contract, Node, Object, Reference, String, Union, nodes
from ....output_layout import contract_path, seen_from
from ....runtime.tool import Form
from ....spec.type_folders import type_place
from . import classes
from .builder import Builder, find_tags
from .module_model import AliasDefinition, ClassDefinition, Definition, Expression, Module
from .node_types import node_type
from .python_names import class_name, identifier, unique
from .source_literals import deferred, text


class Roots(Struct, frozen=True, kw_only=True):
    """The names of a tool's roots in its module. `exact` is false where the Struct alone accepts more than
    the contract; `wire` names the marker to decode with, if there is one; `result` is the source of the
    result's type, "None" without one; `params_form` and `result_form` tell how both are written.
    """

    params: str
    result: str
    exact: bool
    wire: str
    params_form: Form | None = None
    result_form: Form | None = None


def module_path(file: str) -> tuple[str, ...]:
    """Return the dotted path of a shared type file's module, in parts. `../common/_types/geo/point.yaml`
    gives `_types`, `geo`, `point`.
    """
    parts = posixpath.splitext(type_place(file) or file)[0].split("/")
    return (parts[0], *(identifier(part, "types") for part in parts[1:]))


def tool_module(built: Built, *, name: str, module: tuple[str, ...]) -> tuple[Module, Roots]:
    """Make the module of a tool as data, and the names of its roots. `built` has no errors."""
    builder = _builder(built, contract=seen_from(module, contract_path(name)))
    assert built.contract is not None
    params = builder.new_name("", name, "Params")
    has_result = "result" in built.contract.roots
    result = builder.new_name("", name, "Result") if has_result else "None"
    root = built.contract.roots["parameters"]
    assert isinstance(root, Object)
    classes.declare_root_class(builder, root, "parameters", params)
    if has_result:
        _declare_result(builder, built.contract.roots["result"], result)
    if built.together is None:
        _define_shared(builder, built)
    builder.define_all(built.contract.definitions)
    expression = classes.write_root(builder, root, "parameters", params)
    wire = expression.text if expression.text != params else ""
    roots = Roots(
        params=params,
        result=result,
        exact=not expression.marker,
        wire=wire if root.extra else "",
        params_form=_params_form(builder, params),
        result_form=_result(builder, built, result) if has_result else None,
    )
    return _module(builder, "", module, frozenset()), roots


def type_module(built: Built, file: str) -> Module:
    """Make the module of a shared type file, whose path is below the specs root, from its contract."""
    return type_modules(built, (file,))[file]


def type_modules(built: Built, files: Iterable[str]) -> dict[str, Module]:
    """Make the modules of shared type files that one contract uses, by their paths below the specs root."""
    builder = _type_builder(built)
    return {
        file: _module(builder, file, module_path(file), _import_cycle(builder.leads, file)) for file in files
    }


def _type_builder(built: Built) -> Builder:
    """Return the types of all shared files that were built with `built`."""
    made = {} if built.together is None else built.together.made
    if "types" not in made:
        whole = built if built.together is None else built.together.built
        made["types"] = _builder(whole, contract=None)
        _define_shared(made["types"], whole)
    found: Builder = made["types"]
    return found


def _params_form(builder: Builder, name: str) -> Form | None:
    """Return how msgspec writes parameters; None where markers are among the types of their fields."""
    form: Form = "exact"
    waiting, visited = [("", name)], set[tuple[str, str]]()
    while waiting:
        file, name = waiting.pop()
        definition = builder.definitions[file][name]
        if isinstance(definition, ClassDefinition):
            if any(field.value.startswith(classes.FACTORY) for field in definition.fields):
                form = "defaults"
        elif definition.marker:
            return None
        used = {(builder.owner(each, file), each) for each in definition.uses}
        waiting += used - visited
        visited |= used
    return form


def _result(builder: Builder, built: Built, name: str) -> Form | None:
    """Define the type of results; return how msgspec writes it."""
    assert built.contract is not None
    node = built.contract.roots["result"]
    if isinstance(node, Object):
        struct = classes.write_root(builder, node, "result", name)
        return None if struct.marker else _result_form(built.contract, node)
    expression = builder.checked_type_of(node, "", name, "Value")
    if any(isinstance(n, Reference) and n.root == "result" for n in _own_nodes(built)):
        arguments = builder.node_arguments("", node.pointer)
        marker = f"checked({arguments}, {deferred(expression.text)})"  # an alias cannot hold itself otherwise
        expression = structs.replace(expression, exact=False, marker=marker)
    builder.alias(name, expression, node, "")
    return None


def _result_form(contract: Contract, root: Node) -> Form | None:
    """Return how the JSON that msgspec writes for a result differs from the contract's form; None where only
    the contract can tell: further properties stand beside the named ones, a keyword that no type says may ask
    for a default or forbid it, a value of any type may be anything, and so may be null as a default.
    """
    form: Form = "exact"
    waiting, followed = [root], set[tuple[str, str]]()
    while waiting:
        for node in nodes(waiting.pop()):
            if isinstance(node, Anything) or (isinstance(node, String) and node.python is not None):
                return None
            if isinstance(node, Object):
                if node.residue or node.extra is not None or node.min_size or node.max_size is not None:
                    return None
                if any(field.default is None for field in node.fields):
                    return None
                if any(field.default is not UNSET for field in node.fields):
                    form = "defaults"
            if isinstance(node, Union) and node.residue:
                return None
            if isinstance(node, Reference) and (node.root, node.name) not in followed:
                followed.add((node.root, node.name))
                waiting.append(contract.definitions[node.name] if node.name else contract.roots[node.root])
    return form


def _own_nodes(built: Built) -> Iterator[Node]:
    """The nodes of a tool: no shared type refers to its roots."""
    assert built.contract is not None
    own = [each for name, each in built.contract.definitions.items() if name not in built.contract.files]
    for top in (*built.contract.roots.values(), *own):
        yield from nodes(top)


def _declare_result(builder: Builder, node: Node, name: str) -> None:
    if isinstance(node, Object):
        classes.declare_root_class(builder, node, "result", name)
    else:
        builder.declare_root(
            "result", Expression(text=name, kinds=frozenset({"custom"}), uses=frozenset({name}))
        )


def _builder(built: Built, *, contract: str | None) -> Builder:
    assert built.contract is not None
    taken = built.normal.shared if contract is not None and built.together is not None else frozenset[str]()
    public = {} if taken else _public(built)
    file_of = built.contract.files if taken else {name: built.contract.files[name] for name in public}
    tags, tagged = find_tags(built.contract, file_of, taken)
    needs = {} if taken else built.file_references()
    documents = {file: _type_contract(file) for file in {built.contract.files[name] for name in public}}
    if contract is not None:
        documents[""] = contract
    builder = Builder(
        built.contract,
        public=public,
        documents=documents,
        leads={file: reachable(needs, file) | {file} for file in needs},
        tags=tags,
        tagged=tagged,
        rule=node_type,
        define_object=classes.define_object,
    )
    if taken:
        builder.take(_type_builder(built), taken)
    return builder


def _type_contract(file: str) -> str:
    """A shared type's contract file, as seen from its module."""
    path = module_path(file)
    return seen_from(path, contract_path("/".join(path)))


def _public(built: Built) -> dict[str, str]:
    """Public definitions of a shared type module: a file's root, and those in its `$defs`."""
    public: dict[str, str] = {}
    used: dict[str, set[str]] = {}
    shared = [(name, location) for name, location in built.normal.locations.items() if location.file]
    locations = sorted(shared, key=lambda item: (item[1].file, built.order(item[1])))
    for name, location in locations:
        if not location.path or (len(location.path) == 2 and location.path[0] in ("$defs", "definitions")):
            wanted = (
                str(location.path[-1])
                if location.path
                else posixpath.basename(posixpath.splitext(location.file)[0])
            )
            public[name] = unique(class_name(wanted), used.setdefault(location.file, set()))
    return public


def _define_shared(builder: Builder, built: Built) -> None:
    """Define all public definitions, file by file: their names must be equal for every tool. What a file
    needs comes first, so that no file depends on those that need it.
    """
    order = sorted(
        builder.public,
        key=lambda name: (
            len(builder.leads[builder.file_of(name)]),
            builder.file_of(name),
            built.order(built.normal.locations[name]),
        ),
    )
    builder.define_all(order)


def _import_cycle(leads: Mapping[str, set[str]], file: str) -> frozenset[str]:
    """Shared files that import this one, which imports them: their imports are at the end of the module."""
    return frozenset(each for each in leads.get(file, ()) if file in leads[each] and each != file)


def _module(builder: Builder, file: str, module: tuple[str, ...], cycle: frozenset[str]) -> Module:
    own = builder.definitions.get(file, {})
    needed: dict[str, set[str]] = {}
    for definition in own.values():
        for name in definition.uses:
            owner = builder.owner(name, file)
            if owner != file:
                needed.setdefault(owner, set()).add(name)
    late = {name for owner in cycle for name in needed.get(owner, ())}
    early, deferred = _ordered(
        _in_dependency_order(own), late, known={n for names in needed.values() for n in names} - late
    )
    imports = {owner: names for owner, names in needed.items() if owner not in cycle}
    return Module(
        definitions=early,
        imports=_imports(module, imports),
        late_imports=_imports(module, {owner: names for owner, names in needed.items() if owner in cycle}),
        late_definitions=deferred,
        plain_unions=frozenset(builder.plain_unions),
    )


def _imports(
    module: tuple[str, ...], needed: Mapping[str, set[str]]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found: list[tuple[str, tuple[str, ...]]] = []
    for owner, names in needed.items():
        target = module_path(owner)
        shared = 0
        while shared < min(len(module), len(target)) - 1 and module[shared] == target[shared]:
            shared += 1
        found.append(("." * (len(module) - shared) + ".".join(target[shared:]), tuple(sorted(names))))
    return tuple(sorted(found))


def _in_dependency_order(own: Mapping[str, Definition]) -> list[Definition]:
    """Definitions in dependency order: each after those that it uses, cycles in their own order."""
    order: list[Definition] = []
    visited: set[str] = set()
    for start in own:
        stack = [(start, False)]
        while stack:
            name, ready = stack.pop()
            if ready:
                order.append(own[name])
            elif name not in visited:
                visited.add(name)
                stack.append((name, True))
                stack += [
                    (n, False) for n in sorted(own[name].uses, reverse=True) if n in own and n not in visited
                ]
    return order


def _ordered(
    definitions: Iterable[Definition], late: set[str], known: set[str]
) -> tuple[tuple[Definition, ...], tuple[Definition, ...]]:
    """Definitions with forward references quoted; plain aliases of late names go after the late imports."""
    early: list[Definition] = []
    deferred: list[Definition] = []
    definition_name, later = set(known), set(late)
    waiting: list[Definition] = []  # plain aliases: evaluated when the module is imported
    for definition in definitions:
        if isinstance(definition, AliasDefinition) and not definition.marker:
            (deferred if definition.uses & later else waiting).append(definition)
            later |= {definition.name} if definition.uses & later else set()
        else:
            early.append(_quoted(definition, definition_name))
            definition_name.add(definition.name)
        _append_ready(waiting, early, definition_name)
    return tuple(early), tuple(deferred + waiting)


def _append_ready(waiting: list[Definition], early: list[Definition], definition_name: set[str]) -> None:
    """Move aliases whose names are all defined, in their order, until no more can be moved."""
    moved = True
    while moved:
        moved = False
        for definition in tuple(waiting):
            if definition.uses <= definition_name:
                waiting.remove(definition)
                early.append(definition)
                definition_name.add(definition.name)
                moved = True


def _quoted(definition: Definition, definition_name: set[str]) -> Definition:
    if definition.uses <= definition_name:
        return definition
    if isinstance(definition, AliasDefinition):  # only type checkers see the text of a marked alias
        return structs.replace(definition, text=_quote(definition.text))
    assert isinstance(definition, ClassDefinition)
    fields = tuple(
        line if line.uses <= definition_name else structs.replace(line, annotation=_quote(line.annotation))
        for line in definition.fields
    )
    return structs.replace(definition, fields=fields)


def _quote(source: str) -> str:
    return text(source)

"""A generated tool: the statements of its module and the contents of its files."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, cast

import msgspec
from msgspec import Struct
from msgspec.structs import force_setattr

from ..jsonschema.json_values import JsonMapping, JsonObject
from ..output_layout import REQUESTS, beside_schemas, wire_form_path
from .checked_types import decode_hook
from .definitions import (
    allows_strict,
    cut_definition,
    providers_without_strict,
    shows_result,
    warn_of_unknown_providers,
    without_strict_flag,
)
from .errors import UnknownProviderError
from .hidden_parameters import without_parameters
from .request_rules import RequestRules
from .resources import (
    ContractFile,
    ContractNode,
    find_defaults,
    follow,
    list_folders,
    read_definition,
    read_request_rules,
    read_resource,
)

if TYPE_CHECKING:  # most tools have one wire form, and no text of their own
    from .result_text import ResultText
    from .wire.decoder import WireDecoder

P = TypeVar("P")
Level = Literal["full", "brief"]
Form = Literal["exact", "defaults"]

Direct: TypeAlias = tuple[Callable[[bytes], Any], int, bool, "WireDecoder | None"]
"""A decoder whose types say all of the contract, how many parameters are required, whether msgspec writes no
key that a text lacks, and the decoder of the wire form, which is simple; None for the contract's own form."""


class _Lazy:
    """Values that a binding makes at first use and keeps. Two threads at once make the same twice."""

    __slots__ = (
        "contract",
        "decoder",
        "defaults",
        "definitions",
        "direct",
        "offered",
        "parameters",
        "prepared",
        "result",
        "shows_result",
        "text",
        "wire_decoders",
    )

    def __init__(self) -> None:
        self.contract: ContractFile | None = None
        self.decoder: Callable[[bytes | str], Any] | None = None
        self.defaults: bytes | None = None
        self.definitions: dict[tuple[str, str], bytes] = {}  # by provider and level
        self.direct: dict[str | None, Direct] = {}  # by provider
        self.offered: ContractNode | None = None
        self.parameters: ContractNode | None = None
        self.prepared: set[str | None] = set()  # providers whose results can be encoded
        self.result: ContractNode | None = None
        self.shows_result: dict[str, bool] = {}  # by provider
        self.text: ResultText | None = None
        self.wire_decoders: dict[
            str, WireDecoder | None
        ] = {}  # by provider; None where its wire form is the contract's own


class Tool(Struct, Generic[P], frozen=True, kw_only=True, eq=False):
    """One generated tool: its names, its types, its files. P is the parameters' type.

    Attributes:
        module: `__name__` of the generated module.
        name: name of the tool.
        group: folder of its spec below the specs folder, such as `files`.
        params: type of the parameters.
        permission: "read", "write", "execute" or "network".
        secrets: names of the parameters that may hold `<secret_ref:NAME>`.
        summary: one sentence, for brief definitions.
        description: the full description.
        contract: path of the contract file from the module's folder.
        schemas: path of the folder of definitions from the module's folder.
        input: the one argument as the spec states it: "text", or a mapping of `grammar` (its syntax) and
            `definition`; None if the spec has parameters.
        result: type of the result; None if the spec has none.
        defaults: whether results hold members that equal their default, "include" or "omit"; None: included
            unless the receiving side sees the schema of results.
        text: paths of the members of a result that models read, or a template of their text; None for all of
            it, as compact JSON.
        parallel: whether a call may run beside the other calls of an answer.
        external: whether calls are carried out outside of the program, so that the tool has no handler.
        scopes: OAuth scopes that the principal of a call must have; a call without a principal needs none.
        callers: who may call the tool: "model", "code" (programs that a model writes) or both; None for both.
        defer: whether a model learns of the tool only once it searches for it.
        blocking: whether a model waits for results before it goes on.
        task_support: whether a call may ("optional") or must ("required") be a task for clients of MCP.
        stream_arguments: whether a model's arguments are to be sent while it writes them.
        strict: by provider, whether the spec asks for strict mode; only those for which it says so.
        annotations: hints for people and clients, such as `read_only`.
        runtime_enums: parameters with values known only when the program runs, each with the name of its
            source.
        wire_forms: providers whose wire form differs from the contract; their files are beside `schemas`.
        envelopes: by provider, JSON pointers to the parameters and the description in its tool object, if the
            object's keys do not tell.
        empty_is_absent: optional parameters for which "" means that they are absent.
        described_by: the parameter with words for the person who approves a call; None for none.
        inject: parameters that the program fills in, each with the path of its value in a call's context,
            such as `context.user_id`; models neither see nor set them.
        http: the HTTP request that the tool stands for, as its spec states it (docs/reference/http.md); None
            for none.
        deprecated: `since`, `use` and `remove_after`, as far as the spec states them; None if not deprecated.
        source: the origin of an imported spec: `kind`, `name` (the source's own, of the tool) and `from`
            (which source of that kind); None if it was written by hand.
        exact: false if the Struct alone would accept more than the contract, which then validates every value
            before it is converted.
        params_form: how the JSON that msgspec writes for `params` differs from the text that it was read
            from, but for defaults that are left out: not at all ("exact"), or by defaults that are written
            ("defaults"); None: markers (`checked`, `one_of`, `open_object`), which validate by the contract,
            are among the types of its fields.
        wire: the type to decode with, if a marker (`checked`, `one_of`, `open_object`) replaces `params`.
        result_form: how the JSON that msgspec writes for `result`, a Struct, differs from the contract's:
            not at all ("exact"), or by defaults that are left out ("defaults"); None: the contract tells.
    """

    module: str
    name: str
    group: str
    params: type[P]
    permission: str
    secrets: tuple[str, ...]
    summary: str
    description: str
    contract: str
    schemas: str
    input: Literal["text"] | Mapping[str, str] | None = None
    result: Any = None
    defaults: Literal["include", "omit"] | None = None
    text: str | tuple[str, ...] | None = None
    parallel: bool = True
    external: bool = False
    scopes: tuple[str, ...] = ()
    callers: tuple[Literal["model", "code"], ...] | None = None
    defer: bool = False
    blocking: bool = True
    task_support: Literal["forbidden", "optional", "required"] = "forbidden"
    stream_arguments: bool = False
    strict: Mapping[str, bool] = {}
    annotations: JsonMapping = {}
    runtime_enums: Mapping[str, str] = {}
    wire_forms: tuple[str, ...] = ()
    envelopes: Mapping[str, tuple[str, str]] = {}
    empty_is_absent: tuple[str, ...] = ()
    described_by: str | None = None
    inject: Mapping[str, str] = {}
    http: JsonMapping | None = None
    deprecated: Mapping[str, str] | None = None
    source: Mapping[str, str] | None = None
    exact: bool = True
    params_form: Form | None = None
    wire: Any = None
    result_form: Form | None = None
    _lazy: _Lazy = cast(_Lazy, None)  # made below, for each binding its own

    def __post_init__(self) -> None:
        # `structs.replace` copies fields: a changed binding must not answer with what another one read.
        force_setattr(self, "_lazy", _Lazy())

    def schema(self) -> JsonObject:
        """Return a new copy of the parameters' schema in the contract file, in normal form.

        Parameters that the program fills in (`inject`) are left out, as for models. References count from the
        root of the contract file; `definition` has them as a provider wants them.

        Raises:
            MissingDataError: the contract file is missing.
        """
        # References inside it count from the contract file's root; `definition` has them as providers want.
        document = msgspec.json.decode(read_resource(self.module, self.contract))
        parameters: JsonObject = document["parameters"]
        return self._without_injected(parameters)

    def definition(self, provider: str, level: Level = "full", *, strict: bool | None = None) -> bytes:
        """Return the tool object for a provider as compact JSON, the same bytes each time.

        Args:
            provider: id of the provider.
            level: "full", or "brief" for the summary and a parameter schema cut to names and types.
            strict: False sets the flag of a strict mode to false and changes nothing else; None follows the
                environment variable TOOLCAST_NO_STRICT.

        Raises:
            ValueError: `level` is neither "full" nor "brief".
            UnknownProviderError: nothing was generated for `provider`.
        """
        if level not in ("full", "brief"):
            raise ValueError(f"level must be 'full' or 'brief', not {level!r}.")
        ready = self._lazy.definitions.get((provider, level))
        if ready is None:
            ready = self._raw_definition(provider)
            if level == "brief":
                whole = msgspec.json.decode(ready)
                cut = cut_definition(whole, self.name, self.summary, self.envelopes.get(provider))
                ready = msgspec.json.encode(cut)
            self._lazy.definitions[provider, level] = ready
        if strict is None and providers_without_strict():
            generated = list_folders(self.module, self.schemas) if self.schemas else ()
            warn_of_unknown_providers(providers_without_strict(), generated)
        if allows_strict(provider, strict):
            return ready
        return without_strict_flag(ready, self.name, self.envelopes.get(provider))

    def allows_caller(self, caller: Literal["model", "code"]) -> bool:
        """Tell whether the `caller`, the model itself or code that it writes, may call the tool; both may if
        the spec does not say."""
        return self.callers is None or caller in self.callers

    def request_rules(self, provider: str) -> RequestRules:
        """Return what a provider takes in a request beside this tool's definition; empty for a provider that
        nothing was generated for.

        Raises:
            MissingDataError: the file is missing, or the package was generated by a version that did not
                write it.
        """
        return read_request_rules(self.module, beside_schemas(self.schemas, REQUESTS), provider)

    def _raw_definition(self, provider: str) -> bytes:
        ready = self._lazy.definitions.get((provider, "full"))
        if ready is None:
            raw = read_definition(self, provider)
            ready = self._lazy.definitions[provider, "full"] = msgspec.json.format(raw, indent=-1)
        return ready

    def _wire_decoder(self, provider: str) -> "WireDecoder | None":
        """Return the decoder of the wire form of `provider`; None if that is the contract's own form. Raises
        UnknownProviderError and MissingDataError."""
        known = self._lazy.wire_decoders
        if provider not in known:
            definition = self._raw_definition(provider)
            differs = provider in self.wire_forms
            decoder = known[provider] = self._load_wire_decoder(provider, definition) if differs else None
            self._decoder()
            if None in self._lazy.direct and (decoder is None or decoder.simple):
                self._lazy.direct[provider] = (*self._lazy.direct[None][:3], decoder)
        return known[provider]

    def _load_wire_decoder(self, provider: str, definition: bytes) -> "WireDecoder":
        from .wire.decoder import load_wire_decoder

        path = beside_schemas(self.schemas, wire_form_path(provider, self.name))
        return load_wire_decoder(self.module, path, definition)

    def _includes_defaults(self, provider: str | None) -> bool:
        """Tell whether results for a provider hold members that equal their default."""
        if self.defaults is not None:
            return self.defaults == "include"
        if provider is None:
            return True
        known = self._lazy.shows_result
        if provider not in known:
            try:
                known[provider] = shows_result(self.definition(provider))
            except UnknownProviderError:
                known[provider] = False
        return not known[provider]

    def _shape(self) -> Any:
        return self.params if self.wire is None else self.wire

    def _decoder(self) -> "Callable[[bytes | str], P]":
        decoder = self._lazy.decoder
        if decoder is None:
            decoder = self._lazy.decoder = msgspec.json.Decoder(self._shape(), dec_hook=decode_hook).decode
            stepped = self.empty_is_absent or self.inject or isinstance(self.input, Mapping)
            if self.exact and self.params_form is not None and not stepped:
                params: Any = self.params  # a Struct
                defaults = params.__struct_defaults__
                optional = len(defaults) - defaults.count(msgspec.NODEFAULT)
                required = len(params.__struct_fields__) - optional
                self._lazy.direct[None] = (decoder, required, self.params_form == "exact", None)
        return decoder

    def _defaults(self) -> bytes:
        """Return a JSON array of every default in the contract file: encoded parameters leave them out.
        Raises MissingDataError."""
        ready = self._lazy.defaults
        if ready is None:
            ready = self._lazy.defaults = msgspec.json.encode(find_defaults(self._contract_file().document()))
        return ready

    def _contract_file(self) -> ContractFile:
        file = self._lazy.contract
        if file is None:
            file = self._lazy.contract = ContractFile(self.module, self.contract)
        return file

    def _parameters(self) -> ContractNode:
        node = self._lazy.parameters
        if node is None:
            node = self._lazy.parameters = ContractNode(self._contract_file(), "/parameters")
        return node

    def _offered(self) -> ContractNode:
        """Return the node that judges a model's arguments: parameters without injected ones."""
        if not self.inject:
            return self._parameters()
        node = self._lazy.offered
        if node is None:
            whole = self._parameters()
            document = whole.document()
            if whole.pointer:
                document = {**document, "parameters": self._without_injected(document["parameters"])}
            else:
                document = self._without_injected(document)
            node = self._lazy.offered = ContractNode(
                ContractFile(self.module, self.contract, document), whole.pointer
            )
        return node

    def _offered_properties(self) -> JsonMapping:
        node = self._offered()
        properties: JsonMapping = follow(node.document(), node.pointer).get("properties", {})
        return properties

    def _without_injected(self, parameters: JsonObject) -> JsonObject:
        if not self.inject:
            return parameters
        return without_parameters(parameters, self.inject)

    def _result(self) -> ContractNode:
        node = self._lazy.result
        if node is None:
            node = self._lazy.result = ContractNode(self._contract_file(), "/result")
        return node


AnyTool: TypeAlias = Tool[Any]
"""A tool of parameters of any type."""

"""The exact validator for JSON Schema 2020-12."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .document import Document, base_of
from .json_values import MAX_DEPTH, count_parts, find_foreign, too_deep
from .node import BRANCHES, BRANCHES_PER_PART, Validation, on_fresh_stack
from .schema_compiler import Compiler, Schemas
from .search import Searches, searches
from .validator_errors import SearchTooLong, TooManyBranches, UnsupportedSchema, Violation

R = TypeVar("R")

_FRAMES = 300  # between two fresh stacks; the interpreter's default limit is 1000


class _NotJsonError(Exception):
    """The value holds a part that is not JSON, named by the text."""


class Validator:
    """A schema compiled once, ready for any number of values, from any thread.

    Values are plain JSON: dict, list, tuple, str, int, float, bool, None. Verdicts are those of JSON
    Schema 2020-12 without remote and dynamic references, for values up to 200 levels deep.
    """

    __slots__ = ("_node", "_stride", "pointer", "schema")

    def __init__(
        self,
        schema: bool | Mapping[str, object],
        *,
        root: Mapping[str, object] | Document | None = None,
        pointer: str = "",
        formats: bool = False,
        shared: Schemas | None = None,
    ) -> None:
        """Compile `schema`.

        Args:
            schema: the schema at the JSON pointer `pointer` of the document `root`.
            root: the document of references (default: `schema` itself). A `Document` serves any number of
                validators over one root.
            pointer: where `schema` is in `root`.
            formats: assert the formats of `formats.FORMATS`.
            shared: replaces `root` and `formats` where many schemas of one document are compiled.

        Raises:
            UnsupportedSchema: a schema is malformed or not supported; its pointer is that of the schema.
        """
        pointer = pointer.removeprefix("#")
        if shared is not None:
            document, compiler = shared.document, shared.compiler
        else:
            document = root if isinstance(root, Document) else Document(schema if root is None else root)
            compiler = Compiler(document, formats=formats)
        location = document.locate(pointer)
        if location is not None and location.schema is schema:
            base = location.base
        else:
            base = base_of(schema, document.resources[""].base)
        try:
            self._node = compiler.compile(schema, pointer, base)
        except RecursionError:
            raise UnsupportedSchema(pointer, "the schema is nested too deeply") from None
        self._stride = max(1, _FRAMES // (2 * compiler.deepest + 6))
        self.schema = schema
        self.pointer = pointer

    def accepts(self, value: Any) -> bool:
        """Validate a value; stops at the first violation.

        Args:
            value: plain JSON data.

        Returns:
            Whether the schema accepts it. A value that is no JSON, is nested more than 200 levels deep, or
            takes too long is not accepted.
        """
        if too_deep(value):
            return False
        try:
            return self._run(self._node.check, value)
        except (_NotJsonError, TooManyBranches, SearchTooLong):
            return False

    def fits(self, value: object) -> bool:
        """Validate a value that nests 200 levels at most, without a check of the depth: `accepts` for many
        values in one call.

        Args:
            value: plain JSON data.

        Returns:
            Whether the schema accepts it.

        Raises:
            RecursionError: the value is nested more deeply.
            TypeError: the value is no JSON; AttributeError likewise.
            TooManyBranches: too many branches of unions would be tried.
            SearchTooLong: searches for patterns need more steps than one call may take.
        """
        return self._node.check(value, Validation(self._stride, searches()))

    def violations(self, value: object, limit: int = 50) -> list[Violation]:
        """List the violations of a value.

        Args:
            value: plain JSON data.
            limit: violations to list at most.

        Returns:
            The violations; empty exactly where the value is accepted.
        """
        if too_deep(value):
            text = f"the value is nested too deeply: more than {MAX_DEPTH} levels"
            return [Violation("$", text, "depth", MAX_DEPTH)]

        def explain(value: Any, run: Validation) -> list[Violation]:
            return self._node.explain(value, "$", run)

        try:
            return self._run(explain, value, max(1, limit), patient=True)
        except _NotJsonError as problem:
            return [Violation("$", f"the value holds {problem}, which is not JSON", "json")]
        except TooManyBranches as problem:
            return [Violation("$", str(problem), "branches", BRANCHES)]
        except SearchTooLong as problem:
            return [Violation("$", str(problem), "pattern", problem.pattern)]

    def settle(self, value: object) -> Any:
        """Apply the two allowances to a value.

        An explicit null of an optional property whose schema refuses null is dropped; a whole float becomes
        the int that the schema requires. A value that is accepted as it is keeps its meaning. One for which
        too many branches would be tried, or a search would take too long, is returned as it is.

        Args:
            value: plain JSON data; it is not changed.

        Returns:
            The same object where neither allowance applies, else a copy.
        """
        if too_deep(value):
            return value
        last = value
        try:
            # One dropped null may change which branch applies; every round leaves less to do.
            while (settled := self._run(self._node.settle, last, patient=True)) is not last:
                last = settled
        except (_NotJsonError, TooManyBranches, SearchTooLong):
            return value
        return last

    def _run(
        self,
        function: Callable[[object, Validation], R],
        value: object,
        limit: int = 1,
        *,
        patient: bool = False,
    ) -> R:
        shared = searches()
        try:
            try:
                return self._bounded(function, value, shared, limit, patient)
            except RecursionError:  # the caller's own stack was nearly full
                return on_fresh_stack(self._bounded, function, value, shared, limit, patient)
        except (TypeError, AttributeError):
            foreign = find_foreign(value)
            if foreign is None:
                raise
            raise _NotJsonError(foreign) from None

    def _bounded(
        self,
        function: Callable[[object, Validation], R],
        value: object,
        shared: Searches,
        limit: int,
        patient: bool,
    ) -> R:
        try:
            return function(value, Validation(self._stride, shared, limit, patient=patient))
        except TooManyBranches:
            # A large value may try more, and what was tried is remembered: only now is that worth its cost.
            more = max(BRANCHES, BRANCHES_PER_PART * count_parts(value))
            return function(value, Validation(self._stride, shared, limit, patient=True, branches=more))

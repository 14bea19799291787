"""The exact validator for JSON Schema 2020-12."""

from collections.abc import Mapping
from typing import Any

from .compile import Compiler
from .document import Document, base_of
from .errors import UnsupportedSchema, Violation
from .node import Run, on_fresh_stack
from .values import MAX_DEPTH, too_deep

_FRAMES = 300  # between two fresh stacks; the interpreter's default limit is 1000


class Validator:
    """A schema compiled once, ready for any number of values, from any thread.

    Values are plain JSON: dict, list, tuple, str, int, float, bool, None. Verdicts are those of JSON
    Schema 2020-12 without remote and dynamic references, for values up to 200 levels deep.
    """

    __slots__ = ("_node", "_stride", "pointer", "schema")

    def __init__(
        self,
        schema: bool | Mapping[str, Any],
        *,
        root: Mapping[str, Any] | None = None,
        pointer: str = "",
        formats: bool = False,
    ) -> None:
        """Compile `schema`, which stands at the JSON pointer `pointer` of the document `root`.

        References resolve in `root` (default: in `schema` itself). With `formats`, the formats that
        `formats.FORMATS` lists are asserted. Raises UnsupportedSchema, with the pointer of the culprit.
        """
        pointer = pointer.removeprefix("#")
        document = Document(schema if root is None else root)
        place = document.locate(pointer)
        if place is not None and place.schema is schema:
            base = place.base
        else:
            base = base_of(schema, document.resources[""].base)
        compiler = Compiler(document, formats=formats)
        try:
            self._node = compiler.compile(schema, pointer, base)
        except RecursionError:
            raise UnsupportedSchema(pointer, "the schema is nested too deeply") from None
        self._stride = max(1, _FRAMES // (2 * compiler.deepest + 6))
        self.schema = schema
        self.pointer = pointer

    def accepts(self, value: Any) -> bool:
        """Whether the schema accepts `value`; stops at the first violation."""
        if too_deep(value):
            return False
        try:
            return self._node.check(value, Run(self._stride))
        except RecursionError:  # the caller's own stack was nearly full
            return on_fresh_stack(self._node.check, value, Run(self._stride))

    def violations(self, value: Any, limit: int = 50) -> list[Violation]:
        """Every constraint that `value` breaks, at most `limit`; empty exactly when it is accepted."""
        if too_deep(value):
            text = f"the value is nested too deeply: more than {MAX_DEPTH} levels"
            return [Violation("$", text, "depth", MAX_DEPTH)]
        limit = max(1, limit)
        try:
            return self._node.explain(value, "$", Run(self._stride, limit))
        except RecursionError:
            return on_fresh_stack(self._node.explain, value, "$", Run(self._stride, limit))

    def settle(self, value: Any) -> Any:
        """`value` with the two allowances applied: the very same object when neither applies, else a copy.

        An explicit null of an optional property whose schema refuses null is dropped; a whole float becomes
        the int that the schema asks for. A value that is accepted as it is keeps its meaning.
        """
        if too_deep(value):
            return value
        try:
            return self._settle(value)
        except RecursionError:
            return on_fresh_stack(self._settle, value)

    def _settle(self, value: Any) -> Any:
        while True:  # one dropped null may change which branch applies; every round leaves less to do
            settled = self._node.settle(value, Run(self._stride))
            if settled is value:
                return value
            value = settled

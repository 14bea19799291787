"""What cannot be read from Python objects."""

from msgspec import Struct

from ...diagnostics import Diagnostic, Severity
from .source_places import SourcePlace


class Origin(Struct, frozen=True, kw_only=True):
    """The object that is read.

    Attributes:
        target: `MODULE:NAME`, with the item where NAME is a collection: `app:TOOLS[2]`.
        place: where it is defined.
    """

    target: str
    place: SourcePlace

    @property
    def module(self) -> str:
        """The module that `target` names."""
        return self.target.partition(":")[0]

    def problem(self, code: str, message: str, hint: str = "", *, severity: Severity = "error") -> Diagnostic:
        """A diagnostic about the object; `message` follows its name and a colon."""
        return Diagnostic(
            file=self.place.file,
            line=self.place.line,
            severity=severity,
            code=code,
            message=f"{self.target}: {message}",
            hint=hint,
        )

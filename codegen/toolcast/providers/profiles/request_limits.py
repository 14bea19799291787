"""The limits of one request, as data. `toolcast lint` checks them; the walk applies `depth`."""

from __future__ import annotations

from msgspec import Struct


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Limits of one request; `None` where none is known. Counted over all its tools, unless stated
    otherwise."""

    tools: int | None = None
    advised_tools: int | None = None  # more still work, worse
    deferred_tools: int | None = None  # that are loaded on demand; the others count as `tools`
    strict_tools: int | None = None
    strict_together: bool = False  # all tools of one request are strict, or none
    name_pattern: str = ""  # for the whole name
    name_length: int | None = None
    advised_name_length: int | None = None
    property_pattern: str = ""
    description_length: int | None = None  # of a tool, in characters
    depth: int | None = (
        None  # levels of nesting in one tool, the root being 0; deeper values are sent as text
    )
    properties: int | None = None  # in one tool
    all_properties: int | None = None  # in all tools together
    enum_values: int | None = None  # in one tool
    advised_enum_values: int | None = None  # in one enum
    long_enum: int | None = None  # an enum of more string values than this …
    long_enum_chars: int | None = None  # … may have this many characters
    string_chars: int | None = None  # names of properties and definitions, enum and const values, one tool
    optional: int | None = None  # optional parameters of strict tools
    advised_optional: int | None = None  # the same, in one tool
    unions: int | None = None  # parameters of strict tools that are unions
    advised_unions: int | None = None  # the same, in one tool
    required_at_least: int | None = None  # parameters of each tool that are required

"""Names for generated code alone: field checks, markers of checked types, and the map of bindings.

No program needs these names; they change with the generator.
"""

from .binding import Level as Level
from .checked_types import check_bounds as check_bounds
from .checked_types import check_format as check_format
from .checked_types import check_member as check_member
from .checked_types import check_multiple_of as check_multiple_of
from .checked_types import check_pattern as check_pattern
from .checked_types import check_properties as check_properties
from .checked_types import check_unique as check_unique
from .checked_types import checked as checked
from .checked_types import decode_hook as decode_hook
from .checked_types import one_of as one_of
from .checked_types import open_object as open_object
from .codec import encode_json as encode_json
from .codec import to_builtins as to_builtins
from .snapshot import LazyBindings as LazyBindings

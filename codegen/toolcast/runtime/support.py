"""What generated code alone imports: field checks, markers of checked types, and the map of bindings.

No program needs these names; they change with the generator.
"""

from .binding import Level as Level
from .bindings_map import LazyBindings as LazyBindings
from .checked import checked as checked
from .checked import decode_hook as decode_hook
from .checked import one_of as one_of
from .checked import open_object as open_object
from .checks import check_bounds as check_bounds
from .checks import check_format as check_format
from .checks import check_member as check_member
from .checks import check_multiple_of as check_multiple_of
from .checks import check_pattern as check_pattern
from .checks import check_properties as check_properties
from .checks import check_unique as check_unique
from .encode import encode_json as encode_json
from .encode import to_builtins as to_builtins

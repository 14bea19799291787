"""Providers as data, and the one walk that rewrites a contract in the dialect of each.

Needs msgspec and the standard library only, so that a program can normalise schemas at run time.
"""

from .decode_arguments import decode as decode
from .dialect import Dialect as Dialect
from .envelope import ToolInfo as ToolInfo
from .envelope import envelope_pointers as envelope_pointers
from .envelope import omits as omits
from .envelope import pointer_to as pointer_to
from .envelope import tool_object as tool_object
from .ledger import LedgerEntry as LedgerEntry
from .normalize import Normalized as Normalized
from .normalize import SchemaNormalizer as SchemaNormalizer
from .normalize import normalize as normalize
from .normalizer_cache import Normalizer as Normalizer
from .profile import Profile as Profile
from .profile import available as available
from .profile import load_profile as load_profile
from .profile import load_profile_file as load_profile_file
from .profile import load_profiles as load_profiles
from .provider_errors import ProfileError as ProfileError
from .provider_errors import ProfileProblem as ProfileProblem
from .provider_errors import SchemaError as SchemaError
from .quarantine import quarantined as quarantined
from .request_limits import Limits as Limits

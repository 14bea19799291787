"""Providers as data, and the one walk that rewrites a contract in the dialect of each.

Needs msgspec and the standard library only, so that a program can normalise schemas at run time.
"""

from ..jsonschema.schema_node import SchemaError as SchemaError
from ..runtime.grammars import TextInput as TextInput
from .ledger import LedgerEntry as LedgerEntry
from .normalize import SchemaNormalizer as SchemaNormalizer
from .normalize import normalize as normalize
from .profiles.dialect import Dialect as Dialect
from .profiles.envelope import Normalized as Normalized
from .profiles.envelope import ToolInfo as ToolInfo
from .profiles.envelope import envelope_pointers as envelope_pointers
from .profiles.envelope import omits as omits
from .profiles.envelope import placeholders as placeholders
from .profiles.envelope import pointer_to as pointer_to
from .profiles.envelope import profile_for as profile_for
from .profiles.envelope import tool_object as tool_object
from .profiles.load_profiles import available as available
from .profiles.load_profiles import load_profile as load_profile
from .profiles.load_profiles import load_profile_file as load_profile_file
from .profiles.load_profiles import load_profiles as load_profiles
from .profiles.load_profiles import profile_texts as profile_texts
from .profiles.profile import Limits as Limits
from .profiles.profile import ProbeRules as ProbeRules
from .profiles.profile import Profile as Profile
from .profiles.profile import ProfileError as ProfileError
from .profiles.profile import ProfileProblem as ProfileProblem
from .run_time_schemas import Normalizer as Normalizer
from .run_time_schemas import decode as decode
from .run_time_schemas import quarantined as quarantined
from .spec_ledger import spec_ledger as spec_ledger
from .walk_steps import Step as Step
from .walk_steps import steps as steps

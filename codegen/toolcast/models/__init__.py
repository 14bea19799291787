"""Other model families (pydantic, dataclass, TypedDict), through datamodel-code-generator."""

from .generate import FAMILIES as FAMILIES
from .generate import Family as Family
from .generate import generate_models as generate_models
from .plain import ModelError as ModelError
from .plain import plain_schema as plain_schema

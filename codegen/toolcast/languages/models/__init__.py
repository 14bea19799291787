"""Other model families (pydantic, dataclass, TypedDict), through datamodel-code-generator."""

from .model_generator import FAMILIES as FAMILIES
from .model_generator import Family as Family
from .model_generator import ModelError as ModelError
from .model_generator import generate_models as generate_models
from .model_generator import plain_schema as plain_schema

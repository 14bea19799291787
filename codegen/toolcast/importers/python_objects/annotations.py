"""Descriptions in annotations: `Annotated[str, "…"]`, and what `Meta`, `Field` and `Doc` hold."""

from typing import Annotated, Any, get_args, get_origin


def described(annotation: Any) -> str:
    """What the metadata of an annotation says of the value; empty where it says nothing."""
    if get_origin(annotation) is not Annotated:
        return ""
    inner, *metadata = get_args(annotation)
    found = (
        each
        if isinstance(each, str)
        else getattr(each, "description", None) or getattr(each, "documentation", None)
        for each in reversed(metadata)
    )
    return next((text for text in found if isinstance(text, str) and text), "") or described(inner)

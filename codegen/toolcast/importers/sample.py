"""Samples of a tool's arguments → a spec whose parameters are inferred from them.

The inference is genson's, the library through which datamodel-code-generator reads JSON samples. Asking
it directly gives the schema itself, of several samples at once; datamodel-code-generator takes one sample
and only hands out the models.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostic
from .declared_tools import Declared
from .import_tools import NOTHING_CHOSEN, Imported
from .imported_names import clean
from .spec_text import Choices, UnwritableError, check_writable, declared_keys, spec_text
from .tool_lists import Document, read_documents


def import_sample(
    files: Sequence[Path], choices: Choices = NOTHING_CHOSEN, *, name: str, group: str = ""
) -> Imported:
    """Infer one spec from samples: each file holds an object, an array of objects, or one object per line.

    A parameter is required when every sample has it. The first different samples become
    examples. Reads `files`, writes nothing; with no usable sample there is no spec and a diagnostic.
    """
    documents, problems = read_documents(files)
    samples: list[dict[str, Any]] = []
    for document in documents:
        found, bad = _samples(document)
        samples += found
        problems += bad
    specs: dict[str, str] = {}
    chosen = clean(name)
    if samples and not problems:
        try:
            parameters = infer(samples)
            tool = Declared(
                name=name,
                description="TODO: what the tool does.",
                parameters=parameters,
                calls=tuple(samples),
            )
            path = f"{group}/{chosen}.yaml" if group else f"{chosen}.yaml"
            specs[path] = spec_text(tool, declared_keys(tool, chosen, choices.examples), choices, None)
        except (UnwritableError, RecursionError) as error:
            reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
            problems.append(
                Diagnostic(
                    file=documents[0].file, code="import-unwritable", message=f"cannot be inferred: {reason}"
                )
            )
    elif not problems:
        problems.append(
            Diagnostic(
                file=files[0].as_posix() if files else "",
                code="import-no-samples",
                message="holds no sample",
                hint="expected a JSON object, an array of objects, or one object per line",
            )
        )
    renamed = ((name, chosen),) if specs and name != chosen else ()
    return Imported(specs=specs, diagnostics=tuple(problems), renamed=renamed)


def infer(samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The schema that genson infers from all `samples`, without its `$schema`."""
    from genson import SchemaBuilder  # type: ignore[import-untyped] # it ships no types

    builder = SchemaBuilder()
    for sample in samples:
        builder.add_object(sample)
    schema: dict[str, Any] = builder.to_schema()
    schema.pop("$schema", None)  # names no draft: "http://json-schema.org/schema#"
    return {**schema, "properties": schema.get("properties", {})}


def _samples(document: Document) -> tuple[list[dict[str, Any]], list[Diagnostic]]:
    items = document.data if isinstance(document.data, list) else [document.data]
    samples: list[dict[str, Any]] = []
    problems: list[Diagnostic] = []
    for index, item in enumerate(items):
        reason = "" if isinstance(item, dict) else "is not an object"
        try:
            check_writable(item)
        except UnwritableError as error:
            reason = f"cannot be written as YAML: {error}"
        if reason:
            message = f"sample {index + 1} {reason}"
            problems.append(
                Diagnostic(file=document.file, line=document.line, code="import-sample", message=message)
            )
        else:
            samples.append(item)
    return samples, problems

"""A second opinion: the verdicts of datamodel-code-generator's models on the same instances."""

import sys
import warnings
from typing import Any

from ..instances.oracle import Oracle
from ..instances.shrink import shrink, size
from ..models.model_generator import ModelError, generate_models
from ..project.core.compiler import attribute, imported
from ..python.structs.python_names import class_name
from .verified_tool import Subject
from .verify_report import Disagreement


def second_opinion(found: Subject, contract: Oracle, made: list[Any]) -> tuple[Disagreement, ...]:
    """Yield where pydantic models of the same contract accept invalid values or refuse valid ones."""
    name = class_name(found.tool.name, "Params")
    try:
        source = generate_models(
            found.built.normal.standalone("parameters"), "pydantic", class_name=name, source=found.tool.path
        )
    except ModelError as problem:
        return (Disagreement(kind="cannot be built", count=1, instance="", reason=str(problem)[:500]),)
    with imported({"models.py": source.encode()}) as package, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = attribute(package, "models", name)
            if hasattr(model, "model_rebuild"):
                model.model_rebuild(_types_namespace=vars(sys.modules[f"{package}.models"]))
        except Exception as problem:  # a module of another library's making may raise anything
            reason = f"{type(problem).__name__}: {problem}"
            return (Disagreement(kind="cannot be built", count=1, instance="", reason=reason[:500]),)
        return _compare(model, contract, made)


def _compare(model: Any, contract: Oracle, made: list[Any]) -> tuple[Disagreement, ...]:
    from .equivalence import as_text

    def opinion(value: Any) -> tuple[str, str]:
        """Return the difference of the model, and its reason; ("", "") where it agrees."""
        expected = contract.accepts(value)  # the allowances are ours: no other family knows them
        try:
            model.model_validate_json(as_text(value))
        except ValueError as problem:
            return ("refuses what is valid", str(problem)) if expected else ("", "")
        except Exception as problem:  # models may fail in ways of their own
            return ("refuses what is valid", repr(problem)) if expected else ("", "")
        if not expected:
            return "accepts what is invalid", next(contract.problems(value)).message
        return "", ""

    found: dict[str, list[Any]] = {}
    for value in made:
        kind, _ = opinion(value)
        if kind:
            found.setdefault(kind, []).append(value)
    return tuple(_disagreement(kind, values, opinion) for kind, values in sorted(found.items()))


def _disagreement(kind: Any, values: list[Any], opinion: Any) -> Disagreement:
    from .equivalence import as_text

    small = shrink(min(values, key=size), lambda value: opinion(value)[0] == kind, 300)
    reason = " ".join(opinion(small)[1].split())
    return Disagreement(kind=kind, count=len(values), instance=as_text(small).decode(), reason=reason[:300])

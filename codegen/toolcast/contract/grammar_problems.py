"""What is wrong with the grammar of a tool whose argument is one text, and with its examples."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import structs

from ..diagnostics import MISSING_LIBRARY, Diagnostic
from ..runtime.grammars import INSTALL, GrammarError, TextGrammar, TextInput, grammar_of
from ..spec.parsed_document import Document, diagnose
from ..spec.read_file import SourceDocument
from ..spec.text_input import PARAMETER

_AT = ("input", "definition")


def grammar_problems(document: Document, text: TextInput, examples: Sequence[Any]) -> Iterator[Diagnostic]:
    """Check the grammar of a tool, and its examples by it.

    Args:
        document: the spec.
        text: what its key `input` states.
        examples: its examples, of which those that are no calls of the tool are reported elsewhere.

    Yields:
        What is wrong, at its line and column.
    """
    if text.grammar is None:
        return
    try:
        grammar = grammar_of(text.grammar, text.definition)
    except ImportError:
        message = "the grammar cannot be checked: llguidance is not installed"
        yield diagnose(document, _AT, MISSING_LIBRARY, message, f"run: {INSTALL}")
        return
    except GrammarError as error:
        found = diagnose(
            document, _AT, "bad-grammar", f"the grammar cannot be used: {error.reason}", error.hint
        )
        if isinstance(document, SourceDocument):
            line, column = document.locate_character(_AT, text.definition, error.offset)
            found = structs.replace(found, line=line, column=column)
        yield found
        return
    yield from _examples(document, grammar, examples)


def _examples(document: Document, grammar: TextGrammar, examples: Sequence[Any]) -> Iterator[Diagnostic]:
    for index, example in enumerate(examples):
        value = example.get(PARAMETER) if isinstance(example, dict) else None
        problem = grammar.problem(value) if isinstance(value, str) else None
        if problem is not None:
            message = f"this example {problem}"
            hint = "correct the example or the grammar"
            yield diagnose(document, ("examples", index, PARAMETER), "example-mismatch", message, hint)

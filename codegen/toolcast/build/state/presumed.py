"""Looks for a run that must be quick: what it takes for granted is looked at when it has ended."""

from .unchanged import Looked, look_at, read_index


def presume(folder: str) -> Looked | None:
    """Looks at the inputs of the project in `folder`; outputs are taken to be as the last run left them.

    A build with these publishes what follows from the inputs. It reads what it overwrites, and so does no
    harm, but it does not notice that another output was edited. None where there is no index to go by.
    """
    looked = read_index(folder)
    if looked is None:
        return None
    inputs = looked.paths[: looked.inputs]
    try:
        seen = look_at(folder, inputs, looked.inputs)
    except OSError:
        return None
    looked.now = seen + looked.known[len(seen) :]
    return looked


def outputs_stand(folder: str) -> bool:
    """Whether all outputs look as the last run left them, or took them to be."""
    looked = read_index(folder)
    if looked is None:
        return False
    outputs = looked.paths[looked.inputs :]
    try:
        return look_at(folder, outputs, 0) == looked.known[-32 * len(outputs) :] if outputs else True
    except OSError:
        return False

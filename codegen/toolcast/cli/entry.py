"""The command's first step. A plain `generate` that changes nothing ends here, with nothing imported."""

import gc
import os
import sys
import time

_GARBAGE = 200_000
"""Values between two searches for cycles: what is known of thousands of specs stays until the end, and one
search through it takes longer than to compile a spec. A compile leaves few."""


def main() -> int:
    """Run the command line and return the exit status."""
    started = time.perf_counter()
    if sys.argv[1:] == ["generate"]:
        from ..project.state.index import up_to_date

        gc.disable()  # thousands of small tuples, none in a cycle
        try:
            found = up_to_date(os.getcwd())  # noqa: PTH109 - pathlib is not loaded yet
        except OSError:
            found = None
        if found is not None:
            _write_summary(*found, started)
        gc.enable()
        gc.set_threshold(_GARBAGE, 20, 50)
        return _plainly()
    try:
        from .main import run
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        from .terminal import refuse_compiler

        return refuse_compiler()
    return run(sys.argv[1:])


def _plainly() -> int:
    """Run `generate` without options; click would take a tenth of the time of a small change."""
    from .terminal import end_unwritten, lacks_compiler, refuse_compiler, write_anything

    if lacks_compiler():
        return refuse_compiler()
    from .building import generate

    write_anything()
    try:
        status = generate()
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("toolcast: stopped\n")
        return 130
    except OSError as error:
        end_unwritten(error)
    os._exit(status)  # nothing is left to do, and taking all apart would take a while


def _write_summary(tools: int, warnings: str, started: float) -> None:
    """Print the warnings and the line of `building.summary`, and end without the cost of tearing down. Return
    where the warnings are not as this command writes them."""
    try:
        if warnings:
            from ..colours import uncoloured, wants_colour

            plain = uncoloured(warnings)
            if plain is None or sys.stderr is None:
                return
            sys.stderr.write(warnings if wants_colour(sys.stderr) else plain)
            sys.stderr.flush()
        noun = "tool" if tools == 1 else "tools"
        line = f"toolcast: {tools} {noun}: 0 rebuilt, {tools} unchanged; 0 files written, 0 deleted"
        if sys.stdout is not None:  # None where it was closed
            sys.stdout.write(f"{line} ({time.perf_counter() - started:.2f} s)\n")
            sys.stdout.flush()
    except OSError:  # a closed pipe: nothing was to be done, so all is well
        os._exit(0)
    os._exit(0)

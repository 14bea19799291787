"""`toolcast import python`: specs from functions, classes, and tools of frameworks."""

import click

from ..console import write_line
from .import_options import ImportOptions, common_options
from .import_writing import write_specs
from .options import examples


@click.command(
    "python",
    epilog=examples(
        "toolcast import python app.weather:get_forecast --into specs/weather",
        "toolcast import python server:mcp --into specs         all tools of a FastMCP server",
        "toolcast import python app.tools:TOOLS --into specs    a list or dict of tools",
    ),
)
@click.argument("targets", nargs=-1, required=True, metavar="MODULE:NAME…")
@click.option(
    "--timeout", default=120.0, show_default=True, type=click.FloatRange(0.1, 3600), help="Seconds to import."
)
@common_options
def command(targets: tuple[str, ...], timeout: float, options: ImportOptions) -> None:
    """Write one spec per tool that Python objects declare. Runs their modules.

    NAME is a function, a pydantic model, dataclass, Struct or TypedDict (its fields are the parameters), a
    FastMCP server, a tool of LangChain or openai-agents, a tool, toolset or agent of pydantic-ai, or a
    list or dict of such. Modules are found as `python -m` finds them. Each NAME is a source of its own,
    which a later import finds again.
    """
    from ..importers.python_objects.run_modules import read_python

    modules = dict.fromkeys(target.partition(":")[0] for target in targets)
    write_line(f"toolcast: running {', '.join(modules)}", err=True)
    failed = False
    for declarations in read_python(targets, timeout=timeout):  # each is a source of its own
        try:
            write_specs(declarations, options)
        except SystemExit:
            failed = True
    if failed:
        raise SystemExit(1)

"""`toolcast show`."""

import click

from .complete_values import complete_providers, complete_tools
from .options import ShowOptions, config_option, configuration, examples, json_option, takes


@click.command(
    "show",
    epilog=examples(
        "toolcast show edit                        the contract",
        "toolcast show edit --provider gemini      the tool object that Gemini gets",
        "toolcast show edit --provider typescript  its declaration for code that a model writes",
        "toolcast show edit --ledger               what each provider's JSON lacks",
        "toolcast show edit --provider gemini --steps   how that comes about, pass by pass",
        "toolcast show edit --model                what templates of targets read of it",
        "toolcast show --providers                 the providers there are, and where they come from",
    ),
)
@click.argument("tool", required=False, shell_complete=complete_tools)
@click.option(
    "--provider", metavar="ID", shell_complete=complete_providers,
    help="Show the tool object of this provider.",
)  # fmt: skip
@click.option("--ledger", is_flag=True, help="Show what providers' JSON lacks, and why.")
@click.option("--steps", is_flag=True, help="Show how the provider's schema comes about, pass by pass.")
@click.option("--model", is_flag=True, help="Show the model of the tool that templates of targets read.")
@click.option("--providers", is_flag=True, help="List the providers there are.")
@json_option("How declarations, ledger, steps and providers are printed: for people, or for programs.")
@config_option
@takes(ShowOptions)
def command(options: ShowOptions) -> int:
    """Print what one tool compiles to, straight from its spec.

    The exit status is 1 if there is no such tool, or if it does not compile.
    """
    if options.providers and (
        options.tool is not None or options.provider is not None or options.ledger or options.steps
    ):
        raise click.UsageError("--providers lists all there are: leave out what else to show.")
    if not options.providers and options.tool is None:
        raise click.UsageError("name a tool, or ask for --providers")
    if options.steps and options.provider is None:
        raise click.UsageError("--steps needs --provider: each provider has its own.")
    if options.steps and options.ledger:
        raise click.UsageError("--steps shows the ledger, too: leave out --ledger.")
    if options.model and (options.ledger or options.steps):
        raise click.UsageError("--model is about no provider: leave out --ledger and --steps.")
    config = configuration(options.config_file)
    from .show_text import list_providers, show_tool

    if options.tool is None:
        return list_providers(config, options.form)
    return show_tool(config, options.tool, options)

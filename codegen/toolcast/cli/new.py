"""`toolcast new`.

The specs of `init` and `new` are commented, so that they teach. That of `init` compiles; that of `new` only
after a person has decided what it leaves open.
"""

import difflib
from pathlib import Path, PurePosixPath

import click

from ..config import show
from ..console import write_line
from ..spec.tool_names import NAME, NAME_RULE, group_problem, module_problem
from .options import config_option, configuration, create, disk_problem, examples, refuse
from .schema import modeline

EXAMPLE = """\
# One tool. `toolcast generate` compiles this file; `toolcast init --editor` lets editors check it.

# The name that the model calls: 1 to 64 of A-Z a-z 0-9 _ -, a letter or _ first. Default: the file's name.
name: {name}

# One line, for lists where every tool must be brief. Default: the first sentence of the description.
summary: Count the words in a text.

# What the model reads: what the tool does, when to use it, what it gives back.
description: |-
  Counts the words in a text. Words are runs of characters between white space.

# Required. What a call may do: read | write | execute | network
permission: read

# Required. Parameters that may carry a reference to a secret, such as <secret_ref:NAME>.
# [] says: none, on purpose.
secrets: []

# What the model must send, as JSON Schema 2020-12. A property that is not in `required` is optional.
# Types that several tools share live in specs/_types/ and are referred to by `$ref: ../_types/name.yaml`.
parameters:
  type: object
  required: [text]
  additionalProperties: false
  properties:
    text:
      type: string
      description: The text to look at.
    min_length:
      type: integer
      minimum: 1
      default: 1
      description: Count only words with at least so many characters.

# Optional: what the tool gives back, as JSON Schema. It becomes a typed Struct, and MCP's outputSchema.
result:
  type: object
  required: [count]
  properties:
    count: {type: integer, minimum: 0}

# Optional: calls that must fit the parameters; checked when the spec is compiled.
examples:
  - {text: to be or not to be}
  - {text: to be or not to be, min_length: 3}

# Optional: hints for programs that ask before they act.
annotations: {title: Count words, destructive: false, idempotent: true, open_world: false}

# Also optional:
# runtime_enums: {agent: agents}         parameters whose values are known only when the program runs
# described_by: reason                   the parameter with words for the person who approves a call
# inject: {user_id: context.user_id}     parameters that the program fills in and models do not see
# input: text                            in place of parameters: the argument is one text
# parallel: false                        a call runs alone among the calls of an answer
# external: true                         calls are carried out outside of the program: there is no handler
# callers: [model, code]                 who may call it: the model itself, programs that it writes, or both
# defer: true                            models read it only once they have searched for it
# providers: {openai: {strict: false}}   settings for one provider
"""

_BLANK = """\
# One tool. It compiles when every TODO below is decided: `toolcast generate` names those that are left.
# `toolcast init --editor` lets editors check it.

# The name that the model calls: 1 to 64 of A-Z a-z 0-9 _ -, a letter or _ first. Default: the file's name.
name: {name}

# Required. What the model reads: what the tool does, when to use it, what it gives back.
# The first sentence is the summary in brief lists, unless `summary:` states another.
description: TODO

# Required. What a call may do: read | write | execute | network
permission: TODO

# Required. Parameters that may carry a reference to a secret, such as <secret_ref:NAME>.
# [] says: none, on purpose.
secrets: TODO

# What the model must send, as JSON Schema 2020-12. A property that is not in `required` is optional.
# Types that several tools share live in specs/_types/ and are referred to by `$ref: ../_types/name.yaml`.
parameters:
  type: object
  required: []
  additionalProperties: false
  properties: {}
  #   text: {type: string, description: The text to look at.}
  #   limit: {type: integer, minimum: 1, default: 10, description: How many to give back at most.}

# Also optional:
# result: {type: object, properties: {}}  what the tool gives back: a typed Struct, and MCP's outputSchema
# examples: [{text: to be}]               calls that must fit the parameters; checked when this is compiled
# annotations: {destructive: false}       hints for programs: title, destructive, idempotent, open_world
# deprecated: {since: "2.1", use: other, remove_after: 2027-03-01}    what models are told before all else
# runtime_enums: {agent: agents}          parameters whose values are known only when the program runs
# described_by: reason                    the parameter with words for the person who approves a call
# inject: {user_id: context.user_id}      parameters that the program fills in and models do not see
# input: text                             in place of parameters: the argument is one text
# parallel: false                         a call runs alone among the calls of an answer
# external: true                          calls are carried out outside of the program: there is no handler
# callers: [model, code]                  who may call it: the model itself, programs that it writes, or both
# defer: true                             models read it only once they have searched for it
# providers: {openai: {strict: false}}    settings for one provider
"""


@click.command("new", epilog=examples("toolcast new files/edit", "toolcast new search"))
@click.argument("name", metavar="[GROUP/]NAME")
@config_option
def command(name: str, config_file: Path | None) -> None:
    """Write a commented spec to start from.

    It compiles when a person has decided what it leaves open: description, permission, secrets. The group is
    the folder below the specs folder.
    """
    config = configuration(config_file)
    posix = PurePosixPath(name)
    tool, group = posix.name.removesuffix(".yaml"), posix.parent.as_posix()
    group = "" if group == "." else group
    if posix.is_absolute() or ".." in posix.parts or "\\" in name:
        raise refuse(name, "bad-name", "this leaves the specs folder", "write it as group/name")
    if not NAME.fullmatch(tool):
        raise refuse(name, "bad-name", f"{tool!r} is no name for a tool", NAME_RULE)
    problem = group_problem(group) or module_problem(tool, group)
    if problem is not None:
        raise refuse(name, "bad-name", problem, "choose another name")
    path = config.specs / group / f"{tool}.yaml"
    for other in (path, path.with_suffix(".yml"), path.with_suffix(".json")):
        if other.exists() or other.is_symlink():
            raise refuse(
                show(other), "exists", "there is such a spec already", "choose another name, or edit it"
            )
    groups = [each.name for each in config.specs.glob("*/") if not each.name.startswith(("_", "."))]
    near = difflib.get_close_matches(group, groups, 1) if group and group not in groups else []
    try:
        create(path, modeline(path) + _BLANK.replace("{name}", tool))
    except OSError as error:
        raise disk_problem(error, path) from None
    write_line(f"created   {show(path)}; next: decide what is TODO there, then toolcast generate")
    if near:
        write_line(f"note: the group {group!r} is new; there is one called {near[0]!r}")

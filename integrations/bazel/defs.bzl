"""Tool specs compiled by toolcast: rules for builds that are larger than one machine.

    load("@toolcast_bazel//:defs.bzl", "toolcast_library")

    toolcast_library(
        name = "generated",
        specs = glob(["specs/**"]),
        config = "pyproject.toml",
    )

`:generated` is the output folder, the same bytes as `toolcast generate` leaves. Specs are compiled in shards,
one action each; one more puts them together. No action needs a network, a worker or anything undeclared. See
docs/reference/engines.md.
"""

ToolcastInfo = provider(
    doc = "What a set of tools was compiled to.",
    fields = {
        "generated": "The output folder.",
        "shards": "A folder of outputs for each shard.",
        "units": "A file of records for each shard.",
        "whole": "A folder with the files that speak of all tools; with the shards' folders it makes the whole.",
    },
)

_TOOLCHAIN = "@toolcast_bazel//:toolchain_type"
_SUFFIXES = ("yaml", "yml", "json")

def _toolcast(ctx):
    """What runs toolcast, as a tool for actions."""
    if ctx.attr.toolcast != None:
        return ctx.attr.toolcast[DefaultInfo].files_to_run
    return ctx.toolchains[_TOOLCHAIN].toolcast

def _config(ctx):
    if ctx.file.config != None:
        return ctx.file.config
    made = ctx.actions.declare_file(ctx.label.name + ".toolcast.toml")
    ctx.actions.write(made, "[tool.toolcast]\n")
    return made

def _roots(ctx):
    """The specs folder: checked in, and where other rules write."""
    parts = [ctx.label.workspace_root, ctx.label.package, ctx.attr.root]
    folder = "/".join([part for part in parts if part])
    return [folder, ctx.bin_dir.path + "/" + folder]

def _below(file, roots):
    for root in roots:
        if file.path.startswith(root + "/"):
            return file.path[len(root) + 1:]
    fail("%s is not below the specs folder, %s" % (file.path, roots[0]))

def _key(file, roots, outside):
    """What decides the shard of a file: where outputs of other rules are does not."""
    return file.short_path if file in outside else _below(file, roots)

def _shards(ctx, roots):
    """Specs by number. How many shards there are is a power of two, so that one more spec touches one shard."""
    outside = {file: None for file in ctx.files.types}
    specs = [file for file in ctx.files.specs + ctx.files.types if file.extension in _SUFFIXES]
    count = 1
    for _ in range(30):
        if count * ctx.attr.shard_size >= len(specs):
            break
        count *= 2
    shards = {}
    for file in specs:
        shards.setdefault(hash(_key(file, roots, outside)) % count, []).append(file)
    return shards

def _listed(ctx, files, form):
    """Arguments in a file of their own, one in each line."""
    args = ctx.actions.args()
    args.add_all(files, expand_directories = False)
    args.use_param_file(form, use_always = True)
    args.set_param_file_format("multiline")
    return args

def _compile(ctx, number, specs, types, config, roots):
    folder = "%s.shards/%d/" % (ctx.label.name, number)
    files = ctx.actions.declare_directory(folder + "files")
    units = ctx.actions.declare_file(folder + "units.json")
    unused = ctx.actions.declare_file("%s.shards/%d.unused" % (ctx.label.name, number))
    head = ctx.actions.args()
    head.add_all(["compile", "--config", config])
    head.add_all(roots, before_each = "--root")
    head.add_all(["--out", units.dirname, "--unused", unused])
    ctx.actions.run(
        mnemonic = "ToolcastCompile",
        progress_message = "Compiling %d tool specs of %s" % (len(specs), ctx.label),
        executable = _toolcast(ctx),
        arguments = [head, _listed(ctx, specs, "@%s"), _listed(ctx, types, "--type=@%s")],
        inputs = depset(specs + types + [config] + ctx.files.data),
        outputs = [unused, files, units],  # what is said in files stands beside the first: not in the step's folder

        # Another action may have compiled a type that no tool of this shard uses: its change is none here.
        unused_inputs_list = unused,
    )
    return struct(files = files, units = units)

def _assemble(ctx, name, units, files, config, options):
    out = ctx.actions.declare_directory(name)
    head = ctx.actions.args()
    head.add_all(["assemble", "--config", config] + options)
    head.add_all(["--out", out.path])
    ctx.actions.run(
        mnemonic = "ToolcastAssemble",
        progress_message = "Assembling the tools of %s" % ctx.label,
        executable = _toolcast(ctx),
        arguments = [head, _listed(ctx, units, "@%s")],
        inputs = depset(units + files + [config] + ctx.files.data),
        outputs = [out],
    )
    return out

def _toolcast_library_impl(ctx):
    config, roots = _config(ctx), _roots(ctx)
    types = [file for file in ctx.files.specs if _below(file, roots).startswith("_types/")] + ctx.files.types
    shards = [
        _compile(ctx, number, specs, types, config, roots)
        for number, specs in sorted(_shards(ctx, roots).items())
    ]
    units, files = [shard.units for shard in shards], [shard.files for shard in shards]
    generated = _assemble(ctx, ctx.label.name, units, files, config, [])
    whole = _assemble(ctx, ctx.label.name + ".whole", units, [], config, ["--only-whole"])
    return [
        DefaultInfo(files = depset([generated]), runfiles = ctx.runfiles(files = [generated])),
        OutputGroupInfo(shards = depset(files), units = depset(units), whole = depset([whole])),
        ToolcastInfo(generated = generated, shards = files, units = units, whole = whole),
    ]

_ATTRS = {
    "specs": attr.label_list(
        allow_files = True,
        mandatory = True,
        doc = "Tool specs and shared types; files with another suffix are passed over.",
    ),
    "types": attr.label_list(
        allow_files = True,
        doc = "Shared types outside the specs folder, in folders that `types` of the configuration names.",
    ),
    "root": attr.string(default = "specs", doc = "The specs folder, below the package."),
    "config": attr.label(
        allow_single_file = [".toml"],
        doc = "A pyproject.toml with [tool.toolcast]; without one, the defaults count.",
    ),
    "data": attr.label_list(
        allow_files = True,
        doc = "What the configuration names: profiles and templates.",
    ),
    "shard_size": attr.int(default = 128, doc = "About how many specs one action compiles."),
    "toolcast": attr.label(
        executable = True,
        cfg = "exec",
        doc = "What runs toolcast; without it, the registered toolchain does.",
    ),
}

_library = rule(
    implementation = _toolcast_library_impl,
    attrs = _ATTRS,
    doc = "Compile specs. The output is one folder that bears the name of the target.",
)

_library_with_toolchain = rule(
    implementation = _toolcast_library_impl,
    attrs = _ATTRS,
    toolchains = [_TOOLCHAIN],
    doc = "The same, with what the registered toolchain runs.",
)

def toolcast_library(name, toolcast = None, **attributes):
    """Compile specs to a folder called `name`.

    Args:
      name: of the target, and of the folder; Python imports it by this name.
      toolcast: an executable that runs toolcast; by default that of the registered toolchain.
      **attributes: specs, types, root, config, data, shard_size, and what every rule has.
    """
    if toolcast == None:
        _library_with_toolchain(name = name, **attributes)
    else:
        _library(name = name, toolcast = toolcast, **attributes)

def _toolcast_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(toolcast = ctx.attr.toolcast[DefaultInfo].files_to_run)]

toolcast_toolchain = rule(
    implementation = _toolcast_toolchain_impl,
    attrs = {"toolcast": attr.label(executable = True, cfg = "exec", mandatory = True)},
    doc = "What runs toolcast; wrap it in a `toolchain` of the type @toolcast_bazel//:toolchain_type.",
)

_LAUNCHER = """#!/bin/sh
# Runs toolcast from the packages that are laid beside this file; nothing else of the machine is imported.
here="$0.runfiles/{workspace}/{package}"
exec "{python}" -E -s -B -c 'import sys; sys.path.insert(0, sys.argv.pop(1))
from toolcast.cli.entry import main
sys.exit(main())' "$here" "$@"
"""

def _toolcast_binary_impl(ctx):
    launcher = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        launcher,
        _LAUNCHER.format(
            package = "/".join([part for part in [ctx.label.package, ctx.attr.folder] if part]),
            python = ctx.attr.python,
            workspace = ctx.label.workspace_name or ctx.workspace_name,
        ),
        is_executable = True,
    )
    return [DefaultInfo(executable = launcher, runfiles = ctx.runfiles(files = ctx.files.packages))]

toolcast_binary = rule(
    implementation = _toolcast_binary_impl,
    attrs = {
        "folder": attr.string(mandatory = True, doc = "The folder of `packages`, below this package."),
        "packages": attr.label_list(allow_files = True, mandatory = True, doc = "toolcast and what it needs."),
        "python": attr.string(default = "/usr/bin/python3", doc = "The interpreter, by its path."),
    },
    executable = True,
    doc = "An executable from installed Python packages.",
)

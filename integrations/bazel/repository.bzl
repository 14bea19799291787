"""toolcast as an external repository: its packages, installed once, as declared inputs of every action.

    load("@toolcast_bazel//:repository.bzl", "toolcast_repository")

    toolcast_repository(
        name = "toolcast",
        python = "/usr/bin/python3.11",
        requirements = "//:toolcast.lock",
    )
    register_toolchains("@toolcast//:toolchain")

Only this step may need a network, for pip. Projects with rules_python can leave it out: there, a
`py_console_script_binary` for `toolcast` is what `toolcast_library` takes.
"""

_BUILD = """\
load("@toolcast_bazel//:defs.bzl", "toolcast_binary", "toolcast_toolchain")

package(default_visibility = ["//visibility:public"])

toolcast_binary(
    name = "toolcast",
    folder = "packages",
    packages = glob(["packages/**"], exclude = {exclude}),
    python = {python},
)

toolcast_toolchain(
    name = "pip",
    toolcast = ":toolcast",
)

toolchain(
    name = "toolchain",
    toolchain = ":pip",
    toolchain_type = "@toolcast_bazel//:toolchain_type",
)
"""

# Where and when a package was installed is nothing that an output depends on.
_EXCLUDE = ["**/*.dist-info/RECORD", "**/*.dist-info/direct_url.json", "**/*.dist-info/REQUESTED", "packages/bin/**"]

def _run(ctx, what, command):
    done = ctx.execute(command, timeout = 1800)
    if done.return_code:
        fail("%s failed:\n%s\n%s" % (what, done.stdout, done.stderr))

def _toolcast_repository_impl(ctx):
    python = ctx.attr.python
    packages = str(ctx.path("packages"))
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    pip += ["--target", packages] + ctx.attr.pip_options
    _run(ctx, "pip", pip + ["--requirement", str(ctx.path(ctx.attr.requirements))])

    # Bytecode that says nothing of where and when: every machine has the same, and no action makes its own.
    compile = [python, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", packages]
    _run(ctx, "compileall", compile + ["-p", "packages", packages])
    ctx.file("WORKSPACE", "workspace(name = %r)\n" % ctx.name)
    ctx.file("BUILD.bazel", _BUILD.format(exclude = repr(_EXCLUDE), python = repr(python)))

toolcast_repository = repository_rule(
    implementation = _toolcast_repository_impl,
    attrs = {
        "python": attr.string(mandatory = True, doc = "The interpreter, by its path; Python 3.11 or newer."),
        "requirements": attr.label(mandatory = True, doc = "What pip installs: toolcast[build], best locked."),
        "pip_options": attr.string_list(doc = "More options for pip, such as --no-index or --require-hashes."),
    },
    doc = "Installs toolcast with pip, and makes an executable and a toolchain of it.",
)

"""A project's own templates: no way out of the sandbox, an end to their work, nothing of theirs is run."""

# ruff: noqa: E501 - a template that is one line stands in one line

from pathlib import Path
from typing import Any

import pytest
from toolcast.languages.python.bindings.templates import TemplateFailedError, Templates
from toolcast.package_files import templates_dir

from tests.sampled import sampled
from tests.security.conftest import Command, put

ESCAPES = {
    "globals": "{{ cycler.__init__.__globals__.os.popen('touch {canary}').read() }}",
    "subclasses": "{{ ''.__class__.__mro__[1].__subclasses__() }}",
    "filter attr": "{{ ()|attr('__class__')|attr('__base__') }}",
    "map attribute": "{{ ([()]|map(attribute='__class__')|first).__mro__ }}",
    "format": "{{ '{0.__class__.__init__.__globals__}'.format(mark) }}",
    "format by attr": "{{ ('{0.__class__}'|attr('format'))(mark) }}",
    "format_map": "{{ '{a.__class__}'.format_map({'a': mark}) }}",
    "namespace": "{{ namespace.__init__.__globals__ }}",
    "self": "{{ self._TemplateReference__context.environment }}",
    "macro": "{% macro m() %}{% endmacro %}{{ m.__init__.__globals__ }}",
    "generator": "{{ (range(3)|map('string')).gi_frame.f_globals }}",
    "change": "{% set x = [] %}{{ x.append(1) }}",
    "environment": "{{ environment.spend(1) }}",
    "context": "{{ context.vars }}",
    "include a file": "{% include '../../outside/secret.txt' %}",
    "include by path": "{% include '/etc/passwd' %}",
}
ENDLESS = {
    "a long range": "{% for i in range(1000000000) %}{% endfor %}",
    "loops in loops": "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    "loops that pass all by": "{% for i in range(99999) %}{% for j in range(99999) if false %}{% endfor %}{% endfor %}",
    "much text": "{% for i in range(99999) %}" + "y" * 10_000 + "{% endfor %}",
    "much text that is kept": "{% set x %}{% for i in range(99999) %}"
    + "y" * 10_000
    + "{% endfor %}{% endset %}",
    "macros": "{% macro f(n) %}{% if n %}{{ f(n-1) }}{{ f(n-1) }}{% endif %}{% endmacro %}{{ f(100) }}",
    "doubled text": "{% set n=namespace(x='a') %}{% for i in range(60) %}{% set n.x=n.x~n.x %}{% endfor %}",
    "added text": "{% set n=namespace(x='a') %}{% for i in range(60) %}{% set n.x=n.x+n.x %}{% endfor %}",
    "doubled lists": "{% set n=namespace(x=[1]) %}{% for i in range(60) %}{% set n.x=[n.x,n.x] %}{% endfor %}{{ n.x }}",
    "compared lists": "{% macro f(a,b,n) %}{% if n %}{{ f([a,a],[b,b],n-1) }}{% else %}{{ a==b }}{% endif %}"
    "{% endmacro %}{{ f([1],[1],60) }}",
    "repeated text": "{{ 'x' * 10**9 }}",
    "a width": "{{ 'x'|center(10**9) }}",
    "a width of a method": "{{ 'x'.ljust(10**9) }}",
    "a width of a format": "{{ '%999999999d'|format(1) }}",
    "a width of an operator": "{{ '%999999999d' % 1 }}",
    "a width as an argument": "{{ '{:{}}'.format(1, 10**9) }}",
    "replaced text": "{% set x='a'*9999 %}{% set y=x|replace('a', x) %}{{ y|replace('a', x) }}",
    "joined text": "{% set x='a'*9999 %}{% set y=x|join(x) %}{{ y|join(x) }}",
    "a fill": "{{ [1]|batch(100000000, 'x')|list }}",
    "a power": "{% set x = 9**99999 %}{{ x ** x }}",
    "itself": "{% include 'package.py.jinja' %}",
    "its own loop": "{% for a in 'abcd' recursive %}{{ loop('abcd') }}{% endfor %}",
}
NORMAL = """\
{%- macro row(tool) %}<{{ tool.name }}>{% endmacro -%}
{% set names = tools|map(attribute='name')|join(', ') -%}
{% for tool in tools if tool.name %}{{ loop.index }}/{{ loop.length }} {{ row(tool) }}{{ ';' if not loop.last }}{% endfor %}
{{ names|upper ~ 1 }} {{ '%s_x'|format('q') }} {{ 3 * 4 }} {{ 'ab' * 2 }} {{ 'a b'.split()|length }} {{ tools[:1]|length }}
{{ none is none }} {{ 'n' in names }} {{ 'x\ny'|indent(2) }} {{ names.replace('a', 'c') }} {{ {'k': 1}.items()|list }}
"""


def rendered(folder: Path, text: str, **values: Any) -> str:
    put(folder / "package.py.jinja", text)
    return Templates(str(folder)).render("package.py.jinja", mark="# mark", **values)


@pytest.mark.parametrize("name", ESCAPES)
def test_a_template_cannot_leave_the_sandbox(tmp_path: Path, name: str) -> None:
    put(tmp_path / "outside" / "secret.txt", "hidden")
    with pytest.raises(TemplateFailedError, match=r"package\.py\.jinja"):
        rendered(tmp_path / "a" / "b", ESCAPES[name].replace("{canary}", str(tmp_path / "canary")))
    assert not (tmp_path / "canary").exists()


@pytest.mark.parametrize("name", sampled(ENDLESS, {*[*ENDLESS][::3]} - {"compared lists"}))  # which takes 2 s
def test_a_template_comes_to_an_end(tmp_path: Path, name: str) -> None:
    with pytest.raises(TemplateFailedError, match=r"package\.py\.jinja"):
        rendered(tmp_path, ENDLESS[name])


def test_a_template_may_use_the_language_of_jinja(tmp_path: Path) -> None:
    tools = [{"name": "a"}, {"name": "b"}]
    assert rendered(tmp_path, NORMAL, tools=tools) == (
        "1/2 <a>;2/2 <b>A, B1 q_x 12 abab 2 1\nTrue False x\n  y c, b [('k', 1)]\n"
    )


def test_a_template_prints_what_the_built_in_one_prints(tmp_path: Path) -> None:
    text = (templates_dir() / "package.py.jinja").read_text("utf-8")
    assert rendered(tmp_path, text) == Templates().render("package.py.jinja", mark="# mark")


def test_the_error_names_the_template_and_the_line(tmp_path: Path) -> None:
    put(tmp_path / "inner.jinja", "1\n\n{{ 1 // 0 }}\n")
    with pytest.raises(TemplateFailedError, match=r"^inner\.jinja:3: ZeroDivisionError: "):
        rendered(tmp_path, "{% include 'inner.jinja' %}")
    with pytest.raises(TemplateFailedError, match=r"^package\.py\.jinja:2: TemplateSyntaxError: "):
        rendered(tmp_path, "1\n{% if %}")


def test_a_link_out_of_the_folder_of_templates_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "outside.jinja", "hidden")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "other.jinja").symlink_to(tmp_path / "outside.jinja")
    with pytest.raises(TemplateFailedError, match="leads out"):
        rendered(tmp_path / "own", "{% include 'other.jinja' %}")


def test_templates_have_a_bound_in_size_and_number(tmp_path: Path) -> None:
    put(tmp_path / "one" / "big.jinja", "x" * 300_000)
    with pytest.raises(TemplateFailedError, match="larger"):
        rendered(tmp_path / "one", "")
    for number in range(300):
        put(tmp_path / "two" / f"{number}.jinja", "")
    with pytest.raises(TemplateFailedError, match="more than"):
        rendered(tmp_path / "two", "")


ADDED = {
    "a statement": ("{{ constant }}: Final", "open({canary!r}, 'w')\n\n{{ constant }}: Final"),
    "a class": ("{{ constant }}: Final", "class A:\n    open({canary!r}, 'w')\n\n\n{{ constant }}: Final"),
    "a default": ("{{ constant }}: Final", "def f(x=open({canary!r}, 'w')): ...\n\n\n{{ constant }}: Final"),
    "another name": (
        "{{ constant }}: Final",
        "from typing import get_type_hints as ToolBinding\n{{ constant }}: Final",
    ),
    "a decorator": ("\n\nclass {{ handler }}", "\n\n@open({canary!r}, 'w')\nclass {{ handler }}"),
    "a handler": ("(Protocol):", "(Protocol):\n    open({canary!r}, 'w')"),
    "an annotation": ("Final[ToolBinding", "open({canary!r}, 'w') or Final[ToolBinding"),
}
INSIDE = {
    "options of a class": ("class {{ item.name }}(", "class {{ item.name }}(**open({canary!r}, 'w'), "),
    "the head of the checks": ("def __post_init__(self)", "def __post_init__(self, x=open({canary!r}, 'w'))"),
    "the type of the checks": ("(self) -> None:", "(self) -> open({canary!r}, 'w'):"),
    "a decorator of the checks": (
        "    def __post_init__",
        "    @open({canary!r}, 'w')\n    def __post_init__",
    ),
}
COMMANDS = (
    *("generate --check", "generate --dry-run", "generate --diff", "generate"),
    *("show read", "verify", "stubs", "lint"),
)


@pytest.mark.parametrize("command", sampled(COMMANDS, ["generate", "show read", "verify"]))
def test_nothing_that_a_template_adds_to_a_module_is_run(
    checkout: Path, audited: Command, tmp_path: Path, command: str
) -> None:
    canary = tmp_path / "canary"
    source = (templates_dir() / "tool.py.jinja").read_text("utf-8")
    for old, new in ADDED.values():
        if old in source:
            source = source.replace(old, new.replace("{canary!r}", repr(str(canary))), 1)
    assert str(canary) in source
    put(checkout / "own" / "tool.py.jinja", source)
    put(checkout / "own" / "stub.py.jinja", "import os\nos.system('true')\n")
    put(checkout / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\ntemplates = "own"\n')
    done = audited(checkout, *command.split())
    assert not canary.exists(), done.output
    assert done.made("run") == []
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    "command", sampled(["generate --check", "verify", "show read"], ["generate --check"])
)
@pytest.mark.parametrize("name", sampled(INSIDE, ["options of a class", "a decorator of the checks"]))
def test_nothing_that_a_template_adds_to_a_definition_is_run(
    checkout: Path, audited: Command, tmp_path: Path, name: str, command: str
) -> None:
    canary = tmp_path / "canary"
    old, new = INSIDE[name]
    changed = 0
    for template in ("tool.py.jinja", "type.py.jinja", "_definitions.jinja"):
        source = (templates_dir() / template).read_text("utf-8")
        changed += old in source
        put(checkout / "own" / template, source.replace(old, new.replace("{canary!r}", repr(str(canary)))))
    assert changed, name
    put(checkout / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\ntemplates = "own"\n')
    done = audited(checkout, *command.split())
    assert not canary.exists(), done.output
    assert "Traceback" not in done.output
    if command != "verify":
        assert "unsound-module" in done.output


def test_a_failing_template_is_reported_with_its_place(checkout: Path, audited: Command) -> None:
    put(checkout / "own" / "tool.py.jinja", "{{ mark }}\n{{ [][1].x }}")
    put(checkout / "own" / "stub.py.jinja", "\n{{ 1 // 0 }}")
    put(checkout / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\ntemplates = "own"\n')
    done = audited(checkout, "generate", "--check")
    assert done.status == 1
    assert "template-failed" in done.output
    assert "tool.py.jinja:2" in done.output
    (checkout / "own" / "tool.py.jinja").unlink()
    done = audited(checkout, "stubs")
    assert done.status == 1
    assert "stub.py.jinja:2: ZeroDivisionError" in done.output
    put(checkout / "pyproject.toml", '[tool.toolcast]\nproviders = ["mcp"]\ntemplates = "gone"\n')
    done = audited(checkout, "generate")
    assert done.status == 1
    assert "pyproject.toml:3:1: error[templates-missing]: there is no folder 'gone'" in done.output
    assert "internal-error" not in done.output

"""The templates, built in or overridden by file name. With overrides they run in a sandbox.

Jinja's `ImmutableSandboxedEnvironment` keeps templates from Python's own attributes and from changing values.
It does not bound their work. Here each turn of a loop, each call, each value that is set, compared or
filtered, and each character that is printed costs units of one budget per rendering; and no expression yields
a value that weighs more than `_LARGEST`. What could yield more is refused before it is computed, from the
sizes of its operands.
"""

# The methods of Jinja's code generator are named after its nodes.
# ruff: noqa: N802
import math
import os
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment, FunctionLoader, StrictUndefined, nodes, pass_context
from jinja2.compiler import CodeGenerator, Frame
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.runtime import Context
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ....jsonschema.json_values import JsonObject
from ....package_files import templates_dir

_BUDGET = 1 << 27
"""Units that one rendering may spend. One character costs one."""
_LARGEST = 1 << 25
"""Units that one value may weigh."""
_OPTIONS: JsonObject = {
    "undefined": StrictUndefined,
    "autoescape": False,  # Python source, and every string arrives as a literal
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
    "auto_reload": False,
}
"""Jinja's options for all templates, built in or not."""
_STEP = 16  # a turn of a loop, and an element of a list
_CALL = 512
_GLOBALS = ("cycler", "dict", "joiner", "namespace", "range")
_UNFIT = ("random", "urlize", "pprint")
"""Filters that are no use for source text, and yield other bytes each time or need much work."""
_WIDE = frozenset({"center", "expandtabs", "ljust", "rjust", "zfill", "format", "format_map", "%"})
_NUMBER = re.compile(r"[0-9]{1,20}")


class _Budget:
    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = _BUDGET


_budget: ContextVar[_Budget | None] = ContextVar("toolcast template budget", default=None)


def _spend(units: int) -> None:
    """Spend units; raise SecurityError when none are left. Work before rendering costs nothing."""
    budget = _budget.get()
    if budget is not None:
        budget.left -= units
        if budget.left < 0:
            raise SecurityError("the template does more than a template may: it loops or prints too much")


def _weight(value: object, *, numbers: bool = False) -> int:
    """The cost of a value as it would be printed, at any depth; hardly more than `_LARGEST`. With `numbers`,
    each number counts by its value, also in text: it may be a width.
    """
    total, queue = 0, [value]
    while queue and total <= _LARGEST:
        each = queue.pop()
        total += _STEP
        if isinstance(each, (str, bytes)):
            total += len(each)
            if numbers and isinstance(each, str):
                total += sum(map(int, _NUMBER.findall(each)))
        elif isinstance(each, (list, tuple, set, frozenset)):
            queue += each
        elif isinstance(each, dict):
            queue += each
            queue += each.values()
        elif numbers and isinstance(each, int):
            total += abs(each)
    return total


def _require_size(size: int) -> None:
    if size > _LARGEST:
        raise SecurityError("the template makes a value that is too large")


def _held(value: object) -> object:
    """A value that may be kept or compared, paid for by its size."""
    size = _weight(value)
    _require_size(size)
    _spend(size)
    return value


def _require_product(name: str, value: object, operands: Iterable[object]) -> None:
    """Bound the result of an operation on `value` by the product of the sizes."""
    numbers = name in _WIDE
    sizes = [_weight(value, numbers=numbers)]
    sizes += [abs(each) if isinstance(each, int) else _weight(each, numbers=numbers) for each in operands]
    _spend(sum(min(size, _LARGEST) for size in sizes))
    _require_size(math.prod(max(size, 1) for size in sizes))


def _bounded(name: str, function: Any) -> Callable[..., object]:
    """A filter or test that looks at the sizes of its arguments first."""
    first = int(getattr(function, "jinja_pass_arg", None) is not None)

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        values = [list(each) if isinstance(each, Iterator) else each for each in args[first:]]
        if values:
            _require_product(name, values[0], (*values[1:], *options.values()))
        return function(*args[:first], *values, **options)

    return call


class _Counting(CodeGenerator):
    """A code generator that adds the counting of work to the compiled template."""

    def visit_Output(self, node: nodes.Output, frame: Frame) -> None:
        size = sum(len(child.data) for child in node.nodes if isinstance(child, nodes.TemplateData))
        self.writeline(f"environment.spend({size + 1})", node)
        super().visit_Output(node, frame)

    def visit_For(self, node: nodes.For, frame: Frame) -> None:
        if node.recursive:
            raise TemplateSyntaxError("recursive loops are not for templates of tools", node.lineno)
        node.iter = _through("turns", node.iter)
        super().visit_For(node, frame)

    def visit_Assign(self, node: nodes.Assign, frame: Frame) -> None:
        node.node = _through("held", node.node)
        super().visit_Assign(node, frame)

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        node.expr = _through("held", node.expr)
        for operand in node.ops:
            operand.expr = _through("held", operand.expr)
        super().visit_Compare(node, frame)

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        if isinstance(node.arg, nodes.Slice):
            node.node = _through("held", node.node)
        super().visit_Getitem(node, frame)

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        self.visit(_through("joined", *node.nodes), frame)


def _through(name: str, *expressions: nodes.Node) -> nodes.Call:
    made = nodes.Call(nodes.EnvironmentAttribute(name), [*expressions], [], None, None)
    made.set_lineno(expressions[0].lineno)
    environment = expressions[0].environment
    assert environment is not None
    made.set_environment(environment)
    return made


class BoundedSandbox(ImmutableSandboxedEnvironment):
    """Jinja's immutable sandbox with a budget, which counts inside of `rendering` only."""

    code_generator_class = _Counting
    intercepted_binops = frozenset({"+", "*", "**", "%"})

    def __init__(self, loader: BaseLoader) -> None:
        super().__init__(
            loader=loader,
            optimized=False,  # an expression is not computed before it is counted
            finalize=self._printed,
            **_OPTIONS,
        )
        self.globals = {name: self.globals[name] for name in _GLOBALS}
        self.filters = {
            name: _bounded(name, each) for name, each in self.filters.items() if name not in _UNFIT
        }
        self.tests = {name: _bounded(name, each) for name, each in self.tests.items()}

    @contextmanager
    def rendering(self) -> Generator[None]:
        """Count the rendering inside of this context against one budget."""
        token = _budget.set(_Budget())
        try:
            yield
        finally:
            _budget.reset(token)

    @pass_context
    def _printed(self, _context: Context, value: object) -> object:
        return self.printed(_held(value))

    def printed(self, value: object) -> object:
        """Return what an expression prints for its value."""
        return value

    def spend(self, units: int) -> None:
        """Pay for literal text. Raises SecurityError when the budget is spent."""
        _spend(units)

    def held(self, value: object) -> object:
        """Pay for a value by its size and return it. Raises SecurityError where it is too large."""
        return _held(value)

    def turns(self, items: Iterable[object]) -> Iterator[object]:
        """Yield items, paying for each."""
        for item in items:
            _spend(_STEP)
            yield item

    def joined(self, *parts: object) -> str:
        """Evaluate the operator `~`."""
        _held(parts)
        return "".join(map(str, parts))

    def call(__self, __context: Context, __obj: object, *args: object, **kwargs: object) -> Any:  # noqa: N805 - as Jinja has it
        _spend(_CALL)
        owner = getattr(__obj, "__self__", None)
        if isinstance(owner, (str, bytes, list, tuple, dict)):
            _require_product(str(getattr(__obj, "__name__", "")), owner, (*args, *kwargs.values()))
        elif owner is not __self:
            _held((args, kwargs))
        return super().call(__context, __obj, *args, **kwargs)

    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        if operator == "+":
            _held((left, right))
        elif isinstance(left, int) and isinstance(right, int):
            _require_size(left.bit_length() * (abs(right) if operator == "**" else 1))
            _spend(right.bit_length() + left.bit_length())
        else:
            _require_product(operator, left, (right,))
        return super().call_binop(context, operator, left, right)


Overrides = str | tuple[tuple[str, str], ...]
"""Templates that replace built-in ones of the same name: the files of a folder, or names and texts."""

_MAX_TEMPLATE = 256 * 1024
"""Bytes of one template of a project."""
_MAX_TEMPLATES = 256
"""Templates that a project may have."""


class TemplateFailedError(ValueError):
    """A template cannot be read, compiled or rendered; the message names it and the reason."""


class Templates:
    """Templates that are compiled on first use. An unknown variable is an error, never an empty string."""

    def __init__(self, overrides: Overrides = ()) -> None:
        """Read the templates. Raises TemplateFailedError for a folder that cannot be read."""
        texts = {path.name: path.read_text(encoding="utf-8") for path in templates_dir().glob("*.jinja")}
        texts.update(read_templates(Path(overrides)) if isinstance(overrides, str) else overrides)

        def load(name: str) -> tuple[str, str, Callable[[], bool]] | None:
            return (texts[name], name, lambda: True) if name in texts else None

        loader = FunctionLoader(load)
        self._sandbox = BoundedSandbox(loader) if overrides else None
        self._environment = self._sandbox or Environment(loader=loader, **_OPTIONS)

    def load(self, *names: str) -> None:
        """Compile templates now, so that processes that are forked later have them."""
        for name in names:
            self._environment.get_template(name)

    def render(self, name: str, **values: object) -> str:
        """Render a template. Raises TemplateFailedError, which names the template and line."""
        try:
            with self._sandbox.rendering() if self._sandbox else nullcontext():
                return self._environment.get_template(name).render(**values)
        except Exception as error:  # whatever the project's template does wrong
            raise failed_template(name, error) from error


def read_templates(folder: Path, *, staged: bool = False) -> tuple[tuple[str, str], ...]:
    """Read a project's templates: names (posix, below `folder`) and texts, sorted by name.

    Raise TemplateFailedError for a folder or file that cannot be read, for what is too large, and for a link
    that leads out of the folder: its target would be printed into the output. `staged`: a build engine made
    the links.
    """
    if not folder.is_dir():
        raise TemplateFailedError(f"there is no folder {folder.name!r} of templates")
    paths = sorted(folder.rglob("*.jinja"))
    if len(paths) > _MAX_TEMPLATES:
        raise TemplateFailedError(f"{folder.name} holds more than {_MAX_TEMPLATES} templates")
    root = os.path.realpath(folder)
    return tuple((path.relative_to(folder).as_posix(), _text(path, root, staged=staged)) for path in paths)


def _text(path: Path, root: str, *, staged: bool) -> str:
    target = os.path.realpath(path)
    if not staged and not target.startswith(root + os.sep):
        raise TemplateFailedError(f"{path.name}: this link leads out of the folder of templates")
    if not Path(target).is_file():
        raise TemplateFailedError(f"{path.name}: the template is no file")
    try:
        with open(target, "rb") as file:  # noqa: PTH123 - beside `realpath`
            data = file.read(_MAX_TEMPLATE + 1)
        if len(data) > _MAX_TEMPLATE:
            raise TemplateFailedError(f"{path.name}: larger than {_MAX_TEMPLATE} bytes")
        return data.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TemplateFailedError(f"{path.name}: the template cannot be read: {error}") from error


def failed_template(name: str, error: Exception) -> TemplateFailedError:
    """An error with the innermost template and line that it passed."""
    place, trace = name, error.__traceback__
    while trace is not None:
        if (file := trace.tb_frame.f_code.co_filename).endswith(".jinja"):
            place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    if (line := getattr(error, "lineno", None)) is not None:  # of a syntax error
        place = f"{getattr(error, 'name', None) or name}:{line}"
    return TemplateFailedError(f"{place}: {type(error).__name__}: {str(error)[:300]}")

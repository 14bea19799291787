"""The reference toolset: a registry with the handlers of this package, and its policy."""

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Final, TypeAlias

from toolcast.runtime import ToolRegistry
from toolcast.runtime.middleware.policy import Approver, Policy, RateLimit

from .generated.data.data_analysis import DATA_ANALYSIS
from .generated.files.edit import EDIT
from .generated.files.file_read import FILE_READ
from .generated.files.file_write import FILE_WRITE
from .generated.files.glob import GLOB
from .generated.files.grep import GREP
from .generated.files.multi_edit import MULTI_EDIT
from .generated.knowledge.get_document_info import GET_DOCUMENT_INFO
from .generated.knowledge.knowledge_search import KNOWLEDGE_SEARCH
from .generated.memory.memory_recall import MEMORY_RECALL
from .generated.memory.memory_store import MEMORY_STORE
from .generated.schedule.cron_add import CRON_ADD
from .generated.schedule.cron_list import CRON_LIST
from .generated.shell.bash import BASH
from .generated.shell.bash_process import BASH_PROCESS
from .generated.web.http_request import HTTP_REQUEST
from .generated.web.web_fetch import WEB_FETCH
from .generated.web.web_search import WEB_SEARCH
from .output_limit import OUTPUT_LIMIT

if TYPE_CHECKING:
    from toolcast.runtime.middleware.events import Hooks
    from toolcast.runtime.middleware.policy.approval import Freedom
    from toolcast.runtime.middleware.secrets import Resolver, Secrets

    from .agents import Agents
    from .data import Data
    from .knowledge import Knowledge
    from .memory import Memory
    from .schedule import Schedule
    from .shell import Shell
    from .web import Web

_StrPath: TypeAlias = str | os.PathLike[str]

TIMEOUTS: Final[Mapping[str, float]] = {
    **dict.fromkeys(("bash", "bash_process"), 630.0),
    "http_request": 330.0,
    "web_fetch": 210.0,
    **dict.fromkeys(("web_search", "data_analysis", "grep", "glob"), 90.0),
    **dict.fromkeys(("file_read", "file_write", "edit", "multi_edit"), 60.0),
    **dict.fromkeys(("memory_store", "memory_recall", "cron_add", "cron_list"), 60.0),
    **dict.fromkeys(("knowledge_search", "get_document_info"), 60.0),
    "delegate": 3660.0,
}
"""Seconds that a call of each tool may take. The handlers have limits of their own, which say what to do
instead; these are longer, and end a call whose handler does not return."""

SHAPES: "Final[Mapping[str, Mapping[str, Freedom]]]" = {
    "bash": {"timeout": "any"},
    "bash_process": {"timeout": "any", "block": "any"},
    "http_request": {"timeout": "any"},
    "web_fetch": {"max_length": "any", "start_index": "any"},
    "web_search": {"max_results": "any"},
}
"""Parameters that only bound a call: an *always* covers calls with another value of them."""


def supervision(approver: Approver | None = None, *, total_limit: RateLimit | None = None) -> Policy:
    """Make the policy of this toolset: tools that read run, all others are asked for.

    Args:
        approver: whom to ask; None for nobody: such calls are denied, or wait where a run can pause.
        total_limit: the limit of all tools together; None for none.

    Returns:
        A new policy. It remembers what is answered *always*, so each registry has its own.
    """
    return Policy("supervised", approver=approver, shapes=SHAPES, total_limit=total_limit)


def toolset(
    folder: _StrPath = ".",
    *,
    policy: Policy | None = None,
    secrets: "Secrets | Resolver | None" = None,
    hooks: "Hooks | Iterable[Hooks] | None" = None,
    timeouts: Mapping[str, float] | None = None,
    shell: "Shell | bool" = True,
    web: "Web | bool" = True,
    data: "Data | bool" = True,
    memory: "Memory | _StrPath | None" = None,
    knowledge: "Knowledge | Mapping[str, _StrPath] | None" = None,
    schedule: "Schedule | None" = None,
    agents: "Agents | None" = None,
) -> ToolRegistry:
    """Make a registry with the tools of this package that the program provides for.

    The registry owns the handlers that are made or handed over here: its `aclose` ends processes and closes
    files. A `Workspace` that the program opened for them stays open: the program closes it afterwards.

    Args:
        folder: the workspace: what the file tools see, and where commands run.
        policy: which calls may run; by default `supervision()`, which has nobody to ask.
        secrets: resolves `<secret_ref:NAME>`; None for no secrets.
        hooks: one object or several that observe every step of a call.
        timeouts: seconds by tool name, in place of those of `TIMEOUTS`: for handlers with longer limits.
        shell: handlers of bash and bash_process; True for the defaults, False for no such tools.
        web: handlers of http_request and web_fetch, and of web_search where it has a search engine; True for
            the defaults, without one.
        data: the handler of data_analysis; True for the defaults.
        memory: handlers of memory_store and memory_recall, or the path of a file for them; None for no such
            tools.
        knowledge: handlers of knowledge_search and get_document_info, or folders by the names of their
            collections; None for no such tools.
        schedule: handlers of cron_add and cron_list; None for no such tools. The program starts it.
        agents: the handler of delegate, offered with the names of the agents that there are now; None for no
            such tool.

    Returns:
        The registry. Results have at most `OUTPUT_LIMIT` characters and are checked against their contracts,
        and calls end after `TIMEOUTS`. For other options of `ToolRegistry` (guesses, attempts, worker
        threads, another limit of output), make one and register the handlers, as this function does.

    Raises:
        NotImplementedError: the system lacks what the handlers promise (Windows).
        ImportError: a library is missing: `pip install 'toolcast[tools]'`.
        ValueError: `folder` is none, or `agents` has no agent.
        RefusalError: the file of the memory cannot be used.
    """
    from .files import Files

    registry = ToolRegistry(
        policy=supervision() if policy is None else policy,
        secrets=secrets,
        hooks=hooks,
        timeout={**TIMEOUTS, **(timeouts or {})},
        output_limit=OUTPUT_LIMIT,
        check_results=True,
    )
    # Registered first, and so released last: the others use its workspace.
    files = Files(folder)
    registry.register(FILE_READ, files.file_read)
    registry.register(FILE_WRITE, files.file_write)
    registry.register(EDIT, files.edit)
    registry.register(MULTI_EDIT, files.multi_edit)
    registry.register(GLOB, files.glob)
    registry.register(GREP, files.grep)
    with ExitStack() as failed:
        failed.callback(files.close)  # and whatever else is opened here
        if shell is not False:
            from .shell import Shell

            commands = Shell(files.workspace) if shell is True else shell
            registry.register(BASH, commands.bash)
            registry.register(BASH_PROCESS, commands.bash_process)
        if web is not False:
            from .web import Web

            pages = Web() if web is True else web
            registry.register(HTTP_REQUEST, pages.http_request)
            registry.register(WEB_FETCH, pages.web_fetch)
            if pages.can_search:
                registry.register(WEB_SEARCH, pages.web_search)
        if data is not False:
            from .data import Data

            tables = Data(files.workspace) if data is True else data
            registry.register(DATA_ANALYSIS, tables.data_analysis)
        if memory is not None:
            from .memory import Memory

            if not isinstance(memory, Memory):
                memory = failed.enter_context(closing(Memory(memory)))
            registry.register(MEMORY_STORE, memory.memory_store)
            registry.register(MEMORY_RECALL, memory.memory_recall)
        if knowledge is not None:
            from .knowledge import Knowledge

            if not isinstance(knowledge, Knowledge):
                knowledge = failed.enter_context(closing(Knowledge(knowledge)))
            registry.register(KNOWLEDGE_SEARCH, knowledge.knowledge_search)
            registry.register(GET_DOCUMENT_INFO, knowledge.get_document_info)
        if schedule is not None:
            registry.register(CRON_ADD, schedule.cron_add)
            registry.register(CRON_LIST, schedule.cron_list)
        if agents is not None:
            registry.register(agents.binding(), agents.delegate)
        failed.pop_all()
    return registry

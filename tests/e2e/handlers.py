"""Handlers for the whole reference toolset: real ones for files, stand-ins for what needs a world outside."""

# ruff: noqa: ARG001, ARG002 - a handler's signature is fixed, whatever it uses

from pathlib import Path

from toolcast.runtime import ToolContext, ToolRegistry, ToolResult

from generated._types.cron_job import CronJob
from generated._types.memory_item import MemoryItem
from generated._types.process_state import ProcessState
from generated.agents.delegate import DelegateParams, DelegateResult
from generated.data.data_analysis import DataAnalysisParams, DataAnalysisResult
from generated.files.edit import EditParams, EditResult
from generated.files.file_read import FileReadParams, FileReadResult
from generated.files.file_write import FileWriteParams, FileWriteResult
from generated.files.glob import GlobParams, GlobResult
from generated.files.grep import GrepParams, GrepResult, GrepResultMatchesItem
from generated.files.multi_edit import MultiEditParams, MultiEditResult
from generated.knowledge.get_document_info import GetDocumentInfoParams
from generated.knowledge.knowledge_search import KnowledgeSearchParams, KnowledgeSearchResult
from generated.memory.memory_recall import MemoryRecallParams, MemoryRecallResult
from generated.memory.memory_store import MemoryStoreParams
from generated.registry import register_all
from generated.schedule.cron_add import CronAddParams
from generated.schedule.cron_list import CronListParams, CronListResult
from generated.shell.bash import BashParams
from generated.shell.bash_process import BashProcessParams
from generated.web.http_request import HttpRequestBodyJson, HttpRequestParams, HttpRequestResult
from generated.web.web_fetch import WebFetchParams
from generated.web.web_search import WebSearchParams, WebSearchResult


def file_read(params: FileReadParams, context: ToolContext) -> FileReadResult | ToolResult:
    path = Path(params.file_path)
    if not path.is_file():
        return ToolResult.failed(f"{path} is no file; use glob to find one.")
    lines = path.read_text(params.encoding).splitlines(keepends=True)
    first, last = params.line_range or (1, len(lines))
    shown = lines[first - 1 : last]
    return FileReadResult(
        content="".join(shown), first_line=first, last_line=min(last, len(lines)), total_lines=len(lines)
    )


async def file_write(params: FileWriteParams, context: ToolContext) -> FileWriteResult | ToolResult:
    path = Path(params.file_path)
    created = not path.exists()
    if params.mode == "create" and not created:
        return ToolResult.failed(f"{path} exists; use mode overwrite to replace it.")
    with path.open("a" if params.mode == "append" else "w", encoding="utf-8") as file:
        written = file.write(params.content)
    return FileWriteResult(bytes_written=written, created=created)


def edit(params: EditParams, context: ToolContext) -> EditResult | ToolResult:
    path = Path(params.file_path)
    text = path.read_text("utf-8")
    found = text.count(params.old_string)
    if found != 1 and not params.replace_all:
        return ToolResult.failed(f"old_string occurs {found} times; make it unique, or set replace_all.")
    path.write_text(text.replace(params.old_string, params.new_string), "utf-8")
    return EditResult(replacements=found, snippet=params.new_string)


class MultiEdit:
    """A handler may be an object, and may look at a call before it is made."""

    def precheck(self, params: MultiEditParams, context: ToolContext) -> str | None:
        return None if Path(params.file_path).is_file() else f"{params.file_path} is no file."

    async def __call__(self, params: MultiEditParams, context: ToolContext) -> MultiEditResult:
        path = Path(params.file_path)
        text = path.read_text("utf-8")
        for each in params.edits:
            text = text.replace(each.old_string, each.new_string, -1 if each.replace_all else 1)
        if not params.dry_run:
            path.write_text(text, "utf-8")
        return MultiEditResult(applied=len(params.edits), diff=text)


def glob(params: GlobParams, context: ToolContext) -> GlobResult:
    found = sorted(str(path) for path in Path(params.path or ".").glob(params.pattern))
    return GlobResult(paths=found[: params.limit], total=len(found))


def grep(params: GrepParams, context: ToolContext) -> GrepResult:
    matches = [
        GrepResultMatchesItem(path=str(path), line=number, text=line)
        for path in sorted(Path(params.path or ".").rglob(params.glob or "*"))
        if path.is_file()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if params.pattern in line
    ]
    return GrepResult(matches=matches[: params.limit], truncated=len(matches) > params.limit)


def bash(params: BashParams, context: ToolContext) -> ProcessState | str:
    if params.run_in_background:
        return ProcessState(process_id="bash_1", status="running")
    return f"$ {params.command}"


async def bash_process(params: BashProcessParams, context: ToolContext) -> ProcessState:
    return ProcessState(process_id=params.process_id, status="exited", exit_code=0)


def http_request(params: HttpRequestParams, context: ToolContext) -> HttpRequestResult:
    body = params.body
    echoed = repr(body.value) if isinstance(body, HttpRequestBodyJson) else None
    return HttpRequestResult(status=200, url=params.url, headers={"x-method": params.method}, body=echoed)


def web_fetch(params: WebFetchParams, context: ToolContext) -> str:
    return f"content of {params.url}"


def web_search(params: WebSearchParams, context: ToolContext) -> WebSearchResult:
    return WebSearchResult(results=[])


def memory_store(params: MemoryStoreParams, context: ToolContext) -> MemoryItem:
    raise RuntimeError("the database password is hunter2")


def memory_recall(params: MemoryRecallParams, context: ToolContext) -> MemoryRecallResult:
    return MemoryRecallResult(memories=[])


def knowledge_search(params: KnowledgeSearchParams, context: ToolContext) -> KnowledgeSearchResult:
    return KnowledgeSearchResult(passages=[])


def get_document_info(params: GetDocumentInfoParams, context: ToolContext) -> ToolResult:
    return ToolResult.failed(f"There is no document {params.document_id}.")


def data_analysis(params: DataAnalysisParams, context: ToolContext) -> DataAnalysisResult:
    return DataAnalysisResult(result_id="r1", columns=[], row_count=len(params.steps))


def delegate(params: DelegateParams, context: ToolContext) -> DelegateResult:
    return DelegateResult(status="completed", report=params.task)


def cron_add(params: CronAddParams, context: ToolContext) -> CronJob | ToolResult:
    return ToolResult.failed(f"{params.name} is taken; choose another name.")


def cron_list(params: CronListParams, context: ToolContext) -> CronListResult:
    return CronListResult(jobs=[])


def register(registry: ToolRegistry) -> None:
    register_all(
        registry,
        bash=bash,
        bash_process=bash_process,
        cron_add=cron_add,
        cron_list=cron_list,
        data_analysis=data_analysis,
        delegate=delegate,
        edit=edit,
        file_read=file_read,
        file_write=file_write,
        get_document_info=get_document_info,
        glob=glob,
        grep=grep,
        http_request=http_request,
        knowledge_search=knowledge_search,
        memory_recall=memory_recall,
        memory_store=memory_store,
        multi_edit=MultiEdit(),
        web_fetch=web_fetch,
        web_search=web_search,
    )

"""The reference toolset's parameters as one would write them by hand: types and defaults, and no checks.

They are the yardstick of `bench.decode`: what msgspec costs where nobody asks whether the values are right.
"""

from typing import Any, Literal

from msgspec import Struct, field


class Bash(Struct, kw_only=True):
    command: str
    description: str | None = None
    timeout: int | float = 60
    run_in_background: bool = False
    env: dict[str, str] = {}


class BashProcess(Struct, kw_only=True):
    process_id: str
    block: bool = False
    timeout: int | float = 30
    stop: bool = False


class CronAddNotifyItem(Struct, kw_only=True):
    channel: Literal["chat", "email", "webhook"]
    target: str
    when: Literal["always", "failure", "success"] = "failure"


class CronAdd(Struct, kw_only=True):
    name: str
    schedule: str
    timezone: str = "UTC"
    prompt: str
    until: str | None = None
    max_runs: int | None = None
    enabled: bool = True
    notify: list[CronAddNotifyItem] = []
    metadata: dict[str, str] = {}


class CronList(Struct, kw_only=True):
    status: Literal["all", "disabled", "enabled"] = "enabled"
    name_contains: str | None = None
    metadata: dict[str, str] = {}
    limit: int = 50
    cursor: str | None = None


class DataAnalysisSourceFile(Struct, kw_only=True, tag_field="kind", tag="file"):
    file_path: str
    format: Literal["auto", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"] = "auto"
    sheet: str | None = None


class DataAnalysisSourceInline(Struct, kw_only=True, tag_field="kind", tag="inline"):
    columns: list[str]
    rows: list[list[str | int | float | bool | None]]


class DataAnalysisSourceResult(Struct, kw_only=True, tag_field="kind", tag="result"):
    result_id: str


class Condition(Struct, kw_only=True):
    field: str
    op: Literal["contains", "eq", "ge", "gt", "in", "is_null", "le", "lt", "ne", "starts_with"]
    value: str | int | float | bool | list[str | int | float | bool] | None = None


class Filter(Struct, kw_only=True):
    where: list[Condition] | None = None
    all: "list[Filter] | None" = None
    any: "list[Filter] | None" = None
    not_: "Filter | None" = field(default=None, name="not")


class DataAnalysisStepsItemFilter(Struct, kw_only=True, tag_field="op", tag="filter"):
    filter: Filter


class DataAnalysisStepsItemSelect(Struct, kw_only=True, tag_field="op", tag="select"):
    columns: list[str]
    rename: dict[str, str] | None = None


class DataAnalysisStepsItemDerive(Struct, kw_only=True, tag_field="op", tag="derive"):
    column: str
    expression: str


class DataAnalysisStepsItemFill(Struct, kw_only=True, tag_field="op", tag="fill"):
    column: str
    value: str | int | float | bool | None


class DataAnalysisStepsItemGroupAggregatesItem(Struct, kw_only=True):
    function: Literal["count", "distinct", "max", "mean", "median", "min", "std", "sum"]
    column: str
    as_: str | None = field(default=None, name="as")


class DataAnalysisStepsItemGroup(Struct, kw_only=True, tag_field="op", tag="group"):
    by: list[str]
    aggregates: list[DataAnalysisStepsItemGroupAggregatesItem]


class DataAnalysisStepsItemSortKeysItem(Struct, kw_only=True):
    column: str
    descending: bool = False


class DataAnalysisStepsItemSort(Struct, kw_only=True, tag_field="op", tag="sort"):
    keys: list[DataAnalysisStepsItemSortKeysItem]


class DataAnalysisStepsItemLimit(Struct, kw_only=True, tag_field="op", tag="limit"):
    count: int
    offset: int = 0


class DataAnalysisChart(Struct, kw_only=True):
    type: Literal["bar", "histogram", "line", "scatter"]
    x: str
    y: list[str]
    title: str | None = None
    size: tuple[int, int] | None = None


class DataAnalysis(Struct, kw_only=True):
    source: DataAnalysisSourceFile | DataAnalysisSourceInline | DataAnalysisSourceResult
    steps: list[
        DataAnalysisStepsItemFilter
        | DataAnalysisStepsItemSelect
        | DataAnalysisStepsItemDerive
        | DataAnalysisStepsItemFill
        | DataAnalysisStepsItemGroup
        | DataAnalysisStepsItemSort
        | DataAnalysisStepsItemLimit
    ] = []
    output: Literal["chart", "rows", "schema", "summary"] = "rows"
    chart: DataAnalysisChart | None = None
    max_rows: int = 100
    decimals: Literal[0, 1, 2, 3, 4, 6, 8] = 4


class DelegateAttachmentsItem(Struct, kw_only=True):
    file_path: str
    note: str | None = None
    access: Literal["read", "write"] = "read"


class DelegateLimits(Struct, kw_only=True):
    steps: int = 40
    seconds: int | float | None = None
    cost_usd: int | float | None = None


class Delegate(Struct, kw_only=True):
    agent: str
    task: str
    context: dict[str, Any] | None = None
    attachments: list[DelegateAttachmentsItem] = []
    limits: DelegateLimits | None = None
    run_in_background: bool = False


class Edit(Struct, kw_only=True):
    file_path: str
    old_string: str
    new_string: str
    replace_all: bool = False


class FileRead(Struct, kw_only=True):
    file_path: str
    line_range: tuple[int, int] | None = None
    encoding: Literal["latin-1", "utf-16", "utf-8"] = "utf-8"


class FileWrite(Struct, kw_only=True):
    file_path: str
    content: str
    mode: Literal["append", "create", "overwrite"] = "overwrite"
    permissions: str | None = None


class GetDocumentInfo(Struct, kw_only=True):
    document_id: str
    include: list[Literal["links", "outline", "versions"]] = []
    outline_depth: Literal[1, 2, 3] = 2
    version: int | None = None


class Glob(Struct, kw_only=True):
    pattern: str
    path: str | None = None
    exclude: list[str] = field(default_factory=lambda: [".git", "node_modules", ".venv"])
    include_hidden: bool = False
    sort: Literal["modified", "name", "size"] = "modified"
    limit: int = 200


class GrepContext(Struct, kw_only=True):
    before: int = 0
    after: int = 0


class Grep(Struct, kw_only=True):
    pattern: str
    path: str | None = None
    glob: str | None = None
    file_types: list[str] = []
    output: Literal["count", "files", "lines"] = "files"
    context: GrepContext | None = None
    ignore_case: bool = False
    multiline: bool = False
    limit: int = 250


class HttpRequestBodyJson(Struct, kw_only=True, tag_field="kind", tag="json"):
    value: Any


class HttpRequestBodyForm(Struct, kw_only=True, tag_field="kind", tag="form"):
    fields: dict[str, str]


class HttpRequestBodyText(Struct, kw_only=True, tag_field="kind", tag="text"):
    text: str
    content_type: str = "text/plain"


class HttpRequest(Struct, kw_only=True):
    url: str
    method: Literal["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"] = "GET"
    headers: dict[str, str] = {}
    query: dict[str, str | int | float | bool | list[str]] | None = None
    body: HttpRequestBodyJson | HttpRequestBodyForm | HttpRequestBodyText | None = None
    follow_redirects: bool = True
    timeout: int | float = 30


class KnowledgeSearch(Struct, kw_only=True):
    query: str
    collections: list[str] = []
    filter: Filter | None = None
    mode: Literal["hybrid", "keyword", "semantic"] = "hybrid"
    top_k: int = 8
    min_score: int | float = 0
    boost: dict[str, int | float] | None = None


class MemoryRecall(Struct, kw_only=True):
    query: str
    tags: list[str] = []
    scopes: list[Literal["project", "session", "user"]] = field(default_factory=lambda: ["user", "project"])
    min_importance: Literal[1, 2, 3, 4, 5] = 1
    limit: int = 10


class MemoryStoreSource(Struct, kw_only=True):
    kind: Literal["document", "inference", "tool", "user"]
    reference: str | None = None
    quote: str | None = None


class MemoryStore(Struct, kw_only=True):
    content: str
    id: str | None = None
    tags: list[str] = []
    importance: Literal[1, 2, 3, 4, 5] = 3
    expires_at: str | None = None
    scope: Literal["project", "session", "user"] = "user"
    source: MemoryStoreSource | None = None


class TextEdit(Struct, kw_only=True):
    old_string: str
    new_string: str
    replace_all: bool = False


class MultiEdit(Struct, kw_only=True):
    file_path: str
    edits: list[TextEdit]
    dry_run: bool = False


class WebFetch(Struct, kw_only=True):
    url: str
    prompt: str | None = None
    format: Literal["html", "markdown", "text"] = "markdown"
    max_length: int = 20000
    start_index: int = 0


class WebSearch(Struct, kw_only=True):
    query: str
    max_results: int = 10
    allowed_domains: list[str] = []
    blocked_domains: list[str] = []
    recency: Literal[None, "day", "month", "week", "year"] = None
    language: str | None = None


STRUCTS: dict[str, type[Struct]] = {
    "bash": Bash,
    "bash_process": BashProcess,
    "cron_add": CronAdd,
    "cron_list": CronList,
    "data_analysis": DataAnalysis,
    "delegate": Delegate,
    "edit": Edit,
    "file_read": FileRead,
    "file_write": FileWrite,
    "get_document_info": GetDocumentInfo,
    "glob": Glob,
    "grep": Grep,
    "http_request": HttpRequest,
    "knowledge_search": KnowledgeSearch,
    "memory_recall": MemoryRecall,
    "memory_store": MemoryStore,
    "multi_edit": MultiEdit,
    "web_fetch": WebFetch,
    "web_search": WebSearch,
}

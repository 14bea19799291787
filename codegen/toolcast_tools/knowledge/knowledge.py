"""Folders of documents that a model searches, and an index that follows their changes."""

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Final, Literal, TypeAlias

import msgspec
from toolcast.runtime.context import ToolContext
from toolcast.runtime.errors import RefusalError
from toolcast.runtime.log_records import ERROR, WARNING, log
from toolcast.runtime.workers import abandoned

from ..full_text import query_terms
from ..generated.knowledge.get_document_info import (
    GetDocumentInfoParams,
    GetDocumentInfoResult,
    GetDocumentInfoResultAuthor,
)
from ..generated.knowledge.knowledge_search import (
    KnowledgeSearchParams,
    KnowledgeSearchResult,
)
from ..libraries import require
from ..workspace import Workspace
from .blocks import outline
from .filters import check_filter
from .index import CollectionReader, Index
from .passage_search import BATCH, Embedder, PassageSearch, best_passages, vectors

_Mode: TypeAlias = Literal["hybrid", "semantic", "keyword"]
_NAMES: Final = 20
"""Names of collections that an error lists."""


class Knowledge:
    """The handlers `knowledge_search` and `get_document_info`.

    Each collection is a folder. Markdown, plain text and HTML in it are read; links are not followed, and
    hidden files are passed over. Other formats (PDF, office documents) are not read: `skipped` lists them.
    The index is brought up to date by the first call, and follows changes from then on. POSIX only.
    """

    def __init__(
        self,
        collections: Mapping[str, str | os.PathLike[str]],
        *,
        index: str | os.PathLike[str] | None = None,
        embedder: Embedder | None = None,
        watch: bool = True,
        max_bytes: int = 4_000_000,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """Open folders and their index. Nothing is read before the first call, or `start`.

        Args:
            collections: folders by the name of the collection.
            index: path of the index, which spares reading the folders anew; None keeps it in memory.
            embedder: what makes vectors of texts, for the search by meaning. Without it, mode "semantic" is
                refused, and "hybrid" is by words alone, as the result says.
            watch: whether a thread follows changes of the folders; else `refresh` does.
            max_bytes: bytes of a file; larger ones are skipped.
            clock: seconds since 1970.

        Raises:
            ImportError: lxml, PyYAML or watchfiles is not installed.
            NotImplementedError: the system has no files relative to folders.
            StorageError: the index cannot be used, is damaged, or was written by a newer version.
            ValueError: a folder does not exist, or `max_bytes` is below 1.
        """
        if max_bytes < 1:
            raise ValueError("max_bytes must be at least 1.")
        require("Knowledge", "lxml", "yaml", "watchfiles")
        self._embedder = embedder
        self._watches = watch
        self._max_bytes = max_bytes
        self._clock = clock
        self._path = None if index is None else os.path.abspath(index)  # noqa: PTH100 - links are to stay
        self._refreshing = threading.Lock()
        self._starting = threading.Lock()
        self._stop = threading.Event()
        self._watcher: threading.Thread | None = None
        self._started = False
        self._folders: dict[str, Workspace] = {}
        try:
            for name, folder in collections.items():
                self._folders[name] = Workspace(folder)
            self._index = Index(index)
        except BaseException:
            self._close_folders()
            raise

    def knowledge_search(self, params: KnowledgeSearchParams, context: ToolContext) -> KnowledgeSearchResult:
        """Find passages.

        Args:
            params: the query, and which documents are searched.
            context: circumstances of the call.

        Returns:
            Passages with scores from 0 to 1, the best first; and how they were matched.

        Raises:
            RefusalError: a collection does not exist, the filter has no meaning, the query has no words, the
                mode needs an embedder, or the index cannot be used.
        """
        del context
        collections = self._chosen(params.collections)
        self._chosen([*(params.boost or {})])
        if params.filter is not None:
            check_filter(params.filter)
        mode = self._mode(params.mode)
        terms = [] if mode == "semantic" else query_terms(params.query)
        if not terms and mode == "keyword":
            raise RefusalError("query has no word to look for. Name what you look for in plain words.")
        self.start()
        query = b""
        if mode != "keyword" and self._embedder is not None:
            self._embed()
            (query,) = vectors(self._embedder, [params.query])
        search = PassageSearch(
            collections=collections,
            filter=params.filter,
            boost=params.boost or {},
            terms=terms,
            query=query,
            embedder=self._embedder.name if query and self._embedder is not None else None,
        )
        passages = best_passages(self._index, search, params.min_score, params.top_k)
        return KnowledgeSearchResult(passages=passages, matched_by=mode)

    def get_document_info(self, params: GetDocumentInfoParams, context: ToolContext) -> GetDocumentInfoResult:
        """Describe a document.

        Args:
            params: id and version of the document, and what to include.
            context: circumstances of the call.

        Returns:
            Its fields; outline, versions and links where they were asked for.

        Raises:
            RefusalError: there is no such document or version, or the index cannot be used.
        """
        del context
        self.start()
        versions = self._index.versions(params.document_id)
        if not versions:
            raise RefusalError(
                f"There is no document {params.document_id}, or no longer. Find one with knowledge_search."
            )
        number = params.version if isinstance(params.version, int) else max(versions)
        if number not in versions:
            known = ", ".join(map(str, sorted(versions)))
            raise RefusalError(f"There is no version {number} of {params.document_id}. There are: {known}.")
        info = versions[number]
        record, author = info.record, info.record.get("author")
        include = params.include
        return GetDocumentInfoResult(
            document_id=params.document_id,
            title=record["title"],
            kind=record["kind"],
            author=msgspec.convert(author, GetDocumentInfoResultAuthor) if author else None,
            created=record["created"],
            updated=record["updated"],
            outline=outline(info.headings, params.outline_depth) if "outline" in include else None,
            versions=sorted(versions) if "versions" in include else None,
            links=info.links if "links" in include else None,
        )

    def start(self) -> None:
        """Bring the index up to date, and follow changes from now on. The first call does so itself.

        Raises:
            RefusalError: the folders or the index cannot be used, or changes cannot be followed.
        """
        with self._starting:
            if self._started:
                return
            self.refresh()
            if self._watches and self._folders:
                try:
                    import_module("watchfiles")  # here, where a failure reaches the caller
                    watcher = threading.Thread(target=self._follow, name="toolcast knowledge", daemon=True)
                    watcher.start()
                except (OSError, RuntimeError) as problem:  # no file can be opened, no thread be started
                    reason = getattr(problem, "strerror", None) or "the system refuses"
                    raise RefusalError(
                        f"Changes of the documents cannot be followed: {reason}. Try again later, or tell "
                        "the user."
                    ) from problem
                self._watcher = watcher
            self._started = True

    def refresh(self) -> int:
        """Bring the index up to date.

        Files of the same size and time are not read again, unless they had changed less than two seconds
        before their last reading.

        Returns:
            How many files were read, or are gone.

        Raises:
            RefusalError: a folder or the index cannot be used, or nobody waits for the call any more. What
                was done until then counts.
        """
        with self._refreshing:
            self._index.keep_collections(self._folders)
            reader = CollectionReader(self._index, self._max_bytes, self._clock, self._check_wanted)
            return sum(reader.refresh(name, folder) for name, folder in self._folders.items())

    def skipped(self) -> dict[tuple[str, str], str]:
        """The files that are no documents, for programs.

        Returns:
            Why each was skipped, by collection and path.

        Raises:
            StorageError: the index cannot be read.
        """
        return self._index.skipped()

    def close(self) -> None:
        """End the thread that follows changes, and close the index. May be called twice."""
        self._stop.set()
        if self._watcher is not None and self._watcher is not threading.current_thread():
            self._watcher.join()
        with self._refreshing:
            self._index.close()
            self._close_folders()

    def _close_folders(self) -> None:
        for folder in self._folders.values():
            folder.close()

    def _chosen(self, names: Sequence[str]) -> list[str]:
        unknown = [name for name in names if name not in self._folders]
        if unknown:
            known = ", ".join(sorted(self._folders)[:_NAMES]) or "none"
            raise RefusalError(f"There is no collection {unknown[0][:100]!r}. There are: {known}.")
        return list(names or self._folders)

    def _mode(self, mode: _Mode) -> _Mode:
        if self._embedder is not None:
            return mode
        if mode == "semantic":
            raise RefusalError("These documents cannot be searched by meaning. Use mode keyword.")
        return "keyword"

    def _embed(self) -> None:
        """Make the vectors that are missing."""
        if self._embedder is None:
            return
        with self._refreshing:
            while todo := self._index.without_vector(self._embedder.name, BATCH):
                self._check_wanted()
                made = vectors(self._embedder, [text for _, text in todo])
                numbers = [number for number, _ in todo]
                self._index.put_vectors(self._embedder.name, list(zip(numbers, made, strict=True)))

    def _check_wanted(self) -> None:
        if self._stop.is_set() or abandoned():
            raise RefusalError("Reading the documents took too long. Try again: it goes on where it stopped.")

    def _follow(self) -> None:
        """Look at the folders after each change, until `close`."""
        folders = [folder.root for folder in self._folders.values()]
        watch = import_module("watchfiles").watch
        first = True
        try:
            for changes in watch(
                *folders,
                watch_filter=self._is_ours,
                stop_event=self._stop,
                debounce=400,
                rust_timeout=500,
                yield_on_timeout=True,
                raise_interrupt=False,
            ):
                # What changed before the watch began shows at its first look alone.
                if (changes or first) and not self._stop.is_set():
                    self._refresh_quietly()
                first = False
        except Exception as problem:  # the watcher's, of any kind
            log(ERROR, "Changes of documents are not seen any more.", event="watch_failed", problem=problem)

    def _refresh_quietly(self) -> None:
        try:
            self.refresh()
            self._embed()
        except RefusalError as problem:
            if not self._stop.is_set():
                log(WARNING, "%s", str(problem), event="refresh_failed", problem=problem)

    def _is_ours(self, _: object, path: str) -> bool:
        """Return whether a change may be one of documents, not of an index among them."""
        return self._path is None or path not in {
            self._path + part for part in ("", "-wal", "-shm", "-journal")
        }

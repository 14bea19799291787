"""Analysis of tables: files, rows and earlier results, by DuckDB."""

from .data import Data

__all__ = ["Data"]

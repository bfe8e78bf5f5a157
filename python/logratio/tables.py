"""Tables in and out: pandas, polars, Arrow and Hugging Face as columns, and columns as a data frame.

No library is imported to read a table, which knows the module that it comes from.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .errors import LogratioError

_TABLES = {
    "pandas": ("DataFrame",),
    "polars": ("DataFrame", "LazyFrame"),
    "pyarrow": ("Table", "RecordBatch"),
    "datasets": ("Dataset",),
}
#: Of Hugging Face: what has no rows of its own, and what to give instead.
_UNREAD = {
    "DatasetDict": 'give one of its splits, such as dataset["train"]',
    "IterableDatasetDict": 'give rows of one of its splits: list(dataset["train"].take(1000))',
    "IterableDataset": "give some of its rows: datasets.Dataset.from_list(list(dataset.take(1000)))",
}


def is_table(value: Any) -> bool:
    """Whether a value is a table that `read_table` reads.

    Raises:
        LogratioError: for a data set of Hugging Face that has splits, or whose rows are not there yet.
    """
    library, name = _find_kind(value)
    if library == "datasets" and name in _UNREAD:
        raise LogratioError(f"a {name} is not a table", hint=_UNREAD[name])
    return name in _TABLES.get(library, ())


def list_columns(table: Any) -> list[str]:
    """The names of a table's columns."""
    if _find_kind(table) == ("polars", "LazyFrame"):
        return [str(name) for name in table.collect_schema().names()]
    names = table.columns if hasattr(table, "columns") and not hasattr(table, "column_names") else table.column_names
    return [str(name) for name in names]


def read_table(table: Any, names: list[str]) -> dict[str, Any]:
    """The named columns: an array ``[B]`` for a column of numbers, a list for texts; for a column of lists an array
    ``[B, T]`` if they are all of one length, else a list of arrays.

    Raises:
        LogratioError: if a list or one of its ids is null.
    """
    read = _open_reader(table, names)
    return {name: _stack(read(name)) for name in names}


def _find_kind(value: Any) -> tuple[str, str]:
    """The library and the class, also of a class that inherits from one of a library's."""
    for kind in type(value).__mro__:
        library = kind.__module__.partition(".")[0]
        if library in _TABLES:
            return library, kind.__name__
    return "", ""


def _open_reader(table: Any, names: list[str]) -> Callable[[str], Any]:
    library, kind = _find_kind(table)
    if library == "pandas":
        return lambda name: _read_pandas(name, table[name])
    if library == "polars":
        frame = table.collect() if kind == "LazyFrame" else table
        return lambda name: _read_polars(name, frame[name])
    if library == "datasets":
        # Rows that were chosen, shuffled or filtered are in the order of the data set, not of its files.
        table = table.select_columns(names).with_format("arrow")[:]
    return lambda name: _read_arrow(name, table.column(name))


def _read_pandas(name: str, series: Any) -> Any:
    if getattr(series.dtype, "kind", "O") in "biuf":
        return series.to_numpy(dtype=np.float64, na_value=np.nan) if series.hasnans else series.to_numpy()
    rows = list(series)
    if any(isinstance(row, (list, tuple, np.ndarray)) for row in rows):
        _refuse_null(name, series.isna().to_numpy())
    return rows


def _read_polars(name: str, series: Any) -> Any:
    if not hasattr(series.dtype, "inner"):
        return series.to_numpy() if series.dtype.is_numeric() or str(series.dtype) == "Boolean" else series.to_list()
    if hasattr(series.dtype.inner, "inner"):
        return series.to_list()
    lists = series if str(series.dtype).startswith("List") else series.arr.to_list()
    lengths = lists.list.len()
    _refuse_null(name, lengths.is_null().to_numpy())
    lengths = lengths.to_numpy()
    # An empty list would explode to a null.
    flat = lists.filter(lists.list.len() > 0).explode()
    _refuse_null_ids(name, flat.null_count(), flat.dtype.is_integer())
    return _split(flat.to_numpy(), lengths)


def _read_arrow(name: str, column: Any) -> Any:
    kind = str(column.type)
    if not kind.startswith(("list", "large_list", "fixed_size_list")):
        is_plain = kind.startswith(("int", "uint", "float", "double", "halffloat", "bool"))
        return column.to_numpy() if is_plain and hasattr(column, "chunks") else column.to_pylist()
    if "list" in str(column.type.value_type):
        return column.to_pylist()
    lists = column.combine_chunks() if hasattr(column, "combine_chunks") else column
    _refuse_null(name, np.asarray(lists.is_null().to_numpy(zero_copy_only=False)))
    flat = lists.flatten()
    _refuse_null_ids(name, flat.null_count, "int" in str(flat.type))
    if kind.startswith("fixed_size_list"):
        lengths = np.full(len(lists), column.type.list_size)
    else:
        lengths = lists.value_lengths().to_numpy(zero_copy_only=False)
    return _split(flat.to_numpy(zero_copy_only=False), lengths)


def _stack(column: Any) -> Any:
    """Rows of one length as one array, so that a padded table is a padded batch."""
    if not isinstance(column, list) or not all(isinstance(row, (list, np.ndarray)) for row in column):
        return column
    if len({len(row) for row in column}) != 1 or any(len(row) and np.ndim(row[0]) for row in column):
        return column
    return np.stack([np.asarray(row) for row in column])


def _split(flat: np.ndarray, lengths: np.ndarray) -> list[np.ndarray]:
    return list(np.split(flat, np.cumsum(lengths)[:-1])) if len(lengths) else []


def _refuse_null(name: str, nulls: np.ndarray) -> None:
    if nulls.any():
        raise LogratioError(
            f"{name} is null in {int(nulls.sum()):,} of {len(nulls):,} rows",
            where=f"row {int(np.flatnonzero(nulls)[0])}",
            likely="the rows come from several sources, not all of which have the column",
            hint=f"leave these rows out, or leave {name} out",
        )


def _refuse_null_ids(name: str, nulls: int, is_whole: bool) -> None:
    if nulls and is_whole:
        raise LogratioError(
            f"{name} has {nulls:,} nulls among its whole numbers", hint="give a whole number at every token"
        )


def make_frame(columns: dict[str, Any]) -> Any:
    """A data frame of pandas or, without it, of polars.

    Raises:
        LogratioError: when neither is installed.
    """
    # Polars would keep an array of objects as objects.
    plain = {
        name: values.tolist() if isinstance(values, np.ndarray) and values.dtype == object else values
        for name, values in columns.items()
    }
    for library in ("pandas", "polars"):
        try:
            return importlib.import_module(library).DataFrame(plain)
        except ModuleNotFoundError:
            continue
    raise LogratioError(
        "neither pandas nor polars is installed, and tables come as their data frames",
        hint="pip install pandas pyarrow, or pip install polars",
    )

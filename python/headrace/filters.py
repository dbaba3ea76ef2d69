"""Filters that the program `headrace` runs: python -m headrace.filters NAME ...

    parquet COMPRESSION ROWS lists|scalars TEXT...
                              converts an Arrow stream on standard input to Parquet,
                              with ROWS rows per row group (0: as many as fit), as
                              lists or scalars; the columns TEXT are strings
    records FILE...           converts Parquet files to a TFRecord stream
    webdataset                converts a TFRecord stream to a WebDataset archive
    upload URL                sends standard input, which is a file, to the URL, with
                              the JSON of HEADRACE_STORAGE_OPTIONS as storage_options

The result goes to standard output. The outcome goes to file descriptor 3: the line
"done", then the number of rows, records or, for upload, bytes that were read or
written; or a line with the error's code, then its text.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_REPORT = 3


class _Output:
    """Standard output with a position, which pyarrow asks for."""

    closed = False

    def __init__(self) -> None:
        self._size = 0

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        size = len(view)
        while len(view):
            view = view[os.write(1, view) :]
        self._size += size
        return size

    def tell(self) -> int:
        return self._size

    def flush(self) -> None:
        pass

    def close(self) -> None:
        pass


def _parquet(compression: str, rows: str, lists: str, *text: str) -> int:
    from headrace.parquet import write_batches
    from headrace.parquet.columns import Choice
    from headrace.parquet.parquet_input import need_pyarrow

    need_pyarrow()
    import pyarrow as pa

    stream = pa.ipc.open_stream(sys.stdin.buffer)
    choice = Choice(lists == "scalars", dict.fromkeys(text, "string"))
    batches, schema = choice.applied(stream, stream.schema)
    return write_batches(
        batches, schema, pa.PythonFile(_Output(), "w"),
        int(rows) or None, {"compression": compression},
    )


def _records(*paths: str) -> int:
    from headrace.parquet import from_parquet

    return from_parquet(list(paths), "-", compression="none").num_rows


def _webdataset() -> int:
    from headrace.writing.webdataset import write_archive

    return write_archive("-", _Output())


def _upload(url: str) -> int:
    from headrace.errors import InvalidArgumentError
    from headrace.writing.finished_file import send

    text = os.environ.get("HEADRACE_STORAGE_OPTIONS")
    try:
        options = json.loads(text) if text else None
    except ValueError as error:
        raise InvalidArgumentError(
            f"HEADRACE_STORAGE_OPTIONS is not JSON: {error}"
        ) from None
    send("/dev/fd/0", url, options)
    return os.fstat(0).st_size


_FILTERS: dict[str, Callable[..., int]] = {
    "parquet": _parquet, "records": _records, "webdataset": _webdataset,
    "upload": _upload,
}


def _description(error: Exception) -> str:
    from headrace.errors import HeadraceError

    if not isinstance(error, HeadraceError):
        return f"io\n{type(error).__name__}: {error}"
    place = f"{error.file}: " if error.file else ""
    return f"{error.code or 'io'}\n{place}{error.message}"


def main() -> int:
    """Runs the filter that the arguments name."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        name, *arguments = sys.argv[1:]
        count = _FILTERS[name](*arguments)
        os.write(_REPORT, f"done\n{count}".encode())
    except Exception as error:
        # The program may have exited, or closed the pipe on purpose.
        with contextlib.suppress(OSError):
            os.write(_REPORT, _description(error).encode("utf-8", "surrogateescape"))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

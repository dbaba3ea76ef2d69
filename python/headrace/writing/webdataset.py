"""Writes the records of TFRecord files as WebDataset archives: tar files with one or
more files per record."""

from __future__ import annotations

import io
import math
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from headrace import _core
from headrace.arguments import whole_number
from headrace.errors import InvalidArgumentError
from headrace.named import no_such_option
from headrace.reading.opening import open
from headrace.writing.finished_file import Written, finished_files, shard_name

# Name endings of files, by the bytes that they begin with.
_BEGINNINGS = {
    b"\xff\xd8\xff": ".jpg", b"\x89PNG\r\n\x1a\n": ".png", b"GIF8": ".gif",
    b"\x93NUMPY": ".npy", b"OggS": ".ogg", b"fLaC": ".flac", b"%PDF": ".pdf",
}
_JSON = "json"


def to_webdataset(
    source: Any,
    path: str | os.PathLike[str],
    *,
    key: str | None = None,
    shards: int | None = None,
    output_filesystem: Any = None,
    output_storage_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> Written:
    """Writes records as WebDataset archives.

        >>> headrace.to_webdataset("train-*.tfrecord", "train.tar", shards=16)

    Record 7 becomes files such as `000000007.image.jpg` and `000000007.json`. A feature
    with one bytes value becomes a file, whose first bytes decide the ending of its
    name. A feature with several bytes values becomes several files, with a number after
    the feature's name. All other features are members of the JSON object, by name, with
    numbers as a list. In names of files any character except letters, digits, - and _
    becomes a _. Feature lists are members, too, as lists of lists; their bytes are
    text, or {"b64": "..."} where they are not UTF-8. A number that is not finite is
    "NaN", "Infinity" or "-Infinity". A feature list with the name of a feature gets the
    suffix `_list`.

    Args:
        source: paths, as in `headrace.open`.
        path: a local file, or a URL that fsspec knows. The file gets its name when it
            is complete.
        key: the feature whose one value names the files of a record, instead of the
            number of the record. Consecutive records must have different values.
        shards: number of archives to write, `train-00000-of-00016.tar` and so on, each
            with a part of the input.
        output_filesystem, output_storage_options: for `path`, as `filesystem` and
            `storage_options` are for the source.
        options: options of `headrace.open`, except `spec`, `batch_size` and `shard`.

    Raises:
        The same exceptions as `headrace.open`. After an error there is no file `path`.
        InvalidArgumentError: names differ only in case, which readers ignore, or a name
            is not possible in an archive.
    """
    for name in ("spec", "batch_size", "shard"):
        if name in options:
            raise no_such_option("headrace.to_webdataset", name, [])
    output = {"filesystem": output_filesystem, "storage_options": output_storage_options}
    name = os.fsdecode(path)
    parts: list[tuple[str, dict[str, Any]]] = [(name, {})]
    if shards is not None:
        shards = whole_number("shards", shards, 1, 100_000)
        parts = [(shard_name(name, number, shards), {"shard": (number, shards)})
                 for number in range(shards)]
    count = 0
    names = [part for part, _ in parts]
    with finished_files(names, **output) as files:
        for finished, (_, shard) in zip(files, parts, strict=True):
            with io.open(finished.path, "wb") as file:
                count = write_archive(source, file, key, count, **shard, **options)
    return Written(names, count)


def write_archive(
    source: Any, file: Any, key: str | None = None, first: int = 0, **options: Any
) -> int:
    """Writes one archive to a file object. Records are numbered from `first` on;
    returns the number for the next record."""
    # Imported here to keep `import headrace` fast.
    import tarfile

    number = first
    before = None
    if options.get("message") == "raw":
        raise InvalidArgumentError(
            "WebDataset archives are made of features, not of raw records"
        )
    with (
        open(source, **options) as reader,
        tarfile.open(fileobj=file, mode="w|", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for batch in reader:
            for row in _rows(batch):
                name = f"{number:09}" if key is None else _key(row, key, number)
                if name == before:
                    raise InvalidArgumentError(
                        f"records {number - 1} and {number} both have the key {name!r}",
                        feature=key,
                    )
                for feature, end, data in _files(row):
                    entry = tarfile.TarInfo(f"{name}.{end}")
                    entry.size = len(data)
                    try:
                        archive.addfile(entry, io.BytesIO(data))
                    except ValueError as error:
                        raise InvalidArgumentError(
                            f"record {number}: an archive has no room for the file "
                            f"{entry.name!r:.80}: {error}", feature=feature) from None
                number, before = number + 1, name
    return number


def _rows(batch: _core.Batch) -> Iterator[dict[str, Any]]:
    """Yields the values of each row by name, features before feature lists; None where
    the record lacks one."""
    names: list[str] = []
    columns = []
    taken = {*batch.context, *batch.sequence}
    for part in (batch.context, batch.sequence):
        for name, column in part.items():
            if name in names:
                if f"{name}_list" in taken:
                    raise InvalidArgumentError(
                        f'the feature list "{name}" would be "{name}_list", which also '
                        "exists", feature=name)
                name = f"{name}_list"
            names.append(name)
            columns.append(column.tolist())
    for row in range(batch.num_rows):
        yield {name: column[row] for name, column in zip(names, columns)}


def _key(row: Mapping[str, Any], key: str, number: int) -> str:
    values = row.get(key)
    if not isinstance(values, list) or len(values) != 1:
        raise InvalidArgumentError(
            f"record {number} does not have exactly one value of the key", feature=key)
    value = values[0]
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    # A name's first dot ends the key.
    if not re.fullmatch(r"[^./\\\0-\x1f\ufffd]+", text):
        raise InvalidArgumentError(
            f"record {number}: {text!r} cannot be part of a file's name", feature=key)
    return text


def _files(row: Mapping[str, Any]) -> Iterator[tuple[str | None, str, bytes]]:
    """Yields (feature, ending of the file's name, content) for each file of a row."""
    import json

    rest: dict[str, Any] = {}
    ends: dict[str, str] = {_JSON: ""}
    for name, values in row.items():
        if values is None:
            continue
        if not values or not all(isinstance(value, bytes) for value in values):
            rest[name] = _as_json(values)
            continue
        stem = re.sub(r"[^A-Za-z0-9_-]", "_", name)
        if re.fullmatch(r"__\w+__", stem):
            raise InvalidArgumentError(
                f'"{name}" would be a file that readers keep their own data in',
                feature=name)
        # Readers ignore the case of names.
        if (other := ends.setdefault(stem.lower(), name)) != name:
            raise InvalidArgumentError(
                f'"{name}" and "{other or "the JSON object"}" would be files with '
                "the same name", feature=name)
        for place, value in enumerate(values):
            end = stem if len(values) == 1 else f"{stem}.{place}"
            yield name, end + _beginning(value), value
    text = json.dumps(rest, ensure_ascii=False, allow_nan=False)
    yield None, _JSON, text.encode("utf-8", "surrogateescape")


def _as_json(value: Any) -> Any:
    """Returns a value as JSON can hold it; different values stay different."""
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            import base64

            return {"b64": base64.b64encode(value).decode("ascii")}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else f"{'-' * (value < 0)}Infinity"
    return value


def _beginning(data: bytes) -> str:
    for begin, end in _BEGINNINGS.items():
        if data.startswith(begin):
            return end
    return ".webp" if data[:4] == b"RIFF" and data[8:12] == b"WEBP" else ""

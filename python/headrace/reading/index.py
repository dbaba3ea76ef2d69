"""`headrace.index`: writes indexes, which say where each record of a file is."""

from __future__ import annotations

import os
import typing
from collections.abc import Mapping

from headrace import _core
from headrace.arguments import check_flag, whole_number
from headrace.errors import InvalidArgumentError
from headrace.named import named
from headrace.reading.progress import Update, bar, no_bar
from headrace.remote import files


@named
def index(
    paths: typing.Any,
    *,
    verify: bool = False,
    checkpoint_bytes: int = 1 << 20,
    threads: int | None = None,
    directory: str | os.PathLike[str] | None = None,
    progress: bool = False,
    filesystem: typing.Any = None,
    storage_options: Mapping[str, typing.Any] | None = None,
) -> list[str]:
    """Writes an index of each file, so that records can be fetched by number.

        >>> headrace.index("train-*.tfrecord")
        ['train-00000-of-00002.tfrecord.hri', 'train-00001-of-00002.tfrecord.hri']

    The index of a file has its name plus ".hri". It describes the file as it is now:
    when the file changes, write the index again. Several files are read at a time. A
    compressed file is inflated once, and its index also says where inflating can
    begin.

    Args:
        paths: as in `headrace.open`.
        verify: also check the checksums of payloads, which reads the whole file;
            otherwise only the headers of uncompressed files are read.
        checkpoint_bytes: roughly the maximum number of bytes to inflate before a record
            of a compressed file is found; at least 64 KiB. A smaller number makes the
            index larger.
        threads: threads that read files and inflate. None: one per processor.
        directory: an existing folder for the indexes, instead of the folder of each
            file. Required for files that are not local.
        progress: show a bar, if tqdm is installed.
        filesystem, storage_options: as in `headrace.open`.

    Returns:
        The paths of the indexes, in the order of the files.

    Raises:
        DataError: a file is damaged, as when reading it.
        InvalidArgumentError: a file is a pipe, or its compression cannot be indexed
            (docs/formats/index.md).
        NotFoundError, IoError: a file cannot be read, or an index cannot be written.
            Indexes of other files may have been written.
    """
    # Imported here to keep `import headrace` fast.
    from concurrent.futures import ThreadPoolExecutor

    check_flag("verify", verify)
    check_flag("progress", progress)
    checkpoint_bytes = whole_number("checkpoint_bytes", checkpoint_bytes, 1 << 16)
    threads = (
        os.cpu_count() or 1
        if threads is None
        else whole_number("threads", threads, 1, 1025)
    )
    names, opener = files.resolve(paths, filesystem, storage_options)
    if opener is None:
        names = _core.expand_paths([os.fsencode(name) for name in names])
    remote = {
        name: opener
        for name in names
        if opener is not None
        and (filesystem is not None or files.is_url(name) or not os.path.isfile(name))
    }
    targets = [_target(name, directory, name in remote) for name in names]
    if len(set(targets)) < len(targets):
        twice = next(path for path in targets if targets.count(path) > 1)
        raise InvalidArgumentError(f"two files would have the index {twice}")
    workers = min(len(names), threads)
    with bar(None, enabled=progress, desc="index") as update:
        shown = _Progress(update)

        def build(name: str, target: str) -> None:
            _core.build_index(
                os.fsencode(name),
                os.fsencode(target),
                verify,
                checkpoint_bytes,
                max(threads // workers, 1),
                remote.get(name),
                shown.step(name),
            )

        with ThreadPoolExecutor(workers) as pool:
            try:
                for _ in pool.map(build, names, targets):
                    pass
            except BaseException:
                shown.ended = True
                pool.shutdown(cancel_futures=True)
                raise
    return targets


def _target(
    name: str, directory: str | os.PathLike[str] | None, is_remote: bool
) -> str:
    if directory is not None:
        return os.path.join(os.fsdecode(directory), name.rpartition("/")[2] + ".hri")
    if is_remote:
        raise InvalidArgumentError(
            "not a local file: directory= must name the folder for its index", file=name
        )
    return name + ".hri"


class _Progress:
    """Adds up the bytes of all files; once `ended`, cancels the calls that report."""

    def __init__(self, update: Update) -> None:
        self.ended = False
        import threading  # imported here to keep `import headrace` fast

        self._lock = threading.Lock()
        self._done: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        self._update = update

    def step(self, name: str) -> typing.Callable[[int, int], bool]:
        def report(done: int, size: int) -> bool:
            if self._update is not no_bar:
                with self._lock:
                    self._done[name], self._sizes[name] = done, size
                    self._update(sum(self._done.values()), sum(self._sizes.values()))
            return self.ended

        return report

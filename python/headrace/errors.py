"""Exceptions of headrace.

Every exception has the place of the fault in fields, so that callers need not parse
its text, and can be pickled:

    try:
        for batch in reader:
            ...
    except headrace.MissingFeatureError as error:
        print(error.file, error.record, error.feature)

`HeadraceError` is the base class, `DataError` the base class for errors in the data.
Where a built-in exception fits (`ValueError`, `FileNotFoundError`, `PermissionError`,
`OSError`, `MemoryError`), it is a base class, too. An argument of the wrong type raises
TypeError.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
from collections.abc import Iterator
from typing import Any, Self

__all__ = [
    "HeadraceError", "DataError", "CorruptDataError", "TruncatedError",
    "ChecksumError", "NotTfrecordError", "DecompressError", "SplitSeamError",
    "WrongRecordCountError", "BadIndexError", "RowError",
    "MalformedError", "WrongKindError", "WrongCountError", "MissingFeatureError",
    "BadSparseIndexError", "BadPartitionError", "LimitError", "TooManyBadError",
    "InvalidArgumentError", "NoSuchRowError", "BadSpecError",
    "NoSuchFeatureError",
    "MissingPackageError", "IoError", "AccessDeniedError", "IsDirectoryError",
    "TimedOutError", "ConnectionFailedError", "NotFoundError", "OutOfMemoryError",
    "CancelledError",
]

# The core's value for a number that is not known.
UNKNOWN = 2**64 - 1

_FIELDS = (
    "code", "message", "file", "record", "offset", "feature", "expected", "found",
)


class HeadraceError(Exception):
    """Base class of all errors; `str` is one line: the place, the class and the text.

    Its attributes are read-only, and None if not known.

    Attributes:
        code: the class as text, such as "wrong_kind"; docs/formats/tfrecord.md
            and docs/semantics.md list them.
        message: what is wrong, without the place.
        file: path, or "<stdin>", "<memory>".
        record: number of the record within the file, from 0. Also None if a part of a
            file is read (`shard`, `byte_range`) and no index says how many records
            precede it. Records that `on_corrupt="skip"` leaves out count;
            `on_corrupt="rescan"` counts those that it finds after damage that hides
            where records begin. `offset` is always the offset of the record itself.
        offset: byte in the uncompressed stream.
        feature: key in the record, or name of the tensor.
        expected, found: the kind or count that was expected, and the one that was
            found.
    """

    _CODE: str | None = None

    def __init__(
        self,
        message: str = "",
        *,
        code: str | None = None,
        file: str | None = None,
        record: int | None = None,
        offset: int | None = None,
        feature: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        super().__init__(message)
        self._info = (
            code or self._CODE, message, file, record, offset, feature, expected,
            found,
        )

    @property
    def code(self) -> str | None:
        return self._info[0]

    @property
    def message(self) -> str:
        return self._info[1]

    @property
    def file(self) -> str | None:
        return self._info[2]

    @property
    def record(self) -> int | None:
        return self._info[3]

    @property
    def offset(self) -> int | None:
        return self._info[4]

    @property
    def feature(self) -> str | None:
        return self._info[5]

    @property
    def expected(self) -> str | None:
        return self._info[6]

    @property
    def found(self) -> str | None:
        return self._info[7]

    def _fields(self) -> dict[str, Any]:
        return dict(zip(_FIELDS, self._info, strict=True))

    def _with(self, **changed: Any) -> Self:
        """Returns a copy of this error with some fields changed."""
        return type(self)(**(self._fields() | changed))

    def _tensorflow(self) -> str | None:
        """Returns TensorFlow's text for the same fault, since people search for it."""
        return None

    def _hint(self) -> str:
        """Returns what the caller can do about the error."""
        return ""

    def __str__(self) -> str:
        place = [] if self.record is None else [f"record {self.record}"]
        if self.offset is not None:
            place.append(f"at offset {self.offset}")
        parts = (self.file, " ".join(place), self.code, self.message)
        text = ": ".join(part for part in parts if part) + self._hint()
        known = self._tensorflow()
        if known and known not in self.message:
            text += f" (TensorFlow: {known})"
        return text.replace("\r", "\\r").replace("\n", "\\n")

    def __repr__(self) -> str:
        fields = "".join(
            f", {name}={value!r}"
            for name, value in self._fields().items()
            if name != "message" and value is not None
        )
        return f"{type(self).__name__}({self.message!r}{fields})"

    def __reduce__(self):
        # _restore does not call the class: a subclass may have another __init__.
        return _restore, (type(self), self.args), self.__dict__

    def __setstate__(self, state: dict | None) -> None:
        self.__dict__.update(state or {})


def _restore(cls: type, args: tuple) -> BaseException:
    error = cls.__new__(cls, *args)
    error.args = args
    return error


class DataError(HeadraceError, ValueError):
    """The data is damaged, or does not fit what was asked for."""


class CorruptDataError(DataError):
    """Bytes of a file are damaged."""

    def _tensorflow(self) -> str | None:
        if self.offset is None:
            return None
        # For a damaged payload TensorFlow names the place where the payload begins.
        offset = self.offset + (12 if self.code == "payload_crc" else 0)
        if self.code in ("header_crc", "payload_crc", "not_tfrecord"):
            return f"corrupted record at {offset}"
        if self.code in ("truncated_payload", "truncated_footer"):
            return f"truncated record at {offset}"
        return None


class TruncatedError(CorruptDataError):
    """A file ends within a record."""


class ChecksumError(CorruptDataError):
    """A header or a payload does not fit its checksum."""

    def _hint(self) -> str:
        skips = self.code == "payload_crc"
        return "; to skip it: on_corrupt='skip'" if skips else ""


class NotTfrecordError(CorruptDataError):
    """A file is text, or otherwise not a TFRecord file."""

    _CODE = "not_tfrecord"


class DecompressError(CorruptDataError):
    """A compressed stream is damaged, cut short, or followed by other bytes."""

    _CODE = "decompress"

    def _hint(self) -> str:
        if not self.offset:
            return ""
        return (
            "; the records before the damage can be saved: headrace convert --repair; "
            "to leave out the rest of the file: on_corrupt='rescan'"
        )


class SplitSeamError(DataError):
    """A part of a file does not end where the next part begins."""

    _CODE = "split_seam"


class WrongRecordCountError(DataError):
    """A file does not have the number of records that was expected of it.

    `expected` and `found` are the numbers, as text.
    """

    _CODE = "wrong_record_count"


class BadIndexError(DataError):
    """The index of a file is damaged, or does not match the content of the file."""

    _CODE = "bad_index"


class RowError(DataError):
    """A record is intact, but does not fit the spec, the schema or the columns."""


class MalformedError(RowError):
    """A payload is not a tf.train.Example or SequenceExample."""

    _CODE = "malformed"

    def _tensorflow(self) -> str | None:
        return "Could not parse example input"


# Names that TensorFlow has for the kinds of features.
_TENSORFLOW_KINDS: dict[str | None, str] = {
    "int64": "int64", "float": "float", "bytes": "string",
}


def _is_feature_list(error: HeadraceError) -> bool:
    return error.message.startswith("feature list ")


class WrongKindError(RowError):
    """A feature has another kind than requested, or a value does not fit the requested
    type."""

    _CODE = "wrong_kind"

    def _tensorflow(self) -> str | None:
        expected = _TENSORFLOW_KINDS.get(self.expected)
        found = _TENSORFLOW_KINDS.get(self.found)
        if self.feature is None or expected is None or found is None:
            return None
        noun = "Feature list" if _is_feature_list(self) else "Key"
        return (
            f"{noun}: {self.feature}.  Data types don't match. "
            f"Expected type: {expected}, Actual type: {found}"
        )


class WrongCountError(RowError):
    """A feature has more or fewer values than requested."""

    _CODE = "wrong_count"

    def _tensorflow(self) -> str | None:
        if self.feature is None or self.expected is None or self.found is None:
            return None
        key = f"Key: {self.feature}.  "
        if self.expected.startswith("a multiple of "):
            return (
                f"{key}Number of values is not a multiple of stride length. "
                f"Saw {self.found} values"
            )
        if not self.expected.startswith("at most ") and "value" in self.expected:
            return f"{key}Number of values != expected.  Values size: {self.found}"
        return None


class MissingFeatureError(RowError):
    """A record does not have a required feature."""

    _CODE = "missing_feature"

    def _tensorflow(self) -> str | None:
        if self.feature is None:
            return None
        if _is_feature_list(self):
            return (
                f"Feature list '{self.feature}' is required but could not be "
                "found."
            )
        kind = _TENSORFLOW_KINDS.get(self.expected)
        kind = f" (data type: {kind})" if kind else ""
        return f"Feature: {self.feature}{kind} is required but could not be found."


class BadSparseIndexError(RowError):
    """Indices of a sparse tensor do not fit its values or its size."""

    _CODE = "bad_sparse_index"


class BadPartitionError(RowError):
    """A partition of a ragged tensor does not fit its values."""

    _CODE = "bad_partition"


class LimitError(DataError):
    """The data asks for more than a limit allows."""

    _CODE = "limit"


class TooManyBadError(DataError):
    """More rows or regions were skipped than `max_bad` allows."""

    _CODE = "too_many_bad"


class InvalidArgumentError(HeadraceError, ValueError):
    """An argument has a value that is not allowed."""

    _CODE = "invalid_argument"


class NoSuchRowError(InvalidArgumentError, IndexError):
    """A dataset was asked for a row that it does not have."""


class BadSpecError(HeadraceError, ValueError):
    """A spec or a schema contradicts itself, or cannot be read."""

    _CODE = "bad_spec"


class NoSuchFeatureError(HeadraceError, KeyError):
    """A batch was asked for a column or tensor that it does not have."""

    _CODE = "invalid_argument"

    # KeyError.__str__ returns the repr of the message.
    __str__ = HeadraceError.__str__


class MissingPackageError(HeadraceError, ImportError):
    """A required Python package is not installed."""

    _CODE = "invalid_argument"


class _SystemError(HeadraceError, OSError):
    """Has `errno`, `strerror` and `filename`, as Python's own errors do."""

    _ERRNO: int | None = None

    def __init__(
        self, message: str = "", *, system_error: int | None = None, **fields
    ) -> None:
        super().__init__(message, **fields)
        self._errno = system_error or self._ERRNO
        self._fill()

    def __setstate__(self, state: dict | None) -> None:
        super().__setstate__(state)
        self._fill()

    def _fill(self) -> None:
        # `filename` is not in __dict__, so a pickle does not have it.
        self.filename = self.file
        if self._errno is not None:
            self.errno = self._errno
            self.strerror = os.strerror(self._errno)


class IoError(_SystemError):
    """The operating system, a remote store or a file object failed."""

    _CODE = "io"


class AccessDeniedError(IoError, PermissionError):
    """A file may not be read or written."""

    _ERRNO = errno.EACCES


class IsDirectoryError(IoError, IsADirectoryError):
    """A path names a directory where a file is expected."""

    _ERRNO = errno.EISDIR


class TimedOutError(IoError, TimeoutError):
    """A remote store did not answer in time."""

    _ERRNO = errno.ETIMEDOUT


class ConnectionFailedError(IoError, ConnectionError):
    """The connection to a remote store, or a pipe, broke."""


class NotFoundError(_SystemError, FileNotFoundError):
    """Nothing exists at a path."""

    _CODE = "not_found"
    _ERRNO = errno.ENOENT


class OutOfMemoryError(HeadraceError, MemoryError):
    """The system does not have enough memory."""

    # MemoryError.__new__ refuses a class that also has other bases.
    __new__ = HeadraceError.__new__  # type: ignore[assignment]

    _CODE = "out_of_memory"


class CancelledError(HeadraceError):
    """The work was interrupted."""

    _CODE = "cancelled"


_CLASSES: dict[str, type[HeadraceError]] = {
    "truncated_header": TruncatedError,
    "truncated_payload": TruncatedError,
    "truncated_footer": TruncatedError,
    "header_crc": ChecksumError,
    "payload_crc": ChecksumError,
    "too_large": CorruptDataError,
} | {
    # If several classes share a code, the code means the first, the base of the others.
    cls._CODE: cls for cls in reversed([*vars().values()])
    if isinstance(cls, type) and issubclass(cls, HeadraceError) and cls._CODE
}


_SYSTEM_CLASSES: dict[type[OSError], type[IoError]] = {
    PermissionError: AccessDeniedError,
    IsADirectoryError: IsDirectoryError,
    TimeoutError: TimedOutError,
    ConnectionError: ConnectionFailedError,
}


def system_class(error: BaseException) -> type[IoError]:
    """Returns the subclass of IoError for a system error."""
    for base, cls in _SYSTEM_CLASSES.items():
        if isinstance(error, base):
            return cls
    # Libraries have their own classes for timeouts.
    return TimedOutError if "timeout" in type(error).__name__.lower() else IoError


def carried(error: BaseException, name: str, what: str = "") -> HeadraceError:
    """Returns the HeadraceError for any exception that reading `what` of the file
    `name` raised."""
    if isinstance(error, HeadraceError):
        return error
    start = what and what + ": "
    # Timeout errors often have no text.
    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    if isinstance(error, FileNotFoundError):
        text = error.strerror or str(error) or "no such file"
        return NotFoundError(start + text, file=name)
    if isinstance(error, OSError):
        # str(error) would repeat the number and the file.
        return system_class(error)(
            start + (error.strerror or text), file=name, system_error=error.errno
        )
    if isinstance(error, MemoryError):
        return OutOfMemoryError(start + (str(error) or "out of memory"), file=name)
    if isinstance(error, ImportError):
        return MissingPackageError(start + str(error), file=name)
    return system_class(error)(start + text, file=name)


@contextlib.contextmanager
def carrying(name: str, kind: type[Exception] = Exception) -> Iterator[None]:
    """Replaces an exception of this kind by the one that `carried` makes."""
    try:
        yield
    except HeadraceError:
        raise
    except kind as error:
        raise carried(error, name) from error


def needed(module: str, what: str, package: str = "") -> Any:
    """Returns a module that `what` needs, or raises MissingPackageError."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = package or module
        raise MissingPackageError(
            f"{what} needs {package} ({error}); pip install {package.lower()}"
        ) from error


def make(
    code: str, message: str = "", *place: Any, system_error: int = 0, **fields: Any
) -> HeadraceError:
    """Returns the exception for an error of the core; HeadraceError if the code is
    unknown. `place` has the fields that follow the message in _FIELDS, in that order.

    Empty texts and 2**64 - 1, which mean "not known" in the core, become None.
    """
    fields |= zip(_FIELDS[2:], place)
    known = {n: None if value in ("", UNKNOWN) else value for n, value in fields.items()}
    cls = _CLASSES.get(code, HeadraceError)
    more: dict[str, int] = {}
    if system_error and issubclass(cls, _SystemError):
        more["system_error"] = system_error
        if cls is IoError:
            cls = system_class(OSError(system_error, ""))
    return cls(message, **more, code=code or None, **known)

"""`headrace.infer_schema` and `headrace.infer_spec`: infer a schema or a spec from the
first records of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from headrace import _core
from headrace.arguments import whole_number, wrong_type
from headrace.named import no_such_option
from headrace.options import Message, StatsOptions, core_options, taken_by
from headrace.reading.opening import open
from headrace.spec import Spec

# on_row_error is missing: a record that cannot be counted is always an error.
_OPTIONS = taken_by("stats").keys() - {"on_row_error"}
_BATCH = 256


def infer_schema(
    paths: Any,
    *,
    sample: int = 10000,
    message: Message = "auto",
    **options: Unpack[StatsOptions],
) -> _core.Schema:
    """Returns the schema that TensorFlow Data Validation would infer.

        >>> print(headrace.infer_schema("train-*.tfrecord.gz").to_pbtxt())

    Args:
        paths: as in `headrace.open`.
        sample: number of records to look at, over all files in order; 0: all.
        message: "example", "sequence", "elwc", or "auto" to look at the first
            records.
        options: options of `headrace.stats`, except `on_row_error`.

    Raises:
        InvalidArgumentError: the records are lists of Examples (message "elwc"),
            which such a schema cannot describe.
        MalformedError, WrongKindError: a record cannot be counted, or has a feature
            with another kind than the records before it.
    """
    return _census("headrace.infer_schema", paths, sample, message, options).schema()


def infer_spec(
    paths: Any,
    *,
    matrix: str | Sequence[str] = (),
    jagged: str | Sequence[str] = (),
    sample: int = 10000,
    message: Message = "auto",
    **options: Unpack[StatsOptions],
) -> Spec:
    """Returns a spec that fits the records; a feature that has the same number of
    values in all of them is fixed_len. The spec is also a mapping of names and
    features.

        >>> headrace.infer_spec("train.tfrecord", matrix="I*", jagged="ids=C*")

    For lists of Examples (message "elwc") it is an `ElwcSpec`; the fixed_len
    features of its Examples have a default, which fills up short lists.

    Args:
        matrix: globs of features that become a `Matrix` called "dense"; "NAME=GLOB"
            gives it a name. They have the same number of numbers in all records that
            have them, and a default of 0 if some records lack them. The type is
            float32, or int64 if all are int64.
        jagged: globs of features that become a `Jagged` called "ids"; "NAME=GLOB" gives
            it a name. Bytes become ids by `hash_bucket`, with at least 1,024 buckets
            and twice as many as the sample has distinct values.

    The other arguments and errors are those of `infer_schema`.

    Raises:
        InvalidArgumentError: a glob matches no feature that has values, or one that
            cannot be a member of the group.
    """
    globs = _globs(matrix, "matrix"), _globs(jagged, "jagged")
    what = "headrace.infer_spec"
    return _census(what, paths, sample, message, options, bool(globs[1])).spec(*globs)


def _globs(value: Any, name: str) -> list[str]:
    globs = [value] if isinstance(value, str) else value
    if not isinstance(globs, Sequence) or not all(isinstance(g, str) for g in globs):
        raise wrong_type(name, "a glob of features, or a list of globs", value)
    return list(globs)


def _census(
    what: str,
    paths: Any,
    sample: int,
    message: Message,
    options: dict[str, Any],
    counts_values: bool = False,
) -> _core.Census:
    for name in options:
        if name not in _OPTIONS:
            own = {"matrix", "jagged"} if what.endswith("spec") else set()
            known = {*_OPTIONS, *own, "sample", "message"}
            raise no_such_option(what, name, sorted(known))
    core_options("stats", options)  # checks which limits there are
    sample = whole_number("sample", sample, 0)
    census = _core.Census(message, counts_values)
    left = sample if sample > 0 else None
    options.setdefault("threads", 1)
    with open(paths, message="raw", batch_size=_BATCH, **options) as reader:
        for batch in reader:
            census.add(batch, reader.files, batch.num_rows if left is None else left)
            if left is not None:
                left -= batch.num_rows
                if left <= 0:
                    break
    census.tell()
    return census

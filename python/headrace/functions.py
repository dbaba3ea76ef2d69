"""Functions of single values, for the `map` of features.

docs/formats/spec.md lists them; rule B10 of docs/semantics.md says what they compute.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from headrace.errors import BadSpecError
from headrace.fields import integer, optional, short, text


class Function(NamedTuple):
    """A function of single values, for `map`: made by `hash_bucket`, `vocabulary`,
    `bucketize`, `clip`, `log1p` and `scale`."""

    name: str
    arguments: tuple[tuple[str, Any], ...]

    def __repr__(self) -> str:
        listed = ", ".join(f"{name}={value!r}" for name, value in self.arguments)
        return f"{self.name}({listed})"


def hash_bucket(buckets: int) -> Function:
    """Returns the function from bytes or int64 to an id in [0, buckets), as
    `tf.strings.to_hash_bucket_fast`: the Fingerprint64 of the value, modulo `buckets`."""
    return Function("hash_bucket", (("buckets", integer(buckets, "buckets")),))


def vocabulary(
    file: object = None, *, keys: object = None, oov_buckets: int = 0,
    oov: str = "last", default: int | None = None, size: int | None = None,
) -> Function:
    """Returns the function from bytes or int64 to the number of the key's line, from 0.

    Args:
        file: path of a file with a key per line; it is read when a plan is made.
        keys: the keys, instead of a file: a list of bytes (or str), or of int.
        oov_buckets: number of hash buckets for other keys. Give them or a `default`.
        oov: "last" if the buckets come after the lines, "first" if before them.
        default: the id of other keys.
        size: number of lines of the file that are used.
    """
    if oov not in ("first", "last"):
        raise BadSpecError(f'oov is {short(oov)}; it takes "first" or "last"')
    return Function("vocabulary", (
        ("file", None if file is None else text(os.fspath(file), "file")),  # type: ignore[call-overload]
        ("keys", None if keys is None else _keys(keys)),
        ("oov_buckets", integer(oov_buckets, "oov_buckets")),
        ("oov", str(oov)),
        ("default", optional(integer, default, "default")),
        ("size", optional(integer, size, "size")),
    ))


def _keys(keys: object) -> tuple[bytes, ...] | tuple[int, ...]:
    if not isinstance(keys, (list, tuple)):
        raise BadSpecError(f"keys is {short(keys)}; it takes a list of bytes or of int")
    if all(isinstance(key, (str, bytes)) for key in keys):
        return tuple(key.encode() if isinstance(key, str) else key for key in keys)
    return tuple(integer(key, f"keys[{i}]") for i, key in enumerate(keys))


def _number(value: object, what: str) -> float:
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__float__"):
        raise BadSpecError(f"{what} is {short(value)}; it takes a number")
    return float(value)


def bucketize(boundaries: Iterable[float]) -> Function:
    """Returns the function from float or int64 to the number of boundaries that are
    not above the number. The boundaries ascend and are rounded to float32.

    `bucketize(stats["age"].quantiles)` has the quantiles of a feature as boundaries: its
    minimum, the shares of 1, 5, 10, 25, 50, 75, 90, 95 and 99 %, and its maximum. So
    only numbers below the minimum are in bucket 0, and only the maximum and numbers
    above it in bucket 11. If quantiles are equal, the buckets between them are empty.
    """
    if boundaries is None:
        raise BadSpecError(
            "boundaries is None; it takes numbers, and a feature that has no numbers of "
            "one kind has no quantiles"
        )
    return Function("bucketize", (
        ("boundaries", tuple(_number(b, "a boundary") for b in boundaries)),
    ))


def clip(lo: float, hi: float) -> Function:
    """Returns the function from a number to that number, but at least `lo` and at most
    `hi`. The bounds of int64 are int."""
    bounds = (
        (name, bound if type(bound) is int else _number(bound, name))
        for name, bound in (("lo", lo), ("hi", hi))
    )
    return Function("clip", tuple(bounds))


def log1p() -> Function:
    """Returns the function from float or int64 to a float: log(1 + x)."""
    return Function("log1p", ())


def scale(mean: Any, std: float | None = None) -> Function:
    """Returns the function from float or int64 to a float: (x - mean) / std.

    `scale(stats["age"])` has the mean and the standard deviation of a feature's finite
    numbers; they must not all be the same.
    """
    if std is None:
        mean, std = _moments(mean)
    return Function(
        "scale", (("mean", _number(mean, "mean")), ("std", _number(std, "std")))
    )


def _moments(of: Any) -> tuple[float, float]:
    """Returns the mean and the standard deviation of the numbers of an
    `hr.FeatureStats`."""
    if not hasattr(of, "numbers"):
        raise BadSpecError(
            f"scale has {short(of)} and no std; it takes a mean and a std, or the "
            "statistics of a feature"
        )
    name, numbers = f'"{of.name}"', of.numbers
    if numbers is None:
        kinds = " and ".join(vars(of.kinds)) or "no values"
        raise BadSpecError(
            f"feature {name} has {kinds}; scale takes a feature of int64 or of float"
        )
    if numbers.mean is None:
        raise BadSpecError(f"feature {name} has no finite numbers, and so no mean")
    if numbers.std == 0:
        raise BadSpecError(
            f"all finite numbers of feature {name} are {numbers.min}, so their std is "
            "0, by which nothing can be divided"
        )
    return numbers.mean, numbers.std


_FUNCTIONS = {
    f.__name__: f for f in (hash_bucket, vocabulary, bucketize, clip, log1p, scale)
}


def functions_of(value: object) -> tuple[Function, ...]:
    """Returns the argument `map`: a function, a list of them, or names and arguments
    that the core returned."""
    if isinstance(value, Function):
        return (value,)
    if isinstance(value, (list, tuple)):
        made = [
            _FUNCTIONS[item[0]](**item[1]) if type(item) is tuple else item
            for item in value
        ]
        if all(isinstance(item, Function) for item in made):
            return tuple(made)
    raise BadSpecError(f"map is {short(value)}; it takes functions such as hr.log1p()")

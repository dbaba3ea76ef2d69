"""Suggests what a wrong name of an option or an attribute was probably meant to be."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from headrace import _core
from headrace.arguments import suggestion

_F = TypeVar("_F", bound=Callable[..., Any])

# Options of other libraries, and their names here.
_CALLED = {
    "compression_type": "compression",
    "drop_last": "drop_remainder",
    "feature_description": "spec",
    "features": "spec",
    "n_jobs": "threads",
    "num_epochs": "epochs",
    "num_parallel_calls": "threads",
    "num_parallel_reads": "threads",
    "num_replicas": "world_size",
    "num_shards": "shard",
    "num_threads": "threads",
    "num_workers": "threads",
    "repeat": "epochs",
}
# Options that a function does not have, each with a hint where they are instead.
_ROWS = "; Dataset.batches, torch.Sampler and headrace.open have it"
_ELSEWHERE = {
    "batch_size": _ROWS,
    "num_workers": "; workers are an option of the DataLoader",
    "prefetch": "; Dataset.batches has it",
    "seed": "; a headrace.Shuffle has it: shuffle=headrace.Shuffle(seed)",
    "shuffle": _ROWS,
}


def no_such_option(
    what: str, name: str, names: Iterable[str], refusal: str = ""
) -> TypeError:
    """Returns the exception for an option `name` that `what` does not have. `names` are
    the options of `what`; `refusal`, if not empty, says why this one is missing."""
    names = list(names)
    called = _CALLED.get(name)
    if name == "num_workers" and what.startswith("headrace.torch"):
        called = None
    hint = f'; did you mean "{called}"?' if called in names else ""
    hint = hint or (f"; {refusal}" if refusal else "")
    hint = hint or _ELSEWHERE.get(name, "") or suggestion(name, names)
    return TypeError(f'{what} has no option "{name}"{hint}')


def named(function: _F) -> _F:
    """Decorates a public function so that a wrong option raises `no_such_option`."""
    parameters = [
        name for name in inspect.signature(function).parameters
        if name != "self" and not name.startswith("_")
    ]
    known = set(inspect.signature(function).parameters)
    what = "headrace." + function.__qualname__.removesuffix(".__init__")

    @functools.wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        if not options.keys() <= known:
            wrong = next(name for name in options if name not in known)
            raise no_such_option(what, wrong, parameters)
        return function(*arguments, **options)

    return cast(_F, checked)


# Attributes that other libraries have.
_ATTRIBUTES = {
    (_core.RaggedTensor, "numpy"): "; its rows have different lengths: values.numpy() "
    "returns all values, tolist() and to_dense() return the rows",
    (_core.SparseTensor, "numpy"): "; to_dense() is an array, and so are values and indices",
    (_core.RaggedTensor, "offsets"): '; did you mean "row_splits"?',
    (_core.JaggedTensor, "numpy"): "; values.numpy() returns all values, tolist() the "
    "rows",
    (_core.JaggedTensor, "row_splits"): '; did you mean "offsets"?',
    (_core.Batch, "numpy"): '; its features have it: batch["NAME"].numpy()',
}


def _missing(self: object, name: str) -> Any:
    cls = type(self)
    hint = ""
    if not name.startswith("_"):
        known = [other for other in dir(cls) if not other.startswith("_")]
        hint = (
            _ATTRIBUTES.get((cls, name))
            or suggestion(name, known)
            or suggestion(name.removeprefix("to_"), known)
        )
        if isinstance(self, _core.Batch) and name in self:
            hint = f'; did you mean batch["{name}"]?'
    raise AttributeError(
        f"'{cls.__name__}' object has no attribute '{name}'{hint}", name=name, obj=self
    )


for _cls in (
    _core.Batch, _core.Column, _core.JaggedTensor, _core.RaggedTensor,
    _core.SparseTensor, _core.Tensor,
):
    _cls.__getattr__ = _missing  # type: ignore[union-attr]

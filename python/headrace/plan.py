"""Plans: specs and schemas compiled once and used many times."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from typing import Any

from headrace import _core, notebook
from headrace.description import schema_of, spec_of
from headrace.errors import BadSpecError, InvalidArgumentError
from headrace.options import Message, core_options
from headrace.spec import Spec

# The last plans made from dicts, since parse_example is often called with the same dict
# again. The key is the identity of the dict. Its items are compared as well, since the
# dict may have changed.
_CACHE_SIZE = 16
_cache: dict[tuple[int, int, "_Way"], tuple[Any, _core.Plan]] = {}

# How a plan decodes: `on_absent` and the limits.
_Way = tuple[str, tuple[tuple[str, int], ...]]
_USUAL: _Way = ("warn", ())


class Plan:
    """A compiled spec or schema; `print(plan)` shows what it decodes.

        >>> plan = headrace.Plan({"age": headrace.FixedLenFeature([], "int64", 0)})
        >>> headrace.parse_example(serialized, plan)["age"].numpy()

    A plan is immutable, can be pickled, and any number of threads may use it.

    Args:
        spec: a dict of features, a `Spec`, the path of its JSON, or a `Schema`
            (ours, protobuf's, or its path), whose tensor representations are
            compiled.
        message: "example" or "sequence": the spec must be for this message. "auto"
            (default): the spec or schema decides.

    Raises:
        BadSpecError: the spec is wrong; the error names the feature and the rule.
    """

    __slots__ = ("_core", "_source", "_variants")

    def __init__(self, spec: Any, *, message: str = "auto") -> None:
        spec = spec_of(spec)
        if isinstance(spec, _core.Schema):
            self._core = _core.Plan.of_schema(spec, message)
        else:
            spec = Spec.of(spec)
            self._core = _core.Plan.of_spec(spec._to_core(), message)
        self._source = (spec, message)
        self._variants: dict[_Way, _core.Plan] = {}

    @property
    def names(self) -> list[str]:
        """Names of the tensors, features before feature lists."""
        return self._core.names

    @property
    def message(self) -> str:
        """"example" or "sequence"."""
        return self._core.message

    def __arrow_c_schema__(self) -> Any:
        return self._core.__arrow_c_schema__()

    def __str__(self) -> str:
        return str(self._core)

    def __repr__(self) -> str:
        return notebook.plan_text(self._core)

    def _repr_html_(self) -> str:
        return notebook.plan_html(self._core)

    def __reduce__(self) -> Any:
        spec, message = self._source
        files = self._core.vocabulary_files
        if files:  # another process may have another working directory
            spec = Spec.from_json(Spec.of(spec).to_json(), folder=os.getcwd())
        return _make, (spec, message, files)

    @staticmethod
    def of(
        spec: Any, *, message: str = "auto", columns: Iterable[str] | None = None
    ) -> _core.Plan:
        """Returns the core's plan for a spec, a schema or a plan. If `columns` are
        given, the plan has only these."""
        spec = spec_of(spec)
        if columns is not None and not _has_just(spec, columns := list(columns)):
            spec = _select(spec, columns)
        if isinstance(spec, _core.Plan):  # Reader.plan is one
            return spec
        if isinstance(spec, Plan):
            return spec._core
        return Plan(spec, message=message)._core


def _make(spec: Any, message: str, files: Sequence[tuple[str, int]] = ()) -> Plan:
    """Makes a plan again, perhaps on another machine. Its vocabularies must have the
    words that they had there, or else it would return other numbers."""
    plan = Plan(spec, message=message)
    found = plan._core.vocabulary_files
    for (_, digest), (path, now) in zip(files, found, strict=bool(files)):
        if digest != now:
            raise BadSpecError(
                "the vocabulary has other words than the plan was made with", file=path
            )
    return plan


def portable(
    spec: Any, message: str, columns: list[str] | None, plan: _core.Plan
) -> Any:
    """Returns `spec`, of which `plan` was made, in a form that other processes compile
    to the same plan. If there are vocabulary files, that is a `Plan`, since its pickle
    has their digests."""
    knows_files = isinstance(spec, Plan) and columns is None
    if not plan.vocabulary_files or knows_files or isinstance(spec, _core.Plan):
        return spec
    made = Plan.__new__(Plan)
    made._core = plan
    made._source = (spec if columns is None else _select(spec, columns), message)
    made._variants = {}
    return made


def _has_just(spec: Any, names: list[str]) -> bool:
    return isinstance(spec, Plan) and spec.names == names


def _select(spec: Any, names: list[str]) -> Any:
    if isinstance(spec, Plan):
        spec = spec._source[0]
    if isinstance(spec, _core.Schema):
        return spec.project(names)
    return Spec.of(spec).select(names)


def plan_for(
    spec: Any,
    schema: Any,
    message: Message,
    columns: list[str] | None,
) -> _core.Plan | None:
    """Returns the core's plan for `spec=` or `schema=`; None if neither is given."""
    if spec is not None and schema is not None:
        raise TypeError("give a spec or a schema, not both")
    if schema is not None:
        return _core.Plan.columns_of_schema(schema_of(schema), message, columns)
    if spec is not None:
        return Plan.of(spec, message=message, columns=columns)
    return None


def _way(on_absent: Any, limits: Any) -> _Way:
    if limits is None and isinstance(on_absent, str):
        return on_absent, ()  # the value is checked where a plan gets it
    options = core_options("messages", {"on_absent": on_absent, "limits": limits})
    _core.check_options(options)
    return options.pop("on_absent"), tuple(sorted(options.items()))


def _variant(plan: _core.Plan, way: _Way) -> _core.Plan:
    """Returns the plan, or a copy of it that decodes in this way."""
    return plan if way == _USUAL else plan._with({"on_absent": way[0], **dict(way[1])})


def variant(plan: _core.Plan, on_absent: Any, limits: Any) -> _core.Plan:
    """Returns the plan, or a copy of it that decodes with these options."""
    return _variant(plan, _way(on_absent, limits))


def _variant_of(plan: Plan, way: _Way) -> _core.Plan:
    found = plan._variants.get(way)
    if found is None:
        if len(plan._variants) >= _CACHE_SIZE:
            plan._variants.clear()
        found = plan._variants.setdefault(way, _variant(plan._core, way))
    return found


def cached(
    features: Any,
    sequence_features: Any = None,
    *,
    on_absent: Any = "warn",
    limits: Any = None,
) -> _core.Plan:
    """Returns the plan for dicts of features, and keeps it for the next call."""
    way = _way(on_absent, limits)
    if isinstance(features, Plan):
        if sequence_features is not None:
            raise InvalidArgumentError("a plan already has its sequence features")
        return _variant_of(features, way)
    features = spec_of(features)
    if isinstance(features, (_core.Schema, _core.Plan)):
        return _variant(Plan.of(features), way)
    key = (id(features), id(sequence_features), way)
    now = (_items(features), _items(sequence_features))
    found = _cache.get(key)
    if found is not None and _same(found[0], now):
        return found[1]
    if sequence_features is None:
        spec = Spec.of(features)
    else:
        spec = Spec(features, sequence_features)
    plan = _variant(_core.Plan.of_spec(spec._to_core()), way)
    if len(_cache) >= _CACHE_SIZE:
        _cache.pop(next(iter(_cache)), None)
    _cache[key] = (now, plan)
    return plan


@functools.lru_cache(_CACHE_SIZE)
def _plan_of(spec: Spec, way: _Way) -> _core.Plan:
    return _variant(_core.Plan.of_spec(spec._to_core()), way)


def cached_by_value(spec: Spec, *, on_absent: Any, limits: Any) -> _core.Plan:
    """Returns the plan for a spec, and keeps it for calls with an equal spec."""
    way = _way(on_absent, limits)
    try:
        return _plan_of(spec, way)
    except TypeError:  # a default is not hashable
        return _plan_of.__wrapped__(spec, way)


def _same(before: Any, now: Any) -> bool:
    try:
        return bool(before == now)
    except ValueError:  # defaults that are numpy arrays have no truth value
        return False


def _items(features: Any) -> Any:
    return list(features.items()) if isinstance(features, dict) else features

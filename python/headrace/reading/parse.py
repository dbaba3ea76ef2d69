"""Decodes serialized messages in memory, as `tf.io.parse_example` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headrace import _core
from headrace.description import schema_of
from headrace.errors import InvalidArgumentError
from headrace.options import Message, OnAbsent, core_options
from headrace.plan import cached, cached_by_value, variant
from headrace.spec import ElwcSpec, ListMessage


def parse_example(
    serialized: Any,
    spec: Any,
    *,
    on_absent: OnAbsent = "warn",
    limits: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Parses serialized `tf.train.Example` messages; see `tf.io.parse_example`.

        >>> tensors = headrace.parse_example(
        ...     [record], {"age": headrace.FixedLenFeature([], headrace.int64)})
        >>> tensors["age"].numpy()
        array([37])

    Args:
        serialized: a list or tuple of bytes, a numpy array of objects, or an
            Arrow array of binary values: B messages.
        spec: a dict of features, of headrace or of `tf.io`, a `Spec` or a `Plan`.
            A dict that is passed again is not compiled again.
        on_absent: what to do about a feature of the spec that the messages lack.
            "warn": an `AbsentFeatureWarning`, once for a spec, if the first messages
            that are parsed with it lack the feature but have one with a similar name;
            "error": a `MissingFeatureError` if they lack it; "ignore": nothing. The
            first messages are up to 256 of the first call that has any.
        limits: a dict of limits to change from their defaults (docs/limits.md):
            "max_record_bytes", the size of a message (a larger message raises a
            `CorruptDataError`), and "max_batch_bytes", the size of all tensors (larger
            ones raise a `LimitError`).

    Returns:
        For each name a `Tensor` ([B] + shape), a `SparseTensor` or a
        `RaggedTensor`, equal to TensorFlow's; docs/semantics.md lists where
        headrace raises an error instead.

    Raises:
        BadSpecError: the spec is wrong.
        DataError: a message is wrong; `.record` is its index.
        InvalidArgumentError: the spec is for SequenceExamples.
    """
    plan = cached(spec, on_absent=on_absent, limits=limits)
    if plan.message != "example":
        is_sequence = plan.message == "sequence"
        messages = "SequenceExamples" if is_sequence else "lists of Examples"
        name = "parse_sequence_example" if is_sequence else "parse_elwc"
        raise InvalidArgumentError(f"the spec is for {messages}; use {name}")
    return plan.parse_example(serialized)


def parse_sequence_example(
    serialized: Any,
    context: Any = None,
    sequence: Any = None,
    *,
    on_absent: OnAbsent = "warn",
    limits: Mapping[str, int] | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Parses `tf.train.SequenceExample`; see `tf.io.parse_sequence_example`.

    Args:
        serialized: B messages, as in `parse_example`.
        context: a dict of the features of the context, or a `Spec` or `Plan` that also
            has the feature lists.
        sequence: a dict of the feature lists.
        on_absent, limits: as in `parse_example`.

    Returns:
        Three dicts: tensors of the context; tensors of the feature lists, dense
        ones padded to [B, longest] + shape; and, for these dense ones, the number
        of steps in each row, [B].
    """
    if context is None and sequence is None:
        raise InvalidArgumentError("give context or sequence features")
    if sequence is None and isinstance(context, dict):
        sequence = {}
    if context is None:
        context = {}
    plan = cached(context, sequence, on_absent=on_absent, limits=limits)
    if plan.message != "sequence":
        raise InvalidArgumentError("the plan is for Examples; use parse_example")
    return plan.parse_sequence_example(serialized)


def parse_elwc(
    serialized: Any,
    context_spec: Any,
    example_spec: Any = None,
    *,
    list_size: int | None = None,
    size_feature_name: str | None = None,
    mask_feature_name: str | None = None,
    message: ListMessage = "elwc",
    on_absent: OnAbsent = "warn",
    limits: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """Parses lists of Examples; see tensorflow_ranking's `parse_from_example_list`.

        >>> tensors = headrace.parse_elwc(
        ...     records, {"query": headrace.FixedLenFeature([], headrace.int64)},
        ...     {"score": headrace.FixedLenFeature([], headrace.float32, 0.0)})
        >>> tensors["score"].numpy().shape
        (2, 3)

    Args:
        serialized: B messages, as in `parse_example`.
        context_spec: a dict of the features of the context; or an `ElwcSpec`, or
            a `Plan` of one, which replaces the arguments up to `message`.
        example_spec: a dict of the features of every Example.
        list_size, size_feature_name, mask_feature_name: see `ElwcSpec`.
        message: "elwc" for `tensorflow.serving.ExampleListWithContext`,
            "example_in_example" for Examples that hold their list as bytes, as
            in `parse_from_example_in_example`.
        on_absent, limits: as in `parse_example`.

    Returns:
        For each name a tensor: [B] + shape of the context, [B, list_size] + shape
        of the Examples. If both have a name, it is that of the tensor of the context.

    Raises:
        BadSpecError: a spec is wrong.
        DataError: a message is wrong; `.record` is its index.
    """
    if example_spec is None:
        plan = cached(context_spec, on_absent=on_absent, limits=limits)
    else:
        spec = ElwcSpec(
            context_spec,
            example_spec,
            list_size=list_size,
            size_feature_name=size_feature_name,
            mask_feature_name=mask_feature_name,
            message=message,
        )
        plan = cached_by_value(spec, on_absent=on_absent, limits=limits)
    if plan.message not in ("elwc", "example_in_example"):
        raise InvalidArgumentError("the plan is not for lists of Examples")
    return plan.parse_elwc(serialized)


def decode(
    serialized: Any,
    *,
    schema: Any = None,
    spec: Any = None,
    message: Message = "auto",
    on_absent: OnAbsent = "warn",
    limits: Mapping[str, int] | None = None,
) -> _core.Batch:
    """Decodes serialized messages to columns, as tfx_bsl's decoders do.

        >>> pyarrow.record_batch(headrace.decode(records))

    Args:
        serialized: messages, as in `parse_example`.
        schema: a `Schema` whose features are the columns, or the path of one.
            Without it, and without `spec`, the columns are the features that the
            messages have, and every byte of them is checked.
        spec: the tensors to make instead; as in `headrace.open`.
        message: "example", "sequence", "elwc", "raw", or "auto" to look at the
            messages. Messages read as Examples lose their feature lists; a
            `LateFeatureWarning` says how many messages had some.
        on_absent: as in `parse_example`, for the features of a spec or a schema.
        limits: as in `parse_example`.

    Returns:
        A `Batch`, which is an Arrow record batch (`__arrow_c_array__`): one
        `list<T>` column per feature, null where a message lacks the feature and
        empty where its list is empty; feature lists are inside `##SEQUENCE##`.
    """
    if spec is not None:
        if schema is not None:
            raise TypeError("give a spec or a schema, not both")
        plan = cached(spec, on_absent=on_absent, limits=limits)
    elif schema is not None:
        plan = _core.Plan.columns_of_schema(schema_of(schema), message)
        plan = variant(plan, on_absent, limits)
    else:
        options = core_options("messages", {"limits": limits})
        return _core.decode(serialized, message, options)
    return plan.decode(serialized)

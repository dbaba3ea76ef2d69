"""The same bytes through TensorFlow and through headrace, compared."""

from __future__ import annotations

import dataclasses
from typing import Any

import documented_rules
import headrace as hr
import numpy as np
import tensorflow as tf
from random_features import NUL_KEY, Feature
from wire_messages import Message, canonical

tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.threading.set_inter_op_parallelism_threads(1)

TF_TYPES = {"int64": tf.int64, "float": tf.float32, "bytes": tf.string,
            "int32": tf.int32}
HR_TYPES = {"int64": hr.int64, "float": hr.float32, "bytes": hr.bytes_,
            "int32": hr.int32}
TF_ERRORS = (ValueError, tf.errors.InvalidArgumentError)
# E2 of docs/semantics.md.
ORDER = ("malformed", "wrong_kind", "wrong_count", "missing_feature",
         "bad_sparse_index", "bad_partition")
# What TensorFlow says, and our code for it.
_CODES = (
    ("Could not parse example input", "malformed"),
    ("Invalid protocol message input", "malformed"),
    ("Data types don't match", "wrong_kind"),
    ("required but could not be found", "missing_feature"),
    ("values != expected", "wrong_count"),
    ("not a multiple of stride length", "wrong_count"),
    ("Can't parse serialized Example", "wrong_count"),  # T1: too many strings
    ("Unexpected number of elements in example", "wrong_count"),
    ("has an unexpected number of values", "wrong_count"),
)


def code_of(error: Exception, absent: bool = False) -> str:
    """The code of headrace for an error of TensorFlow's about one feature of a
    record, which is `absent` there or not."""
    text = str(error)
    if isinstance(error, UnicodeDecodeError):  # of the bytes that it quotes
        text = error.object.decode("latin-1")
    for part, code in _CODES:
        if part in text:
            return code
    if "Inconsistent max number of elements" in text:  # T2: absent everywhere
        return "missing_feature" if absent else "wrong_count"
    raise AssertionError(f"TensorFlow says something unknown: {text}")


def plain(value: Any) -> list:
    """The arrays that a result of either library consists of."""
    if isinstance(value, tf.RaggedTensor):
        return ["ragged", value.flat_values.numpy(),
                *(splits.numpy() for splits in value.nested_row_splits)]
    if isinstance(value, hr.RaggedTensor):
        return ["ragged", value.values.numpy(),
                *(splits.numpy() for splits in value.row_splits)]
    if isinstance(value, (tf.SparseTensor, hr.SparseTensor)):
        return ["sparse", value.indices.numpy(), value.values.numpy(),
                value.dense_shape.numpy()]
    return ["dense", value.numpy()]


def same(ours: list, theirs: list) -> bool:
    """Kinds, types, shapes and values, floats bit for bit."""
    if len(ours) != len(theirs) or ours[0] != theirs[0]:
        return False
    return all(map(_same_array, ours[1:], theirs[1:]))


def _same_array(ours: np.ndarray, theirs: np.ndarray) -> bool:
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return False
    if ours.dtype == object:
        return ours.tolist() == theirs.tolist()
    return ours.tobytes() == theirs.tobytes()


@dataclasses.dataclass
class Case:
    """A spec; `lists` of a SequenceExample, else None."""

    features: list[Feature]
    lists: list[Feature] | None = None

    def specs(self, library: Any, types: dict) -> list[dict]:
        """The dicts that parse_example or parse_sequence_example takes."""
        parts = [self.features] if self.lists is None else [self.features, self.lists]
        return [{f.name: f.make(library, types) for f in part} for part in parts]


def parse(library: Any, records: Any, specs: list[dict]) -> dict:
    """Results of either library's function by place and name."""
    if len(specs) == 1:
        return {("features", name): plain(value) for name, value in
                library.parse_example(records, *specs).items()}
    results = library.parse_sequence_example(records, *specs)
    return {(place, name): plain(value)
            for place, result in zip(("features", "lists", "lengths"), results,
                                     strict=True)
            for name, value in result.items()}


def attempt(library: Any, records: Any, specs: list[dict]) -> Any:
    """What parse gives, or the error that it raises."""
    errors: Any = hr.HeadraceError
    if library is tf.io:
        errors = TF_ERRORS
        # TensorFlow takes a list of nothing for one of floats.
        records = tf.constant(records, tf.string, [len(records)])
    try:
        return parse(library, records, specs)
    except errors as error:
        return error


class Oracle:
    """What TensorFlow makes of a batch, and the rules of where it errs.

    Args:
        case: the spec.
        messages: what the records mean.
        records: their bytes, canonical where TensorFlow reads others wrongly.
    """

    def __init__(
        self, case: Case, messages: list[Message], records: list[bytes]
    ) -> None:
        self.case = case
        self.messages = messages
        self.records = records
        self.rules = [
            documented_rules.faults(message, case.features, case.lists or [])
            for message in messages
        ]
        self.specs = case.specs(tf.io, TF_TYPES)

    def run(self) -> Any:
        """Of all records: results or an error; no rule may be broken."""
        specs, missing = self.specs, {}
        if not self.records and self.case.lists is not None:
            # T2: TensorFlow demands what no record can have.
            required = [f for f in self.case.features
                        if f.cls == "FixedLenFeature" and f.default is None
                        or f.shape and f.count == 0]
            specs = [dict(specs[0]), specs[1]]
            for feature in required:
                del specs[0][feature.name]
                dtype = {"int64": np.int64, "float": np.float32}.get(
                    feature.kind, object)
                missing["features", feature.name] = [
                    "dense", np.empty((0, *feature.shape), dtype)]
            if not any(specs):
                return missing
        result = attempt(tf.io, self.records, specs)
        if isinstance(result, dict):
            for feature in self.case.features:
                self._sort_equal_indices(feature, result)
            result.update(missing)
        return result

    def _sort_equal_indices(self, feature: Feature, result: dict) -> None:
        """P3: of equal indices TensorFlow's order is any, ours the stored one."""
        if feature.cls != "SparseFeature" or feature.already_sorted:
            return
        unsorted = dataclasses.replace(feature, already_sorted=True)
        spec = {feature.name: unsorted.make(tf.io, TF_TYPES)}
        _, indices, values, shape = attempt(tf.io, self.records, [spec])[
            "features", feature.name]
        order = np.lexsort(indices.T[::-1])
        result["features", feature.name] = [
            "sparse", indices[order], values[order], shape]

    def codes(self, index: int) -> dict[str, set[str]]:
        """For each code that holds of a record: keys and names it may name."""
        codes: dict[str, set[str]] = {}
        places = (("features", self.case.features), ("lists", self.case.lists or []))
        for place, features in places:
            for feature in features:
                broken = self.rules[index].get((place, feature.name))
                found = {self._tensorflow_code(index, place, feature, broken)}
                for code in (found | {broken}) - {None}:
                    names = {feature.name, *filter(None, feature.keys)}
                    codes.setdefault(str(code), set()).update(names)
        return codes

    def _tensorflow_code(
        self, index: int, place: str, feature: Feature, broken: str | None
    ) -> str | None:
        """TensorFlow's opinion of one feature of one record.

        Where a rule is broken its parts are read alone, as what they are.
        """
        absent = feature.keys[0] not in self.messages[index].features
        # A text of TensorFlow's ends at a NUL, before it says what is wrong.
        feature = dataclasses.replace(
            feature, name=feature.name.replace("\0", " "),
            keys=[key and key.replace("\0", " ") for key in feature.keys])
        parts = {feature.name: feature.make(tf.io, TF_TYPES)}
        if broken:
            kinds = [feature.kind] + ["int64"] * (len(feature.keys) - 1)
            parts = {key: tf.io.VarLenFeature(TF_TYPES[kind])
                     for key, kind in zip(feature.keys, kinds, strict=True) if key}
        record = self.records[index].replace(
            NUL_KEY.encode(), NUL_KEY.replace("\0", " ").encode())
        specs = [parts]
        if self.case.lists is not None:
            specs = [{}, parts] if place == "lists" else [parts, {}]
        result = attempt(tf.io, [record], specs)
        if isinstance(result, dict):
            return None
        return code_of(result, absent)

    def check_error(self, error: hr.HeadraceError, malformed: set[int]) -> None:
        """`error` is the one that E1 and E2 ask for."""
        index = error.record
        assert index is not None and 0 <= index < len(self.records), error
        before = range(index)
        assert not any(self.rules[i] or i in malformed for i in before), error
        if index:
            result = attempt(tf.io, self.records[:index], self.specs)
            # T2 again: a feature of a context that no record has.
            assert isinstance(result, dict), (error, result)
        if index in malformed:
            assert error.code == "malformed", error
            return
        codes = self.codes(index)
        first = next((code for code in ORDER if code in codes), None)
        assert error.code == first, (error, codes)
        assert error.feature in codes[str(first)], (error, codes)


def canonical_where_needed(message: Message, record: bytes, rules: set[str]) -> bytes:
    """The bytes for TensorFlow: `record` unless rules say that it errs there."""
    return canonical(message) if rules else record

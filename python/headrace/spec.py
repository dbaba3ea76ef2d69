"""Spec: the features of a message, by name.

    spec = hr.Spec({"age": hr.FixedLenFeature([], hr.int64, 0)})
    same = hr.Spec.from_json(spec.to_json())

Wherever headrace accepts a spec it also accepts a dict of features, tf.io's
included. `ElwcSpec` has the features of a list of Examples and of its context:

    spec = hr.ElwcSpec(
        {"query": hr.VarLenFeature(hr.bytes_)},
        {"score": hr.FixedLenFeature([], hr.float32, 0.0)},
        list_size=100, mask_feature_name="mask")
    for batch in hr.open("train.tfrecord", spec=spec):
        batch["score"].numpy()  # [B, 100]
"""

from __future__ import annotations

import operator
import os
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, TypeAlias

from headrace import _core, notebook
from headrace.arguments import no_such_feature, quoted, suggestion, wrong_type
from headrace.errors import BadSpecError
from headrace.features import Feature, made_of, read_features
from headrace.fields import flag, optional, text

ListMessage: TypeAlias = Literal["elwc", "example_in_example"]


def _chosen(names: Iterable[str], known: Mapping[str, object]) -> list[str]:
    """Returns the argument `names` of `select` without repetitions."""
    if isinstance(names, (str, bytes)):
        raise wrong_type("names", "a list of str", names)
    names = list(dict.fromkeys(names))
    for name in names:
        if name not in known:
            near = suggestion(str(name), known)
            raise BadSpecError(
                f'the spec has no feature "{name}"{near}', feature=str(name)
            )
    return names


class Spec(Mapping[str, Feature]):
    """Which features to read, and the tensors to make of them. Frozen.

    A spec is a mapping of names and features:

        >>> spec = headrace.infer_spec("train.tfrecord")
        >>> {**spec, "age": headrace.FixedLenFeature([], headrace.int64, 0)}

    The spec of a SequenceExample, or of lists of Examples, has two mappings instead. It
    cannot be iterated itself: a dict made from it would lose the second mapping.

    Args:
        features: names and features of an Example, or, with
            `sequence_features`, of the context of a SequenceExample.
        sequence_features: names and features of feature lists; if given, even as an
            empty dict, the message is a SequenceExample.

    Tensors have the order of the features. Whether the features fit together is
    checked when a plan is made. A value that is not a feature raises TypeError, and a
    feature of tf.io that is invalid raises `BadSpecError`, with `.feature`.
    """

    __slots__ = ("_features", "_sequence_features", "_message")

    def __init__(
        self,
        features: Mapping[str, object] | None = None,
        sequence_features: Mapping[str, object] | None = None,
    ) -> None:
        self._features = types.MappingProxyType(read_features(features, "features"))
        self._sequence_features = types.MappingProxyType(
            read_features(sequence_features, "sequence_features")
        )
        is_example = sequence_features is None
        self._message = "example" if is_example else "sequence_example"

    @classmethod
    def of(cls, value: object) -> Spec:
        """Returns `value`, a Spec or a dict of features of an Example, as a Spec."""
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            return cls(value)
        hint = "; for JSON use Spec.from_json" if isinstance(value, str) else ""
        expected = "a Spec or a dict of names and features"
        raise wrong_type("spec", expected, value, hint)

    @classmethod
    def from_json(
        cls,
        text: str | bytes,
        *,
        folder: str | os.PathLike[str] = "",
        files: bool = True,
    ) -> Spec:
        """Returns the spec in a JSON text (docs/formats/spec.md).

        Args:
            folder: relative paths of vocabulary files become paths in it.
            files: False to refuse a spec that names vocabulary files, such as one
                from a stranger.

        Raises:
            BadSpecError: the text is not a spec, or names files that it must not.
        """
        if isinstance(text, str):
            # The core refuses surrogates, with their line and column.
            text = text.encode("utf-8", "surrogatepass")
        if not isinstance(text, bytes):
            raise wrong_type("text", "JSON as str or bytes", text)
        folder, files = os.fspath(folder), flag(files, "files")
        return cls._of_core(_core.FeatureSpec.from_json(text, folder, files))

    def to_json(self) -> str:
        """Returns the spec as JSON (docs/formats/spec.md), one line per feature."""
        return self._to_core().to_json()

    @classmethod
    def _of_core(cls, core: _core.FeatureSpec) -> Spec:
        if core.message in ("elwc", "example_in_example"):
            return ElwcSpec._of_lists(core)
        features = made_of(core.features)
        is_sequence = core.message == "sequence"
        return cls(features, made_of(core.sequence_features) if is_sequence else None)

    def _to_core(self) -> _core.FeatureSpec:
        core = _core.FeatureSpec(self._message)
        for name, feature in self._features.items():
            core.add(name, feature)
        for name, feature in self._sequence_features.items():
            core.add_sequence(name, feature)
        return core

    @property
    def message(self) -> str:
        """ "example" or "sequence_example"; for an ElwcSpec "elwc" or
        "example_in_example"."""
        return self._message

    @property
    def features(self) -> Mapping[str, Feature]:
        """Features of an Example or of a SequenceExample's context; read-only."""
        return self._features

    @property
    def sequence_features(self) -> Mapping[str, Feature]:
        """Feature lists of a SequenceExample; read-only."""
        return self._sequence_features

    @property
    def example_features(self) -> Mapping[str, Feature]:
        """Features of the Examples of a list; empty except in an `ElwcSpec`;
        read-only."""
        return types.MappingProxyType({})

    def __getitem__(self, name: str) -> Feature:
        found = self._all().get(name)
        if found is None:
            raise no_such_feature(name, list(self._all()))
        return found

    def __iter__(self) -> Iterator[str]:
        if self._message != "example":
            others = "sequence_features"
            if self._message != "sequence_example":
                others = "example_features"
            raise TypeError(
                f"a spec of {self._message} has two mappings: features and {others}"
            )
        return iter(self._features)

    def __len__(self) -> int:
        return len(self._all())

    def __bool__(self) -> bool:
        return True

    def _all(self) -> dict[str, Feature]:
        return {**self.example_features, **self._sequence_features, **self._features}

    def select(self, names: Iterable[str]) -> Spec:
        """Returns a spec of only these tensors, in the order of `names`.

        In the spec of a SequenceExample a name is looked up in the context and among
        the feature lists. A name that is in neither raises `BadSpecError`.
        """
        names = _chosen(names, {**self._features, **self._sequence_features})
        context = {n: self._features[n] for n in names if n in self._features}
        if self._message == "example":
            return Spec(context)
        lists = self._sequence_features
        return Spec(context, {n: lists[n] for n in names if n in lists})

    def _key(self) -> tuple:
        return (
            self._message,
            tuple(self._features.items()),
            tuple(self._sequence_features.items()),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Spec):
            return NotImplemented
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        text = quoted(dict(self._features))
        if self._message == "sequence_example":
            text += f", {quoted(dict(self._sequence_features))}"
        return f"Spec({text})"

    def _repr_html_(self) -> str:
        lists = {**self._sequence_features, **self.example_features}
        return notebook.spec_html(self._message, self._features, lists)

    def __reduce__(self):
        lists = dict(self._sequence_features)
        is_example = self._message == "example"
        return Spec, (dict(self._features), None if is_example else lists)



def _size(value: object) -> int:
    if value is None:
        return 0
    try:
        return max(operator.index(value), 0)
    except TypeError:
        raise wrong_type("list_size", "an int or None", value) from None


class ElwcSpec(Spec):
    """Which features to read from lists of Examples with a context. Frozen.

    Args:
        context: names and features of the context.
        example: names and features of every Example. If both `context` and `example`
            have a name, the name is that of the tensor of the context.
        list_size: number of Examples in every list: longer lists are cut, shorter ones
            are filled up with defaults. None (or 0 or less): as many as the longest
            list of the batch has.
        size_feature_name: name of a tensor, int32 [B], with the number of Examples
            that each list had before it was cut.
        mask_feature_name: name of a tensor, bool [B, list_size], that is True
            where the list has an Example.
        message: "elwc" for `ExampleListWithContext`, or "example_in_example".

    It raises the errors of `Spec`.
    """

    __slots__ = ("_example_features", "_lists")

    def __init__(
        self,
        context: Mapping[str, object] | None,
        example: Mapping[str, object],
        *,
        list_size: int | None = None,
        size_feature_name: str | None = None,
        mask_feature_name: str | None = None,
        message: ListMessage = "elwc",
    ) -> None:
        super().__init__(context)
        if message not in ("elwc", "example_in_example"):
            raise BadSpecError(
                f'message is {message!r}; it must be "elwc" or "example_in_example"'
            )
        self._message = message
        self._example_features = types.MappingProxyType(
            read_features(example, "example features")
        )
        self._lists = (
            _size(list_size),
            optional(text, size_feature_name, "size_feature_name"),
            optional(text, mask_feature_name, "mask_feature_name"),
        )

    @classmethod
    def _of_lists(cls, core: _core.FeatureSpec) -> ElwcSpec:
        list_size, sizes, mask = core.lists
        return cls(
            made_of(core.features),
            made_of(core.example_features),
            list_size=list_size,
            size_feature_name=sizes,
            mask_feature_name=mask,
            message=core.message,
        )

    def _to_core(self) -> _core.FeatureSpec:
        core = super()._to_core()
        for name, feature in self._example_features.items():
            core.add_to_examples(name, feature)
        core.set_lists(*self._lists)
        return core

    @property
    def example_features(self) -> Mapping[str, Feature]:
        """Features of every Example; read-only."""
        return self._example_features

    @property
    def list_size(self) -> int | None:
        """Number of Examples in each list; None: as many as the longest list of the
        batch has."""
        return self._lists[0] or None

    @property
    def size_feature_name(self) -> str | None:
        """Name of the tensor of sizes."""
        return self._lists[1]

    @property
    def mask_feature_name(self) -> str | None:
        """Name of the mask."""
        return self._lists[2]

    def select(self, names: Iterable[str]) -> ElwcSpec:
        """Returns a spec of only these tensors; sizes and mask count as tensors.

        A name is looked up in the context and among the features of Examples. A name
        that is in neither raises `BadSpecError`.
        """
        list_size, sizes, mask = self._lists
        known = {**self._features, **self._example_features, sizes: 0, mask: 0}
        known.pop(None, None)
        names = _chosen(names, known)
        examples = self._example_features
        return ElwcSpec(
            {n: self._features[n] for n in names if n in self._features},
            {n: examples[n] for n in names if n in examples},
            list_size=list_size,
            size_feature_name=sizes if sizes in names else None,
            mask_feature_name=mask if mask in names else None,
            message=self._message,
        )

    def _key(self) -> tuple:
        return *super()._key(), tuple(self._example_features.items()), self._lists

    def _options(self) -> dict[str, object]:
        names = ("list_size", "size_feature_name", "mask_feature_name")
        options = {n: v for n, v in zip(names, self._lists, strict=True) if v}
        if self._message != "elwc":
            options["message"] = self._message
        return options

    def __repr__(self) -> str:
        options = "".join(f", {n}={v!r}" for n, v in self._options().items())
        features = f"{dict(self._features)!r}, {dict(self._example_features)!r}"
        return f"ElwcSpec({features}{options})"

    def __reduce__(self):
        return _make, (
            dict(self._features),
            dict(self._example_features),
            self._options(),
        )


def _make(
    context: dict[str, Feature],
    example: dict[str, Feature],
    options: dict[str, object],
) -> ElwcSpec:
    return ElwcSpec(context, example, **options)

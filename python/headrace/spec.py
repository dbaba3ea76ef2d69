"""Spec: the features of a message, by name.

    spec = hr.Spec({"age": hr.FixedLenFeature([], hr.int64, 0)})
    same = hr.Spec.from_json(spec.to_json())

Wherever headrace takes a spec it takes a dict of features, too, tf.io's
included.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from headrace import _core
from headrace import features as _features
from headrace.arguments import no_such_feature, suggestion, wrong_type
from headrace.errors import BadSpecError
from headrace.features import Feature
from headrace.fields import text
from headrace.visible import quoted


@contextlib.contextmanager
def _naming(name: str) -> Iterator[None]:
    """Adds the feature `name` to errors."""
    try:
        yield
    except BadSpecError as error:
        raise BadSpecError(f'feature "{name}": {error.message}', feature=name) from None
    except TypeError as error:
        raise TypeError(f'feature "{name}": {error}') from None


def read_features(features: object, what: str) -> dict[str, Feature]:
    """Features by name, of a dict that a user gave."""
    if features is None:
        return {}
    if not isinstance(features, Mapping):
        raise wrong_type(what, "a dict of names and features", features)
    result = {}
    for name, value in features.items():
        if not isinstance(name, str):
            raise wrong_type(f"{what}: the name {name!r}", "a str", name)
        name = text(name, f"the name of a {what[:-1]}")
        with _naming(name):
            result[name] = _features.feature(value)
    return result


def made_of(items: list[tuple[str, str, dict[str, Any]]]) -> dict[str, Feature]:
    """Features by name, from kinds and arguments that the core gives."""
    made: dict[str, Feature] = {}
    for name, kind, arguments in items:
        if name in made:
            raise BadSpecError(f'feature "{name}" is listed twice', feature=name)
        with _naming(name):
            made[name] = _features.of_kind(kind, arguments)
    return made


class Spec(Mapping[str, Feature]):
    """Which features to read, and the tensors to make of them. Frozen.

    It is a mapping of names and features:

        >>> spec = headrace.infer_spec("train.tfrecord")
        >>> {**spec, "age": headrace.FixedLenFeature([], headrace.int64, 0)}

    That of a SequenceExample, or of lists, has two mappings instead, and cannot be
    iterated itself: a dict of it would lose what the second one says.

    Args:
        features: names and features of an Example, or, with
            `sequence_features`, of the context of a SequenceExample.
        sequence_features: names and features of feature lists; where they are
            given, even as an empty dict, the message is a SequenceExample.

    The order is that of the tensors. What features mean together is checked
    when a plan is made. TypeError for what is no feature, and `BadSpecError`,
    with `.feature`, for one of tf.io's that cannot be.
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
        """`value`, a Spec or a dict of features of an Example, as a Spec."""
        if isinstance(value, cls):
            return value
        if isinstance(value, Mapping):
            return cls(value)
        hint = "; for JSON use Spec.from_json" if isinstance(value, str) else ""
        expected = "a Spec or a dict of names and features"
        raise wrong_type("spec", expected, value, hint)

    @classmethod
    def from_json(cls, text: str | bytes) -> Spec:
        """The spec of a JSON text, docs/formats/spec.md; or BadSpecError."""
        if isinstance(text, str):
            # The core refuses surrogates, with their line and column.
            text = text.encode("utf-8", "surrogatepass")
        if not isinstance(text, bytes):
            raise wrong_type("text", "JSON as str or bytes", text)
        return cls._of_core(_core.FeatureSpec.from_json(text))

    def to_json(self) -> str:
        """The JSON of docs/formats/spec.md, one line per feature."""
        return self._to_core().to_json()

    @classmethod
    def _of_core(cls, core: _core.FeatureSpec) -> Spec:
        if core.message in ("elwc", "example_in_example"):
            from headrace.elwc import ElwcSpec

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
        """ "example" or "sequence_example"; of an ElwcSpec "elwc" or
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
        """Features of the Examples of a list; of an `ElwcSpec` alone; read-only."""
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
        """The spec of these tensors alone, in the order of `names`.

        Of a SequenceExample a name is looked for in the context and among the
        feature lists. `BadSpecError` for a name that is in neither.
        """
        if isinstance(names, (str, bytes)):
            raise wrong_type("names", "a list of str", names)
        names = list(dict.fromkeys(names))
        known = {**self._features, **self._sequence_features}
        for name in names:
            if name not in known:
                raise BadSpecError(
                    f'the spec has no feature "{name}"'
                    f"{suggestion(str(name), known)}",
                    feature=str(name),
                )
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
        from headrace import notebook

        return notebook.spec_html(self)

    def __reduce__(self):
        lists = dict(self._sequence_features)
        is_example = self._message == "example"
        return Spec, (dict(self._features), None if is_example else lists)

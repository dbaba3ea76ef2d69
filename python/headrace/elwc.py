"""ElwcSpec: the features of a list of Examples and of its context.

    spec = hr.ElwcSpec(
        {"query": hr.VarLenFeature(hr.bytes_)},
        {"score": hr.FixedLenFeature([], hr.float32, 0.0)},
        list_size=100, mask_feature_name="mask")
    for batch in hr.open("train.tfrecord", spec=spec):
        batch["score"].numpy()  # [B, 100]
"""

from __future__ import annotations

import operator
import types
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from headrace import _core
from headrace.arguments import suggestion, wrong_type
from headrace.errors import BadSpecError
from headrace.features import Feature
from headrace.fields import text
from headrace.spec import Spec, made_of, read_features

ListMessage: TypeAlias = Literal["elwc", "example_in_example"]


def _size(value: object) -> int:
    if value is None:
        return 0
    try:
        return max(operator.index(value), 0)
    except TypeError:
        raise wrong_type("list_size", "an int or None", value) from None


def _name(value: object, what: str) -> str | None:
    return None if value is None else text(value, what)


class ElwcSpec(Spec):
    """What to read of lists of Examples with a context. Frozen.

    Args:
        context: names and features of the context.
        example: names and features of every Example. Where both have a name,
            the context's tensor is found by it.
        list_size: every list gets so many Examples: longer ones are cut,
            shorter ones filled up with defaults. None (or 0 or less): as many as
            the longest list of the batch has.
        size_feature_name: name of a tensor, int32 [B], of how many Examples each
            list had before it was cut.
        mask_feature_name: name of a tensor, bool [B, list_size], that is True
            where the list has an Example.
        message: "elwc" for `ExampleListWithContext`, or "example_in_example".

    Errors are those of `Spec`.
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
                f'message is {message!r}; it is "elwc" or "example_in_example"'
            )
        self._message = message
        self._example_features = types.MappingProxyType(
            read_features(example, "example features")
        )
        self._lists = (
            _size(list_size),
            _name(size_feature_name, "size_feature_name"),
            _name(mask_feature_name, "mask_feature_name"),
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
        """Examples of each list; None for those of the longest one."""
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
        """The spec of these tensors alone; sizes and mask are tensors, too.

        A name is looked for in the context and among the features of Examples.
        `BadSpecError` for a name that is in neither.
        """
        if isinstance(names, (str, bytes)):
            raise wrong_type("names", "a list of str", names)
        names = list(dict.fromkeys(names))
        list_size, sizes, mask = self._lists
        known = {**self._features, **self._example_features, sizes: 0, mask: 0}
        for name in names:
            if name not in known or name is None:
                near = suggestion(str(name), [n for n in known if n is not None])
                raise BadSpecError(
                    f'the spec has no feature "{name}"{near}', feature=str(name)
                )
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

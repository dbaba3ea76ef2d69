"""Random features of TensorFlow Datasets, values for them, and what reading gives.

Each node makes the feature (`feature`), draws a value (`draw`), says what to give to
the writer (`put`) and what a reader must give back (`read`). The last follows from
docs/formats/tfds.md alone, so that it holds where TensorFlow Datasets cannot read what
it has written.
"""

from __future__ import annotations

import dataclasses
import io
import random
import string
from typing import Any

import numpy as np
import tensorflow_datasets as tfds
from tfds_rows import Arrays, Ragged, Steps, bytes_of

Rng = random.Random
Dims = tuple[int | None, ...]  # None: unknown

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
PLAIN = (*INTEGERS, "bool", "float16", "float32", "float64", "string")
ENCODED = (*INTEGERS, "bool", "float16", "float32", "float64", "complex64",
           "complex128", "bfloat16")
TEXTS = ("", "a", "two words", "gr\u00fc\u00dfe", "\u6771\u4eac", "end\n", "x" * 40)


def dtype_of(name: str) -> Any:
    if name == "string":
        return np.object_
    if name == "bfloat16":
        import ml_dtypes
        return ml_dtypes.bfloat16
    return np.dtype(name).type


def number(rng: Rng, name: str, wide: bool) -> Any:
    """A value of a type; `wide`: not all survive the way through a float."""
    if name == "bool":
        return rng.random() < 0.5
    if name == "string":
        return rng.choice((b"", b"\0\xff", b"nul\0", *map(str.encode, TEXTS)))
    if name in INTEGERS:
        info = np.iinfo(name)
        return rng.choice((0, 1, info.min, info.max, rng.randint(info.min, info.max),
                           max(info.min, min(info.max, rng.randint(-99, 99)))))
    small = rng.choice((0.0, -0.0, 1.5, rng.uniform(-1000, 1000), float("inf"),
                        -float("inf"), float("nan")))
    if name.startswith("complex"):
        return complex(small, rng.uniform(-9, 9))
    if name == "float64" and wide:
        return rng.choice((small, rng.uniform(-1e300, 1e300), 5e-324))
    return small


@dataclasses.dataclass
class Leaf:
    """A tensor, or what is one on the wire.

    `dims` are the lengths of the sequences around it, outermost first, `dataset`
    says whether the first of these is of a Dataset.
    """

    dims: Dims
    dataset: bool
    shape: Dims = ()
    dtype: str = "int64"
    encoding: str = "none"
    optional: bool = False
    varies: bool = False  # in size, from element to element of a row

    @property
    def encoded(self) -> bool:
        return self.encoding != "none"

    @property
    def skipped(self) -> bool:
        """Whether readers leave it encoded."""
        return False

    @property
    def readable(self) -> bool:
        """Whether TensorFlow Datasets reads it, too."""
        wire = () if self.encoded else self.shape
        if len(self.dims) >= 2 and (*self.dims, *wire).count(None) <= 1:
            return False
        if self.varies and not self.dataset:
            return False
        # tf.io.decode_raw has no such type.
        return not (self.encoded and self.dtype == "uint32")

    def feature(self) -> Any:
        return tfds.features.Tensor(
            shape=self.shape, dtype=dtype_of(self.dtype), encoding=self.encoding,
            optional=self.optional)

    def begin_row(self, rng: Rng) -> None:
        """Elements of one row have one size, but for those of steps."""
        self.size = [rng.randint(0, 3) if n is None else n for n in self.shape]

    def draw(self, rng: Rng) -> Any:
        if self.optional and rng.random() < 0.5:
            return None
        if self.varies:
            self.begin_row(rng)
        return self.array(
            [number(rng, self.dtype, self.encoded)
             for _ in range(int(np.prod(self.size)))]).reshape(self.size)

    def array(self, values: list) -> np.ndarray:
        array = np.empty(len(values), dtype_of(self.dtype))
        array[:] = values
        return array

    def put(self, value: Any) -> Any:
        if value is not None and not self.shape:
            return value[()]  # a scalar
        return value

    def element(self, value: Any) -> np.ndarray:
        """What reading gives of one."""
        if value is None:
            return self.missing()
        if self.dtype == "float64" and not self.encoded:
            return value.astype(np.float32).astype(np.float64)
        return value

    def missing(self) -> np.ndarray:
        least: Any = {"bool": False, "string": b""}.get(self.dtype)
        if self.dtype in INTEGERS:
            least = np.iinfo(self.dtype).min
        elif self.dtype.startswith("float"):
            least = -np.inf if self.dtype == "float64" else np.finfo(self.dtype).min
        return np.full(self.shape, least, dtype_of(self.dtype))

    def stack(self, elements: list) -> Any:
        """Elements of one sequence."""
        if not elements:
            shape = [0, *(n or 0 for n in self.shape)]
            return np.empty(shape, dtype_of(self.dtype))
        arrays = [np.asarray(self.element(value)) for value in elements]
        if len({array.shape for array in arrays}) > 1:
            return Arrays(arrays)
        stacked = np.empty((len(arrays), *arrays[0].shape), dtype_of(self.dtype))
        for place, array in zip(stacked, arrays) if arrays[0].shape else ():
            place[...] = array
        if not arrays[0].shape:
            stacked[:] = [array[()] for array in arrays]
        return stacked

    def read(self, value: Any, depth: int, columns: bool) -> Any:
        """What reading gives of lists in lists, so many deep.

        `columns`: steps are a dict of arrays, not a list of dicts.
        """
        if depth == 0:
            return np.asarray(self.element(value), dtype_of(self.dtype))
        if depth == 1:
            return self.stack(value)
        splits = []
        for _ in range(depth - 1):
            splits.append(np.cumsum([0, *map(len, value)]).tolist())
            value = [inner for outer in value for inner in outer]
        values = self.stack(value)
        # What is ragged as a whole is ragged in a step, too.
        if None in self.dims[1:]:
            return Ragged(splits, values)
        shape = (len(splits[0]) - 1, *self.dims[1 - depth:])
        return values.reshape(*shape, *values.shape[1:])


@dataclasses.dataclass
class Text(Leaf):
    dtype: str = "string"

    def feature(self) -> Any:
        return tfds.features.Text()

    def draw(self, rng: Rng) -> Any:
        return bytes_of(rng.choice(TEXTS).encode())


@dataclasses.dataclass
class Label(Leaf):
    names: tuple[str, ...] = ()
    classes: int = 7

    def feature(self) -> Any:
        if self.names:
            return tfds.features.ClassLabel(names=self.names)
        return tfds.features.ClassLabel(num_classes=self.classes)

    def draw(self, rng: Rng) -> Any:
        classes = len(self.names) or self.classes
        return np.asarray(rng.randint(-1, classes - 1), np.int64)

    def put(self, value: Any) -> Any:
        return int(value)


@dataclasses.dataclass
class Box(Leaf):
    shape: Dims = (4,)
    dtype: str = "float32"

    def feature(self) -> Any:
        return tfds.features.BBoxFeature()

    def draw(self, rng: Rng) -> Any:
        top, bottom = sorted((rng.random(), rng.random()))
        left, right = sorted((rng.random(), rng.random()))
        return np.array([top, left, bottom, right], np.float32)


@dataclasses.dataclass
class Image(Leaf):
    """Its value is the file, which tests make with the feature itself."""

    dtype: str = "string"
    pixels: str = "uint8"
    form: str | None = None
    labels: int | None = None
    picture: Dims = (None, None, 3)

    @property
    def skipped(self) -> bool:
        return True

    def feature(self) -> Any:
        if self.labels is not None:
            return tfds.features.LabeledImage(labels=self.labels, shape=self.picture)
        return tfds.features.Image(
            shape=self.picture, dtype=np.dtype(self.pixels).type,
            encoding_format=self.form)

    def draw(self, rng: Rng) -> Any:
        shape = [rng.randint(1, 4) if n is None else n for n in self.picture]
        count = int(np.prod(shape))
        if self.pixels == "float32":
            pixels = np.array([rng.uniform(-9, 9) for _ in range(count)], np.float32)
        else:
            top = np.iinfo(self.pixels).max
            pixels = np.array([rng.randint(0, top) for _ in range(count)], self.pixels)
        return pixels.reshape(shape)

    def put(self, value: Any) -> Any:
        return value

    def element(self, value: Any) -> np.ndarray:
        return bytes_of(self.feature().encode_example(value))


@dataclasses.dataclass
class Video(Image):
    """Its last dimension is that of the frames."""

    def feature(self) -> Any:
        frames = self.dims[-1]
        return tfds.features.Video(shape=(frames, *self.picture),
                                   encoding_format=self.form)

    def element(self, value: Any) -> np.ndarray:
        frame = tfds.features.Image(shape=self.picture, encoding_format=self.form)
        return bytes_of(frame.encode_example(value))


@dataclasses.dataclass
class Sound(Leaf):
    lazy: bool = False

    @property
    def skipped(self) -> bool:
        return self.lazy

    def feature(self) -> Any:
        if self.lazy:
            return tfds.features.Audio(file_format="wav", shape=(None,),
                                       dtype=np.int32, lazy_decode=True)
        return tfds.features.Audio(shape=self.shape, dtype=dtype_of(self.dtype),
                                   encoding=self.encoding)

    def draw(self, rng: Rng) -> Any:
        if self.lazy:
            return bytes_of(b"RIFF" + rng.randbytes(9))
        return super().draw(rng)

    def put(self, value: Any) -> Any:
        if self.lazy:
            return io.BytesIO(value[()])
        # The feature encodes files alone, not arrays.
        if self.encoded:
            tensor = tfds.features.Tensor(
                shape=self.shape, dtype=dtype_of(self.dtype), encoding=self.encoding)
            return bytes_of(tensor.encode_example(value))
        return super().put(value)


@dataclasses.dataclass
class Dict:
    children: dict[str, Any]
    languages: bool = False  # a Translation

    def feature(self) -> Any:
        if self.languages:
            return tfds.features.Translation(languages=list(self.children))
        return tfds.features.FeaturesDict(
            {name: child.feature() for name, child in self.children.items()})

    def draw(self, rng: Rng) -> Any:
        return {name: child.draw(rng) for name, child in self.children.items()}

    def put(self, value: Any) -> Any:
        return {name: child.put(value[name]) for name, child in self.children.items()}

    def read(self, value: Any, depth: int, columns: bool) -> Any:
        return {name: child.read(_of_all(value, name, depth), depth, columns)
                for name, child in self.children.items()}


def _of_all(value: Any, name: str, depth: int) -> Any:
    """What dicts, in lists so many deep, have under a name."""
    if depth == 0:
        return value[name]
    return [_of_all(inner, name, depth - 1) for inner in value]


@dataclasses.dataclass
class Sequence:
    inner: Any
    length: int | None
    form: str = "Sequence"
    least: int = 0

    def feature(self) -> Any:
        if self.form == "Video":
            return self.inner.feature()
        if self.form == "TranslationVariableLanguages":
            return tfds.features.TranslationVariableLanguages()
        return getattr(tfds.features, self.form)(self.inner.feature(),
                                                 length=self.length)

    def draw(self, rng: Rng) -> Any:
        count = rng.randint(self.least, 3) if self.length is None else self.length
        elements = [self.inner.draw(rng) for _ in range(count)]
        if self.form == "TranslationVariableLanguages":
            # These come in the order of the languages.
            elements.sort(key=lambda pair: (pair["language"][()],
                                            pair["translation"][()]))
        return elements

    def put(self, value: Any) -> Any:
        elements = [self.inner.put(element) for element in value]
        if self.form != "TranslationVariableLanguages":
            return elements
        languages: dict = {}
        for pair in elements:
            languages.setdefault(pair["language"].decode(), []).append(
                pair["translation"].decode())
        return languages

    def read(self, value: Any, depth: int, columns: bool) -> Any:
        if self.form == "Dataset" and not columns:
            return Steps([self.inner.read(step, 0, columns) for step in value])
        return self.inner.read(value, depth + 1, columns)


def leaves(node: Any) -> list[Leaf]:
    if isinstance(node, Dict):
        return [leaf for child in node.children.values() for leaf in leaves(child)]
    return leaves(node.inner) if isinstance(node, Sequence) else [node]


def decoders(node: Any) -> Any:
    """What makes TensorFlow Datasets leave images encoded; None: nothing."""
    if isinstance(node, Dict):
        found = {name: decoders(child) for name, child in node.children.items()}
        return {name: skip for name, skip in found.items() if skip} or None
    if isinstance(node, Sequence):
        return decoders(node.inner)
    return tfds.decode.SkipDecoding() if node.skipped else None


class Maker:
    """Makes trees.

    Args:
        rng: where all that is random comes from.
        readable: whether TensorFlow Datasets must be able to read its own files.
    """

    def __init__(self, rng: Rng, readable: bool = True) -> None:
        self._rng = rng
        self._readable = readable

    def tree(self) -> Dict:
        """The features of a folder."""
        children = {self._name(): self._node((), False, 3)
                    for _ in range(self._rng.randint(1, 6))}
        return Dict(children)

    def _name(self) -> str:
        word = "".join(self._rng.choices(string.ascii_lowercase, k=3))
        return self._rng.choice((word, word, word, f"{word}.x", f"{word} y",
                                 f"{word}-z", f"{word}/q", f"\u00fc{word}"))

    def _node(self, dims: Dims, dataset: bool, depth: int) -> Any:
        choice = self._rng.random() if depth else 1.0
        if choice < 0.02 and not dims:
            return Dict({})
        if choice < 0.15:
            return Dict({self._name(): self._node(dims, dataset, depth - 1)
                         for _ in range(self._rng.randint(1, 4))})
        if choice < 0.45 and self._may_nest(dims):
            length = self._length() if self._is_free(dims) else None
            inner = self._node((*dims, length), dataset, depth - 1)
            # TensorFlow Datasets reads no empty one of these.
            least = self._readable and any(leaf.encoded and leaf.shape.count(None) > 1
                                           for leaf in leaves(inner))
            return Sequence(inner, length, least=int(least))
        if choice < 0.55 and not dims:
            # Now and then a Dataset has but one feature, no dict of them.
            length = self._length() if self._rng.random() < 0.2 else None
            inner = Dict({self._name(): self._node((length,), True, depth - 1)
                          for _ in range(self._rng.randint(1, 5))})
            if self._rng.random() < 0.1:
                inner = self._one_of([self._tensor], (length,), True)
            return Sequence(inner, length, "Dataset")
        return self._leaf(dims, dataset)

    def _is_free(self, dims: Dims) -> bool:
        """Whether another sequence may have a known length."""
        return not self._readable or not dims or dims.count(None) >= 2

    def _may_nest(self, dims: Dims) -> bool:
        return len(dims) < 3 and (self._is_free(dims) or None in dims)

    def _length(self) -> int | None:
        return self._rng.choice((None, None, None, 1, 2, 3))

    def _leaf(self, dims: Dims, dataset: bool) -> Any:
        makers = [self._tensor] * 6 + [self._special] * 4
        if not dims:
            makers.append(self._optional)
        if self._may_nest(dims):
            makers.append(self._pairs)
        return self._one_of(makers, dims, dataset)

    def _one_of(self, makers: list, dims: Dims, dataset: bool) -> Any:
        while True:
            node = self._rng.choice(makers)(dims, dataset)
            if not self._readable or all(leaf.readable for leaf in leaves(node)):
                return node

    def _tensor(self, dims: Dims, dataset: bool) -> Leaf:
        rng = self._rng
        encoding = rng.choice(("none", "none", "none", "bytes", "zlib"))
        dtype = rng.choice(PLAIN if encoding == "none" else ENCODED)
        shape = self._shape(dims, encoding != "none")
        if dtype.startswith("complex") and shape.count(None) > 1:
            dtype = "float32"  # headrace refuses complex numbers of such shapes
        leaf = Leaf(dims, dataset, shape, dtype, encoding)
        if leaf.encoded and None in leaf.shape and len(dims) == 1:
            leaf.varies = dataset or not self._readable
        return leaf

    def _shape(self, dims: Dims, encoded: bool) -> Dims:
        """One that can be written: without an encoding, at most one dimension of
        sequences and shape is unknown, and none beside it is 0."""
        while True:
            shape = tuple(self._rng.choice((None, 1, 2, 3, 3, 0))
                          for _ in range(self._rng.choice((0, 0, 1, 1, 2, 3))))
            known = (*dims, *shape)
            if encoded:
                if shape.count(None) != 1 or 0 not in shape:
                    return shape
            elif len(dims) >= 2:
                if None not in shape and 0 not in shape:
                    return shape
            elif known.count(None) == 0 or known.count(None) == 1 and 0 not in known:
                return shape

    def _optional(self, dims: Dims, dataset: bool) -> Leaf:
        rng = self._rng
        shape = tuple(rng.randint(1, 3) for _ in range(rng.randint(0, 2)))
        return Leaf(dims, dataset, shape, rng.choice(PLAIN), optional=True)

    def _pairs(self, dims: Dims, dataset: bool) -> Any:
        """A Translation or a Video, whose insides are a level deeper."""
        rng = self._rng
        if rng.random() < 0.3:
            return Dict({name: Text(dims, dataset) for name in ("en", "fr")},
                        languages=True)
        inner = (*dims, None)
        if rng.random() < 0.5:
            pair = {name: Text(inner, dataset) for name in ("language", "translation")}
            # TensorFlow Datasets writes no empty one.
            return Sequence(Dict(pair), None, "TranslationVariableLanguages", 1)
        length = self._length() if self._is_free(dims) else None
        frame = Video((*dims, length), dataset, form=rng.choice(("png", "jpeg")),
                      picture=(2, 3, rng.choice((1, 3))))
        return Sequence(frame, length, "Video")

    def _special(self, dims: Dims, dataset: bool) -> Leaf:
        rng = self._rng
        kind = rng.choice(("text", "label", "names", "box", "image", "mask", "sound",
                           "lazy"))
        if kind == "text":
            return Text(dims, dataset)
        if kind == "label":
            return Label(dims, dataset)
        if kind == "names":
            return Label(dims, dataset, names=("cat", "a dog", "\u9ce5"))
        if kind == "box":
            return Box(dims, dataset)
        if kind == "mask":
            return Image(dims, dataset, labels=3, picture=(None, None, 1))
        if kind == "image":
            pixels, form, channels = rng.choice((
                ("uint8", None, 3), ("uint8", "png", 4), ("uint8", "png", 1),
                ("uint8", "jpeg", 3), ("uint8", "jpeg", 1), ("uint16", "png", 1),
                ("uint16", "png", 3), ("float32", None, 1)))
            height, width = rng.choice(((None, None), (2, 3)))
            return Image(dims, dataset, pixels=pixels, form=form,
                         picture=(height, width, channels))
        if kind == "lazy":
            return Sound(dims, dataset, dtype="string", lazy=True)
        return self._sound(dims, dataset)

    def _sound(self, dims: Dims, dataset: bool) -> Leaf:
        rng = self._rng
        encoding = rng.choice(("none", "bytes", "zlib"))
        shape = rng.choice(((None,), (None, 2), (5,)))
        if encoding == "none" and (len(dims) > 1 or None in dims):
            shape = (5,)
        return Sound(dims, dataset, shape, rng.choice(("int16", "int64", "float32")),
                     encoding)


def random_rows(tree: Dict, rng: Rng, count: int) -> list[Any]:
    """Values for so many examples."""
    rows = []
    for _ in range(count):
        for leaf in leaves(tree):
            leaf.begin_row(rng)
        rows.append(tree.draw(rng))
    return rows

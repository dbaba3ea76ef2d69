"""Records of a folder: which ones, and what of them is read."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from headrace import _core
from headrace.arguments import whole_number, wrong_type
from headrace.errors import InvalidArgumentError
from headrace.file_ranges import FileRanges
from headrace.tfds import images
from headrace.tfds.batch import View
from headrace.tfds.layout import add_empty, columns_of, tree_of

Padding: TypeAlias = Literal["before", "after"]


@dataclasses.dataclass(frozen=True)
class Window:
    """A row of `size` steps of one episode.

    Windows begin at every `stride`-th step. Without padding they have only steps
    that there are, so an episode of fewer steps has none. With padding there is one
    for every `stride`-th step: "after": it begins there, and the last step stands
    for those after the end; "before": it ends there, and the first step stands for
    those before the begin. `window_mask` of a batch tells which are real.
    """

    size: int
    stride: int = 1
    padding: Padding | None = None

    def __post_init__(self) -> None:
        whole_number("size", self.size, 1, 2**31)
        whole_number("stride", self.stride, 1, 2**31)
        if self.padding not in (None, "before", "after"):
            raise InvalidArgumentError(
                f'padding must be None, "before" or "after", got {self.padding!r}'
            )


class Source(FileRanges):
    """Some records of a folder of TFDS, in place of `paths`.

    What takes paths takes it: `headrace.open`, `headrace.Dataset`, `headrace.stats`,
    and the adapters for torch, Ray, Beam, Grain and others.

        >>> source = headrace.tfds.Source("droid/1.0.0", "train[:90%]",
        ...                               columns=["steps/observation/*"], window=8)
        >>> headrace.torch.Dataset(source, batch_size=64, shuffle=True)

    Args:
        path: the folder, as in `headrace.tfds.info`.
        split: "train", "train[:80%]", "train[3shard]+test", "all": docs/formats/
            tfds.md has the rules.
        columns: paths of features; one of a dict or a sequence stands for all in it,
            and * and ? for characters of a name. None: all.
        steps: read steps instead of episodes. True: those of the only Dataset that
            is read; or the path of one.
        window: a `Window`, or its size: rows are windows of steps.
        episodes: so many are read at a time for their steps. Shuffled, the steps of
            these are mixed with one another.
        decode_images: decode images with Pillow, when they are asked for.
        outside_files: as in `headrace.tfds.info`.

    Raises:
        NotFoundError: the folder, or a file of the split, is not there.
        BadSpecError: the folder contradicts itself, or a feature cannot be read;
            `.feature` is its path.
        InvalidArgumentError: `split` or `columns` name what there is not.

    Attributes:
        files, ranges: the files, and the records that are read of each.
        spec: the `headrace.Spec` of the features, whose names are paths.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        split: str = "train",
        *,
        columns: Sequence[str] | None = None,
        steps: bool | str = False,
        window: Window | int | None = None,
        episodes: int = 16,
        decode_images: bool = False,
        outside_files: bool = False,
    ) -> None:
        if columns is not None and (
            isinstance(columns, str) or not all(isinstance(c, str) for c in columns)
        ):
            raise wrong_type("columns", "a list of str", columns)
        if decode_images:
            images.check_pillow()
        folder = _core.TfdsFolder(os.fsencode(path), outside_files)
        # A file of an empty range is not opened.
        slices = folder.select(split) or [(folder.folder, 0, 0, 0)]
        spec, leaves, empty = columns_of(*folder.choose(list(columns or ())))
        # The number of the row behind each range.
        self.ends = np.cumsum([take for _, _, take, _ in slices], dtype=np.int64)
        self.path = folder.folder
        self.split = split
        super().__init__(
            tuple(slice[0] for slice in slices),
            tuple((skip, skip + take, records) for _, skip, take, records in slices),
            spec,
        )
        self.leaves = leaves
        self._empty = empty
        self.decode_images = decode_images
        self.episodes = whole_number("episodes", episodes, 1, 2**20)
        if window is not None and not isinstance(window, Window):
            window = Window(whole_number("window", window, 1, 2**31))
        self.window = window
        self.dataset = self._dataset(steps or window is not None)

    @property
    def num_records(self) -> int:
        """Records, of which each is an episode if it has steps."""
        return int(self.ends[-1])

    def __repr__(self) -> str:
        return f"Source({self.path!r}, {self.split!r})"

    @property
    def decode(self) -> Any:
        """What is made of images; None leaves them as they are."""
        return images.decode if self.decode_images else None

    def view(self, steps_as_columns: bool = False) -> View:
        """How batches of records are shown."""
        tree = tree_of((leaf.names, path) for path, leaf in self.leaves.items())
        add_empty(tree, self._empty)
        return View(self.leaves, tree, self.decode, steps_as_columns)

    def _dataset(self, steps: bool | str) -> str | None:
        """The path of the Dataset whose steps are read; None: episodes are."""
        if steps is False:
            return None
        paths = dict.fromkeys(
            leaf.dataset for leaf in self.leaves.values() if leaf.dataset is not None
        )
        if steps is True and len(paths) == 1:
            return next(iter(paths))
        if isinstance(steps, str) and steps in paths:
            return steps
        named = ", ".join(map(repr, paths)) or "none"
        raise InvalidArgumentError(
            "steps are those of a feature of class Dataset; give its path. Among "
            f"the columns that are read there are: {named}"
        )

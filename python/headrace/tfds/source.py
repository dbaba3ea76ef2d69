"""`headrace.tfds.Source`: records of a TFDS folder, and the features to read."""

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

    Windows begin at every `stride`-th step. Without padding they have only steps that
    exist, so an episode of fewer steps than `size` has no window. With padding every
    `stride`-th step has a window. "after": the window begins at this step, and after
    the end of the episode its last step is repeated. "before": the window ends at this
    step, and before the beginning of the episode its first step is repeated.
    `window_mask` of a batch says which steps are real.
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
    """Some records of a TFDS folder, in place of `paths`.

    It is accepted wherever paths are: by `headrace.open`, `headrace.Dataset`,
    `headrace.stats`, and the adapters for torch, Ray, Beam, Grain and others.

        >>> source = headrace.tfds.Source("droid/1.0.0", "train[:90%]",
        ...                               columns=["steps/observation/*"], window=8)
        >>> headrace.torch.Dataset(source, batch_size=64, shuffle=True)

    Args:
        path: the folder, as in `headrace.tfds.info`.
        split: "train", "train[:80%]", "train[3shard]+test", "all"; see docs/formats/
            tfds.md for the rules.
        columns: paths of features; the path of a dict or a sequence selects everything
            in it, and * and ? match characters of a name. None: all features.
        steps: read steps instead of episodes. True: the steps of the only feature of
            class Dataset that is read; or the path of such a feature.
        window: a `Window`, or its size: rows are windows of steps.
        episodes: number of episodes that are read at a time for their steps. With
            `shuffle` the steps of these episodes are mixed.
        decode_images: decode images with Pillow, when they are asked for.
        outside_files: as in `headrace.tfds.info`.

    Raises:
        NotFoundError: the folder, or a file of the split, does not exist.
        BadSpecError: the folder contradicts itself, or a feature cannot be read;
            `.feature` is its path.
        InvalidArgumentError: `split` or `columns` name something that does not exist.

    Attributes:
        files, ranges: the files, and the records to read from each.
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
        # If the split selects no records, an empty range of the folder takes their
        # place: a file with an empty range is never opened.
        slices = folder.select(split) or [(folder.folder, 0, 0, 0)]
        spec, leaves, empty = columns_of(*folder.choose(list(columns or ())))
        # The number of the row after each range.
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
        """Number of records; a record with steps is an episode."""
        return int(self.ends[-1])

    def __repr__(self) -> str:
        return f"Source({self.path!r}, {self.split!r})"

    @property
    def decode(self) -> Any:
        """The function that decodes images; None leaves them encoded."""
        return images.decode if self.decode_images else None

    def view(self, steps_as_columns: bool = False) -> View:
        """Returns how batches of records are shown."""
        tree = tree_of((leaf.names, path) for path, leaf in self.leaves.items())
        add_empty(tree, self._empty)
        return View(self.leaves, tree, self.decode, steps_as_columns)

    def _dataset(self, steps: bool | str) -> str | None:
        """Returns the path of the Dataset whose steps are read; None: episodes are
        read."""
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
            "steps belong to a feature of class Dataset; give its path. Features of "
            f"this class in the columns that are read: {named}"
        )

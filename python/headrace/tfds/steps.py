"""Makes rows of steps, and of windows of steps, from batches of episodes."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headrace import _core
from headrace.errors import InvalidArgumentError
from headrace.reading.order import order
from headrace.reading.states import VERSION, checked_state
from headrace.tfds.batch import Batch, View
from headrace.tfds.layout import Leaf, tree_of
from headrace.tfds.source import Source, Window

# The names in a batch of steps that are not names of features.
INDICES = ("episode_index", "step_index", "window_mask")
# The name of the dict of the features that belong to the whole episode.
EPISODE = "episode"


def windows_of(
    lengths: NDArray[np.uint64], window: Window
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Returns the windows of episodes of these lengths, in order.

    Returns:
        The episodes, [W], the steps, [W, size], and which steps are real, [W, size].
    """
    rows, firsts = [], []
    for row, length in enumerate(lengths.tolist()):
        count = length if window.padding else length - window.size + 1
        starts = np.arange(0, max(count, 0), window.stride, dtype=np.int64)
        rows.append(np.full(len(starts), row, np.int64))
        firsts.append(starts)
    row_of = np.concatenate(rows) if rows else np.zeros(0, np.int64)
    first = np.concatenate(firsts) if firsts else np.zeros(0, np.int64)
    if window.padding == "before":
        first = first - (window.size - 1)
    steps = first[:, None] + np.arange(window.size, dtype=np.int64)
    last = lengths.astype(np.int64)[row_of][:, None] - 1
    mask = (steps >= 0) & (steps <= last)
    return row_of, np.clip(steps, 0, last), mask


class StepBatch(Batch):
    """Some rows of steps: a Mapping like `Batch`.

    Names are those of a step: `batch["observation"]["image"]` has a row for each
    step, or, for windows, [rows, window]. `batch["episode"]` has the features of each
    row's episode. "episode_index", [rows], is the number of the episode: its row in
    `headrace.tfds.Dataset` with the same split. "step_index", [rows], is the number of
    the step in the episode; for windows it is [rows, window]. If windows are padded,
    "window_mask", [rows, window], is False for padding.
    """

    def __init__(
        self, flat: _core.Batch, view: View, indices: dict[str, NDArray[Any]]
    ) -> None:
        super().__init__(flat, view)
        self._indices = indices

    def __getitem__(self, name: str) -> Any:
        """Returns a tensor, a Group of the tensors inside, or an array of numbers."""
        found = self._indices.get(name)
        return super().__getitem__(name) if found is None else found

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        yield from self._indices

    def __len__(self) -> int:
        return super().__len__() + len(self._indices)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.flat, self._view, self._indices)


class Layout:
    """Which tensors of episodes become tensors of steps, and how these are shown."""

    def __init__(self, source: Source) -> None:
        dataset = source.dataset
        assert dataset is not None
        inside = [leaf for leaf in source.leaves.values() if leaf.dataset == dataset]
        context = [leaf for leaf in source.leaves.values() if leaf.dataset is None]
        self.window = source.window or Window(1)
        self.size = source.window.size if source.window else 0
        self.steps = _with_shapes(inside)
        self.context = _with_shapes(context)
        depth = len(dataset.split("/")) if dataset else 0
        named = [(leaf.names[depth:] or leaf.names[-1:], leaf.path) for leaf in inside]
        tree = tree_of(named)
        if context:
            _check_free(tree, EPISODE)
            tree[EPISODE] = tree_of((leaf.names, leaf.path) for leaf in context)
        for name in INDICES:
            _check_free(tree, name)
        leaves = {leaf.path: leaf for leaf in context}
        for leaf in inside:
            lengths = leaf.lengths[1:]
            if self.size:
                lengths = [self.size, *lengths]
            leaves[leaf.path] = dataclasses.replace(leaf, lengths=lengths, dataset=None)
        self.view = View(leaves, tree, source.decode)


def _with_shapes(leaves: list[Leaf]) -> list[str]:
    return [
        name for leaf in leaves for name in (leaf.path, leaf.shapes) if name is not None
    ]


def _check_free(tree: Mapping[str, Any], name: str) -> None:
    if name in tree:
        raise InvalidArgumentError(
            f'a feature of steps is named "{name}", a name that batches of steps '
            "reserve; leave it out with columns="
        )


@dataclasses.dataclass
class _Chunk:
    """The windows of one batch of episodes."""

    episodes: _core.Batch
    state: dict[str, Any]  # of the reader of episodes, before the batch
    number: int  # of the chunk; the order of its steps depends on it
    row: NDArray[np.int64]
    steps: NDArray[np.int64]
    mask: NDArray[np.bool_]
    given: int = 0

    @property
    def left(self) -> int:
        return len(self.row) - self.given


class StepReader:
    """An iterator of `StepBatch`; made by `headrace.tfds.open` for `steps=`.

    Steps have the order of the episodes. If they are shuffled, the steps of episodes
    that are read together are in a random order. One thread may use it at a time.

    Attributes:
        files: the files of the split, each once for every range that is read from it.
        report: the skipped records, as in `headrace.Reader`.
        buffered: True, since a state has no position among all rows.
    """

    buffered = True

    def __init__(
        self,
        source: Source,
        episodes: Any,
        batch_size: int,
        seed: int | None,
        drop_remainder: bool,
    ) -> None:
        self._source = source
        self._layout = Layout(source)
        self._episodes = episodes
        self._batch_size = batch_size
        self._seed = seed
        self._drops = drop_remainder
        # The row of a record is its number in its file plus the shift of the file.
        begins = np.array([begin for begin, _, _ in source.ranges], np.int64)
        self._shift = np.concatenate([[0], source.ends])[:-1] - begins
        self._plan: _core.StepPlan | None = None
        self._chunks: deque[_Chunk] = deque()
        self._number = 0  # of the next chunk

    @property
    def files(self) -> list[str]:
        return list(self._source.files)

    @property
    def report(self) -> Any:
        return self._episodes.report

    def __iter__(self) -> StepReader:
        return self

    def __next__(self) -> StepBatch:
        rows = sum(chunk.left for chunk in self._chunks)
        while rows < self._batch_size and self._read():
            rows += self._chunks[-1].left
        rows = min(rows, self._batch_size)
        if rows == 0 or self._drops and rows < self._batch_size:
            raise StopIteration
        return self._take(rows)

    def _read(self) -> bool:
        """Reads the next episodes; returns False at the end."""
        state = self._episodes.state_dict()
        episodes = next(self._episodes, None)
        if episodes is None:
            return False
        if self._plan is None:
            layout = self._layout
            self._plan = _core.StepPlan.make(
                episodes, layout.steps, layout.context, layout.size
            )
        row, steps, mask = windows_of(
            self._plan.lengths(episodes), self._layout.window
        )
        if self._seed is not None and len(row):
            mixed = order(len(row), self._seed, self._number, np.arange(len(row)))
            row, steps, mask = row[mixed], steps[mixed], mask[mixed]
        self._chunks.append(_Chunk(episodes, state, self._number, row, steps, mask))
        self._number += 1
        return True

    def _take(self, rows: int) -> StepBatch:
        assert self._plan is not None
        episodes: list[_core.Batch] = []
        places, numbers, steps, masks = [], [], [], []
        while rows > 0:
            chunk = self._chunks[0]
            count = min(rows, chunk.left)
            if count > 0:
                cut = slice(chunk.given, chunk.given + count)
                places.append(_places(len(episodes), chunk.row[cut], chunk.steps[cut]))
                origins = chunk.episodes.origins
                number = origins["record"].astype(np.int64)
                number += self._shift[origins["file"]]
                numbers.append(number[chunk.row[cut]])
                steps.append(chunk.steps[cut])
                masks.append(chunk.mask[cut])
                episodes.append(chunk.episodes)
                chunk.given += count
                rows -= count
            if chunk.left == 0:
                self._chunks.popleft()
        flat = self._plan.take(episodes, np.concatenate(places))
        step = np.concatenate(steps)
        indices = {
            "episode_index": np.concatenate(numbers),
            "step_index": step if self._layout.size else step[:, 0],
        }
        if self._layout.window.padding:
            indices["window_mask"] = np.concatenate(masks)
        return StepBatch(flat, self._layout.view, indices)

    def state_dict(self) -> dict[str, Any]:
        """Returns where the next batch begins, for a reader opened with the same
        arguments."""
        if not self._chunks:
            state, number, given = self._episodes.state_dict(), self._number, 0
        else:
            first = self._chunks[0]
            state, number, given = first.state, first.number, first.given
        return _state(state, number, given)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Moves to the row at which `state_dict` was called.

        Raises:
            InvalidArgumentError: this is not a state, or it belongs to other files or
                features.
        """
        checked = checked_state(state, _state({}, 0, 0))
        self._episodes.load_state_dict(checked["episodes"])
        self._chunks.clear()
        self._number = checked["chunk"]
        if checked["given"]:
            if not self._read() or checked["given"] > self._chunks[0].left:
                raise InvalidArgumentError("the state is of other episodes")
            self._chunks[0].given = checked["given"]

    def begin_epoch(self, epoch: int) -> None:
        """Moves to the beginning of an epoch of shuffled episodes; each epoch has its
        own order of steps."""
        self._episodes.load_state_dict({**self._episodes.state_dict(), "epoch": epoch})
        self._chunks.clear()
        self._number = epoch << 32

    def close(self) -> None:
        """Closes the files; batches stay valid."""
        self._chunks.clear()
        self._episodes.close()

    def __enter__(self) -> StepReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _state(episodes: dict[str, Any], chunk: int, given: int) -> dict[str, Any]:
    return {"version": VERSION, "episodes": episodes, "chunk": chunk, "given": given}


def _places(
    batch: int, row: NDArray[np.int64], steps: NDArray[np.int64]
) -> NDArray[np.uint32]:
    """Returns batch, row and step of each step of the windows, [n, 3]."""
    places = np.empty((steps.size, 3), np.uint32)
    places[:, 0] = batch
    places[:, 1] = np.repeat(row, steps.shape[1])
    places[:, 2] = steps.reshape(-1)
    return places

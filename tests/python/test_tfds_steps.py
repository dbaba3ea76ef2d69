"""Steps and windows of RLDS episodes, beside those of the rows by number."""

from __future__ import annotations

import json

import numpy as np
import pytest

import headrace as hr
from headrace.tfds.steps import windows_of
from rlds_folder import random_episodes, record_of, write_folder

@pytest.fixture
def folder(tmp_path):
    episodes = random_episodes(1, 23)
    order = write_folder(tmp_path / "robot", episodes)
    return tmp_path / "robot", [episodes[number] for number in order], order


def naive_windows(length, size, stride, padding):
    """Lists of (step, whether it is there)."""
    made = []
    for start in range(0, length, stride):
        steps = range(start, start + size)
        if padding == "before":
            steps = range(start - size + 1, start + 1)
        if padding is None and steps[-1] >= length:
            continue
        made.append([(min(max(s, 0), length - 1), 0 <= s < length) for s in steps])
    return made


@pytest.mark.parametrize("padding", [None, "before", "after"])
@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("stride", [1, 3])
def test_windows_never_cross_episodes(size, stride, padding):
    lengths = [0, 1, 2, 4, 5, 6, 13, 0]
    row, steps, mask = windows_of(
        np.array(lengths, np.uint64), hr.tfds.Window(size, stride, padding)
    )
    found = [
        (r, list(zip(s, m)))
        for r, s, m in zip(row.tolist(), steps.tolist(), mask.tolist())
    ]
    assert found == [
        (r, window)
        for r, length in enumerate(lengths)
        for window in naive_windows(length, size, stride, padding)
    ]


def rows_of(batch):
    """(episode, step, number, image, touches, id) of each row."""
    window = batch["step_index"].ndim == 2
    numbers = batch["number"].numpy().tolist()
    action = batch["action"].numpy()
    assert action[..., 0].tolist() == action[..., 1].tolist() == numbers
    images = batch["observation"]["image"].numpy().tolist()
    touches = batch["observation/touches"].tolist()
    touches = [
        [list(t) for t in row] if window else list(row) for row in touches
    ]
    return list(zip(
        batch["episode_index"].tolist(), batch["step_index"].tolist(), numbers,
        images, touches, batch["episode"]["episode_id"].numpy().tolist(),
    ))


def step_rows(episodes, order):
    return [
        (e, s, n, b"image %d" % n, touches, order[e])
        for e, steps in enumerate(episodes)
        for s, (n, touches) in enumerate(steps)
    ]


@pytest.mark.parametrize("batch_size", [1, 4, 1000])
def test_steps_are_rows_in_the_order_of_episodes(folder, batch_size):
    path, episodes, order = folder
    batches = list(
        hr.tfds.open(path, steps=True, batch_size=batch_size, episodes=3)
    )
    assert {len(b["number"]) for b in batches[:-1]} <= {batch_size}
    rows = [row for batch in batches for row in rows_of(batch)]
    assert rows == step_rows(episodes, order)
    dataset = hr.tfds.Dataset(path)
    for batch in batches:
        for row, e, s in zip(batch.rows(), batch["episode_index"], batch["step_index"]):
            step = dataset[int(e)]["steps"][s]
            assert row["number"] == step["number"]
            assert row["observation"]["touches"].tolist() == (
                step["observation"]["touches"].tolist()
            )


@pytest.mark.parametrize("padding", [None, "before", "after"])
def test_windows_are_steps_of_one_episode(folder, padding):
    path, episodes, order = folder
    window = hr.tfds.Window(3, stride=2, padding=padding)
    rows, masks = [], []
    for batch in hr.tfds.open(path, window=window, batch_size=5, episodes=4):
        rows += rows_of(batch)
        masks += batch["window_mask"].tolist() if padding else []
    wanted, wanted_masks = [], []
    for e, steps in enumerate(episodes):
        for made in naive_windows(len(steps), 3, 2, padding):
            taken = [steps[s] for s, _ in made]
            wanted.append((
                e, [s for s, _ in made], [n for n, _ in taken],
                [b"image %d" % n for n, _ in taken], [t for _, t in taken], order[e],
            ))
            wanted_masks.append([there for _, there in made])
    assert rows == wanted
    assert not padding or masks == wanted_masks


def test_shuffled_steps_are_all_steps_once(folder):
    path, episodes, order = folder

    def rows(seed, **blocks):
        reader = hr.tfds.open(
            path, steps=True, batch_size=4, episodes=5, shuffle=hr.Shuffle(seed, **blocks)
        )
        return [row for batch in reader for row in rows_of(batch)]

    wanted = step_rows(episodes, order)
    assert sorted(rows(1)) == wanted
    assert rows(1) == rows(1) != rows(2)
    assert sorted(rows(1, block=2, window=1, lanes=3)) == wanted


@pytest.mark.parametrize("shuffle", [
    None, hr.Shuffle(3), hr.Shuffle(3, block=2, window=2, lanes=2)])
@pytest.mark.parametrize("window", [None, 2])
def test_a_state_goes_on_with_the_next_row(folder, shuffle, window):
    path, *_ = folder

    def opened():
        return hr.tfds.open(
            path, steps=True, window=window, batch_size=3, episodes=4, shuffle=shuffle
        )

    reader = opened()
    states, batches = [], []
    while True:
        states.append(json.loads(json.dumps(reader.state_dict())))
        batch = next(reader, None)
        if batch is None:
            break
        batches.append(rows_of(batch))
    for number, state in enumerate(states):
        other = opened()
        other.load_state_dict(state)
        assert [rows_of(batch) for batch in other] == batches[number:]


def test_shards_are_disjoint(folder):
    path, episodes, order = folder
    rows = []
    for shard in range(3):
        for batch in hr.tfds.open(path, steps=True, shard=(shard, 3), batch_size=4):
            rows += rows_of(batch)
    assert sorted(rows) == step_rows(episodes, order)


def test_steps_need_a_dataset(tmp_path, folder):
    path, *_ = folder
    with pytest.raises(hr.InvalidArgumentError, match="class Dataset"):
        hr.tfds.open(path, columns=["episode_id"], steps=True)
    with pytest.raises(hr.InvalidArgumentError, match="class Dataset.*'steps'"):
        hr.tfds.open(path, steps="stepps")
    with pytest.raises(hr.InvalidArgumentError, match="rows by number"):
        hr.tfds.Dataset(hr.tfds.Source(path, steps=True))
    with pytest.raises(TypeError, match="takes no spec"):
        hr.tfds.open(path, spec={})
    with pytest.raises(hr.InvalidArgumentError, match="class Dataset.*'steps'"):
        hr.tfds.open(path, steps=["steps"])
    with pytest.raises(hr.InvalidArgumentError, match="padding"):
        hr.tfds.Window(2, padding="both")


@pytest.mark.parametrize("window, text", [
    (1.5, '"window" is 1.5; it takes a whole number from 1 to'),
    (True, '"window" is true; it takes a whole number from 1 to'),
    ("3", '"window" is "3"; it takes a whole number from 1 to'),
    ((3, 1), '"window" is a tuple; it takes a whole number from 1 to'),
    (0, '"window" is 0; it takes a whole number from 1 to'),
    (-1, '"window" is -1; it takes a whole number from 1 to'),
    (2**31, '"window" is 2147483648; it takes a whole number from 1 to 2147483647'),
])
def test_wrong_windows(folder, window, text):
    path, *_ = folder
    for open in (hr.tfds.open, hr.tfds.Source):
        with pytest.raises((TypeError, hr.InvalidArgumentError)) as caught:
            open(path, window=window)
        assert text in str(caught.value)


def test_a_window_is_any_whole_number(folder):
    path, *_ = folder
    batch = next(hr.tfds.open(path, window=np.int64(2), batch_size=3))
    assert batch["step_index"].shape == (3, 2)


def test_lists_of_steps_of_other_lengths_are_an_error(tmp_path):
    write_folder(tmp_path / "robot", random_episodes(2, 4, most=3))
    file = tmp_path / "robot" / "robot-train.tfrecord-00000-of-00002"
    record = record_of(0, [(1, []), (2, [])])
    record["steps/number"] = np.array([1, 2, 3])
    with hr.Writer(file) as writer:
        writer.write(record)
        writer.write(record)
    with pytest.raises(hr.WrongCountError) as caught:
        list(hr.tfds.open(tmp_path / "robot", steps=True))
    assert caught.value.record == 0

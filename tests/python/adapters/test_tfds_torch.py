"""Folders of TFDS in loaders of torch and Grain, and as arrays of jax."""

import pickle

import headrace as hr
import numpy as np
import pytest
from rlds_folder import random_episodes, write_folder

torch = pytest.importorskip("torch", reason="the adapters are for it")
from torch.utils.data import DataLoader  # noqa: E402


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rlds") / "robot"
    episodes = random_episodes(5, 40)
    order = write_folder(path, episodes, shards=3)
    return path, [episodes[number] for number in order]


def numbers_of(episodes):
    return [number for steps in episodes for number, _ in steps]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("shuffle", [None, hr.Shuffle(4)])
def test_steps_in_a_loader(folder, workers, shuffle):
    path, episodes = folder
    source = hr.tfds.Source(path, steps=True, episodes=4)
    dataset = hr.torch.Dataset(source, batch_size=8, shuffle=shuffle)
    found = []
    for batch in DataLoader(dataset, batch_size=None, num_workers=workers):
        assert batch["action"].dtype == torch.float32
        assert batch["action"][:, 0].tolist() == batch["number"].tolist()
        assert batch["observation"]["image"] == [
            b"image %d" % n for n in batch["number"]
        ]
        assert batch["episode_index"].dtype == torch.int64
        found += batch["number"].tolist()
    assert sorted(found) == sorted(numbers_of(episodes))
    if workers == 0:
        assert (found == numbers_of(episodes)) == (shuffle is None)


def test_windows_in_a_loader(folder):
    path, episodes = folder
    window = hr.tfds.Window(3, padding="after")
    source = hr.tfds.Source(path, window=window, columns=["steps/number"])
    loader = DataLoader(
        hr.torch.Dataset(source, batch_size=5), batch_size=None, num_workers=2
    )
    rows = 0
    for batch in loader:
        assert batch["number"].shape[1] == 3
        steps = batch["step_index"]
        assert torch.equal(steps[:, 1:] - steps[:, :-1] == 1, batch["window_mask"][:, 1:])
        assert batch["window_mask"].dtype == torch.bool
        rows += len(batch["number"])
    assert rows == len(numbers_of(episodes))


def test_each_epoch_has_an_order_of_its_own(folder):
    path, episodes = folder
    source = hr.tfds.Source(path, steps=True, episodes=4)
    dataset = hr.torch.Dataset(source, batch_size=8, shuffle=hr.Shuffle(4))
    loader = DataLoader(dataset, batch_size=None, num_workers=2)
    orders = []
    for epoch in (0, 1, 1):
        dataset.set_epoch(epoch)
        orders.append([n for batch in loader for n in batch["number"].tolist()])
    assert orders[0] != orders[1] == orders[2]
    assert sorted(orders[1]) == sorted(numbers_of(episodes))


def test_a_state_of_steps_goes_on(folder):
    path, _ = folder
    source = pickle.loads(pickle.dumps(hr.tfds.Source(path, steps=True, episodes=4)))

    def dataset():
        return hr.torch.Dataset(source, batch_size=8)

    first = dataset()
    batches = iter(first)
    for _ in range(4):
        next(batches)
    state = first.state_dict()
    wanted = [batch["number"].tolist() for batch in batches]
    other = dataset()
    other.load_state_dict(state)
    assert [batch["number"].tolist() for batch in other] == wanted


@pytest.mark.parametrize("workers", [0, 2])
def test_episodes_by_number(folder, workers):
    path, episodes = folder
    dataset = hr.torch.MapDataset(hr.tfds.Source(path))
    assert len(dataset) == len(episodes)
    row = dataset[7]
    assert [step["number"] for step in row["steps"]] == [n for n, _ in episodes[7]]
    sampler = hr.torch.Sampler(dataset, 6, shuffle=True, end="uneven")
    found = []
    for batch in DataLoader(
        dataset, batch_size=None, sampler=sampler, num_workers=workers
    ):
        found += batch["steps"]["number"].values.tolist()
    assert sorted(found) == sorted(numbers_of(episodes))


def test_grain(folder):
    pytest.importorskip("grain.python")
    path, episodes = folder
    source = hr.grain.DataSource(hr.tfds.Dataset(path, columns=["episode_id"]))
    assert len(source) == len(episodes)
    ids = [source[i]["episode_id"] for i in range(len(source))]
    assert sorted(ids) == list(range(len(episodes)))
    assert source.__getitems__([3])[0]["episode_id"] == ids[3]
    assert len(hr.grain.DataSource(hr.tfds.Source(path))) == len(episodes)


def test_jax(folder):
    pytest.importorskip("jax")
    path, episodes = folder
    columns = ["steps/action", "steps/observation/image"]
    found = []
    opened = hr.tfds.open(path, steps=True, columns=columns, batch_size=16)
    for batch in hr.jax.batches(opened):
        assert batch["observation"]["image"][0].startswith(b"image ")
        assert len(batch["step_index"]) == len(batch["action"])
        found += np.asarray(batch["action"])[:, 0].tolist()
    assert found == numbers_of(episodes)

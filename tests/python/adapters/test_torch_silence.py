"""Nothing passes in silence: what the adapters for torch, grain and jax say."""

import pytest

torch = pytest.importorskip("torch", reason="the adapter is for it")
from torch.utils.data import DataLoader  # noqa: E402

import headrace as hr  # noqa: E402
import silence  # noqa: E402
from silence import both  # noqa: E402


def _loader(path, workers, **options):
    return DataLoader(hr.torch.Dataset(path, **options), batch_size=None,
                      num_workers=workers)


def _map_loader(path, workers, **options):
    dataset = hr.torch.MapDataset(path, **options)
    sampler = hr.torch.Sampler(dataset, 10, shuffle=True)
    return DataLoader(dataset, batch_size=None, sampler=sampler, num_workers=workers)


def _jax(path, **options):
    import jax

    # The ids of these cases are int64.
    jax.config.update("jax_enable_x64", True)
    return hr.jax.batches(hr.open(path, **options))


def _grain(path, **options):
    source = hr.grain.DataSource(path, **options)
    return (source[row] for row in range(len(source)))


SURFACES = [
    *both("torch.Dataset", _loader, workers=0),
    *both("torch.Dataset, workers", _loader, workers=2),
    *both("torch.Dataset, shuffled, workers", _loader, workers=2, shuffle=True),
    *both("torch.MapDataset", _map_loader, workers=0),
    *both("torch.MapDataset, workers", _map_loader, workers=2),
    *both("jax.batches", _jax),
    *both("grain.DataSource", _grain),
]

test_it_is_said, test_nothing_is_said_of_what_is_good = silence.tests_of(SURFACES)

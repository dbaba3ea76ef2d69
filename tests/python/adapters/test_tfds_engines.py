"""Folders of TFDS in Ray and Beam, and in Polars."""

import headrace as hr
import pytest
from rlds_folder import random_episodes, write_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("rlds") / "robot"
    episodes = random_episodes(6, 60)
    order = write_folder(path, episodes, shards=3)
    return path, [(n, [s for s, _ in episodes[n]]) for n in order]


def source_of(folder, split="train"):
    return hr.tfds.Source(folder[0], split, columns=["episode_id", "steps/number"])


def test_ray(folder):
    pytest.importorskip("ray")
    dataset = hr.ray.read_tfrecords(source_of(folder, "train[10:50]"))
    rows = [(r["episode_id"], list(r["steps/number"])) for r in dataset.iter_rows()]
    assert sorted(rows) == sorted(folder[1][10:50])
    stats = hr.ray.stats(source_of(folder))
    assert stats.num_records == 60
    assert stats.features["steps/number"].int64.count == sum(
        len(steps) for _, steps in folder[1]
    )


def test_beam(folder):
    beam = pytest.importorskip("apache_beam")
    from apache_beam.testing.test_pipeline import TestPipeline
    from apache_beam.testing.util import assert_that, equal_to

    with TestPipeline() as pipeline:
        rows = (
            pipeline
            | hr.beam.ReadFromTFRecord(source_of(folder, "train[:25%]"))
            | beam.FlatMap(
                lambda batch: zip(
                    batch["episode_id"].to_pylist(), batch["steps/number"].to_pylist()
                )
            )
        )
        assert_that(rows, equal_to(folder[1][:15]))

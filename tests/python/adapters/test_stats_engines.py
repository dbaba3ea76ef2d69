"""hr.ray.stats and hr.beam.Stats: what one process counts, by many tasks."""

import os

import headrace as hr
import pytest
import records
from exact_stats import exact
from written import three_files, write


@pytest.fixture
def files(tmp_path):
    return three_files(tmp_path)


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason="counts with Ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize("parts", [None, 1, 2, 7])
def test_ray(files, ray, parts):
    folder = os.path.dirname(files[0])
    found = hr.ray.stats(f"{folder}/a-*", parts=parts)
    assert without_places(found) == without_places(hr.stats(f"{folder}/a-*"))


def test_ray_shares_a_file_and_takes_options(tmp_path, ray, monkeypatch):
    path = write(tmp_path / "x.tfrecord", ({"id": i, "y": i % 2} for i in range(5000)))
    monkeypatch.chdir(tmp_path)
    options = {"by": "y", "features": ["id", "y"]}
    found = hr.ray.stats("x.tfrecord", parts=4, ray_remote_args={"num_cpus": 1}, **options)
    assert without_places(found) == without_places(hr.stats(path, **options))
    assert found.classes == {b"0": 2500, b"1": 2500}


def test_ray_tells_what_is_wrong(tmp_path, ray):
    with pytest.raises(hr.NotFoundError):
        hr.ray.stats(tmp_path / "nothing")
    path = tmp_path / "bad.tfrecord"
    path.write_bytes(records.framed([b"\x0a", b""]))
    with pytest.raises(hr.MalformedError) as caught:
        hr.ray.stats(path)
    assert (caught.value.file, caught.value.record) == (str(path), 0)
    with pytest.raises(TypeError):
        hr.ray.stats(path, nonsense=3)


@pytest.fixture
def counted(tmp_path):
    """A function that gives the result of a pipeline that counts."""
    beam = pytest.importorskip("apache_beam", reason="counts with Apache Beam")
    path = str(tmp_path / "found")

    def run(source, **options):
        with beam.Pipeline(runner="BundleBasedDirectRunner") as pipeline:
            counts = pipeline | source | beam.CombineGlobally(hr.beam.Stats(**options))
            counts | beam.Map(lambda found: found.save(path))
        return hr.Stats.load(path)

    return run


def test_beam_counts_records(files, counted):
    pattern = os.path.join(os.path.dirname(files[0]), "a-*")
    expected = without_places(hr.stats(pattern))
    raw = counted(hr.beam.ReadFromTFRecord(pattern, message="raw"))
    assert without_places(raw) == expected
    columns = counted(hr.beam.ReadFromTFRecord(pattern))
    # In columns a feature without a kind is missing.
    for figures in expected[1]:
        figures["missing"] += figures["unset"]
        figures["unset"] = 0
    bytes_of = [{**figures, "encoded_bytes": None} for figures in expected[1]]
    records_of, found = without_places(columns)
    assert records_of == 1000
    assert [{**figures, "encoded_bytes": None} for figures in found] == bytes_of


def test_beam_counts_serialized_messages(files, counted):
    import apache_beam as beam

    payloads = [records.example({"a": records.ints(i), "b": records.ints(i % 2)})
                for i in range(500)]
    found = counted(beam.Create(payloads), by="b", features=["a", "b"])
    assert (found.num_records, found.classes) == (500, {b"0": 250, b"1": 250})
    assert found.features["a"].classes[b"1"].mean == 250


def without_places(stats):
    """Messages in memory have no file, and records are numbered in their part."""
    records, features = exact(stats)
    return records, [{**figures, "first": None} for figures in features.values()]

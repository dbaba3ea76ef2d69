"""hr.stats: what it counts, merges, compares and gives to others."""

import json
import math
import os
import pickle
import random
import subprocess
import threading
from fractions import Fraction

import headrace as hr
import numpy
import processes
import pytest
import records
from exact_stats import exact
from records import blobs, floats, ints

FLOATS = [0.0, -0.0, 1.5, float("nan"), float("inf"), -2.25, 1e30, float("-inf")]


def row(i):
    """Row i: "age" is missing at times, "big" is beyond doubles."""
    return {
        "age": None if i % 10 == 0 else ints(20 + i % 50),
        "big": ints(2**62 + i),
        "label": ints(i % 2),
        "x": floats(FLOATS[i % 8], i / 4),
        "tags": blobs(*[b"new", b"\xff\xd8\xff\xe0", b""][:i % 4]),
    }


def written(path, numbers, row=row):
    path.write_bytes(records.framed(
        records.example({name: value for name, value in row(i).items()
                         if value is not None}) for i in numbers))
    return path


@pytest.fixture
def path(path):
    return written(path, range(1000))


def test_counts(path):
    stats = hr.stats(path)
    assert (stats.num_records, list(stats.features)) == (
        1000, ["age", "big", "label", "tags", "x"])
    payloads = [p for batch in hr.open(path, message="raw") for p in batch.payloads()]
    assert stats.num_bytes == sum(map(len, payloads))
    age = stats.features["age"]
    assert (age.name, age.kind, age.in_sequence) == ("age", "int64", False)
    assert (age.present, age.missing) == (900, 100)
    values = vars(age.values)
    assert [values[name] for name in ("min", "mean", "max", "total")] == [1, 1, 1, 900]
    assert age.float is None and age.bytes is None


def test_numbers(path):
    features = hr.stats(path).features
    ages = numpy.array([20 + i % 50 for i in range(1000) if i % 10])
    age = features["age"].int64
    assert (age.count, age.zeros, age.min, age.max) == (900, 0, 21, 69)
    assert age.mean == pytest.approx(ages.mean(), rel=1e-12)
    assert age.std == pytest.approx(ages.std(), rel=1e-12)
    assert (features["big"].int64.min, features["big"].int64.max) == (
        2**62, 2**62 + 999)
    assert features["label"].int64.zeros == 500
    x = features["x"].float
    values = numpy.array([value for i in range(1000)
                          for value in (FLOATS[i % 8], i / 4)], numpy.float32)
    finite = values[numpy.isfinite(values)].astype(float)
    assert (x.count, x.zeros, x.nan) == (2000, 251, 125)
    assert (x.min, x.max) == (finite.min(), finite.max())
    assert x.mean == pytest.approx(finite.mean(), rel=1e-9)
    assert x.std == pytest.approx(finite.std(), rel=1e-9)


def test_quantiles(path):
    for share, value in hr.stats(path).features["age"].int64.quantiles:
        ages = numpy.array([20 + i % 50 for i in range(1000) if i % 10])
        below, through = (ages < value).mean(), (ages <= value).mean()
        assert below - 0.01 <= share <= through + 0.01


def test_bytes(path):
    tags = hr.stats(path).features["tags"].bytes
    assert tags.top[0][:2] == (b"new", 750)
    assert {item[0]: item[1] for item in tags.top} == {
        b"new": 750, b"\xff\xd8\xff\xe0": 500, b"": 250}
    assert (tags.distinct.value, tags.distinct.exact, tags.distinct.error) == (3, True, 0)
    assert (tags.min_length, tags.max_length, tags.utf8) == (0, 4, 1000)
    assert tags.mean_length == pytest.approx((750 * 3 + 500 * 4) / 1500)


def test_feature_lists(path):
    path.write_bytes(records.framed(
        records.sequence_example({"id": ints(i)}, {"id": [ints(*range(i))] * 2})
        for i in range(10)))
    features = hr.stats(path).features
    assert list(features) == ["id", "##SEQUENCE##.id"]
    assert features["id"].int64.count == 10
    lists = features["##SEQUENCE##.id"]
    assert lists.in_sequence and lists.present == 10
    assert lists.int64.count == 2 * sum(range(10))


def test_nothing(path):
    path.write_bytes(b"")
    stats = hr.stats(path)
    assert (stats.num_records, dict(stats.features)) == (0, {})
    assert stats == pickle.loads(pickle.dumps(stats))
    assert hr.stats(hr.Dataset(path)).num_records == 0
    assert "0 records" in repr(stats) and stats._repr_html_()
    assert stats.to_pandas().empty if pytest.importorskip("pandas") else True


def test_threads_make_no_difference(path):
    one = hr.stats(path, threads=1)
    for threads in (2, 5):
        many = hr.stats(path, threads=threads)
        assert exact(many) == exact(one)
        assert many == hr.stats(path, threads=threads)


def test_some_features(path):
    assert list(hr.stats(path, features=["x", "age"]).features) == ["age", "x"]


def test_by(path):
    stats = hr.stats(path, by="label")
    assert stats.classes == {b"0": 500, b"1": 500}
    ages = {i % 2: [] for i in range(2)}
    for i in range(1000):
        ages[i % 2] += [20 + i % 50] if i % 10 else []
    classes = stats.features["age"].classes
    for value, expected in ages.items():
        found = classes[str(value).encode()]
        assert (found.present, found.count) == (len(expected), len(expected))
        assert found.mean == pytest.approx(numpy.mean(expected))
    assert hr.stats(path).features["age"].classes is None
    assert hr.stats(path).classes == {}
    with pytest.raises(hr.InvalidArgumentError):
        hr.stats(path, by="big")  # has too many values


def test_sample(path):
    first = hr.stats(path, sample=100)
    assert first.num_records == 100
    assert first.features["big"].int64.max == 2**62 + 99
    dataset = hr.Dataset(path)
    some = hr.stats(dataset, sample=100)
    assert some.num_records == 100
    assert some.features["big"].int64.max > 2**62 + 800
    assert some == hr.stats(dataset, sample=100)
    assert hr.stats(dataset, sample=5000).num_records == 1000


def test_a_dataset_is_counted_as_its_files_are(path):
    whole = hr.stats(hr.Dataset(path, columns=["age"]))
    assert whole.features == hr.stats(path).features
    with pytest.raises(TypeError, match='of a Dataset has no option "verify"'):
        hr.stats(hr.Dataset(path), verify=False)


# Merging.


def test_merging_parts_gives_the_whole_in_any_order(path):
    whole = hr.stats(path)
    parts = [hr.stats(path, shard=(i, 5)) for i in range(5)]
    before = [pickle.dumps(part) for part in parts]
    for seed in range(5):
        random.Random(seed).shuffle(order := list(range(5)))
        first, *rest = (parts[i] for i in order)
        assert exact(first.merge(*rest)) == exact(whole)
    nested = parts[0].merge(parts[1].merge(parts[2]), parts[3].merge(parts[4]))
    assert exact(nested) == exact(whole)
    assert [pickle.dumps(part) for part in parts] == before


def test_what_cannot_be_merged(path):
    with pytest.raises(hr.InvalidArgumentError):
        hr.stats(path).merge(hr.stats(path, by="label"))
    with pytest.raises(TypeError, match="other: expected a headrace.Stats, got int"):
        hr.stats(path).merge(3)


def test_saving(path, tmp_path):
    stats = hr.stats(path, by="label")
    stats.save(tmp_path / "x.stats")
    loaded = hr.Stats.load(tmp_path / "x.stats")
    for same in (loaded, pickle.loads(pickle.dumps(stats))):
        assert same == stats and same.to_json() == stats.to_json()
    assert loaded != hr.stats(path) and loaded != 3
    assert loaded.merge(stats).num_records == 2000
    with pytest.raises(hr.NotFoundError):
        hr.Stats.load(tmp_path / "none")
    data = (tmp_path / "x.stats").read_bytes()
    for wrong in (b"", b"nonsense", data[:-1], data + b"x"):
        (tmp_path / "y.stats").write_bytes(wrong)
        with pytest.raises(hr.InvalidArgumentError):
            hr.Stats.load(tmp_path / "y.stats")


def test_those_that_the_program_saved(path, tmp_path):
    program = os.environ.get("HEADRACE")
    if program is None:
        pytest.skip("needs the program")
    saved = str(tmp_path / "x.stats")
    subprocess.run([program, "stats", "--quiet", "--threads", "1", "--format", "state", "-o",
                    saved, str(path)], check=True)
    found = hr.Stats.load(saved)
    assert found.to_json() == hr.stats(path, threads=1, pictures=False).to_json()
    hr.stats(path).save(saved)
    done = subprocess.run([program, "stats", "--json", saved], check=True,
                          capture_output=True)
    assert json.loads(done.stdout)["records"] == 1000


# Comparing, and what a schema says.


def test_compare(path, tmp_path):
    other = written(tmp_path / "other", range(1000), lambda i: {
        **row(i), "age": ints(200 + i % 50), "new": floats(1), "big": None})
    first, second = hr.stats(path), hr.stats(other)
    found = first.compare(second, name="old", other_name="new")
    by_name = {difference.feature: difference for difference in found}
    assert set(by_name) == {"age", "big", "label", "new", "tags", "x"}
    assert [d.distance for d in found] == sorted((d.distance for d in found),
                                                 reverse=True)
    assert found.distance == found[0].distance == 1
    assert by_name["age"].presence == (0.9, 1)
    assert by_name["age"].js_divergence == pytest.approx(1, abs=0.05)
    assert by_name["new"].kinds == (None, "float")
    assert by_name["big"].kinds == ("int64", None)
    assert by_name["tags"].linf == 0 and by_name["label"].distance < 0.01
    assert "present in old" in repr(found) and len(found[1:]) == 5
    found.save_html(tmp_path / "x.html", title="T")
    assert "<html" in (tmp_path / "x.html").read_text()
    assert "<html" not in found._repr_html_()
    assert [d.distance for d in first.compare(first) if d.feature != "x"] == [0] * 4


def test_anomalies(path):
    stats = hr.stats(path)
    assert stats.anomalies(hr.infer_schema(path, sample=0)) == []
    schema = hr.Schema.from_text('feature { name: "age" type: FLOAT }')
    types = {(anomaly.feature, anomaly.type) for anomaly in stats.anomalies(schema)}
    assert ("big", "SCHEMA_NEW_COLUMN") in types
    assert any(feature == "age" for feature, _ in types)
    for anomaly in stats.anomalies(schema):
        assert anomaly.short_text and anomaly.text


def test_drift(path, tmp_path):
    schema = hr.Schema.from_text("""
    feature { name: "label" type: INT
              drift_comparator { jensen_shannon_divergence { threshold: 0.1 } }
              skew_comparator { jensen_shannon_divergence { threshold: 0.1 } } }""")
    only = {"features": ["label"]}
    stats = hr.stats(path, **only)
    other = hr.stats(written(tmp_path / "other", range(100), lambda i: {
        "label": ints(i % 10 == 0)}), **only)
    assert stats.anomalies(schema, previous=stats, serving=stats) == []
    (drift,) = stats.anomalies(schema, previous=other)
    assert (drift.feature, drift.type[:10]) == ("label", "COMPARATOR")
    assert len(stats.anomalies(schema, serving=other)) == 1
    with pytest.raises(TypeError, match="expected a headrace.Stats"):
        stats.anomalies(schema, previous=3)


def test_remarks_and_schema(path):
    stats = hr.stats(path)
    assert {remark.feature for remark in stats.remarks} >= {"x"}  # it has NaN
    schema = stats.infer_schema(domains=True)
    assert sorted(schema.names) == sorted(stats.features)
    assert stats.anomalies(schema) == []
    assert "max: 69" in schema.to_pbtxt()


# Other forms.


def test_json(path):
    stats = hr.stats(path)
    read = json.loads(stats.to_json())
    assert read["records"] == 1000
    assert [feature["name"] for feature in read["features"]] == list(stats.features)


def test_tfdv(path):
    data = hr.stats(path).to_tfdv()
    assert data[0] == 0x0A and b"tags" in data  # one dataset


def test_arrow_and_pandas(path):
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    stats = hr.stats(path)
    table, frame = stats.to_arrow(), stats.to_pandas()
    assert isinstance(table, pyarrow.Table) and table.num_rows == 5
    assert table["name"].to_pylist() == list(frame["name"]) == list(stats.features)
    assert table["int64.max"].to_pylist() == [69, 2**62 + 999, 1, None, None]
    assert frame["int64.max"][1] == 2**62 + 999
    assert table["bytes.top"][3].as_py()[0] == {"value": b"new", "count": 750}
    assert math.isclose(frame["int64.mean"][0], stats.features["age"].int64.mean)
    assert table.column_names == [*frame.columns, "bytes.top"]


def test_pages(path, tmp_path):
    stats = hr.stats(path)
    stats.save_html(tmp_path / "x.html", title="<b>People</b>")
    page = (tmp_path / "x.html").read_text()
    assert "<html" in page and "&lt;b&gt;People" in page
    assert "<html" not in stats._repr_html_() and "tags" in stats._repr_html_()


def test_text(path):
    lines = repr(hr.stats(path)).splitlines()
    assert lines[0] == "Stats of 1,000 records, 5 features"
    assert lines[1].split() == ["feature", "kind", "present", "values", "min", "mean",
                                "max", "distinct"]
    assert lines[2].split()[:4] == ["age", "int64", "0.9", "1"]
    assert lines[5].split() == ["tags", "bytes", "1", "0", "to", "3", "3"]
    wide = {f"f{i}\u202e": ints(i) for i in range(100)}
    written(path, [0], lambda _: wide)
    text = repr(hr.stats(path))
    assert text.endswith("... 80 more features") and "\\u202e" in text
    assert all(line.isprintable() for line in text.splitlines())


def test_figures_are_frozen(path):
    age = hr.stats(path).features["age"]
    with pytest.raises(AttributeError):
        age.present = 3
    with pytest.raises(AttributeError, match="no figure 'nope'"):
        age.int64.nope
    with pytest.raises(TypeError):
        hr.stats(path).features["age"] = 3
    assert repr(age).startswith("FeatureStats(name='age', ")
    assert age == hr.stats(path).features["age"] != hr.stats(path).features["x"]
    assert pickle.loads(pickle.dumps(age)) == age


# Errors.


def test_bad_records(path):
    good = records.example({"a": ints(1)})
    path.write_bytes(records.framed([*[good] * 3000, b"\x0a", *[good] * 3000, b"\x0b"]))
    for threads in (1, 4):
        with pytest.raises(hr.MalformedError) as caught:
            hr.stats(path, threads=threads)
        assert caught.value.file == str(path)
        assert caught.value.record in {3000, 6001} - ({6001} if threads == 1 else set())
    skipped = hr.stats(path, on_row_error="skip")
    assert (skipped.num_records, skipped.num_bad) == (6000, 2)
    for threads in (1, 4):
        options = {"on_row_error": "skip", "threads": threads}
        assert hr.stats(path, max_bad=2, **options).num_records == 6000
        with pytest.raises(hr.TooManyBadError):
            hr.stats(path, max_bad=1, **options)


def test_damage(path):
    data = bytearray(path.read_bytes())
    data[-6] ^= 1
    path.write_bytes(data)
    with pytest.raises(hr.ChecksumError):
        hr.stats(path)
    skipped = hr.stats(path, on_corrupt="skip")
    assert (skipped.num_records, skipped.num_regions) == (999, 1)


def test_wrong_arguments(path, tmp_path):
    for wrong in ({"features": "x"}, {"schema": 3}, {"nonsense": 1}, {"threads": "2"},
                  {"sample": "all"}, {"by": 3}):
        with pytest.raises(TypeError):
            hr.stats(path, **wrong)
    for wrong in ({"sample": -1}, {"sample": 0}, {"threads": 0}, {"features": []}):
        with pytest.raises(hr.InvalidArgumentError):
            hr.stats(path, **wrong)
    with pytest.raises(hr.NotFoundError):
        hr.stats(tmp_path / "nothing")
    with pytest.raises(TypeError):
        hr.stats(path, spec={})


def test_ctrl_c(path):
    code = f"""
import os, signal, threading, headrace
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    headrace.stats([{str(path)!r}] * 20000, threads=2)
except KeyboardInterrupt:
    print("interrupted")
"""
    assert processes.printed("-c", code) == "interrupted\n"


@pytest.mark.parametrize("seed", range(20))
def test_a_mean_is_the_nearest_double(tmp_path, seed):
    rng = random.Random(seed)
    size = rng.choice([1, 3, 7, 100, 1000])
    numbers = [rng.randrange(-2**63, 2**63) >> rng.choice([0, 0, 5, 60])
               for _ in range(size)]
    values = numpy.array(
        [rng.uniform(-1, 1) * 2.0 ** rng.choice([-140, -20, 0, 0, 3, 100])
         for _ in range(size)], numpy.float32)
    path = tmp_path / "numbers.tfrecord"
    with hr.Writer(path) as writer:
        for number, value in zip(numbers, values):
            writer.write({"i": number, "f": value})
        writer.write({"f": [float("nan"), float("inf")]})
    stats = hr.stats(path, threads=3)
    for found, terms in ((stats.features["i"].int64, numbers),
                         (stats.features["f"].float, values.tolist())):
        terms = [Fraction(term) for term in terms]
        mean = sum(terms) / size
        # Python rounds the quotient of two ints once.
        assert found.mean == float(mean)
        variance = sum((term - mean) ** 2 for term in terms) / size
        scale = 2**400
        root = Fraction(math.isqrt(variance.numerator * scale**2
                                   // variance.denominator), scale)
        assert abs(Fraction(found.std) - root) <= 3 * Fraction(math.ulp(float(root)))


def test_other_threads_run_meanwhile(path):
    found = []
    threads = [threading.Thread(target=lambda: found.append(hr.stats(path)))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [exact(stats) for stats in found] == [exact(hr.stats(path))] * 4

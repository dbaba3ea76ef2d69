"""Vocabulary files of specs: where they are, who may name them, and how plans that
travel, and states, know their words."""

import json
import os
import pickle
import subprocess
import sys

import headrace as hr
import pytest
import records
from records import blobs, example

SPEC = {"features": [{"name": "g", "kind": "jagged", "as": "int32", "features": [
    {"name": "x", "kind": "ragged", "dtype": "bytes",
     "map": [{"vocabulary": "words.txt", "default": -1}]}]}]}
ROWS = [example({"x": blobs(b"dog")}), example({"x": blobs(b"cow", b"cat")})]


def spec_with(path):
    return hr.Spec({"g": hr.Jagged({"x": hr.RaggedFeature(
        hr.bytes_, map=hr.vocabulary(path, default=-1))}, as_=hr.int32)})


@pytest.fixture(name="words")
def words_fixture(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"cat\ndog\n")
    return path


@pytest.fixture(name="data")
def data_fixture(tmp_path):
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(records.framed(ROWS * 10))
    return path


def ids(plan):
    return hr.parse_example(ROWS, plan)["g"].values.tolist()


def test_relative_paths_are_those_of_the_json_file(words, tmp_path, monkeypatch):
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(SPEC))
    assert ids(hr.Plan(path)) == [1, -1, 0]
    monkeypatch.chdir(tmp_path)
    assert ids(hr.Plan("spec.json")) == [1, -1, 0]
    os.mkdir("elsewhere")
    monkeypatch.chdir("elsewhere")
    assert ids(hr.Plan("../spec.json")) == [1, -1, 0]
    text = json.dumps(SPEC)
    with pytest.raises(hr.NotFoundError) as caught:
        hr.Plan(hr.Spec.from_json(text))
    assert caught.value.file == "words.txt"
    assert ids(hr.Plan(hr.Spec.from_json(text, folder=tmp_path))) == [1, -1, 0]


def test_files_can_be_forbidden():
    text = json.dumps(SPEC)
    with pytest.raises(hr.BadSpecError, match="must not name files") as caught:
        hr.Spec.from_json(text, files=False)
    assert caught.value.feature == "x"
    keys = text.replace('"vocabulary": "words.txt"', '"keys": ["dog"]')
    assert ids(hr.Plan(hr.Spec.from_json(keys, files=False))) == [0, -1, -1]
    with pytest.raises((TypeError, hr.BadSpecError)):
        hr.Spec.from_json(text, files="no")


def test_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(hr.InvalidArgumentError, match="regular file"):
        hr.Plan(spec_with(tmp_path / "pipe"))


def test_a_plan_elsewhere_needs_the_same_words(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps(hr.Plan(spec_with("words.txt")))
    os.mkdir("elsewhere")
    monkeypatch.chdir("elsewhere")  # the path is that of the first process
    assert ids(pickle.loads(pickled)) == [1, -1, 0]
    words.write_bytes(b"cat\r\ndog")  # the same words
    assert ids(pickle.loads(pickled)) == [1, -1, 0]
    words.write_bytes(b"dog\ncat\n")
    with pytest.raises(hr.BadSpecError, match="other words") as caught:
        pickle.loads(pickled)
    assert caught.value.file == str(words)
    words.unlink()
    with pytest.raises(hr.NotFoundError):
        pickle.loads(pickled)


def opened(way, data, spec):
    """What travels to other processes, and a function that reads with it."""
    if way == "dataset":
        return hr.Dataset(data, spec=spec), lambda found: found[0:1]
    if way == "columns":
        spec = {**spec, "y": hr.VarLenFeature(hr.int64)}
        made = hr.Dataset(data, spec=spec, columns=["g"], on_absent="ignore")
        return made, lambda found: found[0:1]
    from headrace.reading.scan import Scan

    return Scan(data, spec=spec), lambda found: next(found.open())


@pytest.mark.parametrize("way", ["dataset", "columns", "scan"])
def test_what_travels_needs_the_same_words(way, words, data):
    made, read = opened(way, data, spec_with(words))
    pickled = pickle.dumps(made)
    assert read(pickle.loads(pickled))["g"].values[0] == 1
    words.write_bytes(b"dog\ncat\n")
    with pytest.raises(hr.BadSpecError, match="other words"):
        read(pickle.loads(pickled))


def test_a_state_needs_the_same_words(words, data):
    spec = spec_with(words)
    reader = hr.open(data, spec=spec, batch_size=4)
    next(reader)
    state = json.loads(json.dumps(reader.state_dict()))
    rest = [batch["g"].values.tolist() for batch in reader]
    again = hr.open(data, spec=spec, batch_size=4)
    again.load_state_dict(state)
    assert [batch["g"].values.tolist() for batch in again] == rest
    words.write_bytes(b"dog\ncat\n")
    changed = hr.open(data, spec=spec, batch_size=4)
    with pytest.raises(hr.InvalidArgumentError, match="vocabulary files"):
        changed.load_state_dict(state)


def test_batches_travel_without_the_file(words, data):
    pickled = pickle.dumps(next(hr.open(data, spec=spec_with(words), batch_size=2)))
    words.unlink()
    assert pickle.loads(pickled)["g"].values.tolist() == [1, -1, 0]


def test_a_spawned_process(words, data, tmp_path):
    path = tmp_path / "plan.pickle"
    path.write_bytes(pickle.dumps(hr.Dataset(data, spec=spec_with(words))))
    code = "import pickle, sys; d = pickle.load(open(sys.argv[1], 'rb')); " \
           "print(d[1:2]['g'].values.tolist())"
    run = subprocess.run([sys.executable, "-c", code, path], text=True, capture_output=True,
                         check=True)
    assert run.stdout == "[-1, 0]\n"

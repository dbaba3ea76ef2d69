"""Folders of TFDS: what tensorflow_datasets read in them, row by row."""

from __future__ import annotations

import base64
import gc
import gzip
import json
import math
import pathlib
import pickle
import struct
import weakref
import zlib

import numpy as np
import pyarrow
import pytest

import headrace as hr

VECTORS = pathlib.Path(__file__).parent.parent / "vectors" / "tfds"
NAMES = [
    "labelled", "nested_static", "old_features", "optional", "pictures", "ragged",
    "renamed", "robot", "scalars", "tensors",
]


def lines_of(name):
    with gzip.open(VECTORS / f"{name}.jsonl.gz", "rt") as file:
        return [json.loads(line) for line in file]


def folder_of(name):
    (version,) = (VECTORS / name).iterdir()
    return version


_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def value_of(dtype, value):
    if dtype == "string":
        return base64.b64decode(value)
    if isinstance(value, str):
        bits = int(value, 16).to_bytes(len(value) // 2, "little")
        if dtype == "bfloat16":
            bits = b"\0\0" + bits
        return struct.unpack(_FLOATS[len(bits)], bits)[0]
    return value


def expect_values(found, node):
    """The values, by their bits; `found` is an array."""
    wanted = [value_of(node["dtype"], value) for value in node["values"]]
    assert found.size == len(wanted)
    for value, other in zip(found.reshape(-1).tolist(), wanted):
        if isinstance(other, float) and math.isnan(other):
            assert math.isnan(value)
        else:
            assert value == other
            if other == 0 and isinstance(other, float):
                assert math.copysign(1, value) == math.copysign(1, other)


def expect(found, node):
    """Compares a value with a node of the vectors."""
    kind = node["is"]
    if kind == "dict":
        assert isinstance(found, dict) and found.keys() == node["items"].keys()
        for name, inside in node["items"].items():
            expect(found[name], inside)
    elif kind == "dataset":
        assert isinstance(found, list) and len(found) == len(node["steps"])
        for step, inside in zip(found, node["steps"]):
            expect(step, inside)
    elif kind == "image":
        expect(found, node["encoded"])
    elif kind == "ragged":
        assert isinstance(found, hr.tfds.Ragged)
        assert [splits.tolist() for splits in found.row_splits] == node["row_splits"]
        assert list(found.values.shape[1:]) == node["inner_shape"]
        expect_type(found.values, node)
        expect_values(found.values, node)
    else:
        assert kind == "tensor"
        assert list(np.shape(found)) == node["shape"]
        expect_type(found, node)
        expect_values(np.asarray(found, object), node)


def expect_type(found, node):
    if node["dtype"] != "string":
        assert found.dtype == node["dtype"]
    elif node.get("shape") == []:
        assert type(found) is bytes
    else:
        assert found.dtype == object


@pytest.mark.parametrize("name", NAMES)
def test_rows_are_those_of_tfds(name):
    datasets = {}
    for line in lines_of(name):
        if "example" not in line:
            continue
        split, row = line["split"], line["row"]
        if split not in datasets:
            datasets[split] = hr.tfds.Dataset(folder_of(name), split)
        dataset = datasets[split]
        expect(dataset[row], line["example"])
        assert dataset.id(row) == line["id"]
    info = hr.tfds.info(folder_of(name))
    assert {s: len(d) for s, d in datasets.items()} == {
        s: split.num_examples for s, split in info.splits.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_info_is_that_of_tfds(name):
    wanted = lines_of(name)[0]["info"]
    info = hr.tfds.info(folder_of(name))
    assert (info.name, info.version, info.config, info.file_format) == (
        wanted["name"], wanted["version"], wanted["config"], wanted["file_format"]
    )
    assert {
        name: {
            "files": split.files, "shard_lengths": split.shard_lengths,
            "num_examples": split.num_examples, "num_bytes": split.num_bytes,
        }
        for name, split in info.splits.items()
    } == wanted["splits"]
    assert info.labels == {
        path: label["names"] for path, label in wanted["labels"].items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_slices_are_those_of_tfds(name):
    path = folder_of(name)
    for line in lines_of(name):
        if "slice" not in line:
            continue
        if "error" in line:
            with pytest.raises(hr.InvalidArgumentError):
                hr.tfds.Source(path, line["slice"])
            continue
        source = hr.tfds.Source(path, line["slice"])
        assert source.num_records == line["num_examples"]
        assert [
            [str(pathlib.Path(file).relative_to(path)), begin, end - begin]
            for file, (begin, end, _) in zip(source.files, source.ranges)
            if begin < end
        ] == line["files"]


def odd_folder(tmp_path, line):
    """A folder that holds the one record of a line."""
    info = {
        "name": "odd", "version": "1.0.0",
        "splits": [{"name": "train", "shardLengths": ["1"]}],
    }
    (tmp_path / "dataset_info.json").write_text(json.dumps(info))
    (tmp_path / "features.json").write_text(json.dumps(line["features"]))
    with hr.Writer(tmp_path / "odd-train.tfrecord-00000-of-00001") as writer:
        writer.write(base64.b64decode(line["record"]))
    return tmp_path


@pytest.mark.parametrize("line", lines_of("odd"), ids=lambda line: line["id"])
def test_odd_records(line, tmp_path):
    path = odd_folder(tmp_path, line)
    if line["expect"].get("error"):
        with pytest.raises(hr.HeadraceError):
            hr.tfds.Dataset(path)[0]
        with pytest.raises(hr.HeadraceError):
            list(hr.tfds.open(path))
        return
    expect(hr.tfds.Dataset(path)[0], line["expect"])
    (batch,) = hr.tfds.open(path)
    expect(batch.rows()[0], line["expect"])


def expect_pixels(found, node):
    """Compares decoded images; lists in lists are lists of arrays."""
    kind = node["is"]
    if kind == "dict":
        for name, inside in node["items"].items():
            expect_pixels(found[name], inside)
    elif kind == "dataset":
        for step, inside in zip(found, node["steps"], strict=True):
            expect_pixels(step, inside)
    elif kind == "image":
        pixels = node["decoded"]
        if pixels["is"] == "ragged":
            images = [image for row in found for image in row]
            found = np.stack(images) if images else np.zeros(0)
        else:
            assert list(found.shape) == pixels["shape"]
            assert found.dtype == pixels["dtype"]
        expect_values(found, pixels)


@pytest.mark.parametrize("name", ["pictures", "ragged", "robot"])
def test_images_are_decoded(name):
    for line in lines_of(name):
        if "example" not in line:
            continue
        # Decoders of JPEG round differently.
        line["example"]["items"].pop("jpeg", None)
        dataset = hr.tfds.Dataset(folder_of(name), line["split"], decode_images=True)
        expect_pixels(dataset[line["row"]], line["example"])


def test_damaged_images_are_errors(tmp_path):
    feature = {"pythonClassName": "tfds.Image", "image": {"shape": {}}}
    tree = {"pythonClassName": "tfds.FeaturesDict",
            "featuresDict": {"features": {"x": feature}}}
    record = hr._core.serialize_example({"x": b"no image"})
    line = {"features": tree, "record": base64.b64encode(record)}
    dataset = hr.tfds.Dataset(odd_folder(tmp_path, line), decode_images=True)
    with pytest.raises(hr.DataError, match='feature "x"') as caught:
        dataset[0]
    assert caught.value.feature == "x"


def test_columns_are_paths_and_prefixes():
    path = folder_of("robot")
    dataset = hr.tfds.Dataset(path, columns=["steps/observation/*", "episode_metadata"])
    row = dataset[0]
    assert row.keys() == {"episode_metadata", "steps"}
    assert row["steps"][0].keys() == {"observation"}
    with pytest.raises(hr.InvalidArgumentError, match="steps/action"):
        hr.tfds.Dataset(path, columns=["steps/acton"])


def test_steps_as_columns():
    path = folder_of("robot")
    lists, columns = hr.tfds.Dataset(path), hr.tfds.Dataset(path, steps="columns")
    for row, other in zip(lists, columns, strict=True):
        steps = other["steps"]
        assert len(steps["action"]) == len(row["steps"])
        for step, action in zip(row["steps"], steps["action"], strict=True):
            np.testing.assert_array_equal(step["action"], action)


def test_batches_have_nested_names():
    path = folder_of("robot")
    (batch,) = hr.tfds.open(path, "val")
    assert batch.num_rows == 3 and list(batch) == ["episode_metadata", "steps"]
    group = batch["steps"]["observation"]
    assert group["state"].shape == batch["steps/observation/state"].shape
    assert "observation/state" not in group and "state" in group
    with pytest.raises(hr.NoSuchFeatureError):
        group["stat"]
    with pytest.raises(TypeError, match="compared"):
        batch == batch  # noqa: B015


def test_a_source_stands_for_paths():
    source = hr.tfds.Source(folder_of("labelled"), columns=["label", "inner"])
    wanted = [row["label"] for row in hr.tfds.Dataset(folder_of("labelled"))]
    (batch,) = hr.open(source)
    assert batch["label"].numpy().tolist() == wanted
    assert batch["inner"]["deep"]["label"].shape == (len(wanted),)
    assert hr.Dataset(source)[2]["inner/deep/label"] is not None
    table = pyarrow.table(hr.open(source))
    assert table.column_names == ["inner/a.b", "inner/deep/label", "label"]
    assert pyarrow.table(hr.tfds.open(folder_of("labelled"))).num_rows == len(wanted)
    assert hr.stats(source).num_records == len(wanted)
    (raw,) = hr.open(source, message="raw")
    assert len(raw.payloads()) == len(wanted)
    (batch,) = hr.open(source, spec={"label": hr.FixedLenFeature([], hr.int64)})
    assert list(batch) == ["label"]
    with pytest.raises(TypeError, match="takes no columns"):
        hr.open(source, columns=["label"])


def test_everything_can_be_pickled():
    path = folder_of("robot")
    dataset = pickle.loads(pickle.dumps(hr.tfds.Dataset(path)))
    assert dataset.id(4) == "robot-train.tfrecord-00001-of-00002__1"
    assert dataset[4]["steps"][0]["action"].shape == (7,)
    assert pickle.loads(pickle.dumps(hr.tfds.info(path))).name == "robot"
    (batch,) = hr.tfds.open(path)
    again = pickle.loads(pickle.dumps(batch))
    assert again["steps/phase"].tolist() == batch["steps/phase"].tolist()
    (batch,) = hr.tfds.open(path, steps=True)
    again = pickle.loads(pickle.dumps(batch))
    assert again["step_index"].tolist() == batch["step_index"].tolist()
    ragged = again.rows()[0]["observation"]["tracks"]
    assert ragged.tolist() == [row.tolist() for row in ragged]


def test_shuffled_epochs_resume():
    path = folder_of("scalars")

    def opened():
        return hr.tfds.open(
            path, batch_size=4, shuffle=True, epochs=2, drop_remainder=True
        )

    batches = opened()
    ids = []
    for number, batch in enumerate(batches):
        if number == 2:
            state = batches.state_dict()
        ids.append(batch.origins["record"].tolist())
    other = opened()
    other.load_state_dict(state)
    assert [batch.origins["record"].tolist() for batch in other] == ids[3:]


def test_opening_many_shards_reads_none(tmp_path):
    counts = ["7"] * 1000
    (tmp_path / "features.json").write_text(json.dumps(
        {"pythonClassName": "tfds.FeaturesDict", "featuresDict": {"features": {
            "x": {"pythonClassName": "tfds.Scalar",
                  "tensor": {"dtype": "int64", "shape": {}}}}}}
    ))
    (tmp_path / "dataset_info.json").write_text(json.dumps(
        {"name": "a", "version": "1.0.0",
         "splits": [{"name": "train", "shardLengths": counts}]}
    ))
    for shard in range(1000):
        (tmp_path / f"a-train.tfrecord-{shard:05}-of-01000").write_bytes(b"")
    dataset = hr.tfds.Dataset(tmp_path)
    assert len(dataset) == 7000 and dataset.id(6999).endswith("-00999-of-01000__6")
    with pytest.raises(hr.WrongRecordCountError) as caught:
        dataset[3000]
    assert caught.value.file.endswith("-00428-of-01000")
    reader = hr.tfds.open(tmp_path)
    with pytest.raises(hr.WrongRecordCountError):
        next(reader)


def tensor_of(dtype, shape, encoding):
    return {
        "pythonClassName": "tfds.Tensor",
        "tensor": {"dtype": dtype, "encoding": encoding,
                   "shape": {"dimensions": [str(n) for n in shape]}},
    }


def dict_of(**features):
    return {"pythonClassName": "tfds.FeaturesDict",
            "featuresDict": {"features": features} if features else {}}


def list_of(feature, length=-1):
    return {"pythonClassName": "tfds.Sequence",
            "sequence": {"feature": feature, "length": str(length)}}


def row_of(tmp_path, tree, record):
    record = hr._core.serialize_example(record)
    line = {"features": tree, "record": base64.b64encode(record)}
    return hr.tfds.Dataset(odd_folder(tmp_path, line))[0]


def test_empty_dicts_stay(tmp_path):
    tree = dict_of(a=dict_of(), b=dict_of(c=dict_of(), x=tensor_of("int64", [], "none")))
    assert row_of(tmp_path, tree, {"b/x": 3}) == {"a": {}, "b": {"c": {}, "x": 3}}
    # The patterns that choose features choose these, too.
    assert hr.tfds.Dataset(tmp_path, columns=["b/*"])[0] == {"b": {"c": {}, "x": 3}}
    source = hr.tfds.Source(tmp_path, columns=["b/x"])
    assert hr.tfds.Dataset(source)[0] == {"b": {"x": 3}}


def test_complex_numbers(tmp_path):
    values = np.array([[1 + 2j, -3j], [0, 5]])
    tree = dict_of(x=tensor_of("complex128", [2, 2], "zlib"),
                   y=list_of(tensor_of("complex64", [-1], "bytes")))
    row = row_of(tmp_path, tree, {
        "x": zlib.compress(values.tobytes()),
        "y": [values[0].astype("complex64").tobytes(), b""],
    })
    assert row["x"].dtype == "complex128" and (row["x"] == values).all()
    assert [y.tolist() for y in row["y"]] == [[1 + 2j, -3j], []]


def test_lists_of_lists_of_encoded_arrays(tmp_path):
    tree = dict_of(x=list_of(list_of(tensor_of("int8", [-1], "bytes"))),
                   y=list_of(list_of(tensor_of("int8", [0, 2], "bytes"))))

    def row(arrays):
        return row_of(tmp_path, tree, {
            "x/ragged_flat_values": arrays,
            "x/ragged_row_lengths_0": np.array([2, 0, 1]),
            "y/ragged_flat_values": [b""] * 3,
            "y/ragged_row_lengths_0": np.array([1, 2]),
        })

    made = row([b"\1\2", b"\3\4", b"\5\6"])
    assert made["x"].values.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert made["x"].row_splits[0].tolist() == [0, 2, 2, 3]
    assert made["y"].values.shape == (3, 0, 2)
    made = row([b"\1", b"\3\4", b""])
    assert [x.tolist() for x in made["x"].values] == [[1], [3, 4], []]


def test_a_slice_may_be_empty():
    path = folder_of("scalars")
    assert len(hr.tfds.Dataset(path, "train[2:2]")) == 0
    assert list(hr.tfds.open(path, "train[2:2]")) == []
    assert list(hr.tfds.open(folder_of("robot"), "train[2:2]", steps=True)) == []


def test_batches_go_without_a_search_for_cycles():
    gc.disable()
    try:
        for options in ({}, {"steps": True}):
            batch = next(iter(hr.tfds.open(folder_of("robot"), **options)))
            batch["observation" if options else "steps"]
            gone = weakref.ref(batch)
            del batch
            assert gone() is None
    finally:
        gc.enable()


def test_known_lengths_of_encoded_arrays_are_dense(tmp_path):
    tree = dict_of(x=list_of(list_of(tensor_of("int8", [-1, 2], "bytes"), 3)))
    row = row_of(tmp_path, tree, {
        "x/ragged_flat_values": [b"\1\2"] * 6,
        "x/ragged_row_lengths_0": np.array([3, 3]),
    })
    assert row["x"].shape == (2, 3, 1, 2)


def test_levels_of_arrays_without_elements():
    from headrace.tfds.rows import Ragged, _split_further
    values = np.empty((2, 1, 0, 2, 1), np.int64)
    made = _split_further(Ragged(values, [np.array([0, 2])]), 2)
    assert made.values.shape == (2, 0, 2, 1)
    assert [splits.tolist() for splits in made.row_splits] == [[0, 2], [0, 1, 2]]

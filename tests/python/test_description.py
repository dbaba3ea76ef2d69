"""What spec= and schema= take beside objects: paths, and messages of protobuf."""

import headrace as hr
import pytest
import records

PBTXT = 'feature { name: "a" type: INT shape { dim { size: 1 } } '
PBTXT += "presence { min_fraction: 1 } }"
SPEC = hr.Spec({"a": hr.FixedLenFeature([1], hr.int64)})
ROWS = [records.example({"a": records.ints(i)}) for i in range(3)]


class Message:
    """Like a message of protobuf's; its class has the name of ours."""

    def SerializeToString(self):  # noqa: N802
        return b'feature { name: "a" type: INT }'  # text does as well


Message.__name__ = "Schema"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "x.tfrecord").write_bytes(records.framed(ROWS))
    (tmp_path / "schema.pbtxt").write_text(PBTXT)
    (tmp_path / "spec.json").write_text("\n " + SPEC.to_json())
    (tmp_path / "schema.pb").write_bytes(Message().SerializeToString())
    return tmp_path


def test_schema_as_a_path(folder):
    for given in (folder / "schema.pbtxt", str(folder / "schema.pbtxt"),
                  folder / "schema.pb", hr.Schema.from_text(PBTXT)):
        (batch,) = hr.open(folder / "x.tfrecord", schema=given)
        assert batch["a"].to_list() == [[0], [1], [2]]
        assert hr.decode(ROWS, schema=given)["a"].to_list() == [[0], [1], [2]]


def test_spec_as_a_path(folder):
    for name in ("spec.json", "schema.pbtxt"):
        for given in (folder / name, str(folder / name)):
            (batch,) = hr.open(folder / "x.tfrecord", spec=given)
            assert batch["a"].numpy().tolist() == [[0], [1], [2]]
            assert hr.parse_example(ROWS, given)["a"].shape == (3, 1)
            assert hr.decode(ROWS, spec=given)["a"].shape == (3, 1)
            assert hr.Plan(given).names == ["a"]
            (batch,) = hr.open(folder / "x.tfrecord", spec=given, columns=["a"])
            assert list(batch) == ["a"]


def test_adapters_read_the_path_where_they_are_made(folder, monkeypatch):
    pytest.importorskip("polars", reason="the adapter needs it")
    for option in ({"spec": "spec.json"}, {"schema": "schema.pbtxt"}):
        monkeypatch.chdir(folder)
        frame = hr.polars.scan_tfrecord(str(folder / "x.tfrecord"), **option)
        monkeypatch.chdir("/")
        assert frame.collect().height == 3


def test_messages_of_protobuf(folder):
    (batch,) = hr.open(folder / "x.tfrecord", schema=Message())
    assert batch["a"].to_list() == [[0], [1], [2]]
    (batch,) = hr.open(folder / "x.tfrecord", spec=Message())
    assert batch["a"].values.tolist() == [0, 1, 2]
    assert hr.decode(ROWS, schema=Message()).num_rows == 3


def test_what_is_neither(folder):
    class Schema:
        pass

    for wrong in (Schema(), 3, b"", {}):
        for call in (lambda: hr.open(folder / "x.tfrecord", schema=wrong),
                     lambda: hr.decode(ROWS, schema=wrong)):
            with pytest.raises(TypeError, match="^schema: "):
                call()
    for wrong in (3, [], object()):
        with pytest.raises(TypeError, match="^spec: "):
            hr.open(folder / "x.tfrecord", spec=wrong)


def test_texts_that_are_no_paths(folder):
    for options in ({"schema": PBTXT}, {"spec": SPEC.to_json()}, {"spec": PBTXT}):
        with pytest.raises(hr.NotFoundError, match="for text use from_"):
            hr.open(folder / "x.tfrecord", **options)
    (folder / "bad").write_text("{")
    for option in ("spec", "schema"):
        with pytest.raises(hr.BadSpecError) as caught:
            hr.open(folder / "x.tfrecord", **{option: folder / "bad"})
        assert caught.value.file == str(folder / "bad")

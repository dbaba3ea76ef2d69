"""Exceptions: their classes, fields, texts, and the way through a pickle."""

import concurrent.futures
import copy
import errno
import multiprocessing
import pickle

import headrace
import pytest
from headrace import errors
from headrace._core import serialize_sequence_example

CODES = sorted(errors._CLASSES) + ["of_the_future"]
FIELDS = {
    "message": "feature \"age\": expected int64, found float",
    "file": "a.tfrecord",
    "record": 3,
    "offset": 0,
    "feature": "age",
    "expected": "int64",
    "found": "float",
}


def make(code, **changes):
    return errors.make(code, **(FIELDS | changes))


def raise_in_worker(code):
    raise make(code)


def fields_of(error):
    return {name: getattr(error, name) for name in ("code", *FIELDS)}


def assert_same(got, error):
    assert type(got) is type(error)
    assert fields_of(got) == fields_of(error)
    assert (str(got), repr(got), got.args) == (str(error), repr(error), error.args)


@pytest.mark.parametrize("code", CODES)
def test_every_class_carries_all_fields(code):
    error = make(code)
    assert fields_of(error) == {"code": code} | FIELDS
    assert isinstance(error, errors.HeadraceError)
    for name in fields_of(error):
        with pytest.raises(AttributeError):
            setattr(error, name, "x")


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_and_copy_are_exact(code, protocol):
    error = make(code)
    error.add_note("a note")
    error.mine = [1]
    for got in (
        pickle.loads(pickle.dumps(error, protocol)),
        copy.copy(error),
        copy.deepcopy(error),
    ):
        assert_same(got, error)
        assert got.__notes__ == ["a note"]
        assert got.mine == [1]


def test_pickle_of_a_subclass_with_another_init():
    error = Mine(7)
    assert_same(pickle.loads(pickle.dumps(error)), error)


class Mine(errors.DataError):
    def __init__(self, number):
        super().__init__(f"number {number}", record=number)


def test_not_found_keeps_what_python_sets():
    error = pickle.loads(pickle.dumps(make("not_found")))
    assert error.errno == errno.ENOENT
    assert error.filename == "a.tfrecord"


def test_every_class_crosses_processes():
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        for code in CODES:
            with pytest.raises(errors.HeadraceError) as caught:
                pool.submit(raise_in_worker, code).result(timeout=60)
            assert_same(caught.value, make(code))


@pytest.mark.parametrize("code, bases", [
    ("invalid_argument", (ValueError,)),
    ("bad_spec", (ValueError,)),
    ("not_found", (FileNotFoundError, OSError)),
    ("io", (OSError,)),
    ("out_of_memory", (MemoryError,)),
    ("truncated_header", (errors.TruncatedError, errors.CorruptDataError)),
    ("truncated_payload", (errors.TruncatedError,)),
    ("truncated_footer", (errors.TruncatedError,)),
    ("header_crc", (errors.ChecksumError, errors.CorruptDataError)),
    ("payload_crc", (errors.ChecksumError,)),
    ("too_large", (errors.CorruptDataError, errors.DataError)),
    ("decompress", (errors.CorruptDataError,)),
    ("not_tfrecord", (errors.CorruptDataError,)),
    ("malformed", (errors.RowError, errors.DataError, ValueError)),
    ("wrong_kind", (errors.RowError,)),
    ("wrong_count", (errors.RowError,)),
    ("missing_feature", (errors.RowError,)),
    ("bad_sparse_index", (errors.RowError,)),
    ("bad_partition", (errors.RowError,)),
    ("limit", (errors.DataError,)),
    ("too_many_bad", (errors.DataError,)),
])
def test_bases(code, bases):
    for base in bases:
        assert isinstance(make(code), base)


def test_only_data_errors_are_data_errors():
    others = ("invalid_argument", "bad_spec", "not_found", "io", "out_of_memory",
              "cancelled", "of_the_future")
    for code in CODES:
        assert isinstance(make(code), errors.DataError) == (code not in others)
        assert isinstance(make(code), errors.RowError) == (code in (
            "malformed", "wrong_kind", "wrong_count", "missing_feature",
            "bad_sparse_index", "bad_partition"))


def test_class_has_its_code():
    for cls in (errors.WrongKindError, errors.BadSpecError, errors.NotFoundError):
        assert errors._CLASSES[cls("x").code] is cls


def test_unknown_is_none():
    error = errors.make("io", "m", "", 2**64 - 1, 2**64 - 1, "", "", "")
    assert fields_of(error) == dict.fromkeys(fields_of(error)) | {
        "code": "io", "message": "m"}
    assert str(error) == "io: m"
    assert repr(error) == "IoError('m', code='io')"


@pytest.mark.parametrize("error, text", [
    (make("limit"), "a.tfrecord: record 3 at offset 0: limit: feature "
                    '"age": expected int64, found float'),
    (make("limit", file=None), "record 3 at offset 0: limit: feature "
                               '"age": expected int64, found float'),
    (errors.make("io", "m", "f", offset=7), "f: at offset 7: io: m"),
    (errors.make("io", "m", "f", record=7), "f: record 7: io: m"),
    (errors.make("cancelled"), "cancelled"),
    (errors.HeadraceError("m"), "m"),
    (errors.make("io", "a\nb\rc", "f\n"), "f\\n: io: a\\nb\\rc"),
])
def test_text_is_one_line(error, text):
    assert str(error) == text


@pytest.mark.parametrize("error, phrase", [
    (make("wrong_kind"),
     "Key: age.  Data types don't match. Expected type: int64, "
     "Actual type: float"),
    (make("wrong_kind", expected="bytes"),
     "Key: age.  Data types don't match. Expected type: string, "
     "Actual type: float"),
    (make("wrong_kind", message='feature list "age", step 2: ...'),
     "Feature list: age.  Data types don't match. Expected type: int64, "
     "Actual type: float"),
    (make("wrong_kind", expected="values of int8", found="300"), None),
    (make("wrong_kind", feature=None), None),
    (make("wrong_count", expected="3 values", found="2"),
     "Key: age.  Number of values != expected.  Values size: 2"),
    (make("wrong_count", expected="1 value", found="0"),
     "Key: age.  Number of values != expected.  Values size: 0"),
    (make("wrong_count", expected="a multiple of 3 values", found="2"),
     "Key: age.  Number of values is not a multiple of stride length. "
     "Saw 2 values"),
    (make("wrong_count", expected="at most 3 values", found="4"), None),
    (make("wrong_count", expected="8 bytes", found="4"), None),
    (make("missing_feature"),
     "Feature: age (data type: int64) is required but could not be found."),
    (make("missing_feature", message='feature list "age"'),
     "Feature list 'age' is required but could not be found."),
    (make("malformed"), "Could not parse example input"),
    (make("header_crc", offset=5), "corrupted record at 5"),
    (make("payload_crc", offset=0), "corrupted record at 12"),
    (make("not_tfrecord"), "corrupted record at 0"),
    (make("truncated_payload", offset=9), "truncated record at 9"),
    (make("truncated_footer", offset=9), "truncated record at 9"),
    # TensorFlow takes these for the end of the file.
    (make("truncated_header", offset=9), None),
    (make("payload_crc", offset=None), None),
    (make("payload_crc", message='TensorFlow: "corrupted record at 12"'),
     None),
    (make("bad_spec"), None),
])
def test_tensorflow_says(error, phrase):
    text = str(error)
    if phrase is None:
        assert "(TensorFlow: " not in text
    else:
        assert text.endswith(f" (TensorFlow: {phrase})")
    assert "\n" not in text


# The texts of wrong arguments: one of each form. Other tests ask for the class
# and the name of the argument alone.
AGE = {"age": headrace.VarLenFeature(int)}
WHOLE = "a whole number from 0 to 18446744073709551615"


@pytest.mark.parametrize("call, cls, text", [
    (lambda: headrace.open(3), TypeError,
     "paths: expected a path, a URL or a binary file object, or a list of these, "
     "got int"),
    (lambda: headrace.open(b"x"), TypeError,
     "paths: expected a path, a URL or a binary file object, got bytes; wrap data "
     "in io.BytesIO"),
    (lambda: headrace.open("x", columns=[1]), TypeError,
     '"columns" is 1; it takes a list of strings'),
    (lambda: headrace.open("x", threads=1.5), TypeError,
     f'"threads" is 1.5; it takes {WHOLE}'),
    (lambda: headrace.open("x", threads=-1), ValueError,
     f'invalid_argument: "threads" is -1; it takes {WHOLE}'),
    (lambda: headrace.open("x", threads=2**64), ValueError,
     f'invalid_argument: "threads" is 18446744073709551616; it takes {WHOLE}'),
    (lambda: headrace.open("x", epochs=0), ValueError,
     f'invalid_argument: "epochs" is 0; it takes {WHOLE.replace("from 0", "from 1")}'),
    (lambda: headrace.open("x", shard=(2, 2)), ValueError,
     'invalid_argument: "shard" is [2, 2]; it takes [index, count] with index below '
     "count, or a list of such pairs"),
    (lambda: headrace.open("x", message="x"), ValueError,
     'invalid_argument: "message" is "x"; its values are "auto", "example", "sequence", '
     '"raw", "elwc", "example_in_example", "sequence_example"'),
    (lambda: headrace.Schema.from_bytes("x"), TypeError,
     "data: expected bytes, got str"),
    (lambda: headrace.decode([], schema=Mine(7)), TypeError,
     "schema: expected a headrace.Schema, a protobuf Schema message or the path of a "
     "file, got test_errors.Mine"),
    (lambda: headrace.Spec.of("{}"), TypeError,
     "spec: expected a Spec or a dict of names and features, got str; for JSON use "
     "Spec.from_json"),
    (lambda: headrace.Spec.of({"age": int}), TypeError,
     'feature "age": expected a feature of headrace or tf.io (FixedLenFeature, '
     "FixedLenSequenceFeature, VarLenFeature, SparseFeature, RaggedFeature), got int"),
    (lambda: headrace.Spec.of(AGE).select(["agee"]), ValueError,
     'bad_spec: the spec has no feature "agee"; did you mean "age"?'),
    (lambda: headrace.decode([], spec=AGE)["agee"], KeyError,
     'invalid_argument: there is no feature "agee"; did you mean "age"?'),
    (lambda: headrace.parse_example(b"x", AGE), TypeError,
     "serialized: expected a list of bytes, got bytes; wrap a single message in a "
     "list"),
    (lambda: serialize_sequence_example({}, {"b": 5}), TypeError,
     'feature list "b": expected a list of steps, got int'),
    (lambda: serialize_sequence_example({"a": [1, 2.0]}, {}), TypeError,
     'feature "a": expected values of one kind, found int64 and float'),
    (lambda: serialize_sequence_example({"a": 2**63}, {}), OverflowError,
     'feature "a": 9223372036854775808 is beyond int64'),
])
def test_texts_of_wrong_arguments(call, cls, text):
    with pytest.raises(cls) as caught:
        call()
    assert str(caught.value) == text

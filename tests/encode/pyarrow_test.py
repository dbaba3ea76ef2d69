"""EncodeExamples takes what pyarrow exports.

usage: pyarrow_test.py BRIDGE [unittest options]

Without pyarrow the test is skipped (exit 77).
"""

import ctypes
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "cli"))

from program import example, sequence  # noqa: E402
from wire_bytes import unframe  # noqa: E402

try:
    import pyarrow as pa
except ImportError:
    print("pyarrow is not installed: run ./dev setup")
    sys.exit(77)

SIZE_OF_STRUCTS = 80  # of ArrowArray, the larger one; 64-bit


class EncodeTest(unittest.TestCase):
    bridge = None

    def encode(self, batch, allow_narrowing=False):
        """The payloads, or the error as a string."""
        schema = ctypes.create_string_buffer(SIZE_OF_STRUCTS)
        array = ctypes.create_string_buffer(SIZE_OF_STRUCTS)
        batch._export_to_c(ctypes.addressof(array), ctypes.addressof(schema))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "x.tfrecord")
            error = self.bridge.encode(schema, array, int(allow_narrowing),
                                       str(path).encode())
            return error.decode() or unframe(path.read_bytes())

    def check(self, columns, rows, **options):
        """The rows, of which those with nulls have no such feature."""
        batch = pa.record_batch(columns)
        expected = [example(**{key: value for key, value in sorted(row.items())
                               if value is not None}) for row in rows]
        self.assertEqual(self.encode(batch, **options), expected)
        for begin in range(len(rows) + 1):
            sliced = batch.slice(begin)
            self.assertEqual(self.encode(sliced, **options), expected[begin:])

    def test_lists(self):
        for make in (pa.list_, pa.large_list):
            self.check(
                {"i": pa.array([[1, -2], None, [3]], make(pa.int64())),
                 "f": pa.array([[0.5], [1.5, 2.0], None], make(pa.float32())),
                 "b": pa.array([None, [b"\xff", b""], [b"longer than a view"]],
                               make(pa.binary()))},
                [{"i": [1, -2], "f": [0.5]},
                 {"f": [1.5, 2.0], "b": [b"\xff", b""]},
                 {"i": [3], "b": [b"longer than a view"]}])
        self.check({"x": pa.array([[1, 2], None, [3, 4]],
                                  pa.list_(pa.int16(), 2))},
                   [{"x": [1, 2]}, {}, {"x": [3, 4]}])

    def test_numbers(self):
        for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(),
                     pa.uint16(), pa.uint32(), pa.uint64()):
            self.check({"x": pa.array([1, None, 100], kind)},
                       [{"x": [1]}, {}, {"x": [100]}])
        self.check({"x": pa.array([True, None, False])},
                   [{"x": [1]}, {}, {"x": [0]}])
        for kind in (pa.float16(), pa.float32(), pa.float64()):
            self.check({"x": pa.array([0.5, None, -3.0], kind)},
                       [{"x": [0.5]}, {}, {"x": [-3.0]}],
                       allow_narrowing=kind == pa.float64())

    def test_bytes(self):
        values = ["", None, "é, and longer than a view holds", "short"]
        rows = [{} if value is None else {"x": [value.encode()]}
                for value in values]
        for kind in (pa.string(), pa.large_string(), pa.string_view(),
                     pa.binary(), pa.large_binary(), pa.binary_view()):
            self.check({"x": pa.array(values, kind)}, rows)

    def test_nulls_and_nothing(self):
        self.check({"x": pa.nulls(3)}, [{}, {}, {}])
        self.check({"x": pa.array([], pa.list_(pa.string()))}, [])
        self.check({"x": pa.array([None, None], pa.list_(pa.null()))}, [{}, {}])

    def test_feature_lists(self):
        steps = pa.array([[[1, 2], [3]], None, []],
                         pa.list_(pa.list_(pa.int64())))
        batch = pa.record_batch({
            "c": pa.array([1, 2, 3]),
            "##SEQUENCE##": pa.StructArray.from_arrays([steps], ["s"])})
        expected = [sequence({"s": [[1, 2], [3]]}, c=[1]),
                    sequence({}, c=[2]), sequence({"s": []}, c=[3])]
        self.assertEqual(self.encode(batch), expected)
        self.assertEqual(self.encode(batch.slice(1)), expected[1:])

    def test_refused(self):
        for column, message in (
                (pa.array([1.5]), "float64"),
                (pa.array(["a"]).dictionary_encode(), "dictionary"),
                (pa.array([[[1]]]), "lists inside of lists"),
                (pa.array([{"a": 1}]), "struct"),
                (pa.array([[1, None]]), "row 0: value 1 is null"),
                (pa.array([2**63], pa.uint64()), "row 0: value 0 is"),
                (pa.array([[]], pa.list_(pa.null())), "row 0: a list of the"),
                (pa.array([b"abcd"], pa.binary(4)), "Arrow type \"w:4\"")):
            with self.subTest(message):
                error = self.encode(pa.record_batch({"x": column}))
                self.assertIsInstance(error, str)
                self.assertIn('column "x"', error)
                self.assertIn(message, error)


if __name__ == "__main__":
    EncodeTest.bridge = ctypes.CDLL(sys.argv.pop(1))
    EncodeTest.bridge.encode.restype = ctypes.c_char_p
    unittest.main()

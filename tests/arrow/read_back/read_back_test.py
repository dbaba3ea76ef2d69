"""What headrace writes as Arrow, read by pyarrow.

usage: read_back_test.py ARROW_DUMP [ARROW_BRIDGE]

ARROW_DUMP writes IPC files and what must be in them; ARROW_BRIDGE is a shared
library that exports through the C data interface. Without pyarrow the test is
skipped (exit 77).
"""

import ctypes
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import pyarrow as pa
except ImportError:
    print("pyarrow is not installed: run ./dev setup")
    sys.exit(77)

FORMS = {
    "binary": pa.binary(),
    "large": pa.large_binary(),
    "view": pa.binary_view(),
    "string": pa.string(),
}
SIZE_OF_STRUCTS = 256  # more than any of the C structures


def expected_type(kind, form):
    if kind == "null":
        return pa.null()
    values = {"int64": pa.int64(), "float": pa.float32(), "bytes": FORMS[form]}
    return pa.list_(pa.field("item", values[kind]))


def plain(value, kind):
    """A value in the form in which the dump has it."""
    if kind == "float":
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if kind == "bytes":
        raw = value.encode() if isinstance(value, str) else value
        return raw.hex()
    return value


def floats_by_bits(column):
    """Cells of list<float32> by their bits: Python's floats lose NaNs'."""
    lists = column.combine_chunks()
    bits = lists.values.view(pa.uint32()) if len(lists.values) else lists.values
    offsets = lists.offsets.to_pylist()
    return [
        bits.slice(a, b - a).to_pylist() if valid else None
        for a, b, valid in zip(offsets, offsets[1:], lists.is_valid().to_pylist())
    ]


def cells(column, kind):
    if kind == "float":
        return floats_by_bits(column)
    return [
        None if cell is None else [plain(value, kind) for value in cell]
        for cell in column.to_pylist()
    ]


def type_text(dtype):
    """As TypeText in c_data_checker.h."""
    if isinstance(dtype, pa.FixedShapeTensorType):
        shape = ",".join(str(n) for n in dtype.shape)
        return f"tensor[{shape}]:{type_text(dtype.storage_type)}"
    if pa.types.is_struct(dtype):
        inner = ", ".join(f"{f.name}: {type_text(f.type)}" for f in dtype)
        return "{" + inner + "}"
    if pa.types.is_list(dtype):
        return f"list<{type_text(dtype.value_type)}>"
    if pa.types.is_fixed_size_list(dtype):
        return f"fixed[{dtype.list_size}]<{type_text(dtype.value_type)}>"
    return str(dtype)


def quoted(value):
    raw = value.encode() if isinstance(value, str) else value
    plain_bytes = set(range(0x20, 0x7F)) - set(b'"\\')
    return '"' + "".join(chr(b) if b in plain_bytes else f"\\x{b:02x}" for b in raw) + '"'


def leaf_texts(array):
    """Single values; floats by their bits."""
    for bits in (16, 32, 64):
        if array.type == {16: pa.float16(), 32: pa.float32(), 64: pa.float64()}[bits]:
            view = array.view({16: pa.uint16(), 32: pa.uint32(), 64: pa.uint64()}[bits])
            return [f"0x{value:0{bits // 4}x}" for value in view.to_pylist()]
    if pa.types.is_boolean(array.type):
        return [str(value).lower() for value in array.to_pylist()]
    if pa.types.is_integer(array.type):
        return [str(value) for value in array.to_pylist()]
    return ["null" if v is None else quoted(v) for v in array.to_pylist()]


def texts(array):
    """As RowTexts in c_data_checker.h, of any array."""
    if isinstance(array, pa.ExtensionArray):
        return texts(array.storage)
    if pa.types.is_struct(array.type):
        names = [field.name for field in array.type]
        fields = [texts(array.field(i)) for i in range(len(names))]
        return [
            "{" + ", ".join(f"{n}: {f[i]}" for n, f in zip(names, fields)) + "}"
            for i in range(len(array))
        ]
    if pa.types.is_list(array.type):
        ends = array.offsets.to_pylist()
    elif pa.types.is_fixed_size_list(array.type):
        ends = [i * array.type.list_size for i in range(len(array) + 1)]
    else:
        return leaf_texts(array)
    values = texts(array.values)
    return [
        "[" + ", ".join(values[a:b]) + "]" if valid else "null"
        for a, b, valid in zip(ends, ends[1:], array.is_valid().to_pylist())
    ]


class Checks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([sys.argv[1], cls.folder.name], check=True)
        cls.cases = sorted(pathlib.Path(cls.folder.name).glob("*.json"))

    def check_batches(self, batches, schema, expected, form):
        """Record batches against what the dump says of the case."""
        columns = expected["columns"]
        names = [bytes.fromhex(c["name"]).decode() for c in columns]
        self.assertEqual(schema.names, names)
        for field, column in zip(schema, columns):
            self.assertEqual(field.type, expected_type(column["kind"], form))
            self.assertTrue(field.nullable)
        self.assertEqual([b.num_rows for b in batches], expected["batches"])
        for batch in batches:
            batch.validate(full=True)
        table = pa.Table.from_batches(batches, schema=schema)
        for i, column in enumerate(columns):
            self.assertEqual(cells(table.column(i), column["kind"]), column["rows"])
            nulls = sum(row is None for row in column["rows"])
            self.assertEqual(table.column(i).null_count, nulls)

    def check_nested(self, batch, expected, form):
        batch.validate(full=True)
        dtype = pa.struct(list(batch.schema))
        self.assertEqual(type_text(dtype), expected["types"][form])
        self.assertEqual(batch.num_rows, len(expected["rows"]))
        columns = [texts(column) for column in batch.columns]
        names = batch.schema.names
        rows = [
            "{" + ", ".join(f"{n}: {c[i]}" for n, c in zip(names, columns)) + "}"
            for i in range(batch.num_rows)
        ]
        self.assertEqual(rows, expected["rows"])


def nested_cases(folder):
    for case in sorted(pathlib.Path(folder.name).glob("*.nested")):
        expected = json.loads(case.read_text())
        for form in FORMS:
            yield case, expected, form


class IpcTest(Checks):
    def files(self, suffix):
        for case in self.cases:
            expected = json.loads(case.read_text())
            for form in FORMS:
                path = case.with_suffix(f".{form}.{suffix}")
                if path.exists():
                    with self.subTest(case=case.stem, form=form):
                        yield path, expected, form

    def test_files(self):
        seen = 0
        for path, expected, form in self.files("file"):
            for source in (pa.OSFile(str(path)), pa.memory_map(str(path))):
                with pa.ipc.open_file(source) as reader:
                    batches = [
                        reader.get_batch(i)
                        for i in range(reader.num_record_batches)
                    ]
                    self.check_batches(batches, reader.schema, expected, form)
            seen += 1
        self.assertGreater(seen, 40)

    def test_streams(self):
        for path, expected, form in self.files("stream"):
            with pa.ipc.open_stream(path.read_bytes()) as reader:
                self.check_batches(list(reader), reader.schema, expected, form)

    def test_nested(self):
        seen = 0
        for case, expected, form in nested_cases(self.folder):
            with self.subTest(case=case.stem, form=form):
                path = case.with_suffix(f".{form}.file")
                with pa.ipc.open_file(pa.memory_map(str(path))) as reader:
                    self.assertEqual(reader.num_record_batches, 1)
                    self.check_nested(reader.get_batch(0), expected, form)
                path = case.with_suffix(f".{form}.stream")
                with pa.ipc.open_stream(path.read_bytes()) as reader:
                    (batch,) = reader
                    self.check_nested(batch, expected, form)
            seen += 1
        self.assertGreater(seen, 40)

    def test_tensors_become_numpy(self):
        path = pathlib.Path(self.folder.name) / "shapes.binary.file"
        with pa.ipc.open_file(path) as reader:
            tensor = reader.get_batch(0).column("i").to_numpy_ndarray()
        self.assertEqual(tensor.tolist(), [[[1, 2], [3, 4]], [[5, 6], [7, 8]]])

    def test_standard_output(self):
        """A pipe, which nothing can seek in."""
        stem = pathlib.Path(self.folder.name) / "many_rows"
        for suffix in ("file", "stream"):
            command = [sys.argv[1], "many_rows", suffix]
            out = subprocess.run(command, check=True, stdout=subprocess.PIPE)
            self.assertEqual(
                out.stdout, stem.with_suffix(f".binary.{suffix}").read_bytes()
            )

    def test_buffers_of_mapped_files_are_aligned(self):
        for path, _, _ in self.files("file"):
            with pa.ipc.open_file(pa.memory_map(str(path))) as reader:
                for i in range(reader.num_record_batches):
                    for column in reader.get_batch(i).columns:
                        for buffer in column.buffers():
                            if buffer is not None and buffer.size:
                                self.assertEqual(buffer.address % 64, 0)

    def test_a_stream_cut_after_a_batch_has_that_batch(self):
        path = pathlib.Path(self.folder.name) / "reader.binary.stream"
        expected = json.loads((path.parent / "reader.json").read_text())
        end_of_stream = 8
        with pa.ipc.open_stream(path.read_bytes()[:-end_of_stream]) as reader:
            self.check_batches(list(reader), reader.schema, expected, "binary")


@unittest.skipIf(len(sys.argv) < 3, "no bridge in this build")
class CDataTest(Checks):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.bridge = ctypes.CDLL(sys.argv[2])

    def export(self, name, form):
        schema = ctypes.create_string_buffer(SIZE_OF_STRUCTS)
        array = ctypes.create_string_buffer(SIZE_OF_STRUCTS)
        answer = self.bridge.export_case(
            name.encode(), list(FORMS).index(form), schema, array
        )
        if answer != 0:
            return None
        return pa.RecordBatch._import_from_c(
            ctypes.addressof(array), ctypes.addressof(schema)
        )

    def test_batches(self):
        for case in self.cases:
            if case.stem == "reader":
                continue
            expected = json.loads(case.read_text())
            for form in FORMS:
                with self.subTest(case=case.stem, form=form):
                    batch = self.export(case.stem, form)
                    if batch is None:
                        self.assertIn(case.stem, ("nul_in_name", "not_utf8"))
                        continue
                    self.check_batches([batch], batch.schema, expected, form)

    def test_nested(self):
        for case, expected, form in nested_cases(self.folder):
            with self.subTest(case=case.stem, form=form):
                batch = self.export(case.stem, form)
                self.check_nested(batch, expected, form)

    def test_columns_outlive_their_batch(self):
        batch = self.export("many_rows", "view")
        values = batch.column(2).values
        del batch
        values.validate(full=True)
        self.assertGreater(len(values), 0)

    def test_views_are_written_by_pyarrow(self):
        """Variadic buffers are readable as a whole: IPC copies them."""
        batch = self.export("many_rows", "view")
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as writer:
            writer.write_batch(batch)
        with pa.ipc.open_stream(sink.getvalue()) as reader:
            self.assertEqual(reader.read_all(), pa.Table.from_batches([batch]))

    def open_stream(self, path, form, batch_size):
        stream = ctypes.create_string_buffer(SIZE_OF_STRUCTS)
        answer = self.bridge.export_stream(
            str(path).encode(),
            list(FORMS).index(form),
            ctypes.c_size_t(batch_size),
            stream,
        )
        self.assertEqual(answer, 0)
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream))

    def test_stream(self):
        path = pathlib.Path(self.folder.name) / "reader.tfrecord"
        expected = json.loads(path.with_suffix(".json").read_text())
        for form in ("binary", "large", "view"):
            with self.subTest(form=form):
                reader = self.open_stream(path, form, 64)
                schema = reader.schema
                self.check_batches(list(reader), schema, expected, form)

    def test_stream_error(self):
        whole = pathlib.Path(self.folder.name) / "reader.tfrecord"
        cut = whole.with_suffix(".cut")
        cut.write_bytes(whole.read_bytes()[:-1])
        reader = self.open_stream(cut, "binary", 64)
        with self.assertRaisesRegex(pa.ArrowInvalid, "truncated_footer"):
            list(reader)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""Archives of WebDataset, and what the program leaves to Python."""

from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import time

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import headrace as hr

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("HEADRACE", str(ROOT / "build/src/cli/headrace"))
JPEG = b"\xff\xd8\xff\xe0 picture"


def write(path, count=5):
    with hr.Writer(path) as writer:
        for i in range(count):
            writer.write({
                "image/encoded": JPEG + bytes([i % 256]), "id": i, "scores": [0.5, float(i)],
                "words": [b"a", b"b"], "name": f"row {i}", "absent": None,
            })
    return path


def files_of(path):
    with tarfile.open(path) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}


def convert(*arguments, check=True, cwd=None, **variables):
    return subprocess.run(
        [PROGRAM, "convert", *map(str, arguments)], check=check, capture_output=True,
        cwd=cwd,
        env={**os.environ, "HEADRACE_PYTHON": sys.executable,
             "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **variables})


def expect_rows(found, count):
    assert list(found)[:4] == [
        "000000000.image_encoded.jpg", "000000000.name", "000000000.words.0",
        "000000000.words.1"]
    assert len(found) == 5 * count
    for i in range(count):
        assert found[f"{i:09}.image_encoded.jpg"] == JPEG + bytes([i % 256])
        assert found[f"{i:09}.name"] == b"row %d" % i
        assert json.loads(found[f"{i:09}.json"]) == {"id": [i], "scores": [0.5, i]}


def test_files_of_records(tmp_path):
    path = write(tmp_path / "x.tfrecord")
    written = hr.to_webdataset(path, tmp_path / "x.tar")
    assert (written.paths, written.num_rows) == ([str(tmp_path / "x.tar")], 5)
    expect_rows(files_of(tmp_path / "x.tar"), 5)
    convert(path, "-o", tmp_path / "program.tar")
    assert (tmp_path / "program.tar").read_bytes() == (tmp_path / "x.tar").read_bytes()


def test_shards_share_the_numbers(tmp_path):
    path = write(tmp_path / "x.tfrecord", 40)
    written = hr.to_webdataset(path, tmp_path / "x.tar", shards=3)
    assert [os.path.basename(name) for name in written.paths] == [
        f"x-0000{i}-of-00003.tar" for i in range(3)]
    found = {}
    for name in written.paths:
        found |= files_of(name)
    assert written.num_rows == 40 and len(found) == 200
    names = {data for name, data in found.items() if name.endswith(".name")}
    assert names == {b"row %d" % i for i in range(40)}


def test_keys(tmp_path):
    path = write(tmp_path / "x.tfrecord")
    hr.to_webdataset(path, tmp_path / "x.tar", key="name")
    assert "row 3.image_encoded.jpg" in files_of(tmp_path / "x.tar")
    hr.to_webdataset(path, tmp_path / "x.tar", key="id")
    assert "3.image_encoded.jpg" in files_of(tmp_path / "x.tar")
    for key, text in (("absent", "exactly one value"), ("words", "exactly one value"),
                      ("image/encoded", "cannot be part"), ("no", "exactly one value")):
        with pytest.raises(hr.InvalidArgumentError, match=text) as caught:
            hr.to_webdataset(path, tmp_path / "y.tar", key=key)
        assert caught.value.feature == key
    with hr.Writer(path) as writer:
        for _ in range(2):
            writer.write({"id": 7})
    with pytest.raises(hr.InvalidArgumentError, match="both have the key"):
        hr.to_webdataset(path, tmp_path / "y.tar", key="id")
    assert sorted(os.listdir(tmp_path)) == ["x.tar", "x.tfrecord"]


def test_names_that_cannot_be_told_apart(tmp_path):
    path = tmp_path / "x.tfrecord"
    for names in (["a/b", "a.b"], ["json"], ["JSON"], ["Image", "image"]):
        with hr.Writer(path) as writer:
            writer.write({name: b"x" for name in names})
        with pytest.raises(hr.InvalidArgumentError, match="the same name"):
            hr.to_webdataset(path, tmp_path / "y.tar")


def test_feature_lists(tmp_path):
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        writer.write({"id": 1}, {"steps": [[1, 2], []], "words": [[b"a"], [b"\xff"]]})
    hr.to_webdataset(path, tmp_path / "x.tar")
    assert json.loads(files_of(tmp_path / "x.tar")["000000000.json"]) == {
        "id": [1], "steps": [[1, 2], None], "words": [["a"], [{"b64": "/w=="}]]}


def test_different_bytes_stay_different(tmp_path):
    path = tmp_path / "x.tfrecord"
    words = [b"\xff", b"\\xff", b'{"b64": "/w=="}', b"", b"\xed\xa0\x80", b"\0"]
    with hr.Writer(path) as writer:
        for word in words:
            writer.write({}, {"words": [[word]]})
    hr.to_webdataset(path, tmp_path / "x.tar")
    found = [json.loads(data)["words"][0][0]
             for data in files_of(tmp_path / "x.tar").values()]
    assert found == [{"b64": "/w=="}, "\\xff", '{"b64": "/w=="}', "",
                     {"b64": "7aCA"}, "\0"]


def test_lists_of_examples_have_bytes_too(tmp_path):
    def ld(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    def listed(word):
        example = hr._core.serialize_example({"word": [word, word]})
        return ld(1, example)

    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        for word in (b"\xff", b"\\xff"):
            writer.write(listed(word))
    hr.to_webdataset(path, tmp_path / "x.tar", message="elwc")
    assert [json.loads(data)["word"]
            for data in files_of(tmp_path / "x.tar").values()] == [
        [[{"b64": "/w=="}] * 2], [["\\xff"] * 2]]


def test_numbers_that_are_not_finite(tmp_path):
    path = tmp_path / "x.tfrecord"
    inf = float("inf")
    with hr.Writer(path) as writer:
        writer.write({"x": [1.5, inf, -inf, float("nan")]})
    hr.to_webdataset(path, tmp_path / "x.tar")

    def refuse(name):
        raise ValueError(name)

    text = files_of(tmp_path / "x.tar")["000000000.json"]
    assert json.loads(text, parse_constant=refuse) == {
        "x": [1.5, "Infinity", "-Infinity", "NaN"]}


def test_records_without_features_are_records(tmp_path):
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        for _ in range(3):
            writer.write({})
    assert hr.to_webdataset(path, tmp_path / "x.tar").num_rows == 3
    assert files_of(tmp_path / "x.tar") == {
        f"00000000{i}.json": b"{}" for i in range(3)}


def test_a_feature_list_beside_a_feature(tmp_path):
    path = tmp_path / "x.tfrecord"
    with hr.Writer(path) as writer:
        writer.write({"a": 1}, {"a": [[2]]})
    hr.to_webdataset(path, tmp_path / "x.tar")
    assert json.loads(files_of(tmp_path / "x.tar")["000000000.json"]) == {
        "a": [1], "a_list": [[2]]}
    for features, lists in (({"a": 1, "a_list": 3}, {"a": [[2]]}),
                            ({"a": 1}, {"a": [[2]], "a_list": [[3]]})):
        with hr.Writer(path) as writer:
            writer.write(features, lists)
        with pytest.raises(hr.InvalidArgumentError, match="a_list") as caught:
            hr.to_webdataset(path, tmp_path / "y.tar")
        assert caught.value.feature == "a"


def test_names_that_no_archive_has(tmp_path):
    path = tmp_path / "x.tfrecord"
    for name in ("n" * 300, "__key__"):
        with hr.Writer(path) as writer:
            writer.write({name: b"x"})
        with pytest.raises(hr.InvalidArgumentError) as caught:
            hr.to_webdataset(path, tmp_path / "y.tar")
        assert caught.value.feature == name
    with hr.Writer(path) as writer:
        writer.write({"key": "k" * 300, "x": 1})
    with pytest.raises(hr.InvalidArgumentError, match="record 0"):
        hr.to_webdataset(path, tmp_path / "y.tar", key="key")
    with pytest.raises(hr.InvalidArgumentError, match="raw"):
        hr.to_webdataset(path, tmp_path / "y.tar", message="raw")
    assert os.listdir(tmp_path) == ["x.tfrecord"]


def test_the_program_writes_and_reads_parquet(tmp_path):
    path = write(tmp_path / "x.tfrecord", 300)
    summary = json.loads(convert(
        path, "-o", tmp_path / "x.parquet", "--json", "--quiet", "--row-group", 100,
        "--parquet-compression", "zstd").stdout)
    file = pq.ParquetFile(tmp_path / "x.parquet")
    assert file.num_row_groups == 3
    assert file.metadata.row_group(0).column(0).compression == "ZSTD"
    assert file.read().equals(pa.table(hr.open(path)))
    assert summary["rows"] == 300
    assert summary["output_bytes"] == (tmp_path / "x.parquet").stat().st_size
    convert(tmp_path / "x.parquet", "-o", tmp_path / "y.tfrecord")
    assert hr.encode(hr.open(path)) == hr.encode(hr.open(tmp_path / "y.tfrecord"))
    lines = convert(tmp_path / "x.parquet", "--to", "jsonl", "-o", "-").stdout
    assert lines == convert(tmp_path / "y.tfrecord", "--to", "jsonl", "-o", "-").stdout
    piped = convert(path, "--to", "parquet", "-o", "-", "--row-group", 100,
                    "--parquet-compression", "zstd").stdout
    assert piped == (tmp_path / "x.parquet").read_bytes()


def test_files_of_the_current_folder_are_no_modules(tmp_path):
    path = write(tmp_path / "x.tfrecord")
    (tmp_path / "headrace").mkdir()
    (tmp_path / "headrace" / "__init__.py").write_text("raise SystemExit('taken')")
    (tmp_path / "tarfile.py").write_text("raise SystemExit('taken')")
    convert(path, "-o", tmp_path / "x.tar", cwd=tmp_path)
    expect_rows(files_of(tmp_path / "x.tar"), 5)


def test_a_failed_filter_leaves_no_file(tmp_path):
    path = write(tmp_path / "x.tfrecord", 300)
    damaged = tmp_path / "damaged.tfrecord"
    damaged.write_bytes(path.read_bytes()[:-1])
    (tmp_path / "not.parquet").write_bytes(b"PAR1, and then nothing")
    cases = [
        ([damaged, "-o", tmp_path / "y.parquet"], {}, 1, "is cut"),
        ([damaged, "-o", tmp_path / "y.tar"], {}, 1, "is cut"),
        ([tmp_path / "not.parquet", "-o", tmp_path / "y.tfrecord"], {}, 2,
         "cannot be read as Parquet"),
        (["-", "--from", "parquet", "-o", tmp_path / "y.tfrecord"], {}, 2,
         "standard input"),
        ([path, "-o", tmp_path / "y.parquet"], {"HEADRACE_PYTHON": "/no/python"}, 3,
         "HEADRACE_PYTHON"),
        ([path, "-o", tmp_path / "y.parquet"], {"HEADRACE_PYTHON": "/bin/false"}, 3,
         "it needs the package headrace"),
        ([path, "-o", "/dev/full", "--to", "parquet"], {}, 3, "No space left"),
        ([path, "-o", tmp_path / "no" / "y.parquet"], {}, 3, "No such file"),
        ([path, path, "-o", tmp_path / "y.tar", "--shards", "2"], {}, 2, "--shards"),
        ([path, "-o", tmp_path / "y.tar", "--message", "raw"], {}, 2, "webdataset"),
        ([path, tmp_path / "not.parquet", "-o", tmp_path / "y.tfrecord"], {}, 2,
         "several formats"),
    ]
    before = sorted(os.listdir(tmp_path))
    for arguments, variables, code, text in cases:
        done = convert(*arguments, check=False, **variables)
        assert text in done.stderr.decode(), arguments
        assert done.returncode == code, (arguments, done)
        assert sorted(os.listdir(tmp_path)) == before, arguments


def test_the_silence_of_a_helper_is_no_success(tmp_path):
    path = write(tmp_path / "x.tfrecord")
    convert(path, "-o", tmp_path / "x.parquet")
    before = sorted(os.listdir(tmp_path))
    with hr.open(path) as reader:
        count = sum(batch.num_rows for batch in reader)
    # One ends at once, others say another number, or nothing, after some work.
    script = "#!/bin/sh\ncat > /dev/null\nprintf '%s' >&3\n"
    helpers = {"silent": script % "", "short": script % f"done\\n{count - 1}",
               "odd": script % "done\\nmany"}
    helpers["records"] = (
        f"#!{sys.executable}\nimport os, sys\n"
        "from headrace.parquet.parquet_input import ParquetInput as Input\n"
        "sys.argv[1:] = sys.argv[4:]\n"
        "read = Input.batches\n"
        "Input.batches = lambda *a: (b.slice(1) for b in read(*a))\n"
        "from headrace import filters\n"
        "kept = filters.os.write\n"
        "filters.os = type('os', (), dict(vars(os), write=staticmethod(\n"
        f"    lambda fd, data: kept(fd, b'done\\n{count}' if fd == 3 else data))))\n"
        "sys.exit(filters.main())\n")
    outputs = [[path, "-o", tmp_path / "y.parquet"], [path, "-o", tmp_path / "y.tar"],
               [tmp_path / "x.parquet", "-o", tmp_path / "y.tfrecord"],
               [tmp_path / "x.parquet", "-o", tmp_path / "y.arrow"],
               [path, "-o", "memory://x/y.tfrecord"]]
    folder = tmp_path.parent / f"{tmp_path.name}-helpers"
    folder.mkdir()
    for name, text in helpers.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    for helper in ["/bin/true", *(folder / name for name in helpers)]:
        for arguments in outputs:
            if helper == folder / "records" and arguments[0] == path:
                continue
            done = convert(*arguments, check=False, HEADRACE_PYTHON=str(helper))
            case = (helper, arguments, done.stderr)
            assert done.returncode == 3, case
            text = done.stderr.decode()
            assert "before it was done" in text or "has counted" in text, case
            assert sorted(os.listdir(tmp_path)) == before, case


def test_a_signal_leaves_no_file_and_no_process(tmp_path):
    path = write(tmp_path / "x.tfrecord")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "spec.json").write_text(json.dumps({"features": [
        {"name": "id", "kind": "var_len", "dtype": "int64"}]}))
    spec = ["--spec", tmp_path / "spec.json"]  # no sample is waited for
    for name, options in (("y.parquet", spec), ("y.tar", [])):
        program = subprocess.Popen(
            [PROGRAM, "convert", tmp_path / "pipe", "-o", tmp_path / name, "--quiet",
             *options],
            env={**os.environ, "HEADRACE_PYTHON": sys.executable,
                 "PYTHONPATH": os.pathsep.join(sys.path)})
        with open(tmp_path / "pipe", "wb") as pipe:
            pipe.write(path.read_bytes())
            pipe.flush()
            children = pathlib.Path(
                f"/proc/{program.pid}/task/{program.pid}/children")
            deadline = time.monotonic() + 20
            while not (found := children.read_text().split()):
                assert time.monotonic() < deadline
                time.sleep(0.01)
            program.send_signal(signal.SIGTERM)
            assert program.wait(20) == -signal.SIGTERM
        while any(os.path.exists(f"/proc/{pid}/exe") for pid in found):
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert sorted(os.listdir(tmp_path)) == ["pipe", "spec.json", "x.tfrecord"]

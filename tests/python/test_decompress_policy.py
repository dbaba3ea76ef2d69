"""Damage of compressed files, under each policy."""

import gzip

import headrace as hr
import pytest
from wire_bytes import framed, ints

from records import example


def _rows(reader):
    return sum(batch.num_rows for batch in reader)


@pytest.fixture
def files(tmp_path):
    payloads = [example({"id": ints(i)}) for i in range(2000)]
    stored = gzip.compress(framed(payloads), mtime=0)
    (tmp_path / "cut.gz").write_bytes(stored[: len(stored) // 2])
    (tmp_path / "next").write_bytes(framed(payloads[:7]))
    return [tmp_path / "cut.gz", tmp_path / "next"]


@pytest.mark.parametrize("threads", [1, 3])
def test_rescan_leaves_out_the_rest_of_the_file(files, threads):
    with hr.open(files, on_corrupt="rescan", threads=threads) as reader:
        rows = _rows(reader)
        (region,) = reader.report.regions
    assert 7 < rows < 2007
    assert region.file == str(files[0])
    assert region.reason == "decompress"
    assert region.end is None
    assert "unexpected end" in region.message


@pytest.mark.parametrize("policy", ["fail", "skip"])
def test_others_fail_and_say_what_helps(files, policy):
    with pytest.raises(hr.DecompressError, match="convert --repair.*on_corrupt='rescan'"):
        _rows(hr.open(files, on_corrupt=policy))


def test_a_wrong_compression_gets_no_hint(files):
    with pytest.raises(hr.DecompressError) as error:
        _rows(hr.open(files[1], compression="gzip"))
    assert "repair" not in str(error.value)

"""Queries of DuckDB over a reader."""

import headrace as hr
import pytest

duckdb = pytest.importorskip("duckdb", reason="queries with DuckDB")

SPEC = {
    "id": hr.FixedLenFeature([], hr.int64),
    "score": hr.FixedLenFeature([], hr.float32, 0.0),
    "name": hr.FixedLenFeature([], hr.bytes_),
    "tags": hr.RaggedFeature(hr.int64),
}


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "x.tfrecord")
    with hr.Writer(path) as writer:
        for i in range(5000):
            tags = list(range(i % 4)) or None
            writer.write({"id": i, "score": i / 2, "name": f"n{i}", "tags": tags})
    return path


@pytest.fixture
def connection():
    with duckdb.connect() as connection:
        yield connection


def test_aggregates_a_reader(path, connection):
    reader = hr.open(path, spec=SPEC)
    query = "select count(*), sum(id), avg(score), max(len(tags)) from reader"
    assert connection.sql(query).fetchall() == [(5000, 12497500, 1249.75, 3)]


def test_filters_and_selects(path, connection):
    reader = hr.open(path, spec=SPEC)
    query = "select tags, id from reader where id >= 4998 order by id desc"
    assert connection.sql(query).fetchall() == [([0, 1, 2], 4999), ([0, 1], 4998)]


def test_lists_of_columns_found_in_the_data(path, connection):
    reader = hr.open(path)
    query = """select id[1], name[1], tags from reader
               where score[1] < 2 order by id[1]"""
    assert connection.sql(query).fetchall() == [
        (0, b"n0", None), (1, b"n1", [0]), (2, b"n2", [0, 1]), (3, b"n3", [0, 1, 2]),
    ]
    reader = hr.open(path)
    empty = "select count(*) from reader where tags is null"
    assert connection.sql(empty).fetchall() == [(1250,)]


@pytest.mark.parametrize("bytes_as", ["binary", "large", "view", "string"])
def test_all_forms_of_bytes(path, connection, bytes_as):
    reader = hr.open(path, spec=SPEC, bytes_as=bytes_as, columns=["name"])
    found = connection.sql("select min(name), max(name), count(*) from reader")
    want = ("n0", "n999") if bytes_as == "string" else (b"n0", b"n999")
    assert found.fetchall() == [(*want, 5000)]


def test_feature_lists_are_a_struct(tmp_path, connection):
    path = str(tmp_path / "s.tfrecord")
    with hr.Writer(path) as writer:
        for i in range(4):
            writer.write({"id": i}, {"steps": [[j, j] for j in range(i)]})
    reader = hr.open(path)
    query = 'select id[1], "##SEQUENCE##".steps from reader order by 1'
    assert connection.sql(query).fetchall() == [
        (i, [[j, j] for j in range(i)]) for i in range(4)
    ]


def test_makes_a_table(path, connection):
    reader = hr.open(path, spec=SPEC)
    connection.sql("create table x as select * from reader")
    assert connection.sql("select count(distinct name) from x").fetchall() == [(5000,)]
    types = dict(connection.sql("select column_name, data_type from "
                                "information_schema.columns").fetchall())
    assert types == {
        "id": "BIGINT", "score": "FLOAT", "name": "BLOB", "tags": "BIGINT[]",
    }


def test_an_error_ends_the_query_and_says_where(path, connection):
    reader = hr.open(path, spec={"tags": hr.FixedLenFeature([], hr.int64)})
    with pytest.raises(duckdb.Error) as caught:
        connection.sql("select sum(tags) from reader").fetchall()
    assert f"{path}: record 0 at offset 0: missing_feature" in str(caught.value)

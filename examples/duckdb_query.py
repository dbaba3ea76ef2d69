"""SQL over TFRecord files with DuckDB: a reader is a table that is read once.

    python duckdb_query.py
"""

import os
import tempfile

import duckdb
import headrace as hr


def generate(folder: str) -> str:
    path = os.path.join(folder, "people.tfrecord")
    with hr.Writer(path) as writer:
        for i in range(1000):
            tags = ["new"] if i % 4 == 0 else ["old", "known"]
            writer.write({"age": 20 + i % 50, "name": f"person {i}", "tags": tags})
    return path


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = generate(folder)

        # Without a spec every feature is a list.
        people = hr.open(path, bytes_as="string")
        print(duckdb.sql("""
            select tag, count(*) as people, avg(age[1]) as age
            from (select unnest(tags) as tag, age from people)
            group by tag order by tag
        """))

        # With a spec, features of one value are plain columns; `columns` selects.
        spec = {
            "age": hr.FixedLenFeature([], hr.int64),
            "name": hr.FixedLenFeature([], hr.bytes_),
        }
        people = hr.open(path, spec=spec, columns=["age"])
        duckdb.sql("create table ages as select age from people")
        print(duckdb.sql("select min(age), max(age), count(*) from ages"))


if __name__ == "__main__":
    main()

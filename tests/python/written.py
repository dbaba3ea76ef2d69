"""Files written by headrace.Writer, for tests that only read."""

import headrace as hr


def write(path, rows):
    """A file of these dicts; its name."""
    with hr.Writer(path) as writer:
        for row in rows:
            writer.write(row)
    return str(path)


def three_files(folder, row):
    """Rows 0 to 999 in three files, the second of them compressed."""
    return [
        write(folder / "a-0.tfrecord", map(row, range(0, 500))),
        write(folder / "a-1.tfrecord.gz", map(row, range(500, 800))),
        write(folder / "a-2.tfrecord", map(row, range(800, 1000))),
    ]

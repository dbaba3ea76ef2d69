#!/usr/bin/env python3
"""A wheel is small, needs numpy alone, imports fast and works; so does its
program.

    wheel_check.py WHEEL...

Only the wheel of the Python that runs this is installed.
"""

import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import venv

MOST_BYTES = 6 << 20
MOST_IMPORT_MS = 60

TRIAL = """
import headrace as hr
with hr.Writer("x.tfrecord") as writer:
    for i in range(1000):
        writer.write({"age": i, "name": f"n{i}"})
rows = sum(batch["age"].numpy().sum() for batch in hr.open(
    "x.tfrecord", spec={"age": hr.FixedLenFeature([], hr.int64)}))
assert rows == 499500, rows
assert [b["name"][0] for b in hr.open("x.tfrecord", batch_size=1000)] == [[b"n0"]]
"""


def run(*command, **options):
    return subprocess.run(command, check=True, text=True, capture_output=True,
                          **options)


def packages(python):
    """Names of what is installed, but for the tools that install."""
    lines = run(python, "-m", "pip", "list", "--format=freeze").stdout.split()
    return sorted(line.split("==")[0] for line in lines
                  if not re.match(r"(pip|setuptools|wheel)==", line))


def import_milliseconds(python, folder):
    """What `import headrace` takes beyond numpy: the least of some runs."""
    times = []
    for _ in range(7):
        report = run(python, "-X", "importtime", "-c",
                     "import numpy; import headrace", cwd=folder).stderr
        found = re.search(r"\|\s*(\d+) \| headrace$", report, re.MULTILINE)
        times.append(int(found[1]) / 1000)
    return min(times)


# What each verb is tried with, in this order: they read what others wrote.
VERBS = {
    "gen": "-o p.tfrecord --shape people --records 9",
    "head": "p.tfrecord -n 2",
    "cat": "p.tfrecord",
    "schema": "p.tfrecord --format spec",
    "count": "p.tfrecord",
    "validate": "p.tfrecord",
    "convert": "p.tfrecord -o p.arrow",
    "plan": "--spec p.json",
    "bench": "p.tfrecord --seconds 0.1",
    "index": "p.tfrecord",
    "get": "p.tfrecord 3",
    "stats": "p.tfrecord",
    "shuffle": "p.tfrecord -o q.tfrecord",
    "split": "p.tfrecord -n 2",
    "vocabulary": "p.tfrecord --feature name --quiet",
    "completion": "bash",
    "manual": "head",
}


def verbs_of(program, folder):
    """Those that its help lists."""
    said = run(*program, "--help", cwd=folder).stdout
    return set(re.findall(r"(?m)^  (\w+) ", said.partition("Options:")[0]))


def check_program(program, folder):
    """Every verb answers; `program` is how it is called."""
    assert verbs_of(program, folder) == set(VERBS)
    for verb, arguments in VERBS.items():
        done = run(*program, verb, *arguments.split(), cwd=folder)
        assert done.stdout or verb in ("gen", "convert", "index", "shuffle"), verb
        if verb == "schema":
            pathlib.Path(folder, "p.json").write_text(done.stdout)
    # Its own exit status, not Python's.
    missing = subprocess.run([*program, "cat", "none"], cwd=folder,
                             stderr=subprocess.PIPE, text=True)
    assert missing.returncode == 3 and "none" in missing.stderr, missing
    # What reads from it may end first.
    piped = subprocess.run(
        ["bash", "-c", 'set -o pipefail; "$@" | head -n 1 | grep -q .', "-",
         *program, "cat", "--quiet", "p.tfrecord"], cwd=folder, stderr=subprocess.PIPE)
    assert (piped.returncode, piped.stderr) == (0, b""), piped


def check(wheel):
    size = wheel.stat().st_size
    with tempfile.TemporaryDirectory() as folder:
        home = pathlib.Path(folder) / "a venv"
        venv.create(home, with_pip=True)
        python = str(home / "bin" / "python")
        run(python, "-m", "pip", "install", "-q", str(wheel))
        run(python, "-c", TRIAL, cwd=folder)
        script = [str(home / "bin" / "headrace")]
        module = [python, "-m", "headrace"]
        for program in (script, module):
            check_program(program, folder)
        assert run(*script, "--version").stdout == run(
            *module, "--version").stdout
        for name in ("zsh/site-functions/_headrace",
                     "bash-completion/completions/headrace.bash"):
            assert (home / "share" / name).is_file(), name
        pages = {path.name for path in (home / "share/man/man1").iterdir()}
        assert pages == {"headrace.1", *(f"headrace-{verb}.1" for verb in VERBS)}
        found = packages(python)
        milliseconds = import_milliseconds(python, folder)
    print(f"{wheel.name}: {size / (1 << 20):.1f} MiB, installs "
          f"{' and '.join(found)}, imports in {milliseconds:.0f} ms beyond numpy")
    problems = []
    if size >= MOST_BYTES:
        problems.append("it is too large")
    if found != ["headrace", "numpy"]:
        problems.append("it installs other packages")
    if milliseconds >= MOST_IMPORT_MS:
        problems.append("it imports too slowly")
    return problems


def main():
    version = f"cp{sys.version_info.major}{sys.version_info.minor}"
    # Without a GIL there is no stable interface.
    is_free = sysconfig.get_config_var("Py_GIL_DISABLED")
    tags = [f"-{version}-{version}{'t' if is_free else ''}-"]
    if not is_free and sys.version_info >= (3, 12):
        tags.append("-abi3-")
    wheels = [pathlib.Path(name) for name in sys.argv[1:]
              if any(tag in name for tag in tags)]
    if not wheels:
        sys.exit(f"wheel_check: no wheel for {tags[0].strip('-')}")
    for wheel in wheels:
        for problem in check(wheel):
            sys.exit(f"wheel_check: {wheel.name}: {problem}")


if __name__ == "__main__":
    main()

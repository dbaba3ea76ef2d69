"""Python in a process of its own, with the package of these tests."""

import importlib.util
import os
import pathlib
import subprocess
import sys

import headrace
import pytest


def _options():
    paths = [str(pathlib.Path(headrace.__file__).parents[1]), *filter(None, sys.path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    environment.pop("PYTHONWARNINGS", None)
    return {"env": environment, "text": True, "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE}


def start(*arguments):
    """A process of which all that it says can be read."""
    return subprocess.Popen([sys.executable, *map(str, arguments)], **_options())


def run(*arguments, timeout=60, cwd=None):
    """The process when it has ended."""
    return subprocess.run([sys.executable, *map(str, arguments)], timeout=timeout,
                          cwd=cwd, **_options())


def printed(*arguments, **options):
    """What a process prints that ends well."""
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def printed_alone(*arguments, **options):
    """The same of one that has nothing to say on standard error."""
    done = run(*arguments, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def need(*packages):
    """Skips the test where one of these is not installed."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"needs {package}")

"""The program `headrace`, which wheels have inside of the package.

A module of its own, because the package imports numpy, which the program does
not need and would wait for.
"""

import os
import signal
import sys


def main():
    """Becomes the program: same arguments, same process, its exit status."""
    here = os.path.dirname(os.path.abspath(__file__))
    program = os.path.join(here, "headrace", "bin", "headrace")
    # Python ignores these two, and a program inherits that.
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)
    # It may want what only Python can do, such as Parquet.
    os.environ.setdefault("HEADRACE_PYTHON", sys.executable)
    try:
        os.execv(program, ["headrace", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"headrace: {program}: {error.strerror}; this installation of "
                 "the package has no program")

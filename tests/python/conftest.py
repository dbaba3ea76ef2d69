"""Lets the tests import the package from the source tree."""

import pathlib
import sys

_PYTHON = pathlib.Path(__file__).resolve().parents[2] / "python"
if str(_PYTHON) not in sys.path:
    sys.path.insert(0, str(_PYTHON))

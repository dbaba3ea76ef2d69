"""What is deprecated in Python warns the caller, and still works: planted examples,
since nothing of the package is deprecated."""

import subprocess
import sys
import types
import warnings

import headrace as hr
import pytest
from headrace.warnings import warn_deprecated

PLANTED = """
from headrace.warnings import warn_deprecated


def old(x):
    warn_deprecated("hr.old()", "0.3.0", "hr.new()")
    return new(size=x)


def new(*, size=0, length=None):
    if length is not None:
        warn_deprecated('"length="', "0.3.0", '"size="')
        size = length
    return size


def __getattr__(name):
    if name == "OLD":
        warn_deprecated("hr.OLD", "0.4.0", "hr.NEW")
        return 7
    raise AttributeError(name)
"""


@pytest.fixture(name="planted")
def planted_fixture(monkeypatch):
    """A module of the package."""
    module = types.ModuleType("headrace.planted")
    exec(PLANTED, module.__dict__)
    monkeypatch.setitem(sys.modules, "headrace.planted", module)
    return module


@pytest.mark.parametrize("use, value, text", [
    (lambda hr: hr.old(3), 3,
     "hr.old() is deprecated and will be removed in headrace 0.3.0; use hr.new()"),
    (lambda hr: hr.new(length=4), 4,
     '"length=" is deprecated and will be removed in headrace 0.3.0; use "size="'),
    (lambda hr: hr.OLD, 7,
     "hr.OLD is deprecated and will be removed in headrace 0.4.0; use hr.NEW"),
])
def test_planted(planted, use, value, text):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert use(planted) == value
    (warning,) = caught
    assert warning.category is DeprecationWarning
    assert str(warning.message) == text
    # The line of the caller, not of headrace.
    assert warning.filename == __file__
    assert warning.lineno == use.__code__.co_firstlineno


def test_what_replaces_it_does_not_warn(planted):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert planted.new(size=5) == 5


def test_tests_of_users_can_make_it_an_error(planted):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        with pytest.raises(DeprecationWarning, match="removed in headrace 0.3.0"):
            planted.old(3)


def test_a_script_shows_it(tmp_path):
    """Python shows a DeprecationWarning where a script's own lines cause it."""
    script = tmp_path / "script.py"
    script.write_text("import sys, types\nmodule = types.ModuleType('headrace.planted')\n"
                      f"exec({PLANTED!r}, module.__dict__)\nmodule.old(3)\n")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True,
                          check=True)
    assert f"{script}:4: DeprecationWarning: hr.old() is deprecated" in done.stderr


def test_the_helper_is_not_for_users():
    assert "warn_deprecated" not in hr.__all__
    assert not hasattr(hr, warn_deprecated.__name__)

"""Makes the compiled classes of the package readable for autodoc.

Their docstrings are in the module, their signatures in its stub. load() copies the
docstrings to the classes of the stub, and replaces the compiled classes with these.
"""

import __future__

import pathlib
import sys
import types
import typing

import headrace
from headrace import _core


def _text(name, documented):
    """Returns a docstring without the signature with which compiled ones begin."""
    text = documented.__doc__ or ""
    if text.startswith(f"{name}("):
        text = text.partition("\n\n")[2]
    return text


def _copied(member):
    if isinstance(member, property):
        return property(_copied(member.fget))
    copied = types.FunctionType(member.__code__, member.__globals__, member.__name__,
                                member.__defaults__)
    copied.__kwdefaults__ = member.__kwdefaults__
    copied.__annotations__ = member.__annotations__
    return copied


def _own_all(cls):
    """Adds copies of the members that a class inherits from classes of the stub: each
    class has its own docstrings."""
    for base in cls.__mro__[1:]:
        for name, member in vars(base).items():
            if base.__module__ == cls.__module__ and name not in vars(cls) and isinstance(
                    member, (property, types.FunctionType)):
                setattr(cls, name, _copied(member))


def _fill(stub, compiled):
    """Copies the docstrings of compiled members to those of a stub."""
    for name, member in vars(stub).items():
        documented = vars(compiled).get(name)
        if isinstance(member, (staticmethod, classmethod)):
            member = member.__func__
        if documented is None or not isinstance(
                member, (type, property, types.FunctionType)):
            continue
        text = _text(name, documented)
        if isinstance(member, type):
            _own_all(member)
            _fill(member, documented)
        member.__doc__ = text or None


def load():
    """Replaces the classes of headrace with those of the stub."""
    # The stub names pandas in types, and nothing here needs it.
    sys.modules.setdefault("pandas", types.ModuleType("pandas"))
    path = pathlib.Path(headrace.__file__).with_name("_core.pyi")
    stub = types.ModuleType("headrace_stub")
    typing.type_check_only = lambda cls: cls  # exists for type checkers alone
    # A stub names types before it defines them.
    exec(compile(path.read_text(encoding="utf-8"), path, "exec",
                 __future__.annotations.compiler_flag), vars(stub))
    _fill(stub, _core)
    for name, member in vars(stub).items():
        if getattr(member, "__module__", "") == "headrace_stub":
            member.__module__ = "headrace"
            if name in headrace.__all__:
                setattr(headrace, name, member)

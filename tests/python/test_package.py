"""The package as a whole: imports, names, docstrings, stubs and version."""

import ast
import inspect
import pathlib
import pickle
import re

import headrace as hr
import processes
import pytest
from headrace import _core

FOLDER = pathlib.Path(hr.__file__).parent
ROOT = pathlib.Path(__file__).parents[2]
OTHERS = {"pyarrow", "torch", "ray", "tensorflow", "jax", "polars", "fsspec", "pandas",
          "apache_beam", "duckdb", "ml_dtypes", "pyspark"}


def run(code, *flags):
    return processes.printed_alone(*flags, "-c", code).split()


def test_import_needs_numpy_alone():
    loaded = run("import sys, headrace; print(*sys.modules)", "-W", "error")
    assert "numpy" in loaded and "headrace._core" in loaded
    assert not OTHERS & set(loaded)


def test_reading_needs_numpy_alone(tmp_path):
    loaded = run(f"""
import sys, io
import headrace as hr
path = {str(tmp_path / "x")!r}
with hr.Writer(path) as writer:
    writer.write({{"a": [1.5], "b": "x"}})
for batch in hr.open(path):
    batch["a"].to_list(), batch["b"].values.numpy()
with open(path, "rb") as file:
    data = file.read()
for batch in hr.open(io.BytesIO(data), spec=hr.infer_spec(path)):
    batch["a"].numpy(), memoryview(batch["a"])
hr.encode(hr.decode([b""]))
print(*sys.modules)
""", "-W", "error")
    assert not OTHERS & set(loaded)


def test_version():
    assert re.fullmatch(r"\d+\.\d+\.\d+(rc\d+)?", hr.__version__)
    build = ROOT / "meson.build"
    if not build.exists():
        pytest.skip("not run from the repository")
    assert re.search(r"version: '([^']+)'", build.read_text())[1] == hr.__version__
    assert hr.build_info()["version"] == hr.__version__


# Names.


def public_names():
    return [name for name in dir(hr) if not name.startswith("_")]


EXPECTED = """
    Batch Column FixedLenFeature FixedLenSequenceFeature Plan RaggedFeature RaggedTensor
    Jagged JaggedTensor Matrix Reader Schema SparseFeature SparseTensor Spec Tensor
    VarLenFeature Writer
    HeadraceError DataError CorruptDataError TruncatedError ChecksumError RowError
    NotTfrecordError DecompressError MalformedError WrongKindError WrongCountError
    MissingFeatureError BadSparseIndexError BadPartitionError LimitError TooManyBadError
    InvalidArgumentError BadSpecError NoSuchFeatureError MissingPackageError IoError
    NotFoundError OutOfMemoryError CancelledError
    decode encode infer_schema infer_spec open parse_example parse_sequence_example
    bytes_ float32 int64 int32 int16 int8 uint64 uint32 uint16 uint8 float16 bfloat16
    float64 DType AbsentFeature LateFeature ReadReport SkippedRegion beam
    jax polars ray torch build_info
""".split()


def test_names_are_there():
    assert not set(EXPECTED) - set(public_names())
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        hr.nope
    assert not hasattr(hr, "tensorflow")


def test_star_gives_all_but_open_and_adapters():
    code = """
import builtins
from headrace import *
assert open is builtins.open
print(*[name for name in dir() if not name.startswith("_") and name != "builtins"])
"""
    names = set(run(code))
    assert names == set(hr.__all__) == set(public_names()) - {
        "open", "tfds", *hr._ADAPTERS
    }
    assert len(hr.__all__) == len(names)
    # What a module of the package says is public is public here.
    assert names >= set(hr.dtypes.__all__) | set(hr.errors.__all__)


# Adapters, also where what they need is not installed.

# No package that an adapter needs, as in an environment of numpy alone.
WITHOUT = """
import sys
for name in ("torch", "jax", "polars", "ray", "apache_beam", "pyspark", "pyarrow"):
    sys.modules[name] = None
"""


def test_looking_at_the_package_raises_nothing():
    run(WITHOUT + """
import inspect, pydoc
import headrace as hr
assert all(hasattr(hr, name) for name in hr._ADAPTERS) and not hasattr(hr, "nope")
members = dict(inspect.getmembers(hr))
assert set(hr._ADAPTERS) < set(members) and members["Reader"] is hr.Reader
assert "scan_tfrecord" not in pydoc.render_doc(hr)
for name in hr._ADAPTERS:
    adapter = getattr(hr, name)
    assert dict(inspect.getmembers(adapter)) and pydoc.render_doc(adapter)
    assert not hasattr(adapter, "nope")
""", "-W", "error")


def test_an_adapter_that_is_missing_says_what_to_install():
    run(WITHOUT + """
import headrace as hr
from headrace import adapters, torch
for name, members in adapters._NAMES.items():
    for member in members:
        missing = getattr(getattr(hr, name), member)
        assert not isinstance(hr, missing)
        try:
            missing("x", spec={})
        except ImportError as error:
            assert isinstance(error, hr.MissingPackageError)
            assert isinstance(error.__cause__, ModuleNotFoundError)
            text = f"headrace.{name}.{member} needs a package"
            assert str(error).count(text) == 1 and "; pip install " in str(error)
        else:
            raise AssertionError(name)
try:
    import headrace.torch
except ModuleNotFoundError as error:
    assert "torch" in str(error)
else:
    raise AssertionError("imported")
""")


def test_an_adapter_that_is_broken_says_why():
    run("""
import sys, types
sys.modules["torch"] = types.ModuleType("torch")  # without what is in it
import headrace as hr
try:
    hr.torch.Dataset("x")
except hr.MissingPackageError as error:
    assert "torch" in str(error) and error.__cause__ is not None
""")


def test_missing_adapters_have_the_names_of_the_real_ones():
    from headrace import adapters
    for adapter, members in adapters._NAMES.items():
        (module,) = re.findall(r"^from headrace\.(\S+) import \*",
                               (FOLDER / f"{adapter}.py").read_text(), re.MULTILINE)
        path = FOLDER / module.replace(".", "/")
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        public = [ast.literal_eval(node.value)
                  for node in ast.parse(file.read_text()).body
                  if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"]
        assert public == [members], adapter


def test_pickles_by_the_old_names_of_modules():
    for module, name in [("dataset", "Dataset"), ("dataset", "RowOrigin"),
                         ("batches", "Batches"), ("elwc", "ElwcSpec"), ("mix", "Mix"),
                         ("shuffle", "Shuffle")]:
        assert pickle.loads(f"cheadrace.{module}\n{name}\n.".encode()) is getattr(hr, name)
    assert callable(hr.mix)  # not the module
    for module in hr._MOVED.values():
        assert FOLDER.parent.joinpath(*module.split(".")).with_suffix(".py").exists()


def of_the_package(value):
    module = getattr(value, "__module__", None) or ""
    return callable(value) and module.startswith("headrace")


def members_without_docstring(cls):
    """Those that the class's own docstring does not explain either."""
    for name, value in vars(cls).items():
        if name.startswith("_") or not (
            callable(value) or isinstance(value, (property, staticmethod, classmethod))
            or inspect.isdatadescriptor(value)
        ):
            continue
        inherited = [getattr(getattr(base, name, None), "__doc__", None)
                     for base in cls.__mro__]
        if not any(inherited) and not re.search(rf"\b{name}\b", cls.__doc__):
            yield f"{cls.__name__}.{name}"


# What dicts have, too, under the same names.
KNOWN = {f"Batch.{name}" for name in ("keys", "values", "items", "get")}


def test_every_public_name_has_a_docstring():
    missing = []
    for name in public_names():
        value = getattr(hr, name) if name not in hr._ADAPTERS else None
        if not of_the_package(value):
            continue
        if not (value.__doc__ or "").strip():
            missing.append(name)
        if isinstance(value, type):
            missing += members_without_docstring(value)
    assert sorted(set(missing) - KNOWN) == []
    assert hr.__doc__.strip()


def test_modules_have_docstrings():
    for path in FOLDER.rglob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path.name


# The stub and the module.

# Those of every object, and what has to do with how it is made.
IGNORED = set(dir(object)) | {
    "__module__", "__dict__", "__weakref__", "__nb_signature__", "__nb_enum__",
    "__getstate__", "__setstate__", "__orig_bases__", "__release_buffer__",
    "__buffer__", "__match_args__",
    "__getattr__"}  # it raises, with a hint


def stub():
    path = FOLDER / "_core.pyi"
    if not path.exists():
        path = ROOT / "python" / "headrace" / "_core.pyi"
    found, bases = [], {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ClassDef):
            # The members of classes that exist in the stub alone are in those below them.
            for base in node.bases:
                node.body = [*bases.get(getattr(base, "id", ""), []), *node.body]
            if "type_check_only" in {getattr(d, "id", "") for d in node.decorator_list}:
                bases[node.name] = node.body
                continue
        found.append(node)
    return found


def test_the_stub_lists_what_the_module_has():
    classes, names = {}, set()
    for node in stub():
        if isinstance(node, ast.ClassDef):
            classes[node.name] = {
                item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    public = {name for name in dir(_core) if not name.startswith("__")}
    assert public == names | set(classes)
    for name, members in classes.items():
        real = {member for member in vars(getattr(_core, name))} - IGNORED
        assert real == members - IGNORED, name


def test_the_stub_tells_properties_from_methods():
    for node in stub():
        for item in getattr(node, "body", []):
            if not isinstance(item, ast.FunctionDef):
                continue
            decorators = {getattr(d, "id", "") for d in item.decorator_list}
            value = getattr(getattr(_core, node.name), item.name, None)
            is_property = isinstance(value, property) or inspect.isdatadescriptor(value)
            assert ("property" in decorators) == is_property, (node.name, item.name)


def test_classes_are_final_where_the_stub_says_so():
    for name in ("Batch", "Column", "Tensor", "SparseTensor", "RaggedTensor",
                 "JaggedTensor"):
        with pytest.raises(TypeError):
            type("Mine", (getattr(hr, name),), {})

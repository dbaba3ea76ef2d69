"""This build reads every file of the frozen corpus, or refuses it by its version."""

import copy
import json
import pathlib

import corpus
import headrace as hr
import pytest
import xxhash

CASES = [path for generation in corpus.GENERATIONS
         for path in sorted(generation.glob("cases/*/*.json"))]


def of_kind(kind, ending=""):
    """Parametrizes a test with the cases of a kind that have a file of this ending."""
    paths = [path for path in CASES if path.parent.name == kind
             and f'{ending}"' in path.read_text(encoding="utf-8")]
    assert paths
    return pytest.mark.parametrize("path", paths, ids=name_of)


def name_of(path):
    return f"{path.parents[2].name}-{path.parent.name}-{path.stem}"


@pytest.fixture
def case(path, monkeypatch):
    """A case, in its generation as the working directory."""
    monkeypatch.chdir(path.parents[2])
    return json.loads(path.read_text(encoding="utf-8"))["case"]


# ------------------------------------------------------------- What is in the corpus


@pytest.mark.parametrize("generation", corpus.GENERATIONS, ids=lambda path: path.name)
def test_no_file_has_changed(generation):
    manifest = (generation / corpus.MANIFEST).read_text(encoding="utf-8")
    assert corpus.files_of(generation) == json.loads(manifest)


def test_the_corpus_has_all_that_is_promised():
    kinds = {path.parent.name for path in CASES}
    assert kinds == corpus.RESULTS.keys()
    results = [json.loads(path.read_text(encoding="utf-8"))["result"]
               for path in CASES if path.parent.name == "order"]
    assert sum(order["positions"] for orders in results for order in orders) >= 10**4
    assert corpus.numbers_of(hr.__version__) in {
        generation.name for generation in corpus.GENERATIONS}


# ------------------------------------------------------------------- All is read


def differences(then, now, place="result"):
    """Yields the places where a result is not as it was. It may have more members."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name, value in then.items():
            if name in now:
                yield from differences(value, now[name], f"{place}.{name}")
            else:
                yield f"{place}.{name} is missing"
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, f"{place}[{number}]")
    elif then != now:
        yield f"{place} was {then!r:.200}, and is {now!r:.200}"


@pytest.mark.parametrize("path", CASES, ids=name_of)
def test_this_build_reads_it(path, case, tmp_path):
    then = json.loads(path.read_text(encoding="utf-8"))["result"]
    now = json.loads(json.dumps(corpus.RESULTS[path.parent.name](case, tmp_path)))
    assert list(differences(then, now)) == []


@of_kind("stats")
def test_statistics_are_written_as_then(path, case):
    now = hr.Stats.load(case["state"]).to_tfdv()
    assert now == pathlib.Path(case["stats.pb"]).read_bytes()


# ----------------------------------------------------------------------- Indexes


HEAD = 72
# Bytes of the head's fields (docs/formats/index.md).
HEAD_FIELDS = {
    "magic": (0, 4), "version": (4, 6), "flags": (6, 8), "size": (8, 16),
    "time": (16, 24), "first_digest": (24, 32), "last_digest": (32, 40),
    "records": (40, 48), "end": (48, 56), "directory": (56, 64), "check": (64, 72),
}


def sealed(index):
    """The index with the digest of its head."""
    head = index[: HEAD - 8]
    return head + xxhash.xxh3_64(head).intdigest().to_bytes(8, "little") + index[HEAD:]


def refused_index(case, folder, index):
    """Returns the text of the error for data that has these bytes as its index."""
    path = corpus.copy_with_index(case, folder, index)
    with pytest.raises(hr.BadIndexError) as caught:
        hr.Dataset(path, index="required", message="raw")
    return caught.value.message


@of_kind("index", ".hri")
@pytest.mark.parametrize("version", [0, 3, 2**16 - 1])
def test_indexes_of_other_versions(path, case, version, tmp_path):
    index = pathlib.Path(case["index"]).read_bytes()
    other = sealed(index[:4] + version.to_bytes(2, "little") + index[6:])
    assert f"has version {version} and" in refused_index(case, tmp_path, other)


@of_kind("index", ".hri")
@pytest.mark.parametrize("field", HEAD_FIELDS)
def test_indexes_without_a_field(path, case, field, tmp_path):
    index = pathlib.Path(case["index"]).read_bytes()
    begin, end = HEAD_FIELDS[field]
    cut = index[:begin] + index[end:]
    assert "index" in refused_index(case, tmp_path, cut)
    if field != "check":
        assert "index" in refused_index(case, tmp_path, sealed(cut))


@of_kind("index", ".idx")
def test_texts_without_a_field(path, case, tmp_path):
    lines = pathlib.Path(case["index"]).read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].split(b" ")[0] + b"\n"
    assert "line 2" in refused_index(case, tmp_path, b"".join(lines))


@of_kind("index", ".hri")
def test_only_an_index_of_a_known_time_depends_on_it(path, case, tmp_path):
    index = pathlib.Path(case["index"]).read_bytes()
    assert index[6] & 1 == ("mtime_ns" in case)
    if "mtime_ns" in case:
        later = {**case, "mtime_ns": case["mtime_ns"] + 1}
        assert "time of change differs" in refused_index(later, tmp_path, index)


# ------------------------------------------------------------------------ States


def members(state, place=()):
    """Yields the places of all members of a state, also of the states inside it."""
    for name, value in state.items():
        yield (*place, name)
        if isinstance(value, dict):
            yield from members(value, (*place, name))


def inner(state, place):
    """A copy of a state, and the dict in it that has the last name of the place."""
    changed = found = copy.deepcopy(state)
    for name in place[:-1]:
        found = found[name]
    return changed, found


def refused_state(case, state):
    """Returns the text of the error for a reader that gets this state."""
    reader = corpus.iterator(case["made"])
    with pytest.raises(hr.InvalidArgumentError) as caught:
        reader.load_state_dict(state)
    return str(caught.value)


@of_kind("state")
def test_states_of_other_versions(path, case):
    places = [place for place in members(case["state"]) if place[-1] == "version"]
    assert places
    for place in places:
        for version in (0, 2, 10**30):
            state, found = inner(case["state"], place)
            found["version"] = version
            text = refused_state(case, state)
            assert f"has version {version}" in text and "reads states of version 1" in text


@of_kind("state")
def test_states_without_a_field(path, case):
    for place in members(case["state"]):
        state, found = inner(case["state"], place)
        del found[place[-1]]
        # Without "steps" a state is that of ranks that are together, which has fewer.
        wrong = "has 'batch_size'" if place[-1] == "steps" else f"lacks {place[-1]!r}"
        text = refused_state(case, state)
        assert "this is not a state of" in text and f"it {wrong}" in text


@of_kind("state")
def test_states_with_an_unknown_field(path, case):
    for place in members(case["state"]):
        state, found = inner(case["state"], place)
        found["novel"] = 1
        assert "it has 'novel'" in refused_state(case, state)


# -------------------------------------------------------------------- Statistics


@of_kind("stats")
@pytest.mark.parametrize("version", ["1", "3", "9"])
def test_statistics_of_other_versions(path, case, version, tmp_path):
    state = pathlib.Path(case["state"]).read_bytes()
    assert state[7:8] == b"2"
    (tmp_path / "saved").write_bytes(state[:7] + version.encode() + state[8:])
    with pytest.raises(hr.InvalidArgumentError, match=f"have version {version};"):
        hr.Stats.load(tmp_path / "saved")


@of_kind("stats")
def test_statistics_without_a_field(path, case, tmp_path):
    state = pathlib.Path(case["state"]).read_bytes()[:-8]
    # Two flags, then the number of distinct values, and so on, to the end.
    for begin, end in ((8, 9), (9, 10), (10, 18), (18, 26), (len(state) - 8, len(state))):
        cut = state[:begin] + state[end:]
        check = xxhash.xxh3_64(cut).intdigest().to_bytes(8, "little")
        (tmp_path / "saved").write_bytes(cut + check)
        with pytest.raises(hr.InvalidArgumentError, match="are not statistics"):
            hr.Stats.load(tmp_path / "saved")


# ------------------------------------------------------------------------- Specs

# The fields that a feature needs, whatever its kind.
NEEDED = {"name", "kind", "dtype"}


@of_kind("spec", ".json")
def test_specs_without_a_field(path, case):
    spec = json.loads(pathlib.Path(case["spec"]).read_text(encoding="utf-8"))
    for list_name in [name for name in spec if name.endswith("features")]:
        for number, feature in enumerate(spec[list_name]):
            for field in NEEDED & feature.keys():
                changed = copy.deepcopy(spec)
                del changed[list_name][number][field]
                with pytest.raises(hr.BadSpecError, match=f'"{field}" is missing'):
                    hr.Spec.from_json(json.dumps(changed))


@of_kind("spec", ".json")
def test_specs_of_a_later_version(path, case):
    """A spec has no version: what a reader does not know is refused by its name."""
    spec = json.loads(pathlib.Path(case["spec"]).read_text(encoding="utf-8"))
    with pytest.raises(hr.BadSpecError, match='unknown field "version"'):
        hr.Spec.from_json(json.dumps({**spec, "version": 2}))
    spec["features"][0]["novel"] = 1
    with pytest.raises(hr.BadSpecError, match='unknown field "novel"'):
        hr.Spec.from_json(json.dumps(spec))


# --------------------------------------------------------------- Arrow and Parquet


@of_kind("arrow", ".parquet")
def test_parquet_that_is_cut_or_of_another_version(path, case, tmp_path):
    content = pathlib.Path(case["file"]).read_bytes()
    for broken in (content[:-1], content[:-4] + b"PAR9", content[4:]):
        (tmp_path / "a.parquet").write_bytes(broken)
        with pytest.raises(hr.HeadraceError) as caught:
            hr.from_parquet(tmp_path / "a.parquet", tmp_path / "out.tfrecord")
        assert "a.parquet" in str(caught.value)
        assert not (tmp_path / "out.tfrecord").exists()

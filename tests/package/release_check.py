"""The files of a release are complete, and its source archive installs without git.

    release_check.py DIST
"""

import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"version: '([^']+)'", (ROOT / "meson.build").read_text())[1]
DEBIAN = VERSION.replace("rc", "~rc")
MOST_SDIST_BYTES = 8 << 20


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, text=True,
                          stdout=subprocess.PIPE, **options).stdout


# Beginnings of the names of libraries that wheels copy, and what the SBOM calls them.
COPIED = {"absl": "Abseil", "deflate": "libdeflate", "hwy": "Highway", "isal": "ISA-L",
          "snappy": "snappy", "zstd": "zstd"}


def check_names(dist):
    """Each file is there, and nothing else."""
    kinds = {
        "source archive": rf"headrace-{VERSION}\.tar\.gz",
        "wheel": rf"headrace-{VERSION}-cp\d+-\w+-manylinux_\w+\.whl",
        "program for Debian": rf"headrace_{DEBIAN}-\d+_\w+\.deb",
        "library for Debian": rf"libheadrace0\.1_{DEBIAN}-\d+_\w+\.deb",
        "headers for Debian": rf"libheadrace-dev_{DEBIAN}-\d+_\w+\.deb",
        "SBOM": rf"headrace-{VERSION}\.spdx\.json",
        "list of tools": rf"headrace-{VERSION}\.built-with\.txt",
        "digests": "SHA256SUMS",
    }
    names = {path.name for path in dist.iterdir()}
    for kind, pattern in kinds.items():
        found = {name for name in names if re.fullmatch(pattern, name)}
        assert found and (kind == "wheel" or len(found) == 1), (kind, sorted(names))
        names -= found
    assert not names, sorted(names)


def check_digests(dist):
    lines = (dist / "SHA256SUMS").read_text().splitlines()
    said = {name: digest for digest, name in (line.split("  ") for line in lines)}
    assert said == {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                    for path in dist.iterdir() if path.name != "SHA256SUMS"}


def check_source(path, seconds):
    """All tracked files, of the time of the commit, by nobody in particular."""
    assert path.stat().st_size < MOST_SDIST_BYTES
    tracked = set(run("git", "-C", ROOT, "ls-files", "-z").split("\0")) - {""}
    with tarfile.open(path) as archive:
        members = archive.getmembers()
        names = {member.name.partition("/")[2] for member in members}
        assert names == tracked | {"PKG-INFO"}, names ^ tracked
        for member in members:
            assert (member.mtime, member.uid, member.gid) == (seconds, 0, 0), member
            assert member.mode in (0o644, 0o755), member
        info = archive.extractfile(f"headrace-{VERSION}/PKG-INFO").read().decode()
    assert f"\nVersion: {VERSION}\n" in info


def check_wheel(path, document):
    """Nothing in it says where it was built; the SBOM has each library in it."""
    parts = {part["name"] for part in document["packages"]}
    assert {"headrace", "nanobind", "CLI11"} < parts
    with zipfile.ZipFile(path) as wheel:
        times = {info.date_time for info in wheel.infolist()}
        assert len(times) == 1, times
        for name in wheel.namelist():
            assert str(ROOT).encode() not in wheel.read(name), name
            library = re.match(r"headrace\.libs/lib([a-z]+)", name)
            assert not library or COPIED[library[1]] in parts, name


def check_debian(path):
    """Nothing in it says where it was built."""
    with tarfile.open(fileobj=io.BytesIO(subprocess.run(
            ["dpkg-deb", "--fsys-tarfile", path], check=True,
            stdout=subprocess.PIPE).stdout)) as archive:
        for member in archive:
            if member.isfile():
                content = archive.extractfile(member).read()
                assert str(ROOT).encode() not in content, member.name


def check_same_source(path):
    """A clone in another folder makes the same archive."""
    with tempfile.TemporaryDirectory() as folder:
        run("git", "clone", "-q", ROOT, f"{folder}/clone")
        python = next(ROOT.glob("build-wheel/*/bin/python"))
        run(python, "-c", f"import mesonpy; mesonpy.build_sdist({folder!r})",
            cwd=f"{folder}/clone", env=os.environ | {
                "PATH": f"{python.parent}:{os.environ['PATH']}",
                "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "tar.umask",
                "GIT_CONFIG_VALUE_0": "022"})
        assert pathlib.Path(folder, path.name).read_bytes() == path.read_bytes()


def check_install(path):
    """As users install it, where git does not work."""
    with tempfile.TemporaryDirectory() as folder:
        git = pathlib.Path(folder, "bin", "git")
        git.parent.mkdir()
        git.write_text(f"#!/bin/sh\ntouch {folder}/called\nexit 127\n")
        git.chmod(0o755)
        home = pathlib.Path(folder, "venv")
        venv.create(home, with_pip=True)
        run(home / "bin/pip", "install", "-q", path,
            env=os.environ | {"PATH": f"{git.parent}:{os.environ['PATH']}"})
        assert not pathlib.Path(folder, "called").exists(), "it calls git"
        said = run(home / "bin/headrace", "--version")
        assert said.startswith(f"headrace {VERSION}\n"), said
        run(home / "bin/python", ROOT / "tests/package/wheel_smoke.py")
        said = run(home / "bin/python", "-c",
                   "import headrace; print(headrace.__version__)", cwd=folder)
        assert said == f"{VERSION}\n", said


def main():
    dist = pathlib.Path(sys.argv[1]).absolute()
    check_names(dist)
    check_digests(dist)
    seconds = int(run("git", "-C", ROOT, "log", "-1", "--format=%ct"))
    source = next(dist.glob("*.tar.gz"))
    check_source(source, seconds)
    document = json.loads(next(dist.glob("*.spdx.json")).read_text())
    for wheel in dist.glob("*.whl"):
        check_wheel(wheel, document)
    for package in dist.glob("*.deb"):
        check_debian(package)
    check_same_source(source)
    check_install(source)
    print("the release is complete, and its source archive installs")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Every header compiles alone, the public ones with clang++ as well as g++.

A header is looked at again only when it or something that it includes is
newer than the last look; build/lint keeps the compilers' dependency files.
"""

import concurrent.futures
import os
import re
import subprocess

import tree


def compilers(path):
    return ["g++", "clang++"] if path.parts[0] == "include" else ["g++"]


def up_to_date(depfile):
    try:
        seen = depfile.stat().st_mtime_ns
        text = depfile.read_text(encoding="utf-8").replace("\\\n", " ")
        inputs = re.split(r"(?<!\\)\s+", text.split(":", 1)[1].strip())
        return all(os.stat(name.replace("\\ ", " ")).st_mtime_ns < seen
                   for name in inputs)
    except (OSError, IndexError):
        return False


def look(root, compiler, path):
    """The compiler's complaint about one header, or None."""
    name = path.as_posix().replace("/", ".")
    depfile = root / "build" / "lint" / f"{name}.{compiler}.d"
    if up_to_date(depfile):
        return None
    depfile.parent.mkdir(parents=True, exist_ok=True)
    fresh = depfile.with_suffix(".new")
    # Public headers see what an installed program sees.
    includes = ["-I", str(root / "include")]
    if path.parts[0] != "include":
        includes += ["-I", str(root)]
    run = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-x", "c++", *includes,
         "-DXXH_INLINE_ALL", "-DHEADRACE_HAVE_ISAL=1",
         "-DHEADRACE_HAVE_LIBDEFLATE=1",
         "-MD", "-MF", str(fresh), str(root / path)],
        capture_output=True, text=True)
    if run.returncode:
        return f"{path}:1: does not compile alone with {compiler}\n{run.stderr}"
    fresh.rename(depfile)
    return None


def check(root):
    # -inl.h files are compiled once a target by the file that includes them;
    # the headers of tests have one user each.
    headers = [path for path in tree.cpp_files(root)
               if path.suffix == ".h" and not path.stem.endswith("-inl")
               and path.parts[0] in ("include", "src", "wire")]
    with concurrent.futures.ThreadPoolExecutor(
            int(os.environ.get("JOBS", os.cpu_count()))) as pool:
        looks = [pool.submit(look, root, compiler, path)
                 for path in headers for compiler in compilers(path)]
        return [wrong for wrong in (job.result() for job in looks) if wrong]


if __name__ == "__main__":
    tree.main(check)

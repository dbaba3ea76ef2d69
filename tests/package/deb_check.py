"""Debian's packages, unpacked into one folder, have what users look for.

    deb_check.py ROOT
"""

import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
#include <cstdio>

#include <headrace/reader.h>

int main(int, char** argv) {
  auto reader = headrace::Reader::Open({argv[1]});
  unsigned long rows = 0;
  while (auto batch = reader->Next()) rows += batch->num_rows();
  std::printf("%lu\\n", rows);
  return reader->status().ok() ? 0 : 1;
}
"""


def main():
    root = pathlib.Path(sys.argv[1]).absolute()
    library = next(root.glob("usr/lib/*/libheadrace.so.*")).parent
    environment = os.environ | {
        "LD_LIBRARY_PATH": str(library), "PKG_CONFIG_PATH": str(library / "pkgconfig"),
        "PKG_CONFIG_SYSROOT_DIR": str(root), "MANPATH": str(root / "usr/share/man")}

    def out(*command):
        return subprocess.run(command, env=environment, text=True, check=True,
                              stdout=subprocess.PIPE).stdout

    headrace = str(root / "usr/bin/headrace")
    with tempfile.TemporaryDirectory() as folder:
        file = f"{folder}/people.tfrecord"
        out(headrace, "gen", "--records", "25", file)
        assert out(headrace, "count", file) == "25\n"
        assert "age" in out(headrace, "head", file)
        source = pathlib.Path(folder, "rows.cc")
        source.write_text(PROGRAM)
        flags = out("pkg-config", "--cflags", "--libs", "headrace").split()
        out("g++", "-std=c++20", str(source), "-o", f"{folder}/rows", *flags)
        assert out(f"{folder}/rows", file) == "25\n"
    for page in ("headrace", "headrace-head", "headrace-convert"):
        # Lines are filled with spaces.
        assert f"{page} - " in " ".join(out("man", "-P", "cat", page).split())
    for name in ("bash-completion/completions/headrace.bash",
                 "zsh/vendor-completions/_headrace",
                 "fish/vendor_completions.d/headrace.fish",
                 "headrace/headrace.spdx.json", "headrace/corpus/wire.tfrecord.gz"):
        assert (root / "usr/share" / name).is_file(), name
    print("the packages of Debian work")


if __name__ == "__main__":
    main()

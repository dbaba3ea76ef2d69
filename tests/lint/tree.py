"""The files that lint looks at."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
IGNORED = {".git", ".venv", "subprojects", "dist"}


def files(root=ROOT):
    """Paths below root, as git has them or would have them; sorted."""
    try:
        out = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others",
             "--exclude-standard", "--full-name", "."],
            cwd=root, check=True, capture_output=True, text=True).stdout
        paths = {pathlib.PurePath(name) for name in out.split("\0") if name}
    except (OSError, subprocess.CalledProcessError):
        # A source archive, without git.
        paths = {path.relative_to(root) for path in root.rglob("*")}
    return sorted(path for path in paths
                  if not path.parts[0].startswith("build")
                  and not IGNORED.intersection(path.parts)
                  and (root / path).is_file())


def cpp_files(root=ROOT):
    return [path for path in files(root) if path.suffix in (".cc", ".h")]


def report(findings):
    """Prints findings as "path:line: text"; the exit status they deserve."""
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def main(check):
    """Runs check(root) for the root on the command line, or this tree."""
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    sys.exit(report(check(root)))

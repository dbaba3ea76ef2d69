#!/usr/bin/env python3
"""Makes a C++ source of the style and the script of a page.

embed.py OUTPUT FILE...: styles end with .css, scripts with .js. Lines that are
comments, and indentation, are left out: each page has a copy of what is left.
"""

import base64
import hashlib
import pathlib
import re
import sys

HEAD = '#include "src/stats/page/page_assets.h"\n\nnamespace headrace::report {\n'
TAIL = "\n}  // namespace headrace::report\n"


def without_comments(text):
    """Comments stand alone on their lines: "//" ones, and of styles "/* */"."""
    text = re.sub(r"^\s*/\*.*?\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = (line.strip() for line in text.splitlines())
    return "".join(line + "\n" for line in lines
                   if line and not line.startswith("//"))


def functions(name, text):
    """Two functions: the text, and its SHA-256 as policies of pages have it."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return (f'\nstd::string_view {name}() {{\n  return R"=====({text})=====";\n}}\n'
            f'std::string_view {name}Hash() {{ return "{digest}"; }}\n')


def main(output, *paths):
    texts = {".css": "", ".js": ""}
    for path in map(pathlib.Path, paths):
        texts[path.suffix] += without_comments(path.read_text(encoding="utf-8"))
    # What the script declares stays its own: a notebook has many pages.
    script = "(() => {\n'use strict';\n" + texts[".js"] + "})();\n"
    # Either would end the element, or hide its end.
    for text in (texts[".css"], script):
        assert "</" not in text and "<!--" not in text and ")=====" not in text
    pathlib.Path(output).write_text(
        HEAD + functions("PageStyle", texts[".css"])
        + functions("PageScript", script) + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

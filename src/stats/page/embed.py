#!/usr/bin/env python3
"""Makes a C++ source from the styles and the scripts of a page.

embed.py OUTPUT FILE...: styles end with .css, scripts with .js. Comment lines and
indentation are left out, since each page has a copy of the rest.
"""

import base64
import hashlib
import pathlib
import re
import sys

HEAD = '#include "src/stats/page/page_parts.h"\n\nnamespace headrace::report {\n'
TAIL = "\n}  // namespace headrace::report\n"


def without_comments(text):
    """Removes comments, which are alone on their lines: "//" in scripts, "/* */" in
    styles."""
    text = re.sub(r"^\s*/\*.*?\*/\s*$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = (line.strip() for line in text.splitlines())
    return "".join(line + "\n" for line in lines
                   if line and not line.startswith("//"))


def functions(name, text):
    """Returns two C++ functions: for the text, and for its SHA-256 in base64."""
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return (f'\nstd::string_view {name}() {{\n  return R"=====({text})=====";\n}}\n'
            f'std::string_view {name}Hash() {{ return "{digest}"; }}\n')


def main(output, *paths):
    texts = {".css": "", ".js": ""}
    for path in map(pathlib.Path, paths):
        texts[path.suffix] += without_comments(path.read_text(encoding="utf-8"))
    # Keep the script's declarations local: a notebook has many pages.
    script = "(() => {\n'use strict';\n" + texts[".js"] + "})();\n"
    # These texts would end the element, hide its end, or end the C++ string.
    for text in (texts[".css"], script):
        assert "</" not in text and "<!--" not in text and ")=====" not in text
    pathlib.Path(output).write_text(
        HEAD + functions("PageStyle", texts[".css"])
        + functions("PageScript", script) + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

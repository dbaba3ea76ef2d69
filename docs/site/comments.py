"""Doxygen's input filter: turns plain comments of a header into Doxygen comments.

The headers have no marks of a tool, because they should also read well by themselves.
"""

import re
import sys

COMMENT = re.compile(r"^( *)//( .*|)$")
# A comment after a member. One after a closing brace or #endif says nothing.
BEHIND = re.compile(r"^([^/]*[^/}\s].*?)  //( .*)$")
# An example is indented by two more spaces, and Markdown wants four.
EXAMPLE = re.compile(r"^   +\S")


def marked(lines):
    column = -1  # where the comment after a member began; it may continue
    example = False
    private = False
    for number, line in enumerate(lines):
        private = line == " private:" or (private and line != "};")
        if private:
            continue
        comment = COMMENT.match(line)
        behind = BEHIND.match(line)
        if comment:
            indent, text = comment.groups()
            first = number == 0 or not COMMENT.match(lines[number - 1])
            if len(indent) != column:
                column = -1
            if EXAMPLE.match(text):
                example = example or lines[number - 1].strip() == "//"
            elif text.strip():
                example = False
            text = "    " + text if example else re.sub(r"<(?=\w)", r"\\<", text)
            mark = "///<" if column >= 0 else "///"
            yield (f"{indent}/// @file\n" if first and number == 0 else "") + (
                indent + mark + text)
            continue
        example = False
        column = -1
        if behind and not line.startswith("#"):
            column = len(behind[1]) + 2
            yield f"{behind[1]}  ///<{behind[2]}"
        else:
            yield line


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        print("\n".join(marked(file.read().split("\n"))))

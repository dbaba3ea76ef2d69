"""What the site makes of docstrings, signatures and annotations."""

import re

from sphinx.util import inspect
from sphinx.util.nodes import make_refnode


def restructured(app, what, name, obj, options, lines):
    """Docstrings have tables and examples of Markdown."""
    text = "\n".join(lines)
    text = re.sub(r"(?m)^(\S.*)\n\n(?= {4}[^ >])", r"\1\n\n::\n\n", text)
    text = text.replace("\nExample:\n", "\nExample::\n\n")
    text = re.sub(r"(?m)(^\|.*\n)+", table, text + "\n")
    lines[:] = text.splitlines()


def table(match):
    head, _, *rows = match[0].splitlines()
    text = ".. list-table::\n   :header-rows: 1\n\n"
    for row in [head, *rows]:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        text += "   * - " + "\n     - ".join(cells) + "\n"
    return text


def escaped(app, what, name, obj, options, lines):
    """Of several arguments in one line napoleon escapes the last alone."""
    lines[:] = [line.replace(":param as_:", r":param as\_:") for line in lines]


def signature(app, what, name, obj, options, text, result):
    """A class keeps its arguments where its base is of a module that is not there."""
    if what != "class" or text != "(*args: Any, **kwargs: Any)":
        return None
    found = inspect.signature(obj.__init__, bound_method=True)
    return inspect.stringify_signature(found, show_return_annotation=False), result


def public(app, env, node, content):
    """Annotations name the modules that define classes, users do not."""
    name = node["reftarget"].rpartition(".")[2]
    found = env.domains["py"].objects.get(f"headrace.{name}")
    if node["refdomain"] != "py" or not found:
        return None
    return make_refnode(
        app.builder, node["refdoc"], found.docname, found.node_id, content)


def setup(app):
    # Before napoleon, which makes sections of what is left, and after it.
    app.connect("autodoc-process-docstring", restructured, priority=400)
    app.connect("autodoc-process-docstring", escaped, priority=600)
    app.connect("autodoc-process-signature", signature)
    app.connect("missing-reference", public)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

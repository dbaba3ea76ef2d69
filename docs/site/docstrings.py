"""A Sphinx extension that adapts docstrings, signatures and annotations."""

import re

from sphinx.util import inspect
from sphinx.util.nodes import make_refnode


def restructured(app, what, name, obj, options, lines):
    """Converts Markdown tables and examples in docstrings to reStructuredText."""
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
    """Escapes `as_` where a line has several arguments: napoleon escapes only one."""
    lines[:] = [line.replace(":param as_:", r":param as\_:") for line in lines]


def signature(app, what, name, obj, options, text, result):
    """Returns the arguments of a class whose base class is in a mocked module."""
    if what != "class" or text != "(*args: Any, **kwargs: Any)":
        return None
    found = inspect.signature(obj.__init__, bound_method=True)
    return inspect.stringify_signature(found, show_return_annotation=False), result


def public(app, env, node, content):
    """Links annotations, which name defining modules, to the public names."""
    name = node["reftarget"].rpartition(".")[2]
    found = env.domains["py"].objects.get(f"headrace.{name}")
    if node["refdomain"] != "py" or not found:
        return None
    return make_refnode(
        app.builder, node["refdoc"], found.docname, found.node_id, content)


def setup(app):
    # restructured runs before napoleon, which makes sections of the rest; escaped
    # runs after it.
    app.connect("autodoc-process-docstring", restructured, priority=400)
    app.connect("autodoc-process-docstring", escaped, priority=600)
    app.connect("autodoc-process-signature", signature)
    app.connect("missing-reference", public)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Settings of the documentation site, which ./dev docs makes of the pages in docs.

The pages are plain Markdown, for those who read them where the repository is shown.
"""

import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(ROOT / "build/python")]

import headrace  # noqa: E402
import stubs  # noqa: E402
from docutils import nodes  # noqa: E402
from pygments.lexers.dsls import ProtoBufLexer  # noqa: E402
from sphinx import addnodes  # noqa: E402
from sphinx.util import inspect, logging  # noqa: E402
from sphinx.util.nodes import make_refnode  # noqa: E402

logger = logging.getLogger(__name__)
stubs.load()

project = "headrace"
version = release = headrace.__version__

extensions = [
    "breathe", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon",
]
root_doc = "docs/site/index"
include_patterns = [
    "docs/**.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
    "conformance/README.md", "fuzz/README.md",
]
# Folders with many files, in none of which a page lies.
exclude_patterns = [".*", "build*", "dist", "subprojects"]

html_theme = "furo"
html_title = "headrace"
html_copy_source = False
html_css_files = ["pages.css"]
html_show_copyright = False
html_show_sphinx = False
html_static_path = ["static"]
html_additional_pages = {"index": "start.html"}
templates_path = ["templates"]
html_theme_options = {"navigation_with_keys": True}

myst_enable_extensions = ["attrs_inline"]
myst_heading_anchors = 4

maximum_signature_line_length = 80
smartquotes_action = "D"
# Napoleon escapes `as_`, which would be a link.
strip_signature_backslash = True
toc_object_entries_show_parents = "hide"

breathe_projects = {"headrace": os.environ["HEADRACE_DOXYGEN_XML"]}
breathe_default_project = "headrace"
breathe_default_members = ("members",)
breathe_show_include = False

# Docstrings write code between single backticks.
default_role = "code"
# Modules for other libraries are read without these.
autodoc_mock_imports = [
    "apache_beam", "grain", "jax", "polars", "pyarrow", "pyspark", "ray", "torch",
]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False
napoleon_use_rtype = False

nitpicky = True
nitpick_ignore_regex = [
    # Names of the standard libraries and of other packages, which are not fetched.
    (r"cpp:.*", r"std\b.*|u?int\d+_t|size_t|mpl_.*"),
    (r"py:.*", r"(?!headrace\.).*"),
    # What public headers only declare.
    (r"cpp:.*", r"(.*::)?Impl|(compression|plan|reader|source)::.*|ResultValue.*"),
    (r"cpp:.*", r"DefaultValue"),
    (r"py:.*", r"headrace\..*\b_.*|headrace\.(features\.Feature|tfds\.batch\.View)"),
]
suppress_warnings = [
    # The namespace is declared anew in each header.
    "duplicate_declaration.cpp",
    # headrace, headrace.tfds and headrace.torch have a Dataset each.
    "ref.python",
]


def anchors(app, docname, source):
    """Ids of rules in tables become targets that links of other pages find."""
    source[0] = re.sub(r'<a id="(\w+)"></a>(\w+)', r"[\2]{#\1}", source[0])


def lists(app, docname, source):
    """Pages that a list of plain Markdown links to lie below it."""
    if docname in ("docs/cookbook/index", "docs/errors/index"):
        pages = dict.fromkeys(re.findall(r"\]\((\w[\w-]*\.md)\)", source[0]))
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


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


def pages_as_links(app, doctree):
    """Comments and docstrings name pages by their paths."""
    for node in list(doctree.findall(nodes.Text)):
        parts = re.split(r"\bdocs/([\w/-]+)\.md\b", str(node))
        if len(parts) == 1 or isinstance(node.parent, (nodes.literal, nodes.literal_block)):
            continue
        found = []
        for index, part in enumerate(parts):
            link = nodes.inline(part, f"docs/{part}.md") if index % 2 else None
            found.append(nodes.Text(part) if link is None else addnodes.pending_xref(
                "", link, refdomain="std", reftype="doc", reftarget=f"/docs/{part}",
                refexplicit=True, refdoc=app.env.docname))
        node.parent.replace(node, found)


def shortened(app, env):
    """Contents of a page of C++ name classes and functions, not members: there are
    thousands, and every page would carry a copy of them."""
    for name, contents in env.tocs.items():
        if not name.startswith("docs/site/c"):
            continue
        for entries in list(contents.findall(nodes.bullet_list)):
            depth, node = 0, entries
            while node is not contents:
                depth, node = depth + 1, node.parent
            if depth >= 8 and entries.parent is not None:
                entries.parent.remove(entries)


def complete(app, env):
    """Every public header and every name of the package is on a page."""
    pages = [ROOT / "docs/site/c.md", *(ROOT / "docs/site/cpp").glob("*.md")]
    shown = "".join(page.read_text(encoding="utf-8") for page in pages)
    for header in (ROOT / "include/headrace").glob("*.h"):
        if f":: {header.name}\n" not in shown:
            logger.warning("no page of docs/site has the header %s", header.name)
    for name in headrace.__all__:
        if f"headrace.{name}" not in env.domains["py"].objects:
            logger.warning("no page of docs/site/python has headrace.%s", name)


def public(app, env, node, content):
    """Annotations name the modules that define classes, users do not."""
    name = node["reftarget"].rpartition(".")[2]
    found = env.domains["py"].objects.get(f"headrace.{name}")
    if node["refdomain"] != "py" or not found:
        return None
    return make_refnode(
        app.builder, node["refdoc"], found.docname, found.node_id, content)


def setup(app):
    app.connect("source-read", anchors)
    app.connect("source-read", lists)
    app.connect("autodoc-process-docstring", escaped, priority=600)
    app.connect("autodoc-process-signature", signature)
    app.connect("doctree-read", pages_as_links)
    app.connect("env-check-consistency", complete)
    app.connect("env-updated", shortened)
    app.connect("missing-reference", public)
    # Before napoleon, which makes sections of what is left.
    app.connect("autodoc-process-docstring", restructured, priority=400)
    app.add_lexer("textproto", ProtoBufLexer)

"""A Sphinx extension that adapts plain Markdown pages, and links pages in comments."""

import pathlib
import re

import headrace
from docutils import nodes
from pygments.lexers.dsls import ProtoBufLexer
from sphinx import addnodes
from sphinx.util import logging

ROOT = pathlib.Path(__file__).parents[2]
logger = logging.getLogger(__name__)


def anchors(app, docname, source):
    """Turns ids of rules in tables into targets for links from other pages."""
    source[0] = re.sub(r'<a id="(\w+)"></a>(\w+)', r"[\2]{#\1}", source[0])


def lists(app, docname, source):
    """Adds a toctree of the pages that a list of plain Markdown links to."""
    if docname in ("docs/cookbook/index", "docs/errors/index"):
        pages = dict.fromkeys(re.findall(r"\]\((\w[\w-]*\.md)\)", source[0]))
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def pages_as_links(app, doctree):
    """Turns the paths of pages in comments and docstrings into links."""
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
    """Drops members from the contents of the C and C++ pages.

    There are thousands, and every page would carry a copy of them.
    """
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
    """Warns if a public header or a name of the package is on no page."""
    pages = [ROOT / "docs/site/c.md", *(ROOT / "docs/site/cpp").glob("*.md")]
    shown = "".join(page.read_text(encoding="utf-8") for page in pages)
    for header in (ROOT / "include/headrace").glob("*.h"):
        if f":: {header.name}\n" not in shown:
            logger.warning("no page of docs/site has the header %s", header.name)
    for name in headrace.__all__:
        if f"headrace.{name}" not in env.domains["py"].objects:
            logger.warning("no page of docs/site/python has headrace.%s", name)


def setup(app):
    app.connect("source-read", anchors)
    app.connect("source-read", lists)
    app.connect("doctree-read", pages_as_links)
    app.connect("env-updated", shortened)
    app.connect("env-check-consistency", complete)
    app.add_lexer("textproto", ProtoBufLexer)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Sphinx settings of the documentation site, which ./dev docs builds from docs.

The pages are plain Markdown, so they also read well where the repository is shown.
"""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(ROOT / "build/python")]

import headrace
import stubs

stubs.load()

project = "headrace"
version = release = headrace.__version__

extensions = [
    "breathe", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon",
    "docstrings", "pages",
]
root_doc = "docs/site/index"
include_patterns = [
    "docs/**.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
    "conformance/README.md", "fuzz/README.md",
]
# Folders with many files but no pages.
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
# Napoleon escapes `as_`, which would otherwise be a link.
strip_signature_backslash = True
toc_object_entries_show_parents = "hide"

breathe_projects = {"headrace": os.environ["HEADRACE_DOXYGEN_XML"]}
breathe_default_project = "headrace"
breathe_default_members = ("members",)
breathe_show_include = False

# Docstrings write code between single backticks.
default_role = "code"
# Autodoc imports the adapters without these packages.
autodoc_mock_imports = [
    "apache_beam", "grain", "jax", "polars", "pyarrow", "pyspark", "ray", "torch",
]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_numpy_docstring = False
napoleon_use_rtype = False

nitpicky = True
nitpick_ignore_regex = [
    # Names of the standard libraries and of other packages: their docs are not fetched.
    (r"cpp:.*", r"std\b.*|u?int\d+_t|size_t|mpl_.*"),
    (r"py:.*", r"(?!headrace\.).*"),
    # Names that public headers only declare.
    (r"cpp:.*", r"(.*::)?Impl|(compression|plan|reader|source)::.*|ResultValue.*"),
    (r"cpp:.*", r"DefaultValue"),
    (r"py:.*", r"headrace\..*\b_.*|headrace\.(features\.Feature|tfds\.batch\.View)"),
    # Types for type checkers, and the parts of an order.
    (r"py:.*", r"headrace\.options\.\w+Options|headrace\.shuffle\.Order"),
]
suppress_warnings = [
    # Each header declares the namespace again.
    "duplicate_declaration.cpp",
    # headrace, headrace.tfds and headrace.torch have a Dataset each.
    "ref.python",
]

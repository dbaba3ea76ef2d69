# ./dev docs: makes the site of the pages in docs, and of the public headers and
# the Python package, in build-docs/html.
need_packages doxygen python3-venv
need_venv .venv-docs docs/requirements.txt
build_package
mkdir -p build-docs
# Comments that Doxygen cannot read are errors, as Sphinx's warnings are.
doxygen - <<END
$(<docs/site/doxygen.conf)
OUTPUT_DIRECTORY = build-docs/doxygen
END
HEADRACE_DOXYGEN_XML=$PWD/build-docs/doxygen/xml .venv-docs/bin/sphinx-build \
  -q -W --keep-going -j "$JOBS" -c docs/site -d build-docs/doctrees \
  . build-docs/html
python3 docs/site/check_links.py build-docs/html
say "build-docs/html/index.html"

# The tests of tests/python that need packages of gigabytes or browsers, by the virtual
# environment that has these. Each file runs alone: some packages do not get on in
# one process.
build_package
# What some of them run beside it: the program, and a plain program that they compare
# with.
compile build src/cli/headrace tests/report/naive_report
# The package of this build loads in no other.
is_this_python() {
  local version='import sys; print(sys.version_info[:2])'
  [ "$("$1" -c "$version" 2>/dev/null)" = "$(python3 -c "$version")" ]
}
folder=tests/python
torch=("$folder"/adapters/test_{torch,torch_*,tfds_torch,grain,jax,examples_torch}.py)
torchrec=("$folder"/adapters/test_torch{rec,_groups}.py)
engines=("$folder"/adapters/test_{ray,beam,beam_ranges,engines_silence,stats_engines,tfds_engines,examples_engines}.py)
spark=("$folder"/adapters/test_spark*.py)
tensorflow=("$folder"/tf/test_*.py)
remote=("$folder"/remote/test_{s3,object_stores,convert_to_urls,changed_objects}.py)
tfdv=("$folder"/tfdv/test_*.py)
tfds=("$folder"/tfds/test_*.py)
ranking=("$folder"/ranking/test_*.py)
# Asks readers in the environments of others, too, so it comes last.
readers=("$folder"/readers/test_*.py)
export HEADRACE_TREES=200
# Spark runs in Java.
need_packages openjdk-17-jre-headless
for name in torch torchrec engines spark tensorflow remote tfdv tfds ranking readers; do
  venv=.venv-$name interpreter=python3
  if [[ "$name" = tfdv || "$name" = ranking ]]; then
    # TensorFlow Data Validation and TensorFlow Ranking have no wheels for later ones.
    interpreter=python3.11
    if ! is_this_python "$interpreter"; then
      say "FAILED: $venv needs Python 3.11, the one that headrace is built for"
      failed=$((failed + 1))
      continue
    fi
  fi
  if ! need_venv "$venv" "$folder/requirements-$name.txt" "$interpreter"; then
    say "FAILED: the packages of $venv could not be installed"
    failed=$((failed + 1))
    continue
  fi
  declare -n files=$name
  for file in "${files[@]}"; do
    say "$(basename "$file")"
    expect env PYTHONPATH="$PWD/build/python" \
      HEADRACE="$PWD/build/src/cli/headrace" "$venv/bin/python" -m pytest \
      -rs -p no:cacheprovider "$file"
  done
done
# The page of statistics, in the browsers of Debian.
need_packages chromium chromium-driver firefox-esr
compile build tests/test_report src/cli/headrace
say "test_page.py"
need_venv .venv-page "$folder/requirements-page.txt" || true
expect env HEADRACE_REPORT_TEST="$PWD/build/tests/test_report" \
  HEADRACE="$PWD/build/src/cli/headrace" .venv-page/bin/python -m pytest \
  -rs -p no:cacheprovider "$folder/page/test_page.py"
# The samples that call the C interface, by the compilers of Debian.
need_packages rustc golang-go openjdk-17-jdk-headless
compile build samples
say "samples_test.py"
expect python3 tests/c/samples_test.py build/src/cli/headrace \
  build/tests/package/libheadrace.so build/tests/c/reader_digest

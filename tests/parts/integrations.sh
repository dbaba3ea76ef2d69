# The files of tests/python that need packages of gigabytes are listed by the
# virtual environment that has them. Each file runs alone: some packages do not
# get on in one process.
declare -A files=(
  [torch]='torch torch_loader jax examples_torch'
  [engines]='ray beam examples_engines'
  [tensorflow]='tf_io tf_corner_cases tf_equality examples_tf
    guide_from_tensorflow'
)
for name in torch engines tensorflow; do
  venv=.venv-$name
  if ! need_venv "$venv" "tests/python/requirements-$name.txt"; then
    say "SKIPPED: the packages of $venv could not be installed"
    continue
  fi
  for file in ${files[$name]}; do
    say "$file"
    expect env PYTHONPATH="$PWD/build/python" \
      HEADRACE="$PWD/build/src/cli/headrace" "$venv/bin/python" -m pytest \
      -q -rs -p no:cacheprovider "tests/python/test_$file.py"
  done
done
